"""Reports that go through the day: tables whose lines begin with a time, as sar and mpstat print them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Columns, Parsed
from storagelab.parsers.monitors.sysstat import clock
from storagelab.parsers.monitors.sysstat.assembly import assemble
from storagelab.parsers.monitors.sysstat.banner import is_banner, read_banner
from storagelab.parsers.monitors.sysstat.cells import hold_number
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.monitors.sysstat.report_lines import COLONS, are_columns, report_lines
from storagelab.parsers.monitors.sysstat.report_tables import ReportTables

_RESTART = ["LINUX", "RESTART"]
_AVERAGE = "Average"
"""Of Solaris and AIX it has no colon."""
_CONFIGURATION_OF_AIX = ["System", "configuration:"]
_SEVERAL = 2


def read_report(text: str, tool: Literal["sar", "mpstat"]) -> Parsed:
    """Read every table of a report of `tool` into `series`.

    Raises
    ------
    ParseError
        If there is no table, or no line under its columns.
    """
    lines, rest, first_words = report_lines(text)
    parsed = Parsed({"tool": tool})
    tables = ReportTables(parsed, first_words)
    report = _Report(parsed, tables, clock.day_comes_first(text))
    done = 0
    for number, line in enumerate(lines, 1):
        if line and number > done:
            done = 0 if first_words else report.read_page(lines, number)
            if not done:
                report.read(line.lstrip(" \t"), number)
    tables.close(len(lines))
    parsed.cut_line(rest, len(lines) + 1)
    if not any(sheet.lines for sheet in tables.sheets):
        raise refusal(f"a table of {tool}: a time and columns, and samples under them", text)
    parsed.series = _of_hosts(assemble(tables.sheets), report.hosts, parsed)
    return parsed


def _of_hosts(series: Columns, hosts: list[str], parsed: Parsed) -> Columns:
    """Give each row its host, where the reports of a log are of several; rows without a part are all of the first."""
    if len(set(hosts)) < _SEVERAL or "part" not in series:
        return series
    del parsed.header["host"]
    return series | {"host": [hosts[int(part) - 1] for part in series["part"]]}


class _Heading(NamedTuple):
    """What stands behind the first word of a heading: the next word, how many are the time, and the columns."""

    second: list[str]
    taken: int
    columns: tuple[str, ...]


class _Report:
    """Tells the lines of a report apart by what they begin with.

    Parameters
    ----------
    parsed : Parsed
        What is known of the log.
    tables : ReportTables
        What its lines are added to.
    day_first : bool or None
        As in `clock.day`.
    """

    def __init__(self, parsed: Parsed, tables: ReportTables, day_first: bool | None) -> None:
        self.hosts: list[str] = []
        """Of each report that has a banner, from the first on."""
        self._parsed = parsed
        self._tables = tables
        self._day_first = day_first
        self._date = ""
        self._half: bool | None = None
        self._headings: dict[str, _Heading] = {}
        self._prefix: list[str] = []
        self._taken = 0

    def read(self, line: str, number: int) -> None:
        """Take a line; most of them stand under another line of the same sample, or are headings seen before."""
        first, _, rest = line.partition(" ")
        if rest in self._headings and self._is_next_page(first, rest, number):
            return
        words, tables = line.split(), self._tables
        if not words:
            return
        is_beside = self._prefix and words[: self._taken] == self._prefix
        if is_beside and tables.add_beside(words[self._taken :], number):
            return
        self._prefix, tables.stamp = [], ()
        taken = self._read(line, words, number)
        if tables.stamp:
            self._taken, self._prefix = taken, words[:taken]
        elif taken and tables.current and tables.current.layout.columns == tuple(words[taken:]):
            self._headings[rest] = _Heading(words[1:2], taken, tables.current.layout.columns)

    def read_page(self, lines: Sequence[str], number: int) -> int:
        """Take a heading that was seen before and the sample under it at once; return its last line, or 0."""
        first, _, rest = lines[number - 1].partition(" ")
        if rest not in self._headings or math.isnan(self._tables.origin):
            return 0
        start = lines[number].partition(" ")[0] if number < len(lines) else ""
        found = clock.time_of_day(lines[number].split()) if start else None
        if not found or found[2] != self._half:
            return 0
        end = next((end for end in range(number, len(lines)) if not lines[end].startswith(start)), len(lines))
        rows = [line.split() for line in lines[number:end]]
        time, taken, _ = found
        prefix = rows[0][:taken]
        if any(row[:taken] != prefix for row in rows) or not self._is_next_page(first, rest, number):
            return 0
        if not self._tables.add_samples([row[taken:] for row in rows], time, number + 1):
            return 0
        self._prefix, self._taken = prefix, taken
        return end

    def _is_next_page(self, first: str, rest: str, number: int) -> bool:
        """Open a table anew where its heading comes again, with another time before it."""
        second, taken, columns = self._headings[rest]
        found = clock.time_of_day([first, *second])
        if not found or found[1:] != (taken, self._half) or not self._tables.are_known(columns):
            return False
        self._prefix, self._tables.stamp = [], ()
        self._tables.open(columns, found[0], number)
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
        if self._tables.add_item_of_unix(words, number) or words[:2] == _CONFIGURATION_OF_AIX:
            return 0
        taken = next((at for at, word in enumerate(words[:2], 1) if word[-1] in COLONS), int(words[0] == _AVERAGE))
        if taken:
            self._tables.add_summary(words[taken:], words[0], number)
        elif are_columns(tuple(words)):
            self._tables.open_without_time(tuple(words), number)
        elif not self._tables.add_without_time(words, number):
            self._tables.foreign(words, number)
        return taken

    def _timed(self, words: list[str], time: float, half: bool, number: int) -> None:
        """Take what stands behind a time; `half` says whether the clock has 12 hours."""
        if math.isnan(self._tables.origin):
            self._start(time)
        self._half = half if self._half is None else self._half
        if half != self._half:
            remark(self._parsed, "the clock changes between 12 and 24 hours: not read", number, lost=True)
        elif self._tables.are_known(tuple(words)):
            self._tables.open(tuple(words), time, number)
        elif words[:2] == _RESTART:
            self._tables.restart(words, time, number)
        elif words and words[0] != "COM" and hold_number(words):
            self._tables.add_sample(words, time, number)
        elif words and words[0] != "COM":
            self._tables.open(tuple(words), time, number)

    def _start(self, time: float) -> None:
        self._tables.origin = time
        if self._date:
            self._parsed.header["started"] = f"{self._date}T{clock.clock_text(time)}"

    def _banner(self, line: str, number: int) -> None:
        banner = read_banner(line, number, self._parsed, self._day_first)
        if banner is None:
            return
        if self.hosts:
            self._tables.close(number)
            self._half = None
            self._tables.part += 1
            self._tables.day = clock.days_between(self._date, banner.date)
        else:
            self._date = banner.date
            self._parsed.header["host"] = banner.host
        self.hosts.append(banner.host)
