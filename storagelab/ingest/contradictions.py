"""Where a sidecar contradicts a log, and where the logs of one run contradict each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from storagelab import schema
from storagelab.errors import SidecarError
from storagelab.ingest.join_client_logs import OF_A_CLIENT, SAME_MEASUREMENT
from storagelab.ingest.log_file import LOG_ONLY, Log
from storagelab.parsers import Row
from storagelab.study import LOG_LEVEL, Entry

COUNTERS = ("netdev_before", "netdev_after")
READINGS = "netdev_readings"
"""Counters read again and again while the run goes on, each reading with its time."""

TOLD_BY_THE_LOG = (LOG_ONLY - {"tool_version"}) | (LOG_LEVEL - LOG_ONLY) | {"clients", "operation"}
"""Names for which log and sidecar may differ: the sidecar's command may hold a launcher, its date a time zone, and a
log may hold more operations than the one its run is about."""

DIFFERS_BY_CLIENT = OF_A_CLIENT | {
    *("client_link", "client_location", "server", "interface", "device", "mount", "driver_net", "driver_disk"),
    *("read_ahead", "memory_limit", "processes", "job", "label", "file_on_failed_server"),
}
"""Keys in which the clients of one run may differ; where they do, the row of the run has none."""

OF_A_LOG = {"basis", "metric"}
"""Keys of a log, in which all logs of a run may differ."""


def check_against_log(entry: Entry, log: Log) -> None:
    """Hold what the sidecars say of a log against what it says of itself.

    Raises
    ------
    SidecarError
        If they contradict each other; names the sidecar's line and the log's.
    """
    for node in ("runs", "clients"):
        for row in log.rows(node):
            _same_keys(entry, row)
    _same_keys(entry, log.parsed.header)
    _holds_the_operation(entry, log)


def _holds_the_operation(entry: Entry, log: Log) -> None:
    """Refuse a log without the operation that its run is about; it may hold others, such as the job around a read."""
    said = entry.keys.get("operation")
    rows = [row for node in ("runs", "clients") for row in log.rows(node)] if said else []
    if rows and not any(schema.is_same_operation(row["operation"], said) for row in rows):
        raise _contradiction(entry, "operation", rows[0])


def _same_keys(entry: Entry, row: Row) -> None:
    for name, said in entry.keys.items():
        if name in row and name not in TOLD_BY_THE_LOG and not _same(row[name], said):
            raise _contradiction(entry, name, row)


def _contradiction(entry: Entry, name: str, row: Row) -> SidecarError:
    log = f"{entry.path}:{row['line']}" if "line" in row else entry.path
    said = entry.keys[name]
    message = f"{name} is {_written(said)} here, but the log says {_written(row[name])}{_meant(entry, name, row)}"
    return SidecarError(entry.file, message, entry.line, log)


def _meant(entry: Entry, name: str, row: Row) -> str:
    """Name the one key of which the log says what the sidecar says of another."""
    said, unit = entry.keys[name], schema.field(name).unit
    keys = [key for key in row if key not in entry.keys and schema.field(key).kind == "key"]
    same = [key for key in keys if schema.field(key).unit == unit and unit is not None and _same(row[key], said)]
    return f"; its {same[0]} is {_written(said)}" if len(same) == 1 else ""


def _written(value: object) -> str:
    return f"{value:.15g}" if isinstance(value, float) else repr(value)


def _same(one: object, other: object) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-9)
    return one == other


def check_run(run: Sequence[Entry]) -> None:
    """Hold what the sidecars say of the logs of one run against each other.

    Raises
    ------
    SidecarError
        If two logs of the run differ in a key of the run, several are whose is not said, a client has two counter
        readings of one kind, or there are more clients than `clients` says.
    """
    for problem in (*_differing(run), *_nobodys(run), *_doubled(run), *_too_many(run)):
        raise problem


def _differing(run: Sequence[Entry]) -> Iterator[SidecarError]:
    firsts: dict[str, Entry] = {}
    for entry in run:
        first = firsts.setdefault(entry.role, entry)
        other = run[0]
        for name in _of_the_run(entry) | _of_the_run(first):
            if entry.keys.get(name) != first.keys.get(name):
                yield _disagree(name, entry, first)
        for name in _of_the_run(entry) & _of_the_run(other) - {"tool"}:
            if entry.keys[name] != other.keys[name]:
                yield _disagree(name, entry, other)


def _of_the_run(entry: Entry) -> set[str]:
    return set(entry.keys) - DIFFERS_BY_CLIENT - OF_A_LOG - LOG_LEVEL - set(SAME_MEASUREMENT)


def _disagree(name: str, entry: Entry, other: Entry) -> SidecarError:
    said, before = (f"{one.keys[name]!r}" if name in one.keys else "not said" for one in (entry, other))
    where = f"{other.file}:{other.line}" if other.line else other.path
    return _error(entry, f"{entry.path}: {name} is {said}, but {before} for another log of the run, {where}")


def _nobodys(run: Sequence[Entry]) -> Iterator[SidecarError]:
    benchmarks = [entry for entry in run if entry.role == "benchmark"]
    for entry in benchmarks if len(benchmarks) > 1 else ():
        if not entry.keys.get("client"):
            many = f"one of {len(benchmarks)} logs of a run, but `client` does not say whose"
            yield _error(entry, f"{entry.path}: {many}; what ran beside a benchmark has `role: monitor_log`")


def _doubled(run: Sequence[Entry]) -> Iterator[SidecarError]:
    seen: dict[tuple[str, object], Entry] = {}
    for entry in run:
        if entry.role in COUNTERS:
            first = seen.setdefault((entry.role, entry.keys.get("client")), entry)
            if first is not entry:
                yield _error(entry, f"{entry.path}: a second {entry.role} of the client, after {first.path}")


def _too_many(run: Sequence[Entry]) -> Iterator[SidecarError]:
    said, seen = run[0].keys.get("clients", math.inf), clients_in(run)
    if seen and len(seen) > float(said):
        yield _error(run[0], f"clients is {said:g}, but the run has logs of {len(seen)}: {', '.join(seen)}")


def clients_in(run: Sequence[Entry]) -> list[str]:
    """Clients whose logs or counters the run has, sorted."""
    roles = ("benchmark", *COUNTERS, READINGS)
    return sorted({str(entry.keys["client"]) for entry in run if entry.role in roles and entry.keys.get("client")})


def clients_expected(run: Sequence[Entry]) -> int:
    """How many clients the run had: as many as the sidecar says, or else as many as left logs."""
    return max(int(run[0].keys.get("clients", 0)), len(clients_in(run)))


def _error(entry: Entry, message: str) -> SidecarError:
    return SidecarError(entry.file, message, entry.line)
