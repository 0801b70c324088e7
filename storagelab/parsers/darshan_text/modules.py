"""The counters of one module of Darshan: which of them are reads, writes, times and opens, and what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from storagelab.parsers.line_formats import metric
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.schema import LINE_OF

_PREFIXES = {"MPI-IO": "MPIIO", "CP": "CP"}
_DONE = {
    "read": ("READS", "INDEP_READS", "COLL_READS", "SPLIT_READS", "NB_READS", "POSIX_READS", "POSIX_FREADS"),
    "write": ("WRITES", "INDEP_WRITES", "COLL_WRITES", "SPLIT_WRITES", "NB_WRITES", "POSIX_WRITES", "POSIX_FWRITES"),
    "open": ("OPENS", "INDEP_OPENS", "COLL_OPENS", "POSIX_OPENS", "POSIX_FOPENS"),
    "stat": ("STATS", "POSIX_STATS"),
    "seek": ("SEEKS", "POSIX_SEEKS", "POSIX_FSEEKS"),
    "sync": ("FSYNCS", "FDSYNCS", "SYNCS", "FLUSHES", "POSIX_FSYNCS", "POSIX_FDSYNCS"),
}
_MOVED = {"read": "BYTES_READ", "write": "BYTES_WRITTEN"}
_TIMES = {"read": ("F_READ_TIME", "F_POSIX_READ_TIME"), "write": ("F_WRITE_TIME", "F_POSIX_WRITE_TIME")}
_METADATA = ("F_META_TIME", "F_POSIX_META_TIME")
_SECONDS = ("_TIME", "_TIMESTAMP")
_SIZES = ("BYTES", "BYTE_READ", "BYTE_WRITTEN", "TIME_SIZE", "ALIGNMENT")
_SHARED = "-1"

Counters = Mapping[str, tuple[float, int]]
"""Counter, without the prefix of its module -> value and line."""


def named(name: str) -> str:
    """Name a time of the header as the contract does."""
    return {"start_time": "started", "end_time": "ended"}[name]


class Record(NamedTuple):
    """One file, as one rank or all of them used it."""

    rank: str
    file: str
    counters: dict[str, tuple[float, int]]


class Module:
    """What has been read of a module; `unknown` are counters that a record gives no number of."""

    def __init__(self, name: str) -> None:
        self.totals: dict[str, tuple[float, int]] = {}
        self.unknown: set[str] = set()
        self._name = name
        self._records: dict[tuple[str, str], Record] = {}

    def add_record(self, key: tuple[str, str], counter: str, value: float, cells: Sequence[str], at: int) -> None:
        """Keep a counter of a record."""
        record = self._records.get(key)
        if record is None:
            record = self._records[key] = Record(key[0], cells[0], {})
        record.counters[counter] = (value, at)

    def check(self, parsed: Parsed) -> None:
        """Mark a log incomplete where a record lacks counters that others have: Darshan prints all of each."""
        counters = dict.fromkeys(name for record in self._records.values() for name in record.counters)
        for record in self._records.values():
            lacking = [name for name in counters if name not in record.counters and name not in self.unknown]
            if lacking and record.counters:
                line = max(at for _, at in record.counters.values())
                parsed.incomplete(f"expected {lacking[0]} of {record.file}, found none", line)

    def runs(self, parsed: Parsed) -> list[Row]:
        """Make a row of each operation that was done, from the totals, else from the sums over records."""
        return _without_negative(self._rows(self._plain(self.totals or self._sums())), parsed)

    def clients(self, parsed: Parsed) -> list[Row]:
        """Make a row of the reads and the writes of each record."""
        found = []
        for record in self._records.values():
            whose: Row = {"share": "rank", "process": "all" if record.rank == _SHARED else record.rank}
            whose |= {"file": record.file}
            rows = [row for row in self._rows(self._plain(record.counters)) if "data_size" in row]
            found += [{**whose, **row} for row in _without_negative(rows, parsed)]
        return found

    def others(self) -> list[Row]:
        """Make a row of each total that has no name in the contract."""
        known = {*_METADATA, *_MOVED.values(), *sum(_TIMES.values(), ()), *sum(_DONE.values(), ())}
        return [
            metric(counter, value, _unit(counter), at, api=self._name)
            for counter, (value, at) in self.totals.items()
            if value >= 0 and self._short(counter) not in known
        ]

    def _short(self, counter: str) -> str:
        prefix = "CP" if counter.startswith("CP_") else _PREFIXES.get(self._name, self._name)
        return counter.removeprefix(f"{prefix}_")

    def _plain(self, counters: Counters) -> Counters:
        return {self._short(counter): found for counter, found in counters.items() if found[0] != -1}

    def _sums(self) -> Counters:
        """Add the records up; the line is that of the first that is not zero."""
        sums: dict[str, tuple[float, int]] = {}
        for record in self._records.values():
            for counter, (value, at) in record.counters.items():
                if value != -1:
                    before, line = sums.get(counter, (0.0, 0))
                    sums[counter] = (before + value, line if before else at)
        return sums

    def _rows(self, counters: Counters) -> list[Row]:
        rows = []
        for operation, names in _DONE.items():
            done = sum(counters[name][0] for name in names if name in counters)
            moved, at = counters[_MOVED[operation]] if _MOVED.get(operation) in counters else (0.0, 0)
            if moved > 0:
                rows.append(self._moved(operation, moved, done, counters, at))
            elif done > 0:
                at = _first(counters, names)
                rows.append({"operation": operation, "api": self._name, "operations": done, "line": at})
        return rows

    def _moved(self, operation: str, moved: float, done: float, counters: Counters, at: int) -> Row:
        row: Row = {"operation": operation, "api": self._name, "data_size": moved}
        if done > 0:
            row |= on(_first(counters, _DONE[operation]), {"operations": done})
        for key, names in (("transfer_time", _TIMES[operation]), ("metadata_time", _METADATA)):
            for name in names:
                if name in counters:
                    row |= on(counters[name][1], {key: counters[name][0]})
        return settled(row | {"line": at})


def _first(counters: Counters, names: Sequence[str]) -> int:
    """Line of the first of some counters that is not zero."""
    return next(counters[name][1] for name in names if name in counters and counters[name][0])


def _without_negative(rows: list[Row], parsed: Parsed) -> list[Row]:
    """Take away times below zero, a mistake of Darshan's for standard streams."""
    for row in rows:
        if float(row.get("transfer_time", 0.0)) < 0:
            parsed.note(f"the time to {row['operation']} is negative: left out", int(row["line"]))
            del row["transfer_time"]
            row.pop(LINE_OF["transfer_time"], None)
    return rows


def _unit(counter: str) -> str:
    if counter.endswith(_SECONDS):
        return "s"
    return "B" if counter.endswith(_SIZES) else "1"
