"""Solaris' and illumos' ``mpstat``: a table of processors a report, the first of them since boot.

Columns are rates per second and percentages, and stand again over each report, of a lone processor over every 20th:
`iteration` counts reports from 0, and with ``-T`` a date or the seconds since 1970 stand above. ``-a`` tells of sets of
processors, not of each. Documented in mpstat(8) of Solaris 11 and illumos. There is no end.
"""

from __future__ import annotations

import math
import re

from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Parsed, Value
from storagelab.parsers.monitors.clock import Dates, since_start
from storagelab.parsers.monitors.snapshot import is_prompt, whole_lines
from storagelab.parsers.monitors.sysstat.assembly import assemble
from storagelab.parsers.monitors.sysstat.cells import is_number
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.monitors.sysstat.sheet import Sheet

MARK = "xcal"
_STAMP = ("part", "iteration", "time", "statistic", "phase")
_HEADING = re.compile(
    r"^[ \t]{0,8}(?:CPU|SET) +minf +mjf +xcal +intr +ithr +csw +icsw +migr +smtx +srw +syscl +usr +sys"
    r" +(?:[ws]t +)?idl(?: +(?:set|sze))?[ \t]*$",
    re.MULTILINE,
)
_KINDS = {"CPU": "", "SET": "set "}
_MANY = 8
"""Words of a line that may be columns which are damaged."""


def sniff(head: str) -> bool:
    """Whether columns of Solaris' mpstat stand here."""
    return MARK in head and _HEADING.search(head) is not None


def read(text: str) -> Parsed:
    """Read every processor of every report into `series`.

    Raises
    ------
    ParseError
        If no numbers stand under the columns.
    """
    reports = _Reports()
    for at, line in enumerate(whole_lines(text, reports.parsed), 1):
        reports.read(line, at)
    reports.end()
    reports.parsed.series = assemble(reports.sheets.values())
    if not reports.parsed.series:
        raise refusal("processors under 'CPU minf mjf xcal'", text)
    if reports.dates.tell_no_times:
        reports.parsed.series["time"] = [math.nan] * len(reports.parsed.series["time"])
    return reports.parsed


class _Reports:
    """What has been read so far."""

    def __init__(self) -> None:
        self.parsed = Parsed({"tool": "mpstat"})
        self.sheets: dict[tuple[str, ...], Sheet] = {}
        self.sheet: Sheet | None = None
        self._part = 1.0
        self._iteration = -1
        self._kind = ""
        self._wanted = 0
        self.dates = Dates()
        self._seconds: Value = math.nan
        self._seen = set[str]()
        """Processors of the report, as printed."""

    def read(self, line: str, at: int) -> None:
        """Take a line; a prompt behind reports begins another run."""
        words = line.split()
        if not words or line.startswith("<<"):
            return
        if _HEADING.fullmatch(line):
            self._begin_report()
            self._kind = _KINDS[words[0]]
            columns = ("CPU", *words[1:])
            self.sheet = self.sheets.setdefault(columns, Sheet(columns, _STAMP))
            self.sheet.is_awaited = True
        elif is_prompt(line):
            self.end()
            self._wanted = int(words[-1]) if re.fullmatch(r"\d{1,9} \d{1,9}", " ".join(words[-2:])) else 0
            self._part += self._iteration >= 0
            self._iteration, self.sheet = -1, None
        elif not self.dates.add(line):
            self._row(words, at)

    def end(self) -> None:
        """Say what the last run lacks of the reports that its command wants, and of processors."""
        if self.sheet and (self.sheet.is_awaited or self.sheet.lacks_items()):
            self.parsed.incomplete("the last report lacks a processor that the one before has")
        if self._wanted > self._iteration + 1:
            self.parsed.incomplete(f"{self._wanted} reports wanted, found {self._iteration + 1}")

    def _begin_report(self) -> None:
        self._iteration += 1
        self._seen = set()
        moment = self.dates.of_report()
        self._seconds = since_start(moment, self.parsed.header).get("time", math.nan) if moment else math.nan

    def _row(self, words: list[str], at: int) -> None:
        """Take a processor; one that the report has begins another, which of a lone processor has no heading."""
        processor = words[0]
        try:
            if self.sheet is None:
                raise ValueError("no columns stand over it")
            if not processor.isdecimal():
                raise ValueError("a processor has a number")
            if processor in self._seen:
                self._begin_report()
            phase = "" if self._iteration else "since boot"
            stamp = (self._part, float(self._iteration), self._seconds, "single", phase)
            self.sheet.add([self._kind + processor, *words[1:]], stamp, at)
            self._seen.add(processor)
        except ValueError as error:
            lost = sum(map(is_number, words)) > 1 or len(words) > _MANY
            remark(self.parsed, f"not a line of the table: {error}", at, lost=lost)
