"""A table's columns, laid out: which of them are keys, and which numbers make which rows."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from storagelab.parsers.monitors.sysstat import meanings
from storagelab.parsers.monitors.sysstat.meanings import Meaning


@dataclass(frozen=True, slots=True)
class Share:
    """The numbers of a line that make one row.

    Attributes
    ----------
    constants : dict
        What every such row says: operation, and metric and unit where the contract has no name.
    values : tuple of (str, int, float)
        Name in the contract, which number of the line, and the factor to SI.
    """

    constants: Mapping[str, str]
    values: tuple[tuple[str, int, float], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a line of a table has its keys and its numbers.

    Attributes
    ----------
    keys : tuple of (int, str)
        Column of a key, and what it names.
    start, stop : int
        The columns of numbers.
    natives : tuple of float
        Bytes in the unit of each number, 0 where it does not count bytes.
    shares : tuple of Share
        The rows that a line becomes.
    """

    columns: tuple[str, ...]
    keys: tuple[tuple[int, str], ...]
    start: int
    stop: int
    natives: tuple[float, ...]
    shares: tuple[Share, ...]

    @property
    def ends_in_text(self) -> bool:
        """Whether the last column is a name, which may hold blanks."""
        return self.stop < len(self.columns)

    @property
    def ends_in_state(self) -> bool:
        """Whether the last column says how something is, or where a process is, which averages leave out."""
        return _kind(self.columns[-1], self.columns) == meanings.TEXT

    @property
    def is_ignored(self) -> bool:
        """Whether the table holds no measurement."""
        return any(key == "ignored" for _, key in self.keys)


@functools.lru_cache(maxsize=256)
def layout(columns: tuple[str, ...]) -> Layout:
    """Lay out the columns of a table by their names."""
    words = tuple((at, _kind(name, columns)) for at, name in enumerate(columns) if name in meanings.KEYS)
    at_words = {at for at, _ in words}
    start = next((at for at in range(len(columns)) if at not in at_words), len(columns))
    stop = next((at for at in range(start, len(columns)) if at in at_words), len(columns))
    numbers = columns[start:stop]
    keys = tuple((at, kind) for at, kind in words if kind != meanings.TEXT)
    kinds = frozenset(kind for _, kind in keys)
    known = _meanings(kinds, columns)
    natives = tuple(_native(name, known.get(name)) for name in numbers)
    return Layout(columns, keys, start, stop, natives, _shares(numbers, known, kinds))


def _kind(name: str, columns: tuple[str, ...]) -> str:
    """Return what a column holds, "" for numbers; the processor of a process is no key of what it used."""
    return meanings.TEXT if columns[0] == "PID" and name == "CPU" else meanings.KEYS.get(name, "")


def _meanings(kinds: frozenset[str], columns: tuple[str, ...]) -> Mapping[str, Meaning]:
    if "interface" in kinds:
        return meanings.INTERFACES
    if "device" in kinds:
        return meanings.DISKS if meanings.FILESYSTEMS.keys().isdisjoint(columns) else meanings.FILESYSTEMS
    if "process" in kinds:
        return meanings.PROCESSES
    if "cpu" in kinds or "node" in kinds:
        return meanings.PROCESSORS
    if kinds:
        return {}
    if "lread/s" in columns:
        return meanings.CACHE
    return meanings.TRANSFERS if meanings.TRANSFERS.keys() & set(columns) else meanings.HOST


def _native(column: str, meaning: Meaning | None) -> float:
    if meaning is None:
        return meanings.bytes_of(meanings.unit_of(column))
    return meaning.factor if meaning.name in _IN_BYTES else 0.0


_IN_BYTES = {"throughput", "data_size", "request_size", "disk_free", "swap_free", "swap_used",
             *(meaning.name for meaning in meanings.HOST.values() if meaning.name.startswith("memory_"))}  # fmt: skip


def _shares(numbers: tuple[str, ...], known: Mapping[str, Meaning], kinds: frozenset[str]) -> tuple[Share, ...]:
    if "interrupt" in kinds:
        return tuple(_interrupts(numbers))
    fixed = {"cpu": "all"} if not kinds and not {"%idle", "id"}.isdisjoint(numbers) else {}
    fixed = {"device": "all"} if not kinds and meanings.TRANSFERS.keys() & set(numbers) else fixed
    named: dict[str, list[tuple[str, int, float]]] = {}
    metrics = []
    for at, column in enumerate(numbers):
        if "\ufffd" in column:
            continue
        meaning = known.get(column)
        taken = named.setdefault(meaning.operation, []) if meaning else []
        if meaning and all(name != meaning.name for name, _, _ in taken):
            taken.append((meaning.name, at, meaning.factor))
        else:
            constants = {"operation": "", "metric": column, "unit": meanings.unit_of(column), **fixed}
            metrics.append(Share(constants, (("value", at, 1.0),)))
    rows = [Share({"operation": operation, **fixed}, tuple(values)) for operation, values in named.items() if values]
    return (*rows, *metrics)


def _interrupts(numbers: tuple[str, ...]) -> list[Share]:
    """One row a processor: newer versions print a column for each."""
    shares = []
    for at, name in enumerate(numbers):
        cpu = "all" if name == "intr/s" else name.removeprefix("CPU")
        shares.append(Share({"operation": "", "metric": "intr/s", "unit": "1/s", "cpu": cpu}, (("value", at, 1.0),)))
    return shares
