"""Reports of iostat as text, one line at a time."""

from __future__ import annotations

import itertools
import math
import re
from datetime import datetime

from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Parsed, Value
from storagelab.parsers.monitors.clock import Dates
from storagelab.parsers.monitors.iostat.headings import DEVICES, is_heading, tables
from storagelab.parsers.monitors.iostat.unwrapped_lines import SEPARATED, in_columns, unwrapped
from storagelab.parsers.monitors.snapshot import ends_table, is_prompt, prose_below
from storagelab.parsers.monitors.sysstat import clock
from storagelab.parsers.monitors.sysstat.assembly import assemble
from storagelab.parsers.monitors.sysstat.banner import is_banner, read_banner
from storagelab.parsers.monitors.sysstat.cells import is_number
from storagelab.parsers.monitors.sysstat.document import moment_of
from storagelab.parsers.monitors.sysstat.pages import Pages
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.monitors.sysstat.sheet import Sheet
from storagelab.parsers.text import without_prefix

_STAMP = ("part", "iteration", "time", "statistic", "phase")
_TITLE_OF_UNIX = ["extended", "device", "statistics"]
_TITLES_OF_HOST = (["tty"], ["cpu"], ["tty", "cpu"])
_LEAVES_BOOT_OUT = re.compile(r"\biostat (?:\S+ ){0,9}-[A-Za-z]{0,20}y")
_OF_UNIX = frozenset(("asvc_t", "svc_t", "actv", "qlen", "msps"))
_HEADED_ONCE = "msps"
"""The last column of a table whose heading HP-UX prints above its first report alone."""
_OPENS_TABLE = ("avg-cpu:", *DEVICES)
_TIMES = re.compile(
    r"(?:Time: |[^\W\d_]{2,9}: (?=\S*?\d\d[:.]\d\d[:.]\d\d)|\d(?=\S*?[-/.年]\d)\S++ )?"
    r"(?=\S*?\d\d[:.时時]\d\d)\S++(?: \S{2,5}){0,2}"
)
"""What stands above a report; ``Time:``, which sysstat up to 8 prints before it, is translated."""


def _are_ended(lines: list[str]) -> bool:
    """Whether a blank line stands below the last table, with nothing behind it but text and prompts of a shell."""
    if not lines or not lines[-1].strip():
        return True
    prose = prose_below(lines)
    ends = (line for at, line in enumerate(reversed(lines)) if len(lines) - at not in prose)
    return not next((line for line in ends if not (line.strip() and ends_table(line))), "").strip()


def _may_be_headed_once(columns: tuple[str, ...]) -> bool:
    """Whether reports may follow each other under one heading: of HP-UX, and of disks that somebody picked with grep.

    An export of NFS may be mounted twice, a disk is listed once in each report.
    """
    return columns[-1] == _HEADED_ONCE or columns[0].rstrip(":") == "Device"


class Reports:
    """What has been read so far."""

    def __init__(self) -> None:
        self.parsed = Parsed({"tool": "iostat"})
        self._sheets: dict[tuple[str, ...], Sheet] = {}
        self._sheet: Sheet | None = None
        self._beside: list[Sheet] = []
        self._seen: set[tuple[str, ...]] = set()
        self._first_seen: set[tuple[str, ...]] = set()
        self._part = 0.0
        self._has_begun = False
        self._iteration = -1
        self._stamp: tuple[Value, ...] = ()
        self._date = ""
        self._origin: datetime | None = None
        self._moment: datetime | None = None
        self._dates = Dates()
        self._times_are_dates = False
        self._name = ""
        self._leaves_boot_out = False
        self._is_of_unix = False
        self._day_first: bool | None = None
        self._first_words: dict[int, int] = {}
        self._first_device = ""

    def read(self, text: str) -> Parsed:
        """Read a whole log."""
        self._day_first = clock.day_comes_first(text)
        *lines, rest = clock.plain(text).split("\n")
        if not any(line.startswith(_OPENS_TABLE) for line in lines):
            lines = without_prefix(lines)
        if SEPARATED.search(text):
            lines = list(in_columns(lines))
        whole, self._first_words = unwrapped(lines)
        pages, done = Pages(whole), 0
        for number, line in enumerate(whole, 1):
            words = line.split() if number > done else ()
            if words and not (self._sheet and self._is_next_row(self._sheet, words, number)):
                self._line(line, words, number)
                if self._sheet and self._sheet.is_awaited and not self._first_words:
                    done = number + self._rows_at_once(self._sheet, pages.under(number), number + 1)
        self._end(lines, rest)
        self.parsed.series = assemble(self._sheets.values())
        if not self.parsed.series:
            raise refusal("a table of iostat, 'avg-cpu:' or 'Device', and numbers under it", text)
        if self._times_are_dates and self._dates.tell_no_times:
            self.parsed.series["time"] = [math.nan] * len(self.parsed.series["time"])
        if self._origin and self._origin.year > 1:
            self.parsed.header["started"] = self._origin.isoformat()
        return self.parsed

    def _is_next_row(self, sheet: Sheet, words: list[str], number: int) -> bool:
        """Take the numbers of one more item of a table, as most lines hold them; False where a line may be another."""
        layout = sheet.layout
        if len(words) != len(layout.columns) or self._beside or self._name:
            return False
        if words[0] == "Linux" or not is_number(words[layout.start]):
            return False
        self._add(sheet, words, number)
        return True

    def _rows_at_once(self, sheet: Sheet, rows: list[list[str]], first: int) -> int:
        """Take the lines under a heading from the first on, and say how many; 0 where one may be no row."""
        is_repeated = _may_be_headed_once(sheet.layout.columns) and any(row[0] == rows[0][0] for row in rows[1:])
        numbers = sheet.plain_numbers(rows) if not (self._name or self._beside or is_repeated) else []
        if not numbers:
            return 0
        self._stamp = self._stamped()
        self._first_device = rows[0][0]
        sheet.add_rows(rows, numbers, [self._stamp] * len(rows), first)
        return len(rows)

    def _line(self, line: str, words: list[str], number: int) -> None:
        self._stamp = ()
        if words[0] == "avg-cpu:":
            self._open(tuple(words[1:]), number)
        elif tuple(words) in self._sheets or is_heading(words):
            self._open(tuple(words), number)
        elif words[:3] == _TITLE_OF_UNIX or words in _TITLES_OF_HOST:
            self._is_of_unix = True
        elif is_banner(line):
            self._banner(line, number)
        elif _TIMES.fullmatch(" ".join(words)):
            self._time(words, number)
        elif not self._dates.add(line):
            self._numbers(words, number)

    def _open(self, heading: tuple[str, ...], number: int) -> None:
        columns, *beside = tables(heading)
        if "\ufffd" in "".join(heading):
            remark(self.parsed, "a name of a column is not UTF-8", number, lost=True)
        if columns in self._seen or not self._seen:
            self._check_tables(number)
            self._first_seen = self._first_seen or set(self._seen)
            self._iteration += 1
            self._seen = set()
            self._date_report()
        self._seen.add(columns)
        self._is_of_unix |= not _OF_UNIX.isdisjoint(columns)
        if self._sheet and self._sheet.is_awaited and not self._sheet.layout.keys:
            remark(self.parsed, "expected numbers of all processors, found the next table", number, lost=True)
        self._name = self._first_device = ""
        self._sheet = self._sheet_of(columns)
        self._sheet.is_awaited = True
        self._beside = [self._sheet_of(others) for others in beside]

    def _date_report(self) -> None:
        """Give a report that begins the date that stands alone above it; one has its own time, or none has."""
        if self._times_are_dates or self._moment is None:
            self._moment = self._dates.of_report()
            self._times_are_dates = self._times_are_dates or self._moment is not None
            self._origin = self._origin or self._moment

    def _sheet_of(self, columns: tuple[str, ...]) -> Sheet:
        return self._sheets.setdefault(columns, Sheet(columns, _STAMP))

    def _check_tables(self, number: int) -> None:
        if self._first_seen and self._seen and self._seen != self._first_seen:
            remark(self.parsed, "a report lacks a table that the first one has", number, lost=True)

    def _banner(self, line: str, number: int) -> None:
        banner = read_banner(line, number, self.parsed, self._day_first)
        if banner:
            self._check_tables(number)
            self.parsed.header.setdefault("host", banner.host)
            self._date = banner.date
            self._part += not self._has_begun
            self._has_begun = False
            self._begin()

    def _prompt(self, said: str) -> None:
        """Take a shell's prompt: behind reports another run begins, which Solaris and FreeBSD say in no other way."""
        self._name = ""
        self._leaves_boot_out = _LEAVES_BOOT_OUT.search(said) is not None
        if self._iteration >= 0:
            self._part = max(self._part, 1.0) + 1
            self._has_begun = True
            self._begin()

    def _begin(self) -> None:
        self._iteration = -1
        self._seen, self._first_seen = set(), set()
        self._sheet = self._moment = None

    def _time(self, words: list[str], number: int) -> None:
        is_named = words[0].endswith(":")
        moment = moment_of(" ".join(words[is_named:]), self._date, self._day_first)
        if moment is None:
            remark(self.parsed, "a time that cannot be read", number, lost=True)
        elif self._moment and clock.is_set_back(self._moment, moment) and is_named:
            moment = clock.next_day(self._moment, moment)
        self._check_tables(number)
        self._first_seen = self._first_seen or set(self._seen)
        self._seen = set()
        self._moment = moment
        self._origin = self._origin or moment

    def _numbers(self, words: list[str], number: int) -> None:
        sheet, said = self._sheet, " ".join(words)
        if is_prompt(said):
            self._prompt(said)
        elif sheet is None:
            self._leaves_boot_out |= _LEAVES_BOOT_OUT.search(said) is not None
            remark(
                self.parsed,
                "not a line of a table",
                number,
                lost=words[:1] != ["iostat"] and sum(map(is_number, words)) > 1,
            )
        elif len(words) == 1 and sheet.layout.start == 1 and not is_number(words[0]):
            self._name = words[0]
        else:
            if self._name and len(words) == len(sheet.layout.columns) - 1:
                words = [self._name, *words]
            self._name = ""
            self._add(sheet, words, number)

    def _add(self, sheet: Sheet, words: list[str], number: int) -> None:
        columns = sheet.layout.columns
        if _may_be_headed_once(columns) and words[0] == self._first_device and len(words) == len(columns):
            self._stamp = ()
            self._open(columns, number)
        self._stamp = self._stamp or self._stamped()
        try:
            words = self._without_others(words, len(columns), number)
            sheet.add(words, self._stamp, number, sheet.lines_of(number, self._first_words))
            self._first_device = self._first_device or words[0]
        except ValueError as error:
            lost = any(map(is_number, words[1:] or words)) or any("\ufffd" in word for word in words)
            remark(self.parsed, f"not a line of the table: {error}", number, lost=lost)

    def _without_others(self, words: list[str], own: int, number: int) -> list[str]:
        """Take what stands behind the first line of a table: numbers of terminals and processors.

        Raises
        ------
        ValueError
            If they are not there.
        """
        others, self._beside = self._beside, []
        widths = [own, *(len(sheet.layout.columns) for sheet in others)]
        if others and len(words) != sum(widths):
            raise ValueError(f"{sum(widths)} columns wanted, found {len(words)}")
        ends = list(itertools.accumulate(widths))
        for sheet, begin, end in zip(others, ends, ends[1:], strict=False):
            sheet.add(words[begin:end], self._stamp, number)
        return words[:own] if others else words

    def _stamped(self) -> tuple[Value, ...]:
        time = math.nan
        if self._moment and self._origin and clock.are_alike(self._moment, self._origin):
            time = (self._moment - self._origin).total_seconds()
        phase = "since boot" if self._iteration == 0 and not self._leaves_boot_out else ""
        return max(self._part, 1.0), float(self._iteration), time, "single", phase

    def _end(self, lines: list[str], rest: str) -> None:
        if rest.strip():
            self.parsed.incomplete("the last line has no end and is not trusted", len(lines) + 1)
        elif not (_are_ended(lines) or self._is_of_unix):
            self.parsed.incomplete("no blank line ends the last table: it is cut, or was stripped", len(lines))
        self._check_tables(len(lines))
