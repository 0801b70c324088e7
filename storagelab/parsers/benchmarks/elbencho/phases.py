"""Phases of elbencho: their operations, and which figures mean what in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeGuard

from storagelab.parsers.model import Row
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import MB, MIB, MILLISECOND

OPERATIONS = {
    "MKDIRS": "directory_create",
    "MKBUCKETS": "directory_create",
    "WRITE": "write",
    "READ": "read",
    "STAT": "file_stat",
    "HEADOBJ": "file_stat",
    "LISTOBJ": "list",
    "LISTOBJP": "list",
    "LISTOBJ_P": "list",
    "MULTIDEL": "file_remove",
    "STATOBJ": "file_stat",
    "STATOBJS": "file_stat",
    "STATDIRS": "directory_stat",
    "NET": "transmit",
    "RMFILES": "file_remove",
    "RMOBJECTS": "file_remove",
    "RMDIRS": "directory_remove",
    "RMBUCKETS": "directory_remove",
    "SYNC": "sync",
}
NO_MEASUREMENT = ("DROPCACHE", "IDLE", "QUIT", "TERMINATE")
_NAME = re.compile(r"[A-Z][A-Z_-]+\d{0,6}(?:\+[a-z])*", re.ASCII)
_MIX = re.compile(r"(?:RWMIX[A-Z]*(\d+)?|MIX-T\d+)", re.ASCII)
DATA = ("write", "read", "mixed_workload", "transmit")


def operation(phase: str) -> Row:
    """Return the operation of a phase, with the share of reads of a mix; nothing where nothing is measured.

    A phase that stats or reads its files inline has ``+s`` or ``+r`` behind its name.
    """
    if phase in NO_MEASUREMENT or not _NAME.fullmatch(phase):
        return {}
    if mix := _MIX.fullmatch(phase.partition("+")[0]):
        share = {"read_share": float(mix[1]) / 100} if mix[1] else {}
        return {"operation": "mixed_workload", **share}
    known = OPERATIONS.get(phase.partition("+")[0])
    return {"operation": known} if known else {"operation": "unknown", "label": phase}


def is_known(phase: str) -> bool:
    """Whether a phase has a name that elbencho gives."""
    name = phase.partition("+")[0]
    return name in OPERATIONS or name in NO_MEASUREMENT or bool(_MIX.fullmatch(name))


def half(kind: Row, operation: str) -> Row:
    """Return the writes or the reads of a mix as an operation of their own."""
    return {**kind, "operation": operation, "operation_group": "mixed_workload"}


QUANTITIES: Mapping[str, tuple[str, str, float]] = {
    "elapsed": ("elapsed", "stonewall_time", MILLISECOND),
    "iops": ("operation_rate", "operation_rate_stonewall", 1.0),
    "ios": ("operations", "", 1.0),
    "entries/s": ("file_rate", "file_rate_stonewall", 1.0),
    "MiB/s": ("throughput", "throughput_stonewall", MIB),
    "MB/s": ("throughput", "throughput_stonewall", MB),
    "MiB": ("data_size", "data_size_stonewall", MIB),
    "MB": ("data_size", "data_size_stonewall", MB),
    "entries": ("files", "files_stonewall", 1.0),
    "cpu": ("cpu_utilisation", "", 0.01),
}
"""What elbencho counts -> name when the last was done, name when the first was, unit."""
_CUT = frozenset(("iops", "entries/s", "MiB/s", "MB/s", "MiB", "MB"))
"""What is printed without its decimals: a zero is less than one, and nobody knows how much."""


Figures = dict[str, tuple[float | None, float | None]]


def row(kind: Row, figures: Figures, lines: Mapping[str, int] | None = None) -> Row:
    """Make the row of a phase from its figures when the first and the last worker were done, and their lines."""
    made: Row = dict(kind)
    for figure, (first, last) in figures.items():
        name, early, unit = QUANTITIES[figure]
        if figure == "entries/s" and kind["operation"] not in DATA:
            name, early, unit = QUANTITIES["iops"]
        found: Row = {name: last * unit} if _is_known(last, figure) else {}
        found |= {early: first * unit} if early and _is_known(first, figure) else {}
        made |= on(lines[figure], found) if lines else found
    return made


def _is_known(value: float | None, figure: str) -> TypeGuard[float]:
    return value is not None and (value > 0 or figure not in _CUT)


def latencies(kind: Row, of_files: bool, values: Mapping[str, float | None]) -> Row:
    """Latencies in microseconds as `latency` and so on, or as `file_latency` where a phase has both sorts."""
    name = "file_latency" if of_files and kind["operation"] in DATA else "latency"
    names = {"min": f"{name}_min", "avg": name, "max": f"{name}_max"}
    return {names[which]: value / 1e6 for which, value in values.items() if value is not None}
