"""From the cells of a wide table to rows of the contract: each column has a slot that says in which row it goes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, repeat
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


class Block:
    """Samples of one table: the slots of its columns, and a list of cells and the constant values of each sample."""

    __slots__ = ("cells", "common", "places")

    def __init__(self, places: Sequence[Slot]) -> None:
        self.places = places
        self.cells: list[Sequence[float]] = []
        self.common: list[Row] = []

    def add(self, cells: Sequence[float], common: Row) -> None:
        """Add a sample: a number a slot, and what all rows of the sample share."""
        self.cells.append(cells)
        self.common.append(common)

    def columns(self) -> Columns:
        """Columns of the rows, sample by sample; within one, cells whose slots have the same keys share a row."""
        rows = {keys: at for at, keys in enumerate(dict.fromkeys(slot.keys for slot in self.places))}
        found: dict[str, list[Value]] = {}
        for name in dict.fromkeys(name for common in self.common for name in common):
            values = [common[name] if name in common else missing(name) for common in self.common]
            found[name] = list(chain.from_iterable(map(repeat, values, repeat(len(rows)))))
        for name in dict.fromkeys(name for keys in rows for name, _ in keys):
            whose: list[Value] = [dict(keys).get(name, "") for keys in rows]
            found[name] = whose * len(self.cells)
        for slot, column in zip(self.places, zip(*self.cells, strict=True), strict=True):
            target = found.setdefault(slot.name, [math.nan] * (len(rows) * len(self.cells)))
            target[rows[slot.keys] :: len(rows)] = [cell * slot.factor for cell in column]
        _leave_out_means_of_none(found)
        return dict(found)


def _leave_out_means_of_none(found: dict[str, list[Value]]) -> None:
    """Take away the mean size and the mean latency of no request at all, which are printed as zero."""
    if "request_size" in found:
        found["request_size"] = [size or math.nan for size in found["request_size"]]
    if "latency" in found and "operation_rate" in found:
        pairs = zip(found["latency"], found["operation_rate"], strict=True)
        found["latency"] = [latency if latency or rate else math.nan for latency, rate in pairs]


def columns_of(blocks: Sequence[Block]) -> Columns:
    """Put the columns of blocks below each other."""
    return stacked(block.columns() for block in blocks if block.cells)
