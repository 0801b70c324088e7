"""A table of dstat on a terminal: the columns under one pair of headings, and the samples below it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import compress

from storagelab.parsers.model import Row
from storagelab.parsers.monitors.clock import Clock
from storagelab.parsers.monitors.dstat_columns import (
    TIMES_OF_DAY,
    in_seconds,
    is_text,
    laid_out,
    laid_out_process,
)
from storagelab.parsers.monitors.dstat_headings import SEPARATOR, below, cut, groups, is_aligned, split
from storagelab.parsers.monitors.slots import Block, Layout
from storagelab.parsers.text import number

_WORD = re.compile(r"(-?[0-9]+(?:\.[0-9]*)?)([BbkKMGTP]?)")
_LETTERS = {letter: power for power, letter in enumerate(" kMGTP")} | {"B": 0, "b": 0, "K": 1, "": 0}
_OF_BYTES = (
    *("dsk/", "disk/", "net/", "ib/", "ve/", "mysql io", "mysql5 io", "paging", "swap", "swp/", "ZFS"),
    *("memory", "advanced memory", "dstat memory", "vmware"),
)
_READ_AND_WRITTEN = (["read", "writ"], ["read", "write"])
_OF_BITS = ("dsk/", "net/", "disk/")
OF_DAY = [[name] for name in TIMES_OF_DAY]


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
class Table:
    """The columns under one pair of headings, and the samples below it."""

    titles: str
    names: str
    in_bits: bool = False
    of_pcp: bool = False
    groups: list[str] = field(default_factory=list)
    columns: list[list[str]] = field(default_factory=list)
    bases: list[float] = field(default_factory=list)
    has_slot: list[bool] = field(default_factory=list)
    tops: list[_Top] = field(default_factory=list)
    block: Block = field(default_factory=lambda: Block(Layout([])))
    first: Block | None = None
    """A first sample that lacks the cells of some groups."""
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.groups = groups(self.titles, self.names)
        self.columns = [piece.split() for piece in SEPARATOR.split(self.names)]
        self.bases = [_base(*each, self.in_bits) for each in zip(self.groups, self.columns, strict=True)]
        each = [(_usage(group), name) for group, names in zip(self.groups, self.columns, strict=True) for name in names]
        self.has_slot, layout = laid_out(
            tuple(group for group, _ in each), tuple(name for _, name in each), self.in_bits
        )
        self.block = Block(Layout(map(in_seconds, layout.places)) if self.of_pcp else layout)
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
        return cut(line, self.names) if is_aligned(line, self.names) else split(line, self.names)

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
        if self.is_awaited and is_aligned(line, self.names):
            headings = cut(self.names, self.names)
            words = [
                own if len(own) >= len(names) or names[:1] in OF_DAY else below(heading, piece)
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
        based = [(base, word) for base, own in zip(self.bases, words, strict=True) for word in own]
        pairs = list(compress(based, self.has_slot))
        values = [_number(word, base) for base, word in pairs if word]
        if len(values) == len(pairs):
            self.block.add(values, common)
        elif values:
            places = compress(self.block.layout.places, (word for _, word in pairs))
            self.first = Block(Layout(places))
            self.first.add(values, common | {"phase": ""})

    def letters(self, line: str) -> set[str]:
        """Return the letters behind numbers of disks and interfaces in a sample."""
        try:
            words = self.cells(line)
        except ValueError:
            return set()
        groups = zip(self.groups, words, strict=True)
        return {
            word[-1] for group, own in groups if group.startswith(_OF_BITS) for word in own if _WORD.fullmatch(word)
        }

    def _words(self, pieces: list[str]) -> list[list[str]]:
        """Return the words of the pieces of a line; of names of processes those of the heading."""
        return [
            names if is_text(group) else [piece.strip()] if names[:1] in OF_DAY else piece.split()
            for group, names, piece in zip(self.groups, self.columns, pieces, strict=True)
        ]


def _usage(group: str) -> str:
    """Return a group as the CSV calls it; dool's ``total usage`` is dstat's ``total cpu usage``."""
    return "total cpu usage" if group in ("total usage", "cpu usage") else group


def _base(group: str, names: list[str], in_bits: bool) -> float:
    """Return the base of the letters behind a group's numbers: 1024 of bytes.

    Groups that have the name of a mount, a file system or a mapped device are told by their columns.
    """
    if group.startswith(_OF_BITS):
        return 1000.0 if in_bits or any(name.startswith("#") for name in names) else 1024.0
    is_of_bytes = (
        group.startswith(_OF_BYTES)
        or {"used", "free"} <= {*names}
        or (names in _READ_AND_WRITTEN and not group.startswith("io/"))
    )
    return 1024.0 if is_of_bytes else 1000.0


def _number(word: str, base: float) -> float:
    """Read a number with its letter.

    Raises
    ------
    ValueError
        If it is none.
    """
    found = _WORD.fullmatch(word)
    if not found:
        raise ValueError(word)
    return number(found[1].rstrip(".")) * base ** _LETTERS[found[2]]
