"""Several logs of one run become one row a measured operation, and a row a client.

The aggregate over clients has three names: `throughput` is the sum of the clients' rates; `throughput_span` is all
bytes over first start to last end; `throughput_common` is what the clients moved in the window in which all of them
ran, over that window, each client taken to move its bytes evenly between its own start and end. The last two need the
start and the end of each client, and are left out where a log does not give them, or where no such window exists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from storagelab import schema
from storagelab.parsers import Row
from storagelab.parsers.values_on_several_lines import computed

SAME_MEASUREMENT = ("operation", "part", "iteration", "statistic", "access_pattern")
"""What is always the same in rows that are the clients' shares of one measurement."""

OF_A_CLIENT = frozenset({"client", "process", "share", "host"})
SPREAD_IN_TIME = frozenset(
    f"{rate}_{statistic}" for rate in ("throughput", "operation_rate") for statistic in ("min", "max", "mean", "std")
) | {"samples"}
"""What a tool says of the samples of one client; in a run, `_min` and `_max` are those of its clients."""

COUNTED_SINCE_BOOT = frozenset({"counter_before", "counter_after"})
"""Readings of the counters of one client's interface: they say nothing of a run."""

_OF_ONE_CLIENT = OF_A_CLIENT | SPREAD_IN_TIME | {schema.LINE_OF[name] for name in SPREAD_IN_TIME} | COUNTED_SINCE_BOOT
"""What a run of one client does not have; where its counters were read is kept: what they moved comes from there."""

_ADDED_UP = (
    *("throughput", "throughput_parent", "operation_rate", "operation_rate_parent"),
    *("data_size", "operations", "errors", "processes"),
    *("data_size_uncompressed", "throughput_uncompressed", "entries", "job_events", "job_events_failed"),
    *("network_received", "network_sent", "packets_received", "packets_sent"),
    *("cpu_time", "cpu_user_time", "cpu_system_time"),
)
COMBINED: dict[str, Callable[[Sequence[float]], float]] = {
    **dict.fromkeys(_ADDED_UP, math.fsum),
    **dict.fromkeys(("elapsed", "end_time", "latency_max"), max),
    **dict.fromkeys(("start_time", "latency_min", "complete"), min),
}


def clients_of(rows: Iterable[Row]) -> list[Row]:
    """Turn the rows that each client's log gives for the whole client into rows of the node ``clients``."""
    return [row | {"share": "client"} for row in rows]


def measurements(rows: Iterable[Row]) -> list[list[Row]]:
    """Put the clients' shares of one measurement together.

    Where one client has several rows of an operation (a sweep over record sizes, for instance), the keys in which those
    differ tell measurements apart too.
    """
    groups = _grouped(rows, SAME_MEASUREMENT)
    return [part for group in groups for part in _grouped(group, _varying(group))]


def combine(rows: Iterable[Row]) -> list[Row]:
    """Make one row of ``runs`` from the rows that the clients' logs give for the same measurement.

    Parameters
    ----------
    rows : iterable of Row
        Rows of all logs of one run, with `client`, `log_id` and `line`.

    Returns
    -------
    list of Row
        A row a measurement. Keys on which the clients agree are kept; what adds up is added up; what cannot be
        combined (a percentile) is left out. The run rests on the weakest basis of its logs. `log_id` and `line` lead to
        the first client, `log_count` says how many logs the value was made from.
    """
    return [aggregate_clients(group) for group in measurements(rows)]


def _grouped(rows: Iterable[Row], names: Sequence[str]) -> list[list[Row]]:
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in names), []).append(row)
    return list(groups.values())


def _varying(group: list[Row]) -> list[str]:
    """Keys in which rows of one client differ."""
    clients = [rows for rows in _grouped(group, ("client",)) if len(rows) > 1]
    names = {name for rows in clients for row in rows for name in row}
    keys = {name for name in names if schema.field(name).kind == "key"} - OF_A_CLIENT
    return sorted(name for name in keys if any(len({row.get(name) for row in rows}) > 1 for rows in clients))


def aggregate_clients(group: list[Row]) -> Row:
    """Make one row of ``runs`` from the shares of all clients in one measurement; see `combine`."""
    first = group[0]
    if len(group) == 1:
        kept = {name: value for name, value in first.items() if name not in _OF_ONE_CLIENT}
        return kept | _spread(group) | _windows(group)
    combined: Row = _agreed(group) | {"log_id": first["log_id"], "line": first["line"], "log_count": len(group)}
    if basis := schema.weakest(str(row.get("basis", "")) for row in group):
        combined["basis"] = basis
    for name, how in COMBINED.items():
        values = _all(group, name)
        if values:
            combined[name] = how(values)
    return combined | _places(first, combined) | _spread(group) | _windows(group)


def _places(first: Row, combined: Row) -> Row:
    """Lines of the first client's values that are not on its row's own, as `line` is that of its row."""
    named = (names[value] for names in (schema.LINE_OF, schema.LOG_OF) for value in combined if value in names)
    return {name: first[name] for name in named if name in first}


def _spread(group: list[Row]) -> Row:
    """Rates of the slowest and of the fastest client."""
    found: Row = {}
    for name in ("throughput", "operation_rate"):
        values = _all(group, name)
        if values:
            found |= computed({f"{name}_min": min(values), f"{name}_max": max(values)})
    return found


def _agreed(group: list[Row]) -> Row:
    """Keys that every client's row has with the same value."""
    keys = [name for name in group[0] if schema.field(name).kind == "key" and name not in OF_A_CLIENT]
    return {name: group[0][name] for name in keys if all(row.get(name) == group[0][name] for row in group)}


def _all(group: list[Row], name: str) -> list[float]:
    """Values of a variable where every client has one: a sum over some of them would look like one over all."""
    values = [row.get(name) for row in group]
    return [float(value) for value in values if value is not None] if None not in values else []


def _windows(group: list[Row]) -> Row:
    """Aggregate over the span and over the common window, where start, end and bytes of each client are known."""
    starts, ends, sizes = (_all(group, name) for name in ("start_time", "end_time", "data_size"))
    if not (starts and ends and sizes) or max(ends) <= min(starts):
        return {}
    aggregates: Row = {"throughput_span": math.fsum(sizes) / (max(ends) - min(starts))}
    window = min(ends) - max(starts)
    if window > 0:
        spans = zip(starts, ends, sizes, strict=True)
        aggregates["throughput_common"] = math.fsum(size / (end - start) for start, end, size in spans)
    return computed(aggregates)
