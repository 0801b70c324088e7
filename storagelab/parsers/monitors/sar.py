"""Reports of sysstat's ``sar``: tables of what a host did, a line a sample and item, with averages at their end.

A blank line and a line of columns start a table, and start it anew on every page; both begin with a time, as does every
sample: the columns' time is that of the sample before. Averages begin with "Average:" in the user's language. Live
reports of several activities print table after table for each sample; reports of a saved file print one activity to its
end and then the next, and both begin anew after a line ``LINUX RESTART``. A restart becomes a row with the number of
processors as `metric`. Documented in sar(1) of sysstat 5 to 12.7 and in its sar.c and pr_stats.c.

Traps: a kB is 1024 bytes (up to sysstat 8 the columns are rxbyt/s and txbyt/s); ``--human`` prints a unit behind the
number whatever the heading says; 12-hour clocks take a column more; names may stand behind the numbers
(``--pretty``, file systems, sensors); two tables may share the first column. Only the banner has a date, in the order
of the user's locale, and no time zone. Averages are the only end: a report without them was stopped, or is cut.
"""

from __future__ import annotations

import math
import re

from storagelab.errors import ParseError
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.monitors.sysstat import clock
from storagelab.parsers.monitors.sysstat.banner import is_banner, read_banner
from storagelab.parsers.monitors.sysstat.cells import is_number
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.monitors.sysstat.sheet import Sheet, assemble
from storagelab.parsers.text import without_prefix

FORMAT = Format("sar", "sar", "sysstat 9 to 12.7", "samples of interfaces, disks, processors, memory", "sar(1)")

_STAMP = ("part", "time", "statistic")
_RESTART = ["LINUX", "RESTART"]
_MARKS = (
    "IFACE", "DEV ", "%idle", "%user", "kbmemfree", "proc/s", "cswch/s", "pgpgin/s", "rtps", "runq-sz", "INTR", "TTY ",
    "totsck", "kbswpfree", "pswpin/s", "RESTART", "file-sz", "file-nr", "MBfsfree", "kbhugfree",
)  # fmt: skip
_TIME = r"^(?:\S+[:>] ?)?(?:上午|下午|午前|午後)?\d{1,2}[:.时時]\d\d[:.分]\d\d秒?(?: [AaPp]\.?[Mm]\.?)?\s+"
_OPENING = re.compile(
    _TIME + r"(?:IFACE|DEV  |CPU +%(?:usr|user) .*%idle|CPU +MHz|INTR  |TTY  |proc/s|cswch/s|pgpgin/s|tps +rtps|runq-sz"
    r"|kbmemfree|kbswpfree|kbhugfree|pswpin/s|totsck|dentunusd|file-sz|MBfsfree|FAN  |TEMP  |LINUX RESTART"
    r"|rx(?:pck|err)/s|%(?:usr|user) .*%idle|call/s|scall/s|(?:irec|imsg|active|idgm)\S*/s"
    r"|tps +\S+ +\S+ .*\bDEV\b)",
    re.MULTILINE,
)
_OF_MPSTAT = re.compile(r"%iowait +%irq +%soft|%soft +%idle +intr/s|CPU +intr/s|NODE +%usr")


def sniff(head: str) -> bool:
    """Whether a table of sar opens here."""
    if "/s" not in head and "%" not in head and "RESTART" not in head:
        return False
    if not any(mark in head for mark in _MARKS) or _OF_MPSTAT.search(head):
        return False
    return _OPENING.search(head) is not None


def parse(text: str) -> Parsed:
    """Read every table into `series`.

    Raises
    ------
    ParseError
        If there is no table, or no line under its columns.
    """
    report = _Report()
    *lines, rest = text.split("\n")
    if not any(map(_has_time, lines)):
        lines = without_prefix(lines)
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words:
            report.read(line, words, number)
    report.end(len(lines))
    if rest.strip():
        report.parsed.incomplete("the last line has no end and is not trusted", len(lines) + 1)
    if not any(sheet.lines for sheet in report.sheets):
        number, found = next(((n, t) for n, t in enumerate(lines, 1) if t.strip()), (1, rest))
        raise ParseError("a table of sar: a time and columns, and samples under them", found, number)
    report.parsed.series = assemble(report.sheets)
    return report.parsed


def _has_time(line: str) -> bool:
    words = line.split(maxsplit=2)
    return bool(words) and clock.time_of_day(words) is not None


class _Table(Sheet):
    """A sheet that follows the clock of its lines over midnight."""

    def __init__(self, columns: tuple[str, ...], day: int, time: float) -> None:
        super().__init__(columns, _STAMP)
        self.day = day
        self._last = time

    def seconds(self, time: float) -> float:
        """Seconds since midnight of the first day."""
        if clock.past_midnight(self._last, time):
            self.day += 1
        self._last = time
        return self.day * clock.DAY + time


class _Report:
    """What has been read so far."""

    def __init__(self) -> None:
        self.parsed = Parsed({"tool": "sar"})
        self.sheets: list[Sheet] = []
        self._part = 1.0
        self._banners = 0
        self._date = ""
        self._day = 0
        self._origin = math.nan
        self._half = False
        self._tables: dict[tuple[str, ...], _Table] = {}
        self._table: _Table | None = None

    def read(self, line: str, words: list[str], number: int) -> None:
        """Take a line that is not blank."""
        found = clock.time_of_day(words)
        if found:
            time, taken, half = found
            self._timed(words[taken:], time, half, number)
        elif is_banner(line):
            self._banner(line, number)
        elif words[0][-1] in ":：" or words[1:2] == [":"]:
            self._summary(words[1 if words[0][-1] in ":：" else 2 :], words[0], number)
        else:
            self._foreign(words, number)

    def _timed(self, words: list[str], time: float, half: bool, number: int) -> None:
        if math.isnan(self._origin):
            self._start(time, half)
        if half != self._half:
            remark(self.parsed, "the clock changes between 12 and 24 hours: not read", number, lost=True)
        elif words[:2] == _RESTART:
            self._restart(words, time, number)
        elif words and words[0] != "COM" and not any(map(is_number, words)):
            self._columns(tuple(words), time)
        elif words and words[0] != "COM":
            self._sample(words, time, number)

    def _start(self, time: float, half: bool) -> None:
        self._origin = time
        self._half = half
        if self._date:
            self.parsed.header["started"] = f"{self._date}T{clock.clock_text(time)}"

    def _banner(self, line: str, number: int) -> None:
        banner = read_banner(line, number, self.parsed)
        if banner is None:
            return
        self._banners += 1
        if self._banners > 1:
            self._close(number)
            self._part += 1
            self._day = clock.days_between(self._date, banner.date)
        else:
            self._date = banner.date
            self.parsed.header["host"] = banner.host

    def _columns(self, columns: tuple[str, ...], time: float) -> None:
        if columns not in self._tables:
            table = self._tables[columns] = _Table(columns, self._day, time)
            self.sheets.append(table)
        self._table = self._tables[columns]
        self._table.seconds(time)
        self._table.is_awaited = True

    def _sample(self, words: list[str], time: float, number: int) -> None:
        if self._table is None:
            remark(self.parsed, "numbers without columns over them", number, lost=True)
            return
        self._add(words, self._table.seconds(time) - self._origin, "single", number)

    def _summary(self, words: list[str], title: str, number: int) -> None:
        """Averages; newer versions can print lowest and highest values too."""
        if words and not any(map(is_number, words)):
            self._table = self._tables.get(tuple(words))
            if self._table:
                return
        if self._table is None or not words:
            self._foreign(words, number)
        else:
            self._add(words, math.nan, _SUMMARIES.get(title.rstrip(":").lower(), "mean"), number)

    def _add(self, words: list[str], time: float, statistic: str, number: int) -> None:
        assert self._table is not None
        try:
            self._table.add(words, (self._part, time, statistic), number)
        except ValueError as error:
            if not self._table.layout.is_ignored:
                remark(self.parsed, f"not a line of the table: {error}", number, lost=True)

    def _restart(self, words: list[str], time: float, number: int) -> None:
        """Everything begins anew; the processors that the host has since then are a sample."""
        self._day = max([self._day, *(table.day for table in self._tables.values())])
        self._close(number)
        count = re.search(r"\((\d+) CPU", " ".join(words))
        if count:
            note = Sheet(("CPUs",), _STAMP)
            note.add([count[1]], (self._part, self._day * clock.DAY + time - self._origin, "single"), number)
            self.sheets.append(note)

    def _foreign(self, words: list[str], number: int) -> None:
        lost = sum(map(is_number, words)) > 1
        remark(self.parsed, "not a line of a table", number, lost=lost)

    def _close(self, number: int) -> None:
        """Hold the averages that end each table against its last sample."""
        for table in self._tables.values():
            if table.is_awaited and not table.layout.is_ignored:
                self.parsed.incomplete("columns without a sample under them", number)
            elif not _has_averages(table):
                self.parsed.incomplete("a table without all its averages: sar was stopped, or the log is cut", number)
                break
        self._tables = {}
        self._table = None

    def end(self, number: int) -> None:
        """Finish the last tables."""
        self._close(number)


_SUMMARIES = {"minimum": "min", "maximum": "max"}


def _has_averages(table: _Table) -> bool:
    """Whether every item of a table's last sample has its average."""
    means = {keys for keys, stamp in zip(table.keys, table.stamps, strict=True) if stamp[2] == "mean"}
    samples = [(stamp[1], keys) for keys, stamp in zip(table.keys, table.stamps, strict=True) if stamp[2] == "single"]
    return all(keys in means for time, keys in samples if time == samples[-1][0])
