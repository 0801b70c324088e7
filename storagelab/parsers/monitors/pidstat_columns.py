"""Tables of pidstat: which columns name a process, and which rows of the contract its numbers become."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import cast

from storagelab.parsers.model import Columns, stacked
from storagelab.parsers.monitors.slots import Block, Layout, Slot, keys, metric
from storagelab.parsers.monitors.sysstat import meanings
from storagelab.parsers.monitors.sysstat.cells import numbers, plain_cells
from storagelab.parsers.monitors.sysstat.meanings import Meaning
from storagelab.units import KIB, PERCENT

NAMES = frozenset({"UID", "USER", "PID", "TGID", "TID"})
"""Columns that name a process and its user."""
_TEXTS = {"policy"}
_PROCESSES = ("TID", "PID", "TGID")
_MEANINGS = {
    "%usr": Meaning("", "cpu_user", PERCENT),
    "%user": Meaning("", "cpu_user", PERCENT),
    "%system": Meaning("", "cpu_system", PERCENT),
    "%guest": Meaning("", "cpu_guest", PERCENT),
    "%CPU": Meaning("", "utilisation", PERCENT),
    "RSS": Meaning("", "memory_used", KIB),
    "kB_rd/s": Meaning("read", "throughput", KIB),
    "kB_wr/s": Meaning("write", "throughput", KIB),
}
_UNITS = {"VSZ": "kB", "StkSize": "kB", "StkRef": "kB", "usr-ms": "ms", "system-ms": "ms", "guest-ms": "ms",
          "kB_ccwr/s": "kB/s"}  # fmt: skip
_NOTHING = "-"
"""What stands in a column that a process has no value of."""


class Table(Block):
    """Lines under one set of columns, the last of which is the command: a row a direction, one without, and metrics.

    Parameters
    ----------
    columns : tuple of str
        The columns as printed, without the time before them.
    """

    def __init__(self, columns: tuple[str, ...]) -> None:
        places = {name: at for at, name in enumerate(columns[:-1])}
        printed = [name for name in places if name not in NAMES | _TEXTS and "\ufffd" not in name]
        super().__init__(Layout(map(_slot, printed)))
        self._width = len(columns) - 1
        self._names = [at for name, at in places.items() if name in NAMES]
        self._processes = [places[name] for name in _PROCESSES if name in places]
        self._numbers = [places[name] for name in printed]
        self._natives = tuple(map(_native, printed))
        self._may_be_negative = [not name.startswith("kB_") for name in printed]

    def names_of(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return what names a process and its user."""
        return tuple([words[at] for at in self._names])

    def process_of(self, words: Sequence[str]) -> str:
        """Return the number of a thread, or else that of its process; "" where neither stands there."""
        return next((words[at] for at in self._processes if words[at] != _NOTHING), "")

    def command_of(self, words: Sequence[str]) -> str:
        """Return the command, which may hold blanks."""
        return " ".join(words[self._width :])

    def values_at_once(self, rows: Sequence[Sequence[str]]) -> list[list[float]]:
        """Read the numbers of several lines; [] where any is something else than a plain number."""
        cells = plain_cells([row[at] for row in rows for at in self._numbers])
        width = len(self._numbers)
        return [cells[start : start + width] for start in range(0, len(cells), width or 1)]

    def values_of(self, words: Sequence[str]) -> list[float]:
        """Read the numbers of a line; NaN is what is not there, and a rate that nobody may look at.

        Raises
        ------
        ValueError
            If a cell is not a number.
        """
        cells = [words[at] for at in self._numbers]
        if _NOTHING in cells:
            return self._told(self._some(cells))
        values = numbers(cells, self._natives)
        return values if math.isfinite(sum(values)) and min(values, default=0.0) >= 0 else self._told(values)

    def lacks_values(self) -> bool:
        """Whether a value is missing in any line."""
        return any(map(math.isnan, map(sum, self.cells)))

    def _some(self, cells: Sequence[str]) -> list[float]:
        is_there = [cell != _NOTHING for cell in cells]
        found = iter(numbers(list(compress(cells, is_there)), tuple(compress(self._natives, is_there))))
        return [next(found) if there else math.nan for there in is_there]

    def _told(self, values: Sequence[float]) -> list[float]:
        return [
            value if math.isfinite(value) and (value >= 0 or may_be_negative) else math.nan
            for value, may_be_negative in zip(values, self._may_be_negative, strict=True)
        ]


def _slot(name: str) -> Slot:
    operation, quantity, factor = _MEANINGS.get(name, ("", "", 1.0))
    return Slot(keys(operation), quantity, factor) if quantity else metric(name, _unit(name))


def _unit(name: str) -> str:
    return _UNITS.get(name) or meanings.unit_of(name)


def _native(name: str) -> float:
    meaning = _MEANINGS.get(name)
    return KIB if meaning and meaning.factor == KIB else meanings.bytes_of(_unit(name))


def series_of(tables: Iterable[Table]) -> Columns:
    """Return the rows of all tables that have a value, in the order of their lines."""
    filled = [table for table in tables if table.cells and table.layout.height]
    found = stacked(table.columns() for table in filled)
    measured = {name for table in filled for name, _, _ in table.layout.targets}
    if any(table.lacks_values() for table in filled):
        found = _with_values(found, measured)
    if found and len(filled) > 1:
        lines = cast(Sequence[int], found["line"])
        in_order = sorted(range(len(lines)), key=lines.__getitem__)
        found = {name: list(map(column.__getitem__, in_order)) for name, column in found.items()}
    return found


def _with_values(rows: Columns, measured: set[str]) -> Columns:
    """Leave out rows without a value, columns in which none stands, and with "value" the names of metrics."""
    there = [any(value == value for value in row) for row in zip(*(rows[name] for name in measured), strict=True)]
    found = {name: list(compress(column, there)) for name, column in rows.items()}
    empty = {name for name in measured if not any(value == value for value in found[name])}
    empty |= {"metric", "unit"} if "value" in empty else set()
    return {name: column for name, column in found.items() if name not in empty} if any(there) else {}
