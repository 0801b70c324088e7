"""From the numbers of one line of vdbench to rows: what each column means, in the table and in the flat file."""

from __future__ import annotations

import math
from collections.abc import Mapping

from storagelab.parsers.file_system_calls import operation_of
from storagelab.parsers.model import Row
from storagelab.units import MIB, MILLISECOND, PERCENT

_ALL = {
    "i/o rate": ("operation_rate", 1.0),
    "MB/sec 1024**2": ("throughput", MIB),
    "bytes i/o": ("request_size", 1.0),
    "read pct": ("read_share", PERCENT),
    "resp time": ("latency", MILLISECOND),
    "resp max": ("latency_max", MILLISECOND),
    "resp stddev": ("latency_std", MILLISECOND),
    "queue depth": ("queue_length", 1.0),
    "cpu% sys+u": ("cpu_utilisation", PERCENT),
    "cpu% sys+usr": ("cpu_utilisation", PERCENT),
    "cpu% total": ("cpu_utilisation", PERCENT),
    "cpu% sys": ("cpu_system", PERCENT),
    "ReqstdOps rate": ("operation_rate", 1.0),
    "ReqstdOps resp": ("latency", MILLISECOND),
    "mb/sec total": ("throughput", MIB),
    "xfer size": ("request_size", 1.0),
}
"""Columns of the row for all operations."""
_OF_DIRECTION = {
    "resp": ("latency", MILLISECOND),
    "max": ("latency_max", MILLISECOND),
    "rate": ("operation_rate", 1.0),
}
_OWN = {"move": "file_rename"}
"""Operations of file systems whose names are vdbench's own."""
_MEANS = ("latency", "latency_max", "latency_std", "request_size")

Cells = Mapping[str, float]


def rows(cells: Cells) -> list[Row]:
    """Make a row of all operations, and one of each of them that was done."""
    return _of_file_systems(cells) if "ReqstdOps rate" in cells else _of_devices(cells)


def _of_devices(cells: Cells) -> list[Row]:
    total = _all(cells)
    share = cells.get("read pct", math.nan)
    has_run = bool(cells.get("i/o rate"))
    operation = "read" if share == 100 else "write" if share == 0 and has_run else "mixed_workload"
    if operation != "mixed_workload":
        return [{"operation": operation, **total, **_highest(operation, cells, total)}]
    parts = [_direction(name, cells) for name in ("read", "write")]
    return [{"operation": operation, **total}, *(part for part in parts if "latency" in part)]


def _highest(operation: str, cells: Cells, total: Row) -> Row:
    """Return the highest latency where that of all is not printed, and all are of one direction."""
    highest = cells.get(f"{operation} max", math.nan) * MILLISECOND
    return {"latency_max": highest} if highest > 0 and "latency_max" not in total else {}


def _of_file_systems(cells: Cells) -> list[Row]:
    names = dict.fromkeys(name.partition(" ")[0] for name in cells if name.endswith(" rate"))
    done = [name for name in names if name != "ReqstdOps" and cells[f"{name} rate"]]
    return [{"operation": "mixed_workload", **_all(cells)}, *(_direction(name, cells) for name in done)]


def _all(cells: Cells) -> Row:
    return {
        name: cells[column] * factor
        for column, (name, factor) in _ALL.items()
        if column in cells and math.isfinite(cells[column]) and (cells[column] or name not in _MEANS)
    }


def _direction(name: str, cells: Cells) -> Row:
    """Make the row of one operation; means of none are printed as zero and left out."""
    operation = operation_of(name) or _OWN.get(name)
    row: Row = {"operation": operation} if operation else {"operation": "unknown", "operation_group": name}
    for column, (key, factor) in _OF_DIRECTION.items():
        if cells.get(f"{name} {column}"):
            row[key] = cells[f"{name} {column}"] * factor
    if cells.get(f"mb/sec {name}"):
        row["throughput"] = cells[f"mb/sec {name}"] * MIB
    return row
