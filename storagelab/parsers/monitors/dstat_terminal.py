"""What dstat, dool and pcp-dstat show on a terminal.

Two lines of headings, again after each screen, and a line a sample, in which ``|`` stands between groups, and ``:``
between the devices of one::

    ----total-usage---- -dsk/total- -net/total-
    usr sys idl wai stl| read  writ| recv  send
      1   0  98   1   0|  12k  340k|   0    66B

dool draws the same with dashes and bars of Unicode. It gives disks and interfaces in bits, in powers of 1000, unless it
is told ``--bytes``; dstat does so with ``--bits``. A ``b`` behind a number below 1k says bits, a ``B`` bytes.

A number has a letter behind it: those of bytes are powers of 1024 and end in ``B`` where they are below 1k, all others
are powers of 1000. `throughput` and sizes have two or three digits. The first sample is the average since boot. The
times of column ``time`` have no year: they give the time since the first sample. Names of processes (``--top-io`` and
its like) are `job`; they have blanks, or are not there. dstat writes the end of a line only before the next: what stops
it, ``^C``, stands behind the last sample. pcp-dstat leaves the rates of its first sample blank: that one is of the
moment, and none is since boot.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import compress, pairwise

from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.clock import Clock, since_start
from storagelab.parsers.monitors.dstat_columns import OF_DISKS, TIMES_OF_DAY, is_text, laid_out, laid_out_process
from storagelab.parsers.monitors.slots import Block, Layout
from storagelab.parsers.text import moment, number

_TITLES = re.compile(r" *-+[a-z][\w/. -]*+>?\s*+\Z", re.IGNORECASE)
_KNOWN = frozenset(
    ("usr", "read", "recv", "in", "int", "used", "run", "1m", "epoch", *TIMES_OF_DAY, "util", "#recv", "majpf")
)
_KNOWN_TWO = (["files", "inodes"], ["pos", "lck"], ["msg", "sem"], ["lis", "act"], ["dgm", "str"], ["tot", "tcp"])
_WORD = re.compile(r"(-?[0-9]+(?:\.[0-9]*)?)([BbkKMGTP]?)")
_LETTERS = {letter: power for power, letter in enumerate(" kMGTP")} | {"B": 0, "b": 0, "K": 1, "": 0}
_OF_BYTES = ("dsk/", "net/", "paging", "memory", "swap", "disk/")
_OF_BITS = ("dsk/", "net/", "disk/")
_DRAWN = str.maketrans({"\u2502": "|", "\u250a": ":", "\u2504": "-", "\u252c": " "})
"""Bars, dashes and what joins the titles, as dool draws them since 1.1."""
_COMMAND = re.compile(r"\bdool (.*)")
_IN_BYTES = re.compile(r"(?:^|\s)--(?:bytes|dstat)\b")
_OF_DAY = [[name] for name in TIMES_OF_DAY]
_OVERHEAD = re.compile(r"> *[0-9.]+ms\Z")
"""With ``--debug`` the time that a sample took stands behind it."""
_STOPPED = re.compile(r"\^C?\Z")
"""What was typed to stop dstat: a terminal shows ``^C``, and who copies it may lose its letter."""
_SEPARATOR = re.compile(r"[|:]")
_DASHES = re.compile(r"-{2,}")
_ANY_WORD = re.compile(r"\S++")
LONGEST_HEADING = 2**15
"""Characters of a line of headings: those of a thousand processors."""


def _are_titles(line: str) -> bool:
    """Whether a line holds names of groups between dashes, the last of which it ends with."""
    return bool(_TITLES.match(line)) and line.rstrip("> \t\r").endswith("-")


def begins(titles: str, names: str) -> bool:
    """Whether two lines are those of the headings: groups between dashes, and names of columns below them."""
    if len(names) > LONGEST_HEADING:
        return False
    words = _SEPARATOR.sub(" ", names.rstrip(" >\r")).split()
    if not words or not (_are_titles(titles) or (words[-1] in OF_DISKS and _TITLES.match(titles))):
        return False
    if "-interrupts-" in titles or "-per-cpu-usage-" in titles:
        words = [word for word in words if not word.isdigit()] or ["int"]
    return (words[0] in _KNOWN or words[:2] in _KNOWN_TWO or "process" in words[:3]) and not any(
        word[0].isdigit() and word not in ("1m", "5m", "15m") for word in words
    )


def are_in(text: str) -> bool:
    """Whether headings stand in a text."""
    return any(begins(*two) for two in pairwise(text.translate(_DRAWN).split("\n")) if "-" in two[0])


@dataclass
class _Top:
    """A column of the process that takes most of something: its name, and numbers whose places the title tells.

    Old versions let a name go on where it leaves room before the number.
    """

    at: int
    width: int
    base: float
    block: Block

    def add(self, piece: str, common: Row) -> None:
        """Take a sample, unless no process stands there.

        Raises
        ------
        ValueError
            If its numbers cannot be read.
        """
        name, words, wanted = piece[: self.width], piece[self.width :].split(), len(self.block.layout.places)
        if not piece.strip():
            return
        if len(words) == wanted + 1 and " " not in piece[self.width - 1 : self.width + 1]:
            name += words.pop(0)
        if len(words) != wanted:
            raise ValueError(piece)
        self.block.add([_number(word, self.base) for word in words], common, name.strip())


@dataclass
class _Table:
    """The columns under one pair of headings, and the samples below it."""

    titles: str
    names: str
    in_bits: bool = False
    groups: list[str] = field(default_factory=list)
    columns: list[list[str]] = field(default_factory=list)
    has_slot: list[bool] = field(default_factory=list)
    tops: list[_Top] = field(default_factory=list)
    block: Block = field(default_factory=lambda: Block(Layout([])))
    first: Block | None = None
    """A first sample that lacks the cells of some groups."""
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.groups = _groups(self.titles, self.names)
        self.columns = [piece.split() for piece in _SEPARATOR.split(self.names)]
        each = [(_usage(group), name) for group, names in zip(self.groups, self.columns, strict=True) for name in names]
        self.has_slot, layout = laid_out(
            tuple(group for group, _ in each), tuple(name for _, name in each), self.in_bits
        )
        self.block = Block(layout)
        self.tops = list(self._tops())

    def _tops(self) -> Iterator[_Top]:
        titles = self.titles.split()
        for at, (group, names) in enumerate(zip(self.groups, self.columns, strict=True)):
            found = laid_out_process(" ".join(names)) if is_text(group) and len(titles) == len(self.groups) else None
            if found:
                layout, width, base = found
                yield _Top(at, len(titles[at]) - width, base, Block(layout))

    def pieces(self, line: str) -> list[str]:
        """Return what stands in each group."""
        return _cut(line, self.names) if _is_aligned(line, self.names) else _split(line, self.names)

    def cells(self, line: str) -> list[list[str]]:
        """Return the words of a sample by groups; a time is one word, and in a first sample words may be "".

        Raises
        ------
        ValueError
            If there are others than the headings say.
        """
        if line.count("|") != self.names.count("|"):
            raise ValueError(line)
        pieces = self.pieces(line)
        words = self._words(pieces)
        if self.is_awaited and _is_aligned(line, self.names):
            headings = _cut(self.names, self.names)
            words = [
                own if len(own) >= len(names) or names[:1] in _OF_DAY else _below(heading, piece)
                for own, names, heading, piece in zip(words, self.columns, headings, pieces, strict=True)
            ]
        if list(map(len, words)) != list(map(len, self.columns)):
            raise ValueError(line)
        return words

    @property
    def is_awaited(self) -> bool:
        """Whether no sample was found yet."""
        return not self.first and not self.block.cells

    def add(self, words: list[list[str]], common: Row) -> None:
        """Take the words of a sample.

        Raises
        ------
        ValueError
            If a word is no number.
        """
        named = [(group, word) for group, own in zip(self.groups, words, strict=True) for word in own]
        pairs = list(compress(named, self.has_slot))
        values = [_value(word, group, self.in_bits) for group, word in pairs if word]
        if len(values) == len(pairs):
            self.block.add(values, common)
        elif values:
            places = compress(self.block.layout.places, (word for _, word in pairs))
            self.first = Block(Layout(places))
            self.first.add(values, common | {"phase": ""})

    def _words(self, pieces: list[str]) -> list[list[str]]:
        """Return the words of the pieces of a line; of names of processes those of the heading."""
        return [
            names if is_text(group) else [piece.strip()] if names[:1] in _OF_DAY else piece.split()
            for group, names, piece in zip(self.groups, self.columns, pieces, strict=True)
        ]


def _groups(titles: str, names: str) -> list[str]:
    """Names of the groups: as many as the headings have pieces, else what stands above each piece."""
    found = [title for word in titles.split() for title in _DASHES.split(word.strip("->"))]
    pieces = _cut(titles, names)
    if len(found) != len(pieces):
        found = [piece.strip(" ->") for piece in pieces]
    worded = [title.replace("-", " ") for title in found]
    return [words if "/" not in words or is_text(words) else title for title, words in zip(found, worded, strict=True)]


def _is_aligned(line: str, names: str) -> bool:
    """Whether the separators of the headings stand in a line where they stand in the headings."""
    return all(line.startswith(found[0], found.start()) for found in _SEPARATOR.finditer(names))


def _split(line: str, names: str) -> list[str]:
    """Split a line, some of whose blanks were lost, at the separators of the headings."""
    pieces = []
    for separator in _SEPARATOR.findall(names):
        piece, _, line = line.partition(separator)
        pieces.append(piece)
    return [*pieces, line]


def _cut(line: str, names: str) -> list[str]:
    """Cut a line where the separators of the headings stand."""
    ends = [found.start() for found in _SEPARATOR.finditer(names)]
    return [line[start:end] for start, end in zip([0, *(end + 1 for end in ends)], [*ends, None], strict=True)]


def _below(heading: str, piece: str) -> list[str]:
    """Return the word below each name of a heading, "" where none is; nothing at all if a word is below no name."""
    words = list(_ANY_WORD.finditer(piece))[::-1]
    found = []
    for name in _ANY_WORD.finditer(heading):
        is_below = bool(words) and words[-1].start() < name.end() and name.start() < words[-1].end()
        found.append(words.pop()[0] if is_below else "")
    return [] if words else found


def _usage(group: str) -> str:
    """Return a group as the CSV calls it; dool's ``total usage`` is dstat's ``total cpu usage``."""
    return "total cpu usage" if group in ("total usage", "cpu usage") else group


def _value(word: str, group: str, in_bits: bool) -> float:
    """Read a number with its letter.

    Raises
    ------
    ValueError
        If it is none.
    """
    is_binary = group.startswith(_OF_BYTES) and not (in_bits and group.startswith(_OF_BITS))
    return _number(word, 1024.0 if is_binary else 1000.0)


def _number(word: str, base: float) -> float:
    found = _WORD.fullmatch(word)
    if not found:
        raise ValueError(word)
    return number(found[1].rstrip(".")) * base ** _LETTERS[found[2]]


def read(lines: list[str], parsed: Parsed) -> tuple[list[Block], list[Block]]:
    """Read samples below headings, and apart those of processes and first ones with blanks; any other line is told."""
    is_of_dool = any("\u2504" in line for line in lines)
    lines = [line.translate(_DRAWN) for line in lines]
    in_bits = _are_in_bits(lines, is_of_dool)
    tables: list[_Table] = []
    is_headed = False
    for at, (line, below) in enumerate(pairwise([*lines, ""]), 1):
        is_of_columns, is_headed = is_headed, begins(line, below)
        if is_headed:
            if "\ufffd" in line + below:
                parsed.incomplete("a heading is not UTF-8", at)
            if not tables or below.rstrip(" >\r") != tables[-1].names:
                tables.append(_Table(line.rstrip(" >\r"), below.rstrip(" >\r"), in_bits))
        elif is_of_columns or not _ended(line):
            continue
        elif tables and not _are_titles(line):
            _add_sample(_ended(line), tables[-1], len(tables), at, parsed)
        elif "|" in line or tables:
            parsed.incomplete(f"expected two lines of headings, found {line.strip()[:60]!r}", at)
    firsts = [table.first for table in tables if table.first]
    tops = [top.block for table in tables for top in table.tops if top.block.cells]
    return [table.block for table in tables], firsts + tops


def _are_in_bits(lines: list[str], is_of_dool: bool) -> bool:
    """Whether disks and interfaces are in bits: by the letters of small numbers, else by whose table it is."""
    letters: set[str] = set()
    table: _Table | None = None
    for line, below in pairwise([*lines, ""]):
        if begins(line, below):
            table = _Table(line.rstrip(" >\r"), below.rstrip(" >\r"))
        elif table and (("b" in line or "B" in line) and "b" not in letters):
            letters |= _letters(_ended(line), table)
    return "b" in letters or (is_of_dool and "B" not in letters and not any(map(_is_asked_for_bytes, lines)))


def _is_asked_for_bytes(line: str) -> bool:
    """Whether dool is called as told to print bytes."""
    command = _COMMAND.search(line)
    return bool(command and _IN_BYTES.search(command[1]))


def _letters(line: str, table: _Table) -> set[str]:
    """Return the letters behind numbers of disks and interfaces in a sample."""
    try:
        words = table.cells(line)
    except ValueError:
        return set()
    groups = zip(table.groups, words, strict=True)
    return {word[-1] for group, own in groups if group.startswith(_OF_BITS) for word in own if _WORD.fullmatch(word)}


def _ended(line: str) -> str:
    """Return a line without what stands behind its last column."""
    return _OVERHEAD.sub("", _STOPPED.sub("", line.rstrip(" >\r"))).rstrip()


def _add_sample(line: str, table: _Table, part: int, at: int, parsed: Parsed) -> None:
    try:
        words = table.cells(line)
        common: Row = {"part": part, "phase": "since boot" if table.is_awaited else "", "line": at}
        common |= _times(table, words, parsed.header)
        table.add(words, common)
    except (ValueError, OverflowError, OSError):
        if "|" in line or line.lstrip()[:1].isdigit():
            parsed.incomplete(f"expected the cells of {table.names.strip()[:60]!r}, found {line.strip()[:60]!r}", at)
        return
    pieces = table.pieces(line) if table.tops else []
    try:
        for top in table.tops:
            top.add(pieces[top.at], common)
    except ValueError:
        parsed.incomplete(f"expected a process and its numbers, found {line.strip()[:60]!r}", at)


def _times(table: _Table, words: list[list[str]], header: Row) -> Row:
    for names, own in zip(table.columns, words, strict=True):
        if names == ["epoch"]:
            return since_start(moment(number(own[0])), header)
        if names[:1] in _OF_DAY:
            return {"time": _seconds(own[0], table.clock)}
    return {}


def _seconds(cell: str, clock: Clock) -> float:
    """Read ``DD-MM HH:MM:SS``.

    Raises
    ------
    ValueError
        If it ends in no time of day.
    """
    seconds = clock.seconds(cell.rpartition(" ")[2])
    if math.isnan(seconds):
        raise ValueError(cell)
    return seconds
