"""CMSSW's storage counters (Utilities/StorageFactory, StorageAccount): what they count and what a row of one is.

A counter belongs to a subsystem and an operation: ``dcap-read``, ``file-write``, ``tstoragefile-readv``. It has the
attempts and the successes, MB of 2^20 bytes, and total, minimum and maximum time of the successes in milliseconds. The
subsystem is the protocol of the storage plugin, except for ``tstoragefile``, the layer above them all that ROOT talks
to: the same bytes are counted there and in the plugin. ``readActual``, ``readViaCache`` and ``readAsync`` are parts of
``tstoragefile-read``; the `label` keeps them apart. ``ROOT-tfile`` is what ROOT itself counts.

Sums over threads may exceed the time of the job. `throughput` is derived: bytes over the time in the calls.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from storagelab import units
from storagelab.parsers.model import Row
from storagelab.parsers.values_on_several_lines import computed, settled
from storagelab.schema import LINE_OF

OPERATIONS = {
    "check": "access", "close": "close", "construct": "construct", "destruct": "destruct", "flush": "sync",
    "open": "open", "position": "seek", "prefetch": "prefetch", "read": "read", "readActual": "read",
    "readAsync": "read", "readPrefetchToCache": "prefetch", "readViaCache": "read", "readv": "readv",
    "seek": "seek", "stagein": "stage", "stat": "stat", "write": "write", "writeActual": "write",
    "writeViaCache": "write", "writev": "writev",
}  # fmt: skip
_LAYERS = {"tstoragefile", "tfile"}
_OPEN_LABELS = ("primary-", "secondaryfile-", "secondarysource-")


class Number(NamedTuple):
    """A number of the report and the line it stands on."""

    value: float
    line: int


def counter(subsystem: str, name: str, numbers: Mapping[str, Number]) -> Row | None:
    """Make the row of one counter.

    Parameters
    ----------
    subsystem : str
        ``dcap``, ``primary-root``, ``tstoragefile``, ...
    name : str
        Operation as StorageAccount names it; early releases write ``read-actual`` for ``readActual``.
    numbers : mapping of str to Number
        Of ``operations_tried``, ``operations``, ``data_size`` [B], ``elapsed``, ``latency_min``, ``latency_max`` [s],
        those that the report gives.

    Returns
    -------
    Row or None
        None where nothing was tried, or the operation is not one of `OPERATIONS`.
    """
    first, *others = name.split("-")
    operation = OPERATIONS.get(first + "".join(map(str.capitalize, others)))
    row = placed({key: number for key, number in numbers.items() if number.value or key == "operations"})
    primary = next((number for key, number in _by_importance(numbers) if row.get(key)), None)
    if not operation or primary is None:
        return None
    key = "api" if subsystem in _LAYERS else "protocol"
    of: Row = {"operation": operation, key: _plain(subsystem), "label": f"{subsystem}-{name}"}
    return settled({**of, **row, **computed(_derived(row)), "line": primary.line})


def placed(numbers: Mapping[str, Number]) -> Row:
    """Return numbers as values of a row, each with its line."""
    row: Row = {name: number.value for name, number in numbers.items()}
    return row | {LINE_OF[name]: number.line for name, number in numbers.items()}


def _derived(row: Row) -> Row:
    elapsed, size, done = (float(row.get(name, 0.0)) for name in ("elapsed", "data_size", "operations"))
    derived: Row = {}
    if elapsed and done:
        derived["latency"] = elapsed / done
    if elapsed and size:
        derived["throughput"] = size / elapsed
    if size and done:
        derived["request_size"] = size / done
    return derived


def _by_importance(numbers: Mapping[str, Number]) -> list[tuple[str, Number]]:
    return [(key, numbers[key]) for key in ("data_size", "elapsed", "operations_tried", "operations") if key in numbers]


def _plain(subsystem: str) -> str:
    """Take off the label that says what a file is opened for."""
    return next((subsystem.removeprefix(label) for label in _OPEN_LABELS if subsystem.startswith(label)), subsystem)


FACTORS = {
    "numOperations": ("operations_tried", 1.0),
    "numSuccessfulOperations": ("operations", 1.0),
    "totalMegabytes": ("data_size", units.MIB),
    "totalMsecs": ("elapsed", units.MILLISECOND),
    "minMsecs": ("latency_min", units.MILLISECOND),
    "maxMsecs": ("latency_max", units.MILLISECOND),
    "numChunks": ("chunks", 1.0),
}
"""Statistic of a counter -> name and factor."""


_SCHEME = re.compile(r"([A-Za-z][\w+.-]*):")


def where(file: str) -> Row:
    """Return a file and the protocol it is read over, as far as its name says."""
    scheme = _SCHEME.match(file)
    return {"file": file, **({"protocol": scheme[1]} if scheme else {})} if file else {}
