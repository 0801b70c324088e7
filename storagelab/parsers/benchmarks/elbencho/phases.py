"""Phases of elbencho: their operations, and which figures mean what in them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from storagelab.parsers.model import Row
from storagelab.units import MIB, MILLISECOND

OPERATIONS = {
    "MKDIRS": "directory_create",
    "MKBUCKETS": "directory_create",
    "WRITE": "write",
    "READ": "read",
    "STAT": "file_stat",
    "HEADOBJ": "file_stat",
    "LISTOBJ": "list",
    "LISTOBJP": "list",
    "RMFILES": "file_remove",
    "RMOBJECTS": "file_remove",
    "RMDIRS": "directory_remove",
    "RMBUCKETS": "directory_remove",
    "SYNC": "sync",
}
NO_MEASUREMENT = ("DROPCACHE", "IDLE", "TERMINATE")
_MIX = re.compile(r"RWMIX[A-Z]*(\d+)?")
_DATA = ("write", "read", "mixed_workload")


def operation(phase: str) -> Row:
    """Return the operation of a phase, with the share of reads of a mix; nothing where it is not known."""
    if mix := _MIX.fullmatch(phase):
        share = {"read_share": float(mix[1]) / 100} if mix[1] else {}
        return {"operation": "mixed_workload", **share}
    return {"operation": OPERATIONS[phase]} if phase in OPERATIONS else {}


QUANTITIES: Mapping[str, tuple[str, str, float]] = {
    "elapsed": ("elapsed", "stonewall_time", MILLISECOND),
    "iops": ("operation_rate", "operation_rate_stonewall", 1.0),
    "entries/s": ("file_rate", "file_rate_stonewall", 1.0),
    "MiB/s": ("throughput", "throughput_stonewall", MIB),
    "MiB": ("data_size", "", MIB),
    "entries": ("files", "", 1.0),
    "cpu": ("cpu_utilisation", "", 0.01),
}
"""What elbencho counts -> name when the last was done, name when the first was, unit."""


def row(kind: Row, figures: Mapping[str, tuple[float | None, float | None]]) -> Row:
    """Make the row of a phase from its figures when the first and the last worker were done."""
    made: Row = dict(kind)
    for figure, (first, last) in figures.items():
        name, early, unit = QUANTITIES[figure]
        if figure == "entries/s" and kind["operation"] not in _DATA:
            name, early, unit = QUANTITIES["iops"]
        made |= {name: last * unit} if last is not None else {}
        made |= {early: first * unit} if early and first is not None else {}
    return made


def latencies(kind: Row, of_files: bool, values: Mapping[str, float | None]) -> Row:
    """Latencies in microseconds as `latency` and so on, or as `file_latency` where a phase has both sorts."""
    name = "file_latency" if of_files and kind["operation"] in _DATA else "latency"
    names = {"min": f"{name}_min", "avg": name, "max": f"{name}_max"}
    return {names[which]: value / 1e6 for which, value in values.items() if value is not None}
