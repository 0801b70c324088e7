"""The row of a run out of the rows of its processes.

Rates, bytes, operations and CPU add up; the elapsed time is the longest; latencies are pooled by operations.
Percentiles and the spread over time cannot be pooled and are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from storagelab.parsers.model import Row
from storagelab.parsers.values_on_several_lines import computed
from storagelab.schema import LINE_OF, line_of

_SUMS = ("throughput", "data_size", "operation_rate", "operations", "cpu_utilisation")
_POOLED = ("latency", "submission_latency", "total_latency")
_STATISTICS = ("", "_min", "_max", "_std")


def total(rows: Sequence[Row]) -> Row:
    """Make the row of a run out of the rows of its processes."""
    if len(rows) == 1:
        return dict(rows[0])
    sums: Row = {name: math.fsum(values) for name, values in _columns(rows, _SUMS)}
    if "data_size" in sums:
        sums["data_size_min"] = min(float(row["data_size"]) for row in rows)
    longest: Row = {name: max(values) for name, values in _columns(rows, ("elapsed", "error_code"))}
    row = {**keys_of(rows[0]), **sums, **longest, **_pooled(rows), **_times(rows)}
    return {**row, **_lines(rows, row), "line": rows[0]["line"]}


def _lines(rows: Sequence[Row], whole: Row) -> Row:
    """Lines of values: of an extreme that of the process that has it, of a sum that of the first process."""
    places: Row = {}
    for name in (name for name in whole if name in LINE_OF):
        own = _OF_EACH.get(name, name)
        whose = next((row for row in rows if row.get(own) == whole[name]), rows[0])
        if own in whose and (line := line_of(whose, own)) != rows[0]["line"]:
            places[LINE_OF[name]] = line
    return places


_OF_EACH = {"data_size_min": "data_size"}
"""Name of a statistic over processes -> that of the value of each."""


_KEYS = frozenset((
    "operation", "operation_group", "job", "api", "queue_depth", "file_size", "read_share", "access_pattern",
    "record_size", "stride", "processes", "clients", "part",
))  # fmt: skip


def keys_of(row: Row) -> Row:
    """Return what the processes of one job have in common."""
    return {name: value for name, value in row.items() if name in _KEYS}


def _columns(rows: Sequence[Row], names: Sequence[str]) -> Iterator[tuple[str, list[float]]]:
    """Values of the names that every row has; an error code counts wherever it stands."""
    for name in names:
        values = [float(row[name]) for row in rows if name in row]
        if len(values) == len(rows) or (values and name == "error_code"):
            yield name, values


def _pooled(rows: Sequence[Row]) -> Row:
    """Latency of all operations together: means weighted by operations, deviation about the common mean."""
    weights = [
        float(row.get("operations", 0)) or float(row.get("operation_rate", 0)) * float(row.get("elapsed", 0) or 1)
        for row in rows
    ]
    if not all(weights):
        return {}
    have = dict(_columns(rows, [f"{name}{statistic}" for name in _POOLED for statistic in _STATISTICS]))
    row: Row = {name: _mean(have[name], weights) for name in _POOLED if name in have}
    for name in _POOLED:
        row |= {f"{name}{end}": pick(have[f"{name}{end}"]) for end, pick in _EXTREMES if f"{name}{end}" in have}
        if name in have and (deviations := have.get(f"{name}_std")):
            row[f"{name}_std"] = _deviation(deviations, have[name], weights)
    return row


_EXTREMES: tuple[tuple[str, Callable[[list[float]], float]], ...] = (("_min", min), ("_max", max))


def _deviation(deviations: Sequence[float], means: Sequence[float], weights: Sequence[float]) -> float:
    """Deviation of all operations about their common mean; a power of libm may differ, a product does not."""
    squares = [s * s + m * m for s, m in zip(deviations, means, strict=True)]
    mean = _mean(means, weights)
    return math.sqrt(max(0.0, _mean(squares, weights) - mean * mean))


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return math.fsum(v * w for v, w in zip(values, weights, strict=True)) / math.fsum(weights)


def _times(rows: Sequence[Row]) -> Row:
    """Start of the first, end of the last, and the rates over that span and over the window all have in common."""
    have = dict(_columns(rows, ("start_time", "end_time", "data_size", "throughput")))
    if len(have) < 4:
        return {}
    start, end = min(have["start_time"]), max(have["end_time"])
    row: Row = {"start_time": start, "end_time": end}
    if end > start:
        row |= computed({"throughput_span": math.fsum(have["data_size"]) / (end - start)})
    if min(have["end_time"]) > max(have["start_time"]):
        row |= computed({"throughput_common": math.fsum(have["throughput"])})
    return row
