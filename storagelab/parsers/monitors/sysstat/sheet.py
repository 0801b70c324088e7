"""The lines of one table, gathered as columns and taken apart into rows of the contract."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, groupby

from storagelab import schema
from storagelab.parsers.model import Columns, Value
from storagelab.parsers.monitors.sysstat.cells import numbers, plain_cells
from storagelab.parsers.monitors.sysstat.layout import Share, layout

_RECENT = 5000
"""Lines among which the last two samples are looked for."""

NAMED = frozenset({"interface", "device", "cpu", "process"})
"""Kinds of keys that are columns of the contract."""
_PLAIN = NAMED | {"place"}


class Sheet:
    """A table with one set of columns.

    Parameters
    ----------
    columns : tuple of str
        The columns as printed, without the time before them.
    stamp : tuple of str
        What the parser says of each line: names of the contract such as time and statistic.
    """

    def __init__(self, columns: tuple[str, ...], stamp: tuple[str, ...]) -> None:
        self.layout = layout(columns)
        self.lines: list[int] = []
        self.stamps: list[tuple[Value, ...]] = []
        self.is_awaited = True
        self._width = len(columns)
        self._cells = slice(self.layout.start, self.layout.stop)
        self.words: list[list[str]] = []
        self._number_lines: list[list[int]] = []
        self.stamp = stamp
        self.numbers: list[float] = []

    def add(self, words: list[str], stamp: tuple[Value, ...], line: int, lines: Sequence[int] = ()) -> None:
        """Add a line of the table; `lines` says where each number stands, if they are not all in one line.

        Raises
        ------
        ValueError
            If it has not the table's columns.
        """
        if len(words) != self._width:
            words = self._fitted(words)
        self.numbers += numbers(words[self._cells], self.layout.natives)
        self.words.append(words)
        self.stamps.append(stamp)
        self.lines.append(line)
        if lines:
            self._number_lines.append(list(lines))
        self.is_awaited = False

    def plain_numbers(self, rows: list[list[str]]) -> list[float]:
        """Read the numbers of several lines at once; [] where one has other cells than plain numbers."""
        if set(map(len, rows)) != {self._width}:
            return []
        return plain_cells(list(chain.from_iterable(row[self._cells] for row in rows)))

    def add_rows(
        self, rows: list[list[str]], numbers: list[float], stamps: Iterable[tuple[Value, ...]], first: int
    ) -> None:
        """Add lines that follow each other from the first on, with their numbers, as `plain_numbers` read them."""
        self.numbers += numbers
        self.words += rows
        self.stamps += stamps
        self.lines += range(first, first + len(rows))
        self.is_awaited = False

    def lines_of(self, number: int, first_words: Mapping[int, int]) -> list[int]:
        """Return on which line each number stands; nothing where no line of the log was wrapped.

        `first_words` says of each line that goes on in the next how many of its words stand on the first of the two.
        """
        if not first_words:
            return []
        there = first_words.get(number, self._width)
        return [number + (at >= there) for at in range(self._width)[self._cells]]

    def _fitted(self, words: list[str]) -> list[str]:
        """Words of a line with blanks in its last name, or without a state or the places of all processors together."""
        if len(words) > self._width and self.layout.ends_in_text:
            return [*words[: self._width - 1], " ".join(words[self._width - 1 :])]
        if self.layout.ends_in_state and len(words) == self._width - 1:
            return [*words, ""]
        places = sum(kind in ("place", "node") for _, kind in self.layout.keys)
        if places > 1 and len(words) == self._width - places:
            return [words[0], *[""] * places, *words[1:]]
        raise ValueError(f"{self._width} columns wanted, found {len(words)}")

    def keys_of(self, place: int) -> tuple[str, ...]:
        """Return the keys of the line at a place."""
        words = self.words[place]
        return tuple([words[at] for at, _ in self.layout.keys])

    def lacks_items(self) -> bool:
        """Whether the last sample lacks an item that the sample before has."""
        recent = range(len(self.lines) - 1, max(-1, len(self.lines) - 1 - _RECENT), -1)
        samples = groupby(recent, key=self.stamps.__getitem__)
        items = ({self.keys_of(place) for place in places} for _, places in samples)
        last, before = next(items, set()), next(items, set())
        return not last >= before

    def is_plain(self) -> bool:
        """Whether each line becomes the same rows, whose values all stand on it and are numbers."""
        return (
            not self._number_lines
            and self._kinds <= _PLAIN
            and all(map(operator.lt, self.lines, self.lines[1:]))
            and math.isfinite(sum(self.numbers))
        )

    def blocks(self) -> Iterator[Columns]:
        """Yield the rows that each share of the lines becomes, as columns."""
        if not self.lines or self.layout.is_ignored:
            return
        if not math.isfinite(sum(self.numbers)):
            self.numbers = [value if math.isfinite(value) else math.nan for value in self.numbers]
        common = self._stamped() | self._named() | {"line": self.lines}
        for share in self.layout.shares:
            block = self._share(share, common)
            yield from _sums_apart(block) if "interrupt" in self._kinds else (block,)

    @property
    def _kinds(self) -> set[str]:
        return {kind for _, kind in self.layout.keys}

    def _stamped(self) -> Columns:
        return dict(zip(self.stamp, zip(*self.stamps, strict=True), strict=True))

    def _named(self) -> Columns:
        """Return the keys of every line; what the contract has no key for is to go behind the metric's name."""
        found: Columns = {}
        for at, kind in self.layout.keys:
            words = [line[at] for line in self.words]
            if kind in NAMED:
                found[kind] = words
            elif kind == "node" and "cpu" not in self._kinds:
                found["cpu"] = [word if word == "all" else f"node {word}" for word in words]
            elif kind in ("sensor", "interrupt"):
                found["metric"] = words
        return found

    def _share(self, share: Share, common: Columns) -> Columns:
        width = len(self.numbers) // len(self.lines)
        values = {name: [value * factor for value in self.numbers[at::width]] for name, at, factor in share.values}
        constants = {name: [text] * len(self.lines) for name, text in share.constants.items()}
        block = constants | common | values
        if "metric" in common:
            block["metric"] = [f"{share.constants['metric']} {word}" for word in common["metric"]]
        if self._number_lines:
            block |= self._lines_of(share)
        return _without_empty(block, list(values.values()))

    def _lines_of(self, share: Share) -> Columns:
        """Where a row's primary value stands (its throughput, or else its first number), and others on other lines."""
        columns = list(zip(*self._number_lines, strict=True))
        own = columns[next((at for name, at, _ in share.values if name == "throughput"), share.values[0][1])]
        others = {
            schema.LINE_OF[name]: [
                line if line != first else math.nan for line, first in zip(columns[at], own, strict=True)
            ]
            for name, at, _ in share.values
            if columns[at] != own
        }
        return {"line": own, **others}


def _without_empty(block: Columns, values: Sequence[Sequence[float]]) -> Columns:
    """Drop the rows that have no value at all."""
    if not all(math.isnan(sum(column)) for column in values):
        return block
    return _where(block, [any(value == value for value in row) for row in zip(*values, strict=True)])


def _sums_apart(block: Columns) -> Iterator[Columns]:
    """Interrupts of all sources together have a name in the contract."""
    is_sum = [metric == "intr/s sum" for metric in block["metric"]]
    total = _where(block, is_sum)
    interrupts = {name: column for name, column in total.items() if name not in ("metric", "unit", "value")}
    yield interrupts | {"interrupt_rate": total["value"]}
    yield _where(block, [not one for one in is_sum])


def _where(block: Columns, mask: Sequence[bool]) -> Columns:
    return {name: list(compress(column, mask)) for name, column in block.items()}
