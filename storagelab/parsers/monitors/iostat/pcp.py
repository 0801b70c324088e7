"""``pcp iostat`` of Performance Co-Pilot: disks, a line a sample and disk under ``# Device rrqm/s wrqm/s ...``.

Printed by src/pcp/iostat/pcp-iostat.py. With ``-x t`` the time stands before the disk, under ``# Timestamp``. No sample
is since boot, there are no processors and there is no end; samples without a time are told by a disk that comes again.
The columns stand again after 23 samples. With ``-G`` a line is of several disks and names them as ``sum(sd.*)``.

Traps: ``avgrq-sz`` counts kB here, where sysstat's column of that name counts sectors. A value that was not measured is
``?``, and a sample that was not is a disk ``NODATA``.
"""

from __future__ import annotations

import math
import re
from datetime import datetime

from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Parsed
from storagelab.parsers.monitors.clock import since_start
from storagelab.parsers.monitors.snapshot import ends_table, is_prompt, prose_below, whole_lines
from storagelab.parsers.monitors.sysstat.assembly import assemble
from storagelab.parsers.monitors.sysstat.cells import is_number
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.monitors.sysstat.sheet import Sheet

MARKS = ("# Device ", "rrqm/s  wrqm/s     r/s")
_COLUMNS = (
    *("Device", "rrqm/s", "wrqm/s", "r/s", "w/s", "rkB/s", "wkB/s", "areq-sz", "avgqu-sz"),
    *("await", "r_await", "w_await", "%util"),
)
"""As the contract knows them: the size of requests by the name that sysstat has for one in kB."""
_HEADING = re.compile(
    r"^[ \t]{0,8}#? ?(?P<timed>Timestamp {1,24})?Device {1,40}rrqm/s {1,20}wrqm/s {1,20}r/s {1,20}w/s {1,20}"
    r"rkB/s {1,20}wkB/s {1,20}avgrq-sz {1,20}avgqu-sz {1,20}await {1,20}r_await {1,20}w_await {1,20}%util[ \t]*$",
    re.MULTILINE,
)
_STAMP = ("part", "iteration", "time", "statistic")
_WORDS_OF_DATE = 5
_NOT_MEASURED = "?"
_NOTHING = "NODATA"
_LEAVES_IDLE_OUT = re.compile(r"\biostat\b.{0,200}[ ,]noidle\b")


def sniff(head: str) -> bool:
    """Whether columns of pcp iostat stand here: no iostat of sysstat has a ``#`` or a time in front of them."""
    if "%util" not in head or not any(mark in head for mark in ("# Device", "Timestamp")):
        return False
    return any("#" in found[0] or found["timed"] for found in _HEADING.finditer(head))


def read(text: str) -> Parsed:
    """Read every disk of every sample into `series`.

    Raises
    ------
    ParseError
        If no numbers stand under the columns.
    """
    samples = _Samples(leave_idle_out=_LEAVES_IDLE_OUT.search(text) is not None)
    lines = whole_lines(text, samples.parsed)
    prose = prose_below(lines)
    for at, line in enumerate(lines, 1):
        samples.read(line, at, is_prose=at in prose and _NOT_MEASURED not in line.split())
    samples.end()
    samples.parsed.series = assemble([samples.sheet])
    if not samples.parsed.series:
        raise refusal("disks under '# Device rrqm/s wrqm/s ...'", text)
    return samples.parsed


class _Samples:
    """What has been read so far."""

    def __init__(self, *, leave_idle_out: bool) -> None:
        self.parsed = Parsed({"tool": "iostat"})
        self.sheet = Sheet(_COLUMNS, _STAMP)
        self._leave_idle_out = leave_idle_out
        self._part = 0.0
        self._iteration = -1.0
        self._is_open = self._is_timed = False
        self._seen: set[str] = set()
        self._moment = ""

    def read(self, line: str, at: int, *, is_prose: bool) -> None:
        """Take a line; a prompt begins another run."""
        if found := _HEADING.fullmatch(line):
            self._part += not self._is_open
            self._iteration = self._iteration if self._is_open else -1.0
            self._is_open, self._is_timed = True, found["timed"] is not None
        elif is_prompt(line):
            self._is_open, self._seen, self._moment = False, set(), ""
        elif is_prose:
            self.parsed.note("not a line of the table", at)
        elif not ends_table(line):
            self._sample(line.split(), at)

    def end(self) -> None:
        """Say whether the last sample lacks a disk that the one before has."""
        if not self._leave_idle_out and self.sheet.lacks_items():
            self.parsed.incomplete("the last sample lacks a disk that the one before has")

    def _sample(self, words: list[str], at: int) -> None:
        dated, words = (words[:_WORDS_OF_DATE], words[_WORDS_OF_DATE:]) if self._is_timed else ([], words)
        try:
            if not self._is_open:
                raise ValueError("no columns stand over it")
            if words[:1] == [_NOTHING]:
                return
            time = self._time(" ".join(dated))
            self._count(words[0] if words else "", " ".join(dated))
            cells = [*words[:1], *("nan" if cell == _NOT_MEASURED else cell for cell in words[1:])]
            self.sheet.add(cells, (self._part, self._iteration, time, "single"), at)
        except ValueError as error:
            remark(self.parsed, f"not a line of the table: {error}", at, lost=any(map(is_number, words)))

    def _count(self, disk: str, moment: str) -> None:
        """Begin another sample at another time, or with a disk that this one has already."""
        if disk in self._seen or moment != self._moment or not self._seen:
            self._iteration += 1
            self._seen = set()
        self._seen.add(disk)
        self._moment = moment

    def _time(self, printed: str) -> float:
        """Seconds since the first sample; NaN where no times are printed.

        Raises
        ------
        ValueError
            If it is no date.
        """
        if not self._is_timed:
            return math.nan
        moment = datetime.strptime(printed, "%a %b %d %H:%M:%S %Y")
        return float(str(since_start(moment, self.parsed.header)["time"]))
