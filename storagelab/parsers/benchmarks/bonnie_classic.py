"""Bonnie, of which bonnie++ was made: Tim Bray's 1.x, and the 1.2 to 1.5 that SuSE shipped.

A row of the table is one run; each of its tests is a row, named as those of bonnie++ are. K/sec are 1024 bytes a
second, MB are 2^20 bytes. SuSE's prints ``3*1024`` for three volumes of that size, the number of processes that seek
as ``--04k (03)-``, and every rate already when its test ends: ``Rewriting...  done:  25355 kB/s  12.0 %CPU``. These
are taken where the run broke off before its table. Mails wrap rows. Bonnie-64's table is in M/sec of 2^20 bytes, with
a digit, and its GB are 1000 * 2^20 bytes, cut to whole ones; with ``-html`` a row is one of HTML, in K/sec and MB.
Printed by Bonnie.c, `report`, `write_html` and `timestamp`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from storagelab.parsers.line_formats import Rule, apply, in_its_words, refusal, trusted_lines
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import finite
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.units import KIB, MIB, PERCENT

FORMAT = Format(
    name="bonnie-classic",
    tool="Bonnie",
    versions="1.0 to 1.5, Bonnie-64",
    reads="the table of a run or of several; rates of a run that broke off before it",
    source="http://www.textuality.com/bonnie/ (Bonnie.c); SuSE's Bonnie 1.4",
    marks=("Per Char", "CharUnlk", "Bonnie", "Sequential Output"),
    opens=(
        "-------Sequential Output--------",
        "---Sequential Output (nosync)---",
        "---Sequential Output (sync)-----",
        "File './Bonnie.",
        "<td>Machine</td><td>MB</td>",
        "Writing with putc()",
        "Writing with putc_unlocked()",
    ),
)

EXPECTED = "a row of Bonnie's table ('-------Sequential Output--------', 'Machine    MB K/sec %CPU ...')"
_TESTS: Sequence[Row] = (
    {"operation": "write", "label": "per character"},
    {"operation": "write", "label": "block"},
    {"operation": "rewrite"},
    {"operation": "read", "label": "per character"},
    {"operation": "read", "label": "block"},
    {"operation": "seek", "access_pattern": "random"},
)
"""In the order of the columns."""
_DONE: Mapping[str, int] = {
    "Writing with putc": 0,
    "Writing intelligently": 1,
    "Rewriting": 2,
    "Reading with getc": 3,
    "Reading intelligently": 4,
}
"""What a test is called while it runs -> its column."""
_NUMBERS = 2 * len(_TESTS)
_FEWEST = 4
"""Numbers of a row that a mail has wrapped, of those on its first line."""
_HEADING = re.compile(
    r"^\s*(?:-{7}Sequential Output-{8}|-{3}Sequential Output \((?:no)?sync\)-{3,5})\s+-{3}Sequential\b"
)
_UNITS = re.compile(r"^\s*(?:Machine\s{1,20})?([MG])B ([KM])/sec %CPU\b")
_CELLS_HEADING = re.compile(r"^\s*(?:<tr>\s*)?<td>Machine</td><td>MB</td><td>K/sec</td>", re.IGNORECASE)
_CELL = re.compile(r"<td[^<>]{0,80}>([^<>]{0,80})</td>", re.IGNORECASE)
_SEEKERS = re.compile(r"^\s*-(?:Per Char|CharUnlk)-.{1,60}--\d\dk \((\d\d)\)-")
_FILE = re.compile(
    r"^\s*(?:Bonnie (\d[\w.]{0,9}): )?File '\S{0,300}Bonnie\.\d+', size: (\d{1,18})(?:, volumes: (\d{1,4}))?\s*$"
)
_STEP = re.compile(
    r"^\s*(Writing with putc|Writing intelligently|Rewriting|Reading with getc|Reading intelligently)"
    r"(?:_unlocked)?(?:\(\))?\.\.\.\s*(?:done(?:: +(\d{1,9}) kB/s +(\d{1,4}\.\d) %CPU)?)?"
)
_SIZE = re.compile(r"(?:(\d{1,4})\*)?(\d{1,9})")
_NUMBER = re.compile(r"\d{1,12}(?:[.,]\d)?")


class _Units(NamedTuple):
    """What a table counts in, and whether its rates are whole numbers; then that of seeks is not."""

    size: float = MIB
    rate: float = KIB
    are_whole: bool = True


_OF_BONNIE_64 = _Units(1000 * MIB, MIB, are_whole=False)


class _Row(NamedTuple):
    """A row of the table: what stands in front of its numbers, and these, each with its line."""

    name: str
    size: re.Match[str]
    numbers: list[tuple[str, int]]

    @property
    def line(self) -> int:
        """The line on which the row begins."""
        return self.numbers[0][1]

    @property
    def rates(self) -> list[tuple[str, str]]:
        """The rate and the share of each test, as printed."""
        words = [word for word, _ in self.numbers]
        return list(zip(words[::2], words[1::2], strict=True))


def sniff(head: str) -> bool:
    """Whether a heading of Bonnie's table stands here, or what it says of its file."""
    headings = (_HEADING, _CELLS_HEADING)
    if "Sequential Output" in head and any(found.match(line) for line in head.split("\n") for found in headings):
        return True
    return "Bonnie." in head and any(_FILE.match(line) for line in head.split("\n"))


def parse(text: str) -> Parsed:
    """Read every row of every table.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "Bonnie", "statistic": "single"})
    reader = _Runs(parsed)
    lines = trusted_lines(text, parsed)
    for at, line in lines:
        if not apply(reader.rules, line, at):
            reader.row(line, at)
    reader.end(len(lines))
    if parsed.is_empty() and parsed.complete:
        raise refusal(EXPECTED, text)
    if len({row["part"] for row in parsed.runs}) == 1:
        for row in parsed.runs:
            del row["part"]
    return parsed


class _Runs:
    """What has been read so far: of the run that goes on, and of the table."""

    def __init__(self, parsed: Parsed) -> None:
        self._parsed = parsed
        self._part = 0
        self._file: Row = {}
        self._steps: dict[int, tuple[str, str, int]] = {}
        self._awaits = ""
        self._seekers: Row = {}
        self._is_table = False
        self._units = _Units()
        self._cut: _Row | None = None
        self.rules: Sequence[Rule] = (
            (_HEADING, self._heading),
            (_CELLS_HEADING, self._heading),
            (_UNITS, self._take_units),
            (_SEEKERS, self._processes),
            (_FILE, self._run),
            (_STEP, self._step),
        )

    def end(self, at: int) -> None:
        """Take what a run without its table has, and say what is missing."""
        self._tell_cut()
        if self._awaits:
            self._parsed.incomplete(self._awaits, at)
            self._take_steps()
        self._awaits = ""

    def _take_steps(self) -> None:
        self._part += bool(self._steps)
        for column, (rate, share, at) in sorted(self._steps.items()):
            self._add(column, {**self._file, **_rate(column, rate, KIB), **_share(share), "line": at})
        self._steps = {}

    def row(self, line: str, at: int) -> None:
        """Take a row of the table, or what a mail has wrapped of one."""
        words = [cell.strip() for cell in _CELL.findall(line)] if "<td" in line.lower() else line.split()
        row = self._cut and _continued(self._cut, words, at, self._units)
        if not row:
            self._tell_cut()
            row = _row(words, at, self._units) if self._is_table else None
            if self._is_table and not row and sum(bool(_NUMBER.fullmatch(word)) for word in words) > _FEWEST:
                self._parsed.incomplete(f"expected a row of the table, found {line.strip()[:80]!r}", at)
        if row and len(row.numbers) == _NUMBERS:
            self._take(row)
        else:
            self._cut = row

    def _tell_cut(self) -> None:
        if self._cut:
            numbers = len(self._cut.numbers)
            self._parsed.incomplete(f"a row of {_NUMBERS} numbers ends after {numbers}", self._cut.line)
        self._cut = None

    def _take(self, row: _Row) -> None:
        if any(row.rates[column] != step[:2] for column, step in self._steps.items()):
            self._parsed.incomplete("the run before this row ends before its table", row.line)
            self._take_steps()
        self._part += 1
        keys: Row = {"line": row.line, "file_size": finite(row.size[2]) * self._units.size}
        keys |= {"host": row.name} if row.name else {}
        keys |= {"files": finite(row.size[1])} if row.size[1] else {}
        for column, ((rate, at), (share, below)) in enumerate(zip(row.numbers[::2], row.numbers[1::2], strict=True)):
            self._add(column, {**keys, **on(at, _rate(column, rate, self._units.rate)), **on(below, _share(share))})
        self._cut, self._awaits, self._steps = None, "", {}

    def _add(self, column: int, row: Row) -> None:
        seekers = self._seekers if _TESTS[column]["operation"] == "seek" else {}
        self._parsed.runs.append(settled({"part": float(self._part), **_TESTS[column], **seekers, **row}))

    def _heading(self, found: re.Match[str], at: int) -> None:
        self._is_table, self._seekers, self._units = True, {}, _Units()
        self._awaits = "expected a row of the table"

    def _take_units(self, found: re.Match[str], at: int) -> None:
        if found[1] + found[2] not in ("MK", "GM"):
            self._parsed.incomplete(f"expected MB and K/sec or GB and M/sec, found {in_its_words(found)!r}", at)
        self._units = _OF_BONNIE_64 if found[1] == "G" else _Units()

    def _processes(self, found: re.Match[str], at: int) -> None:
        self._seekers = on(at, {"processes": finite(found[1])})

    def _run(self, found: re.Match[str], at: int) -> None:
        self.end(at)
        version, size, volumes = found.groups()
        if version:
            self._parsed.header.setdefault("tool_version", version)
        self._file = on(at, {"file_size": finite(size)} | ({"files": finite(volumes)} if volumes else {}))
        self._is_table, self._awaits = False, "the run ends before its table"

    def _step(self, found: re.Match[str], at: int) -> None:
        if found[2]:
            self._steps[_DONE[found[1]]] = (found[2], found[3], at)


def _row(words: list[str], at: int, units: _Units) -> _Row | None:
    """Return the row that words are, or what a mail has left of it: machine and size, and then only numbers."""
    for place in range(max(0, len(words) - _NUMBERS - 1), len(words) - _FEWEST):
        size, numbers = _SIZE.fullmatch(words[place]), words[place + 1 :]
        if size and _are_numbers(numbers, 0, units):
            name = words[:place]
            if name and not size[1] and (split := _SIZE.fullmatch(name[-1] + size[0])):  # 1* 512
                size = split if split[1] else size
                name = name[:-1] if split[1] else name
            return _Row(" ".join(name), size, [(word, at) for word in numbers])
    return None


def _continued(row: _Row, words: list[str], at: int, units: _Units) -> _Row | None:
    """Return a row with the rest of its numbers, if words are exactly that."""
    if len(row.numbers) + len(words) != _NUMBERS or not _are_numbers(words, len(row.numbers), units):
        return None
    return row._replace(numbers=[*row.numbers, *((word, at) for word in words)])


def _are_numbers(words: Sequence[str], first: int, units: _Units) -> bool:
    """Whether words are numbers of a row: a rate and a share by turns, the rate of seeks of the other kind."""
    return all(
        _NUMBER.fullmatch(word) and word.isdecimal() == (place % 2 == 0 and units.are_whole == (place < _NUMBERS - 2))
        for place, word in enumerate(words, first)
    )


def _rate(column: int, rate: str, unit: float) -> Row:
    is_seek = _TESTS[column]["operation"] == "seek"
    return {"operation_rate": finite(rate)} if is_seek else {"throughput": finite(rate) * unit}


def _share(share: str) -> Row:
    return {"cpu_utilisation": finite(share) * PERCENT}
