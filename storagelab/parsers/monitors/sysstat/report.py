"""Reports that go through the day: tables whose lines begin with a time, as sar and mpstat print them."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from storagelab.parsers.model import Columns, Parsed, Value
from storagelab.parsers.monitors.snapshot import is_prompt
from storagelab.parsers.monitors.sysstat import clock
from storagelab.parsers.monitors.sysstat.assembly import assemble
from storagelab.parsers.monitors.sysstat.banner import is_banner, read_banner
from storagelab.parsers.monitors.sysstat.cells import hold_number, is_number
from storagelab.parsers.monitors.sysstat.meanings import HOST, KEYS, TRANSFERS, is_of_mpstat
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.monitors.sysstat.sheet import Sheet
from storagelab.parsers.text import without_prefix
from storagelab.parsers.trusted_lines import refusal

STAMP = ("part", "time", "statistic", "phase")
SINCE_BOOT = "since boot"
_COLUMN = r"(?:[a-z]{2,12}/s|%[a-z]{2,8}|await|svctm|a(?:vg)?(?:re?q|qu)-sz|kb[a-z]{4,8})"
_ENDS_COLUMNS = re.compile(rf"^[ \t]*{_COLUMN}(?:[ \t]+{_COLUMN})*[ \t]*$", re.MULTILINE)
"""A line that holds the last columns of a wrapped table alone."""
_OF_TABLES = "proc-sz"
_INTERRUPTS = "INTR"
"""Its samples have a column for each processor that was online then, its averages one for each that ever was."""
_OF_MOST = re.compile(r"\d{1,18}/\d{1,18}")
_RESTART = ["LINUX", "RESTART"]
_COLONS = ":："
_AVERAGE = "Average"
"""Of Solaris and AIX it has no colon."""
_CONFIGURATION_OF_AIX = ["System", "configuration:"]
_ALL_ON_AIX = "-"
_ITEMS_OF_UNIX = ("device", "cpu")
_SEVERAL = 2
_SUMMARIES = {"minimum": "min", "maximum": "max"}
"""What other lines than averages end a table."""
_OF_FILE_SYSTEMS = "MBfsfree"
"""A column of the table whose last lines, headed "Summary:", are the last values and no averages (pr_stats.c)."""


def read_report(text: str, tool: Literal["sar", "mpstat"]) -> Parsed:
    """Read every table of a report of `tool` into `series`.

    Raises
    ------
    ParseError
        If there is no table, or no line under its columns.
    """
    report = Report(tool, clock.day_comes_first(text))
    *lines, rest = clock.plain(text).split("\n")
    if not any(map(_has_time, lines)):
        lines = without_prefix(lines)
    if _OF_TABLES in text:
        lines = list(_apart(lines))
    if _ENDS_COLUMNS.search(text):
        lines, report.first_words = _unwrapped(lines)
    for number, line in enumerate(lines, 1):
        if line:
            report.read(line.lstrip(" \t"), number)
    report.end(len(lines))
    report.parsed.cut_line(rest, len(lines) + 1)
    if not any(sheet.lines for sheet in report.sheets):
        raise refusal(f"a table of {tool}: a time and columns, and samples under them", text)
    report.parsed.series = _of_hosts(assemble(report.sheets), report)
    return report.parsed


def _of_hosts(series: Columns, report: Report) -> Columns:
    """Give each row its host, where the reports of a log are of several; rows without a part are all of the first."""
    if len(set(report.hosts)) < _SEVERAL or "part" not in series:
        return series
    del report.parsed.header["host"]
    return series | {"host": [report.hosts[int(part) - 1] for part in series["part"]]}


def _apart(lines: list[str]) -> Iterator[str]:
    """Write ``sar -v`` of Solaris and AIX with a column for each number of ``89/30000`` and each ``ov``."""
    sizes = 0
    for line in lines:
        words = line.split()
        if _OF_TABLES in words:
            sizes, table, columns = 0, "", list[str]()
            for word in words:
                table = word.removesuffix("-sz") if word.endswith("-sz") else table
                sizes += word.endswith("-sz")
                columns += [word, f"{table}-max"] if word.endswith("-sz") else [f"{table}-ov" if word == "ov" else word]
            yield " ".join(columns)
        elif sizes and sum(map(bool, map(_OF_MOST.fullmatch, words))) == sizes:
            yield " ".join(" ".join(word.split("/")) for word in words)
        else:
            yield line


def _has_time(line: str) -> bool:
    """Whether a line begins with a time, or with the title of averages that stands in its place over their columns."""
    words = line.split(maxsplit=2)
    is_titled = len(words) > 1 and words[0][-1] in _COLONS and _is_column(words[1])
    return is_titled or (bool(words) and clock.time_of_day(words) is not None)


@functools.lru_cache(maxsize=256)
def _is_column(word: str) -> bool:
    """Whether a word is the name of a column."""
    return word in KEYS or word in HOST or word in TRANSFERS or word.endswith("/s")


def _unwrapped(lines: list[str]) -> tuple[list[str], dict[int, int]]:
    """Join what a mail or a page wrapped, columns and then numbers, to what it goes on with; leave nothing there.

    Also says how many words of a joined line stood on the first of the two, behind its time, by its number.
    """
    found, first = list(lines), dict[int, int]()
    wanted, begun, on_first = 0, -1, 0
    for at, line in enumerate(lines):
        words = line.split()
        taken = _before(words)
        if taken:
            begun, on_first = at, len(words) - taken
            wanted = wanted if any(map(is_number, words[taken:])) else 0
        elif begun == at - 1 and _ENDS_COLUMNS.match(line) and not any(map(is_number, words)):
            wanted = on_first + len(words)
            found[begun], found[at] = f"{found[begun]} {line}", ""
        elif begun == at - 1 and 0 < len(words) <= wanted - on_first and all(map(is_number, words)):
            first[begun + 1] = on_first
            found[begun], found[at] = f"{found[begun]} {line}", ""
    return found, first


def _before(words: list[str]) -> int:
    """How many words of a line are its time, or the title that stands in its place."""
    found = clock.time_of_day(words) if words else None
    return found[1] if found else int(bool(words) and words[0][-1] in _COLONS)


class _Table(Sheet):
    """A sheet that follows the clock of its lines over midnight."""

    def __init__(self, columns: tuple[str, ...], day: int, time: float) -> None:
        super().__init__(columns, STAMP)
        self.day = day
        self.opened = 0.0
        self._last = time

    def seconds(self, time: float) -> float:
        """Seconds since midnight of the first day."""
        if clock.past_midnight(self._last, time):
            self.day += 1
        self._last = time
        return self.day * clock.DAY + time


class _Heading(NamedTuple):
    """What stands behind the first word of a heading: the next word, how many are the time, and the columns."""

    second: list[str]
    taken: int
    columns: tuple[str, ...]


class Report:
    """What has been read so far.

    Parameters
    ----------
    tool : str
        Whose tables are read. Of mpstat, a sample taken at the very time of its columns is one since boot: it prints
        that without an interval.
    day_first : bool or None
        As in `clock.day`.
    """

    def __init__(self, tool: str, day_first: bool | None) -> None:
        self.parsed = Parsed({"tool": tool})
        self._day_first = day_first
        self._is_mpstat = tool == "mpstat"
        self.sheets: list[Sheet] = []
        self.hosts: list[str] = []
        """Of each report that has a banner, from the first on."""
        self._part = 1.0
        self._banners = 0
        self._date = ""
        self._day = 0
        self._origin = math.nan
        self._half: bool | None = None
        self._tables: dict[tuple[str, ...], _Table] = {}
        self._headings: dict[str, _Heading] = {}
        self._table: _Table | None = None
        self._prefix: list[str] = []
        self._taken = 0
        self._stamp: tuple[Value, ...] = ()
        self._last_stamp: tuple[Value, ...] = ()
        self.first_words: dict[int, int] = {}

    def read(self, line: str, number: int) -> None:
        """Take a line; most of them stand under another line of the same sample, or are headings seen before."""
        first, _, rest = line.partition(" ")
        if rest in self._headings and self._is_next_page(first, rest, number):
            return
        words = line.split()
        if not words:
            return
        if self._table and self._prefix and words[: self._taken] == self._prefix:
            try:
                self._table.add(
                    words[self._taken :], self._stamp, number, self._table.lines_of(number, self.first_words)
                )
                return
            except ValueError:
                pass
        self._prefix, self._stamp = [], ()
        taken = self._read(line, words, number)
        if self._stamp:
            self._taken, self._prefix = taken, words[:taken]
        elif taken and self._table and self._table.layout.columns == tuple(words[taken:]):
            self._headings[rest] = _Heading(words[1:2], taken, self._table.layout.columns)

    def _is_next_page(self, first: str, rest: str, number: int) -> bool:
        """Open a table anew where its heading comes again, with another time before it."""
        second, taken, columns = self._headings[rest]
        found = clock.time_of_day([first, *second])
        if not found or found[1:] != (taken, self._half) or columns not in self._tables:
            return False
        self._prefix, self._stamp = [], ()
        self._columns(columns, found[0], number)
        return True

    def _read(self, line: str, words: list[str], number: int) -> int:
        """Take a line by itself; return how many words stand before the table's."""
        found = clock.time_of_day(words)
        if found:
            time, taken, half = found
            self._timed(words[taken:], time, half, number)
            return taken
        if is_banner(line):
            self._banner(line, number)
            return 0
        if self._table and self._is_next_item(self._table, words):
            self._add(words, self._last_stamp, number)
            self._stamp = ()
            return 0
        if words[:2] == _CONFIGURATION_OF_AIX:
            return 0
        taken = next((at for at, word in enumerate(words[:2], 1) if word[-1] in _COLONS), int(words[0] == _AVERAGE))
        if taken:
            self._summary(words[taken:], words[0], number)
        else:
            self._foreign(words, number)
        return taken

    def _is_next_item(self, table: _Table, words: list[str]) -> bool:
        """Whether a line without a time, as Solaris, AIX and HP-UX print it, is of another item of the last sample."""
        columns = table.layout.columns
        is_of_unix = columns[0] in _ITEMS_OF_UNIX and bool(self._last_stamp)
        return is_of_unix and len(words) == len(columns) and all(map(is_number, words[1:]))

    def _timed(self, words: list[str], time: float, half: bool, number: int) -> None:
        if math.isnan(self._origin):
            self._start(time)
        self._half = half if self._half is None else self._half
        if half != self._half:
            remark(self.parsed, "the clock changes between 12 and 24 hours: not read", number, lost=True)
        elif tuple(words) in self._tables:
            self._columns(tuple(words), time, number)
        elif words[:2] == _RESTART:
            self._restart(words, time, number)
        elif words and words[0] != "COM" and hold_number(words):
            self._sample(words, time, number)
        elif words and words[0] != "COM":
            self._columns(tuple(words), time, number)

    def _start(self, time: float) -> None:
        self._origin = time
        if self._date:
            self.parsed.header["started"] = f"{self._date}T{clock.clock_text(time)}"

    def _banner(self, line: str, number: int) -> None:
        banner = read_banner(line, number, self.parsed, self._day_first)
        if banner is None:
            return
        self._banners += 1
        if self._banners > 1:
            self._close(number)
            self._half = None
            self._part += 1
            self._day = clock.days_between(self._date, banner.date)
        else:
            self._date = banner.date
            self.parsed.header["host"] = banner.host
        self.hosts.append(banner.host)

    def _columns(self, columns: tuple[str, ...], time: float, number: int) -> None:
        if _is_damaged(columns):
            remark(self.parsed, "a name of a column is not UTF-8", number, lost=True)
        if is_of_mpstat(columns) != self._is_mpstat or columns[-1] == "Command":
            remark(self.parsed, f"a table that {self.parsed.header['tool']} does not print", number, lost=True)
            self._table = None
            return
        table = self._tables.get(columns)
        if table is None:
            table = self._tables[columns] = _Table(columns, self._day, time)
            self.sheets.append(table)
        table.opened = table.seconds(time)
        table.is_awaited = True
        self._table = table

    def _sample(self, words: list[str], time: float, number: int) -> None:
        if self._table is None:
            remark(self.parsed, "numbers without columns over them", number, lost=True)
            return
        seconds = self._table.seconds(time)
        boot = seconds == self._table.opened and (self._is_mpstat or not self._table.lines)
        self._add(words, (self._part, seconds - self._origin, "single", SINCE_BOOT if boot else ""), number)

    def _summary(self, words: list[str], title: str, number: int) -> None:
        """Averages, under columns of their own where they were picked out; newer versions print lowest values too."""
        if words and not any(map(is_number, words)):
            self._table = self._tables.get(tuple(words))
            names = _is_column(words[0]) or words[-1] in KEYS
            if self._table is None and names and math.isnan(self._origin):
                self._columns(tuple(words), 0.0, number)
                self.parsed.incomplete("an excerpt: the samples above the averages are missing", number)
            elif self._table is None and words[0] == _INTERRUPTS:
                self._columns(tuple(words), 0.0, number)
            if self._table:
                return
        if self._table is None or not words:
            self._foreign(words, number)
        else:
            ended = "last" if _OF_FILE_SYSTEMS in self._table.layout.columns else "mean"
            statistic = _SUMMARIES.get(title.rstrip(_COLONS).lower(), ended)
            self._add(words, (self._part, math.nan, statistic, ""), number)

    def _add(self, words: list[str], stamp: tuple[Value, ...], number: int) -> None:
        table = self._table
        try:
            if table:
                words = ["all", *words[1:]] if words[0] == _ALL_ON_AIX and table.layout.columns[0] == "cpu" else words
                table.add(words, stamp, number, table.lines_of(number, self.first_words))
                self._stamp = self._last_stamp = stamp
        except ValueError as error:
            if table and not table.layout.is_ignored:
                remark(self.parsed, f"not a line of the table: {error}", number, lost=True)

    def _restart(self, words: list[str], time: float, number: int) -> None:
        """Everything begins anew; the processors that the host has since then are a sample."""
        self._day = max([self._day, *(table.day for table in self._tables.values())])
        self._close(number)
        count = re.search(r"\((\d+) CPU", " ".join(words))
        if count:
            note = Sheet(("CPUs",), STAMP)
            note.add([count[1]], (self._part, self._day * clock.DAY + time - self._origin, "single", ""), number)
            self.sheets.append(note)

    def _foreign(self, words: list[str], number: int) -> None:
        if not is_prompt(" ".join(words)):
            is_command = words[:1] == [self.parsed.header["tool"]]
            lost = not is_command and sum(map(is_number, words)) > 1
            remark(self.parsed, "not a line of a table", number, lost=lost)

    def _close(self, number: int) -> None:
        """Hold the averages that end each table against its last sample."""
        interrupts = {item for table in self._tables.values() if _is_of_interrupts(table) for item in _averaged(table)}
        for table in self._tables.values():
            means = interrupts if _is_of_interrupts(table) else _averaged(table)
            if table.is_awaited and not table.layout.is_ignored:
                self.parsed.incomplete("columns without a sample under them", number)
            elif not _has_averages(table, means):
                self.parsed.incomplete(
                    "a table without all its averages: the tool was stopped, or the log is cut", number
                )
                break
        self._tables = {}
        self._table = None
        self._last_stamp = ()

    def end(self, number: int) -> None:
        """Finish the last tables."""
        self._close(number)


@functools.lru_cache(maxsize=256)
def _is_damaged(columns: tuple[str, ...]) -> bool:
    """Whether a name of a column is not UTF-8."""
    return "\ufffd" in "".join(columns)


def _is_of_interrupts(table: _Table) -> bool:
    return table.layout.columns[0] == _INTERRUPTS


def _averaged(table: _Table) -> set[tuple[str, ...]]:
    """Return the items of a table that have an average."""
    last = _last_sample(table)
    return {table.keys_of(place) for place, stamp in enumerate(table.stamps) if stamp[2] != "single" and stamp != last}


def _has_averages(table: _Table, means: set[tuple[str, ...]]) -> bool:
    """Whether every item of a table's last sample has its average; samples since boot and sizes of tables have none."""
    last = _last_sample(table)
    return (
        SINCE_BOOT in last
        or _OF_TABLES in table.layout.columns
        or means.issuperset(table.keys_of(place) for place, stamp in enumerate(table.stamps) if stamp == last)
    )


def _last_sample(table: _Table) -> tuple[Value, ...]:
    return next((stamp for stamp in reversed(table.stamps) if stamp[2] == "single"), ())
