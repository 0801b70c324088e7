"""From the cells of a wide table to rows of the contract: each column has a slot that says in which row it goes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from storagelab.parsers.model import Columns, Row, Value, missing, stacked

Keys = tuple[tuple[str, str], ...]


class Slot(NamedTuple):
    """Where a cell goes: the constant part of its row, the name of its value, and the factor to SI."""

    keys: Keys
    name: str
    factor: float = 1.0


def keys(operation: str = "", **others: str) -> Keys:
    """Return the constant part of a row."""
    return ("operation", operation), *others.items()


def metric(name: str, unit: str = "", **others: str) -> Slot:
    """Return the slot of a column that the contract has no name for."""
    return Slot(keys(metric=name, unit=unit, **others), "value")


EACH = "\0"
"""Stands in the keys of a slot for whose each sample is: a device, an interface or a processor."""


class Layout:
    """The slots of a table's columns, and the rows that a sample becomes: cells with the same keys share one."""

    __slots__ = ("constants", "height", "places", "targets")

    def __init__(self, places: Iterable[Slot]) -> None:
        self.places = tuple(places)
        rows = {keys: at for at, keys in enumerate(dict.fromkeys(slot.keys for slot in self.places))}
        named = [dict(keys) for keys in rows]
        self.height = len(rows)
        self.constants: dict[str, list[Value]] = {
            name: [keys.get(name, "") for keys in named] for name in dict.fromkeys(chain(*named))
        }
        self.targets = [(slot.name, rows[slot.keys], slot.factor) for slot in self.places]


class Block:
    """Samples of one table: its layout, and of each sample a list of cells, its constant values and whose it is."""

    __slots__ = ("cells", "common", "layout", "whose")

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.cells: list[Sequence[float]] = []
        self.common: list[Row] = []
        self.whose: list[str] = []

    def add(self, cells: Sequence[float], common: Row, who: str = "") -> None:
        """Add a sample: a number a slot, what all rows of the sample share, and what stands for `EACH`."""
        self.cells.append(cells)
        self.common.append(common)
        self.whose.append(who)

    def extend(self, cells: Sequence[Sequence[float]], common: Sequence[Row]) -> None:
        """Add samples that stand for nothing but themselves."""
        self.cells += cells
        self.common += common
        self.whose += [""] * len(cells)

    def columns(self) -> Columns:
        """Columns of the rows, sample by sample."""
        height, count = self.layout.height, len(self.cells)
        found: dict[str, list[Value]] = {}
        for name in dict.fromkeys(chain.from_iterable(self.common)):
            lacking = missing(name)
            found[name] = _repeated([common.get(name, lacking) for common in self.common], height)
        for name, words in self.layout.constants.items():
            found[name] = self._of_each(words) if EACH in words else words * count
        for (name, row, factor), column in zip(self.layout.targets, zip(*self.cells, strict=True), strict=True):
            if name not in found:
                found[name] = [math.nan] * (height * count)
            found[name][row::height] = [cell * factor for cell in column]
        _leave_out_means_of_none(found)
        return dict(found)

    def _of_each(self, words: Sequence[Value]) -> list[Value]:
        return [who if word == EACH else word for who in self.whose for word in words]


def _repeated(values: Sequence[Value], times: int) -> list[Value]:
    """Write each value so many times, one behind the other."""
    found: list[Value] = [""] * (times * len(values))
    for place in range(times):
        found[place::times] = values
    return found


def _leave_out_means_of_none(found: dict[str, list[Value]]) -> None:
    """Take away the mean size and the mean latency of no request at all, which are printed as zero."""
    if "request_size" in found:
        found["request_size"] = [size or math.nan for size in found["request_size"]]
    rates = found.get("operation_rate") or found.get("throughput")
    if "latency" in found and rates:
        pairs = zip(found["latency"], rates, strict=True)
        found["latency"] = [latency if latency or rate else math.nan for latency, rate in pairs]


def columns_of(blocks: Sequence[Block]) -> Columns:
    """Put the columns of blocks below each other."""
    filled = [block.columns() for block in blocks if block.cells]
    return filled[0] if len(filled) == 1 else stacked(filled)
