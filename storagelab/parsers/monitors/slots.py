"""From the cells of a wide table to rows of the contract: each column has a slot that says in which row it goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from storagelab.parsers.model import Row

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


def rows(cells: Sequence[float | None], places: Sequence[Slot | None], common: Row) -> list[Row]:
    """Rows of a sample: cells whose slots have the same keys share one.

    The mean size or latency of no request at all is printed as zero, and is left out.
    """
    found: dict[Keys, Row] = {}
    for cell, slot in zip(cells, places, strict=True):
        if slot is not None and cell is not None:
            row = found.get(slot.keys)
            if row is None:
                row = found[slot.keys] = {**common, **dict(slot.keys)}
            row[slot.name] = cell * slot.factor
    for row in found.values():
        if not row.get("request_size", 1.0):
            del row["request_size"]
        if not row.get("operation_rate", 1.0) and not row.get("latency", 1.0):
            del row["latency"]
    return list(found.values())
