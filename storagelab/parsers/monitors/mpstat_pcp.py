"""``pcp mpstat`` of Performance Co-Pilot: processors and interrupts, a line a sample and processor.

A banner, as sysstat prints it with more blanks, and a table ``Timestamp CPU %usr``, whose columns stand again over each
sample with ``-P ALL``; ``-I`` prints tables of interrupts. Printed by src/pcp/mpstat/pcp-mpstat.py. No sample is since
boot, no line is an average, and there is no end; how many samples were wanted says the command, where it stands above.

Traps: two columns are ``%nice``, of which the second is of guests; ``%usr`` and the first ``%nice`` hold the time of
guests too. A value that was not measured is ``?``. Times count from the first sample of a report.
"""

from __future__ import annotations

import re

from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Parsed
from storagelab.parsers.monitors.clock import CLOCK, Clock
from storagelab.parsers.monitors.snapshot import is_prompt, whole_lines
from storagelab.parsers.monitors.sysstat.assembly import assemble
from storagelab.parsers.monitors.sysstat.banner import read_banner
from storagelab.parsers.monitors.sysstat.cells import is_number
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.monitors.sysstat.sheet import Sheet

MARKS = ("Timestamp \tCPU", "Timestamp\tCPU")
"""With the blanks that pcp mpstat prints, of which other programs that show the log may make others."""
_STAMP = ("part", "time", "statistic")
_TITLE = ["Timestamp", "CPU"]
_HEADING = re.compile(
    r"^[ \t]{0,8}Timestamp[ \t]+CPU[ \t]+(?:%usr[ \t]+%nice[ \t]|\S{1,40}/s(?:[ \t]|$))", re.MULTILINE
)
_NOT_MEASURED = "?"
_WANTED = re.compile(r"[ \t](?:-s|--samples[ =]) ?(\d{1,9})(?!\S)")
"""How many samples a command asks for."""


def sniff(head: str) -> bool:
    """Whether columns of pcp mpstat stand here."""
    return _TITLE[0] in head and _HEADING.search(head) is not None


def read(text: str) -> Parsed:
    """Read every processor of every sample into `series`.

    Raises
    ------
    ParseError
        If no numbers stand under the columns.
    """
    samples = _Samples()
    for at, line in enumerate(whole_lines(text, samples.parsed), 1):
        samples.read(line, at)
    samples.end()
    samples.parsed.series = assemble(samples.sheets.values())
    if not samples.parsed.series:
        raise refusal("processors under 'Timestamp CPU'", text)
    return samples.parsed


class _Samples:
    """What has been read so far."""

    def __init__(self) -> None:
        self.parsed = Parsed({"tool": "mpstat"})
        self.sheets: dict[tuple[str, ...], Sheet] = {}
        self._sheet: Sheet | None = None
        self._part = 1.0
        self._wanted = 0
        self._date = ""
        self._clock = Clock()

    def read(self, line: str, at: int) -> None:
        """Take a line; a banner begins another report."""
        words = line.split()
        if words[:2] == _TITLE:
            self._open(_named(words[1:]))
        elif words and CLOCK.fullmatch(words[0]):
            self._sample(words, at)
        elif is_prompt(line):
            self.end()
            self._wanted = int(found[1]) if (found := _WANTED.search(line)) else 0
        elif banner := read_banner(" ".join(words), at, self.parsed, day_first=None):
            self._part += bool(self.sheets)
            self._date, self._clock, self._sheet = banner.date, Clock(), None
            self.parsed.header.setdefault("host", banner.host)
        elif words:
            remark(self.parsed, "not a line of a table", at, lost=sum(map(is_number, words)) > 1)

    def end(self) -> None:
        """Say what the last report lacks of the samples that its command wants, and its last sample of processors."""
        sheets = [sheet for sheet in self.sheets.values() if sheet.is_awaited or sheet.stamps[-1][0] == self._part]
        counts = {sum(part == self._part for part, *_ in dict.fromkeys(sheet.stamps)) for sheet in sheets}
        if any(sheet.is_awaited or sheet.lacks_items() for sheet in sheets):
            self.parsed.incomplete("the last sample lacks a processor that the one before has")
        elif len(counts) > 1:
            self.parsed.incomplete("the last sample lacks a table that the one before has")
        elif counts and max(counts) < self._wanted:
            self.parsed.incomplete(f"{self._wanted} samples wanted, found {max(counts)}")

    def _open(self, columns: tuple[str, ...]) -> None:
        self._sheet = self.sheets.setdefault(columns, Sheet(columns, _STAMP))
        self._sheet.is_awaited = True

    def _sample(self, words: list[str], at: int) -> None:
        time, *cells = words
        if self._date and "started" not in self.parsed.header:
            self.parsed.header["started"] = f"{self._date}T{time}"
        try:
            if self._sheet is None:
                raise ValueError("no columns stand over it")
            cells = ["nan" if cell == _NOT_MEASURED else cell for cell in cells]
            self._sheet.add(cells, (self._part, self._clock.seconds(time), "single"), at)
        except ValueError as error:
            remark(self.parsed, f"not a line of the table: {error}", at, lost=True)


def _named(columns: list[str]) -> tuple[str, ...]:
    """Name columns as sysstat does, whose share of guests at low priority is ``%gnice``."""
    second = columns.index("%nice", columns.index("%nice") + 1) if columns.count("%nice") > 1 else len(columns)
    return (*columns[:second], *("%gnice" for _ in columns[second : second + 1]), *columns[second + 1 :])
