"""Blocks of lines out of a stream, as columns of whole numbers; and which lines are no samples."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson

from storagelab.parsers.fio.log import arrow_reader

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

BLOCK = 2**24
SMALL = 2**16
"""Bytes at once; and of a block for which loading a fast reader does not pay."""
NARROWEST, WIDEST = 4, 8
_LIMIT = 2**63
_OF_DECIMALS = b"0123456789, \n"
_NUMBER = rb"(?:0x[0-9a-fA-F]{1,16}|\d{1,20})"
_TIME_OF_DAY = rb"\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d"
_LINE = re.compile(rb"(?:(?!" + _TIME_OF_DAY + rb")[^\s=,]{1,60}[:>] ?)?(" + _NUMBER + rb"(?:, ?" + _NUMBER + rb")+)")


class Samples(NamedTuple):
    """Lines that are samples: an array a column of the log, and the line that each sample stands on."""

    columns: tuple[Ints, ...]
    lines: Ints

    def where(self, keep: npt.NDArray[np.bool_]) -> Samples:
        """Return the samples that are kept."""
        return self if keep.all() else Samples(tuple(column[keep] for column in self.columns), self.lines[keep])


class Reader:
    """Goes through a stream once, block by block.

    Attributes
    ----------
    width : int
        How many columns the log has; 0 where none of its lines is a sample.
    hexadecimal : set of int
        Places of the columns that are written so.
    skipped : int
        How many lines are no samples; `first` is the first of them, or else that which is cut, and what stands there.
    cut : int
        The last line, where it does not end: its last number may have lost digits. 0 where it does.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._line = 1
        self.width = 0
        self.hexadecimal: set[int] = set()
        self.skipped = 0
        self.first = (0, "")
        self.cut = 0

    def __iter__(self) -> Iterator[Samples]:
        for block in self._blocks():
            if not self.width:
                self.width, self.hexadecimal = _shape(block)
            count = block.count(b"\n")
            samples = self._samples(block, self._line, count)
            if len(samples.lines):
                yield samples
            self._line += count

    def skip(self, line: int, text: str) -> None:
        """Take note of a line that is no sample."""
        self.skipped += 1
        self.first = self.first if 0 < self.first[0] < line else (line, text)

    def _blocks(self) -> Iterator[bytes]:
        """Whole lines, about `BLOCK` bytes at once; what stands after the last line end is not read."""
        rest = b""
        while data := self._stream.read(BLOCK):
            data = rest + data
            end = data.rfind(b"\n") + 1
            if end:
                block = data[:end]
                yield block.replace(b"\r\n", b"\n") if b"\r" in block else block
            rest = data[end:]
            if len(rest) > BLOCK:
                rest = rest[:80] + b"\xff"  # a line of this length is no sample, however it goes on
        if rest.strip():
            self.cut = self._line
            self.first = self.first if self.skipped else (self.cut, _shown(rest))

    def _samples(self, block: bytes, first: int, count: int) -> Samples:
        """Read a block with the fast reader, or its halves where that refuses it, and small blocks line by line."""
        if len(block) < SMALL or not self.width:
            return _plain_samples(block, self.width, first) or self._line_by_line(block, first)
        columns = arrow_reader.read(block, self.width, count)
        if columns:
            return Samples(columns, np.arange(first, first + count))
        middle = block.find(b"\n", len(block) // 2) + 1
        if middle in (0, len(block)):
            return self._line_by_line(block, first)
        before = block.count(b"\n", 0, middle)
        halves = (
            self._samples(block[:middle], first, before),
            self._samples(block[middle:], first + before, count - before),
        )
        return joined(halves, self.width)

    def _line_by_line(self, block: bytes, first: int) -> Samples:
        rows, lines = [], []
        for line, text in enumerate(block.split(b"\n"), first):
            row = numbers(text)
            if row and len(row) == self.width:
                rows.append(row)
                lines.append(line)
            elif text and not text.isspace():
                self.skip(line, _shown(text))
        table = np.array(rows, dtype=np.int64).reshape(len(rows), self.width)
        return Samples(tuple(table.T), np.array(lines, dtype=np.int64))


def _shown(line: bytes) -> str:
    return line[:80].decode(errors="replace")


def joined(parts: Sequence[Samples], width: int) -> Samples:
    """Return several blocks of samples as one."""
    places = range(width)
    columns = tuple(np.concatenate([part.columns[place] for part in parts]) for place in places)
    return Samples(columns, np.concatenate([part.lines for part in parts]))


def numbers(line: bytes) -> list[int]:
    """Whole numbers of a line of the log; none where it is no such line."""
    match = _LINE.fullmatch(line.rstrip(b"\r"))
    if not match:
        return []
    found = [int(word, 16) if b"x" in word else int(word) for word in match[1].split(b",")]
    return found if max(found) < _LIMIT else []


def _plain_samples(block: bytes, width: int, first: int) -> Samples | None:
    """Read lines of decimal numbers with JSON's reader; None where any line is something else."""
    if not width or block.translate(None, _OF_DECIMALS) or block.count(b" ") != block.count(b", "):
        return None
    try:
        rows = orjson.loads(b"[[%b]]" % block.removesuffix(b"\n").replace(b"\n", b"],["))
    except orjson.JSONDecodeError:
        return None
    if set(map(len, rows)) != {width} or max(map(max, rows)) >= _LIMIT:
        return None
    return Samples(tuple(np.array(rows, dtype=np.int64).T), np.arange(first, first + len(rows)))


def _shape(block: bytes) -> tuple[int, set[int]]:
    """How many columns most of the first lines have, and which of them are hexadecimal."""
    samples = (line for line in block.split(b"\n", 1000) if NARROWEST <= len(numbers(line)) <= WIDEST)
    texts = list(itertools.islice(samples, 100))
    widths = Counter(line.count(b",") + 1 for line in texts)
    return widths.most_common(1)[0][0] if widths else 0, {
        place for line in texts for place, word in enumerate(line.split(b",")) if b"0x" in word
    }
