"""Rows as a person reads them: what all share said once, units with a prefix in the heading, columns aligned."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from storagelab import schema, units
from storagelab.parsers import Row, Value

DECIMAL = ("", "k", "M", "G", "T")
BINARY = ("Ti", "Gi", "Mi", "Ki")

_DETAIL = re.compile(r"(.+)_(?:min|max|mean|std|parent|stonewall|p[0-9_]+)")
SHORT = 1e6
"""Numbers below it are written with all their digits."""
_DATES = ("start_time", "end_time")


def names_of(rows: Iterable[Row]) -> list[str]:
    """Names that any of the rows has, in the order of the schema; not those of lines of single values."""
    found: set[str] = set()
    for row in rows:
        found.update(row)
    return [name for name in schema.FIELDS if name in found and name not in schema.OF_VALUES]


def split_constant(rows: Sequence[Row]) -> tuple[Row, list[str]]:
    """Tell apart what all rows share, and the names in which they differ (always with the operation and the line)."""
    shared: Row = {}
    varying = []
    for name in names_of(rows):
        values = {row.get(name, "") for row in rows}
        if len(values) > 1 or name in ("operation", "line") or schema.field(name).kind == "variable":
            varying.append(name)
        else:
            shared[name] = values.pop()
    return shared, varying


def main_names(names: Sequence[str]) -> list[str]:
    """Leave out what only a machine wants at first sight: dates in seconds, spread and percentiles of what is there."""
    return [name for name in names if name not in _DATES and _base(name) not in names]


def _base(name: str) -> str:
    match = _DETAIL.fullmatch(name)
    return match[1] if match else ""


def table(rows: Sequence[Row], names: Sequence[str]) -> list[str]:
    """Align rows under headings with units; missing values are empty."""
    columns = [_column(name, [row.get(name, "") for row in rows]) for name in names]
    return ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]


def quantity(name: str, value: Value) -> str:
    """Write one value of the contract with its unit: ``64 kB``, ``write``, ``2026-03-02 08:00:00 UTC``."""
    unit = schema.field(name).unit
    if unit is None or isinstance(value, str):
        return str(value)
    if name in _DATES:
        return f"{datetime.fromtimestamp(value, UTC):%Y-%m-%d %H:%M:%S} UTC"
    prefix = _prefix(unit, [float(value)])
    shown = f"{prefix}{unit}" if unit != "1" else ""
    return f"{_scaled(value, unit, prefix)} {shown}".rstrip()


def _column(name: str, values: Sequence[Value]) -> list[str]:
    unit = schema.field(name).unit
    if unit is None:
        cells = [name, *map(str, values)]
        return _padded(cells)
    prefix = _prefix(unit, [float(value) for value in values if value != ""])
    heading = name if unit == "1" else f"{name} [{prefix}{unit}]"
    cells = [heading, *("" if value == "" else _scaled(value, unit, prefix) for value in values)]
    width = max(map(len, cells))
    return [cell.rjust(width) for cell in cells]


def _padded(cells: Sequence[str]) -> list[str]:
    width = max(map(len, cells))
    return [cell.ljust(width) for cell in cells]


def aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """Align rows of text, each as long as the first."""
    columns = [_padded(column) for column in zip(*rows, strict=True)]
    return ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]


def _prefix(unit: str, values: Sequence[float]) -> str:
    """Choose one prefix for some numbers of bytes: a binary one that leaves short whole numbers, else a decimal one."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if unit not in ("B", "B/s") or largest < 1:
        return ""
    if unit == "B":
        for prefix in BINARY:
            factor = units.factor(f"{prefix}B", "B")
            if largest < SHORT * factor and all(value % factor == 0 for value in values):
                return prefix
    return DECIMAL[min(int(math.log10(largest) // 3), len(DECIMAL) - 1)]


def _scaled(value: Value, unit: str, prefix: str) -> str:
    scale = units.factor(f"{prefix}{unit}", unit) if prefix else 1.0
    return f"{float(value) / scale:.6g}"
