"""AIX' ``mpstat``: a table of processors a report, which the row ``ALL`` ends.

Without an interval there is one report, since boot; with one `iteration` counts reports from 0, which dashes part, and
the columns need not stand over each. Columns are counts of that time, not rates, but for the percentages
``us sy wa id`` (``wt`` in AIX 5.3); ``U`` is what a partition has and does not use, and ``-`` stands where nothing is
counted. ``-a``, ``-d``, ``-i`` and ``-h`` print other columns. Documented in mpstat(1) of AIX 5.3 to 7.3. There is no
end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from storagelab.parsers.line_formats import fill, metric, trusted_lines
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.snapshot import is_prompt
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.text import finite
from storagelab.units import PERCENT

MARKS = (" ics ", " mpcr ", " ilcs ")
_HEADING = re.compile(
    r"^[ \t]{0,8}cpu +(?:min +maj +mpcs? |cs +ics +bound |mpcs +mpcr +dev |pc +ilcs +vlcs)[\w% ]*+$", re.MULTILINE
)
_PERCENTAGES = {"us": "cpu_user", "sy": "cpu_system", "wa": "cpu_iowait", "wt": "cpu_iowait", "id": "cpu_idle"}
_ALL = "ALL"
_PROCESSOR = re.compile(r"\d{1,5}|U|ALL")


def sniff(head: str) -> bool:
    """Whether columns of AIX' mpstat stand here."""
    return any(mark in head for mark in MARKS) and _HEADING.search(head) is not None


def read(text: str) -> Parsed:
    """Read every processor of every report into `series`.

    Raises
    ------
    ParseError
        If no numbers stand under the columns.
    """
    reports = _Reports()
    for at, line in trusted_lines(text, reports.parsed):
        reports.read(line, at)
    reports.end()
    return fill(reports.parsed, reports.rows, "processors under 'cpu min maj mpc'", text)


class _Reports:
    """What has been read so far."""

    def __init__(self) -> None:
        self.parsed = Parsed({"tool": "mpstat"})
        self.rows: list[Row] = []
        self._columns: list[str] = []
        self._part = 1
        self._iteration = -1
        self._begins = 0
        self._has_interval = self._is_open = self._is_awaited = False
        self._wanted = 0

    def read(self, line: str, at: int) -> None:
        """Take a line; a prompt, or a configuration behind reports, begins another run."""
        words = line.split()
        if _HEADING.fullmatch(line):
            self._check_all(at)
            self._columns = words[1:]
            self._is_awaited = True
        elif is_prompt(line):
            self._end_of_run(at)
            self._has_interval = words[-1].isdecimal()
            self._wanted = int(words[-1]) if re.fullmatch(r"\d{1,9} \d{1,9}", " ".join(words[-2:])) else 0
        elif words[:2] == ["System", "configuration:"]:
            if self._iteration >= 0:
                self._end_of_run(at)
                self._has_interval = False
        elif words and not line.startswith("---"):
            self._numbers(words, at)

    def end(self) -> None:
        """Finish the last run."""
        self._end_of_run(0)

    def _end_of_run(self, at: int) -> None:
        self._check_all(at)
        if self._wanted > self._iteration + 1:
            self.parsed.incomplete(f"{self._wanted} reports wanted, found {self._iteration + 1}", at)
        self._wanted = 0
        if self._iteration == 0 and not self._has_interval:
            for row in self.rows[self._begins :]:
                row["phase"] = "since boot"
        self._part += self._iteration >= 0
        self._iteration, self._columns, self._begins = -1, [], len(self.rows)

    def _check_all(self, at: int) -> None:
        if self._is_open or self._is_awaited:
            self.parsed.incomplete("a report without its last row, ALL", at)
        self._is_open = self._is_awaited = False

    def _numbers(self, words: list[str], at: int) -> None:
        try:
            if len(words) != len(self._columns) + 1:
                raise ValueError(f"{len(self._columns) + 1} columns wanted, found {len(words)}")
            if not _PROCESSOR.fullmatch(words[0]):
                raise ValueError(f"no processor: {words[0]}")
            self._iteration += not self._is_open
            self._is_open, self._is_awaited = True, False
            self.rows += list(self._of_line(words, at))
            self._is_open = words[0] != _ALL
        except ValueError as error:
            lost = any(word[0].isdecimal() for word in words[1:])
            remark(self.parsed, f"not a line of the table: {error}", at, lost=lost)

    def _of_line(self, words: list[str], at: int) -> Iterator[Row]:
        """A row of percentages, and one for each column that the contract has no name for."""
        common: Row = {"part": float(self._part)} if self._part > 1 else {}
        common |= {"iteration": float(self._iteration), "statistic": "single", "phase": ""}
        common["cpu"] = "all" if words[0] == _ALL else words[0]
        named: Row = {}
        for name, word in zip(self._columns, words[1:], strict=True):
            if word == "-":
                continue
            if name in _PERCENTAGES:
                named[_PERCENTAGES[name]] = finite(word) * PERCENT
            else:
                yield {**metric(name, finite(word), "%" if name[0] == "%" else "", at), **common}
        if named:
            yield {**common, "operation": "", **named, "line": at}
