"""The lines of one table, gathered as columns and taken apart into rows of the contract."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from storagelab import schema
from storagelab.parsers.model import Columns, Value
from storagelab.parsers.monitors.sysstat.cells import numbers
from storagelab.parsers.monitors.sysstat.layout import Share, layout

_RECENT = 5000
"""Lines among which the last two samples are looked for."""

Floats = npt.NDArray[np.float64]
Block = dict[str, Floats]
"""Columns of one length; text as its place in a `Vocabulary`."""

_FIRST = (
    "part", "iteration", "time", "elapsed", "statistic", "phase", "host", "operation", "interface", "device", "cpu",
    "metric",
)  # fmt: skip


class Vocabulary:
    """Every text of a log once, so that columns of text can be moved as numbers; "" is 0."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {"": 0}

    def place(self, text: str) -> int:
        """Return the place of a text."""
        return self._places.setdefault(text, len(self._places))

    def places(self, texts: Iterable[str]) -> Floats:
        """Return the place of each text."""
        known, place = self._places, self.place
        return np.array([known.get(text) or place(text) for text in texts], dtype=np.float64)

    def texts(self, places: Floats) -> list[Value]:
        """Return the text at each place."""
        words = np.array(list(self._places), dtype=object)
        return list(words[np.nan_to_num(places).astype(np.intp)].tolist())

    def changed(self, places: Floats, prefix: str) -> Floats:
        """Return the places of the same texts with a prefix before each."""
        words = list(self._places)
        distinct = {place: self.place(f"{prefix}{words[int(place)]}") for place in np.unique(places).tolist()}
        return np.array([distinct[place] for place in places.tolist()], dtype=np.float64)


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
        self._words: list[list[str]] = []
        self._number_lines: list[list[int]] = []
        self._stamp = stamp
        self._numbers: list[float] = []

    def add(self, words: list[str], stamp: tuple[Value, ...], line: int, lines: Sequence[int] = ()) -> None:
        """Add a line of the table; `lines` says where each number stands, if they are not all in one line.

        Raises
        ------
        ValueError
            If it has not the table's columns.
        """
        if len(words) != self._width:
            words = self._fitted(words)
        self._numbers += numbers(words[self._cells], self.layout.natives)
        self._words.append(words)
        self.stamps.append(stamp)
        self.lines.append(line)
        if lines:
            self._number_lines.append(list(lines))
        self.is_awaited = False

    def _fitted(self, words: list[str]) -> list[str]:
        """Words of a line whose last name holds blanks, or that leaves the places of all processors together blank."""
        if len(words) > self._width and self.layout.ends_in_text:
            return [*words[: self._width - 1], " ".join(words[self._width - 1 :])]
        places = sum(kind in ("place", "node") for _, kind in self.layout.keys)
        if places > 1 and len(words) == self._width - places:
            return [words[0], *[""] * places, *words[1:]]
        raise ValueError(f"{self._width} columns wanted, found {len(words)}")

    def items(self, start: int = 0) -> Iterator[tuple[tuple[Value, ...], tuple[str, ...]]]:
        """Yield stamp and keys of the lines from the one at `start` on."""
        for stamp, words in zip(self.stamps[start:], self._words[start:], strict=True):
            yield stamp, tuple([words[at] for at, _ in self.layout.keys])

    def lacks_items(self) -> bool:
        """Whether the last sample lacks an item that the sample before has."""
        samples: dict[tuple[Value, ...], set[tuple[str, ...]]] = {}
        for stamp, keys in self.items(max(0, len(self.lines) - _RECENT)):
            samples.setdefault(stamp, set()).add(keys)
        before, last = [set[tuple[str, ...]](), *samples.values()][-2:] if samples else (set(), set())
        return not last >= before

    def blocks(self, vocabulary: Vocabulary) -> Iterator[Block]:
        """Yield the rows that each share of the lines becomes, as columns."""
        if not self.lines or self.layout.is_ignored:
            return
        table = np.array(self._numbers, dtype=np.float64).reshape(len(self.lines), -1)
        table[~np.isfinite(table)] = math.nan
        common = self._stamped(vocabulary) | self._named(vocabulary)
        common["line"] = np.array(self.lines, dtype=np.float64)
        for share in self.layout.shares:
            block = self._share(share, table, common, vocabulary)
            yield from _sums_apart(block, vocabulary) if "interrupt" in self._kinds else (block,)

    @property
    def _kinds(self) -> set[str]:
        return {kind for _, kind in self.layout.keys}

    def _stamped(self, vocabulary: Vocabulary) -> Block:
        named = zip(self._stamp, zip(*self.stamps, strict=True), strict=True)
        return {
            name: vocabulary.places(map(str, column)) if schema.is_text(name) else np.array(column, dtype=np.float64)
            for name, column in named
        }

    def _named(self, vocabulary: Vocabulary) -> Block:
        """Return the keys of every line; what the contract has no key for is to go behind the metric's name."""
        found: Block = {}
        for at, kind in self.layout.keys:
            words = [line[at] for line in self._words]
            if kind in ("interface", "device", "cpu"):
                found[kind] = vocabulary.places(words)
            elif kind == "node" and "cpu" not in self._kinds:
                found["cpu"] = vocabulary.places(word if word == "all" else f"node {word}" for word in words)
            elif kind in ("sensor", "interrupt"):
                found["metric"] = vocabulary.places(words)
        return found

    def _share(self, share: Share, table: Floats, common: Block, vocabulary: Vocabulary) -> Block:
        length = len(self.lines)
        values: Block = {name: table[:, at] * factor for name, at, factor in share.values}
        constants = {name: np.full(length, float(vocabulary.place(text))) for name, text in share.constants.items()}
        block = constants | common | values
        if "metric" in common:
            block["metric"] = vocabulary.changed(common["metric"], f"{share.constants['metric']} ")
        if self._number_lines:
            block |= self._lines_of(share)
        return _without_empty(block, tuple(values))

    def _lines_of(self, share: Share) -> Block:
        """Where a row's primary value stands (its throughput, or else its first number), and others on other lines."""
        lines = np.array(self._number_lines, dtype=np.float64)
        at = next((at for name, at, _ in share.values if name == "throughput"), share.values[0][1])
        own = lines[:, at]
        others = {
            schema.LINE_OF[name]: np.where(lines[:, at] != own, lines[:, at], math.nan)
            for name, at, _ in share.values
            if (lines[:, at] != own).any()
        }
        return {"line": own, **others}


def _without_empty(block: Block, names: tuple[str, ...]) -> Block:
    """Drop the rows that have no value at all."""
    empty = np.logical_and.reduce([np.isnan(block[name]) for name in names])
    return _where(block, ~empty) if empty.any() else block


def _sums_apart(block: Block, vocabulary: Vocabulary) -> Iterator[Block]:
    """Interrupts of all sources together have a name in the contract."""
    is_sum = block["metric"] == vocabulary.place("intr/s sum")
    total = _where(block, is_sum)
    interrupts = {name: column for name, column in total.items() if name not in ("metric", "unit", "value")}
    yield interrupts | {"interrupt_rate": total["value"]}
    yield _where(block, ~is_sum)


def _where(block: Block, mask: npt.NDArray[np.bool_]) -> Block:
    return {name: column[mask] for name, column in block.items()}


def assemble(sheets: Iterable[Sheet]) -> Columns:
    """Put the rows of all tables together, in the order of their lines."""
    vocabulary = Vocabulary()
    blocks = [block for sheet in sheets for block in sheet.blocks(vocabulary) if len(block["line"])]
    if not blocks:
        return {}
    found = dict.fromkeys(name for block in blocks for name in block)
    names = [*(name for name in _FIRST if name in found), *(n for n in found if n not in (*_FIRST, "line")), "line"]
    order = np.argsort(np.concatenate([block["line"] for block in blocks]), kind="stable")
    columns: Columns = {}
    for name in names:
        numbers = _column(name, blocks, order)
        if (name == "part" and numbers.max() == 1) or (name == "phase" and not numbers.any()):
            continue
        columns[name] = vocabulary.texts(numbers) if schema.is_text(name) else array("d", numbers.tobytes())
    columns["line"] = array("q", _column("line", blocks, order).astype(np.int64).tobytes())
    return columns


def _column(name: str, blocks: list[Block], order: npt.NDArray[np.intp]) -> Floats:
    numbers = np.full(len(order), 0.0 if schema.is_text(name) else math.nan)
    end = 0
    for block in blocks:
        start, end = end, end + len(block["line"])
        if name in block:
            numbers[start:end] = block[name]
    column: Floats = numbers[order]
    return column
