"""What the reports of a log of warp hold against each other: averages, segments, hosts, and the sum of a mix."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from storagelab.parsers.benchmarks.warp.report import HOSTS, Reader
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Parsed, Row, columns
from storagelab.parsers.values_on_several_lines import settled
from storagelab.schema import LINE_OF

_ALL_ABOUT = 0.9, 1.1
"""What a total may be of the sum of its operations, which do not all run as long."""
_RESULTS = ("throughput", "operation_rate", "latency", "operations", "throughput_min", "throughput_max")
_MIX = "Mixed operations."
_TRACES_OF_SEGMENTS = ("split into", " time segments:", "50% Median", "* Fastest", "* Slowest")


def judge(parsed: Parsed, reader: Reader, text: str) -> None:
    """Make rows of what was read, and say what lacks and what does not agree.

    Raises
    ------
    ParseError
        If there is no report in a log that nothing is said against.
    """
    rows = reader.rows
    parsed.runs = [settled(_in_order(row)) for row in rows if not row.keys().isdisjoint(_RESULTS)]
    of_parts = sorted((*reader.hosts, *reader.shares), key=lambda row: int(row["line"]))
    if of_parts := [settled(_in_order(row)) for row in of_parts if not row.keys().isdisjoint(_RESULTS)]:
        parsed.series = columns(of_parts)
    if all("operation_rate" not in row for row in rows if int(row["line"]) not in reader.skipped):
        reader.skipped |= reader.counted
    has_segments = any(trace in text for trace in _TRACES_OF_SEGMENTS)
    for row in rows:
        if int(row["line"]) in reader.skipped:
            continue
        if "operation_rate" not in row:
            if int(row["line"]) not in reader.by_host or "latency" not in row:
                parsed.incomplete("the report has no average", int(row["line"]))
        elif has_segments and not {"operation_rate_min", "operation_rate_max"} <= row.keys():
            parsed.incomplete("the report has no slowest or no fastest segment", int(row["line"]))
    _want_end(parsed, reader, text, has_segments=has_segments)
    _hold_sum(parsed, rows)
    _hold_hosts(parsed, reader)
    _hold_sizes(parsed, reader)
    if not rows and parsed.complete:
        raise refusal("a report of warp ('Report: GET ...')", text)


def _want_end(parsed: Parsed, reader: Reader, text: str, *, has_segments: bool) -> None:
    """Say where a mix lacks the total that ends it, and where no rates of segments follow ranges of sizes."""
    rows = reader.rows
    sizes = [int(row["line"]) for row in reader.hosts if "->" in str(row.get("label", ""))]
    if _MIX in text:
        if rows and not any(row["operation"] == "mixed_workload" for row in rows):
            parsed.incomplete("the operations of a mix have no total behind them", int(rows[-1]["line"]))
    elif sizes and not has_segments:
        parsed.incomplete("the report has ranges of sizes, and no segments behind them", sizes[-1])


def _in_order(row: Row) -> Row:
    """Say which of the rates of the slowest and the fastest segment is the lower one: their bytes may say otherwise."""
    names = ("operation_rate_min", "operation_rate_max")
    if row.keys().isdisjoint(("throughput_min", "throughput_max")):
        return row
    if not {*names} <= row.keys():
        return {name: value for name, value in row.items() if name not in (*names, *map(LINE_OF.get, names))}
    if float(row[names[0]]) <= float(row[names[1]]):
        return row
    of_slowest, of_fastest = ({name: row[name], LINE_OF[name]: row[LINE_OF[name]]} for name in names)
    return (
        row
        | dict(zip(of_slowest, of_fastest.values(), strict=True))
        | dict(zip(of_fastest, of_slowest.values(), strict=True))
    )


def _hold_hosts(parsed: Parsed, reader: Reader) -> None:
    """Hold the rate of a report against those of its hosts, and of its clients, where it has both."""
    ends = [int(row["line"]) for row in reader.rows[1:]] + [sys.maxsize]
    by_client = [*parsed.clients, *(part for part in reader.hosts if "client" in part)]
    by_host = [part for part in reader.hosts if "client" not in part]
    rates_of = {"hosts": _Rates(by_host), "clients": _Rates(by_client)}
    low, high = _ALL_ABOUT
    for row, end in zip(reader.rows, ends, strict=False):
        start, rate = int(row["line"]), float(row.get("operation_rate", 0))
        for whose, rates in rates_of.items():
            total = rates.between(start, end)
            if rate and total and not low * total <= rate <= high * total:
                parsed.note(f"expected about {rate:g} operations a second of all {whose}, found {total:g}", start)


class _Rates:
    """Rates of operations by their lines."""

    def __init__(self, parts: Iterable[Row]) -> None:
        ordered = sorted(parts, key=lambda part: int(part["line"]))
        self._lines = [int(part["line"]) for part in ordered]
        self._rates = [float(part.get("operation_rate", 0)) for part in ordered]

    def between(self, start: int, end: int) -> float:
        """Return the sum of those that stand behind a line and before another."""
        return sum(self._rates[bisect_right(self._lines, start) : bisect_left(self._lines, end)])


def _hold_sizes(parsed: Parsed, reader: Reader) -> None:
    """Say where a range of sizes has no rates."""
    for row in reader.hosts:
        if row.keys().isdisjoint((*HOSTS, "throughput", "latency")):
            parsed.incomplete(f"the requests of {row['label']} have no rate", int(row["line"]))


def _hold_sum(parsed: Parsed, rows: list[Row]) -> None:
    """Hold the rate of a mix against those of its operations."""
    if len(rows) < 2 or rows[-1]["operation"] != "mixed_workload" or "operation_rate" not in rows[-1]:
        return
    *parts, total = rows
    rate = float(total["operation_rate"])
    summed = sum(float(row.get("operation_rate", 0)) for row in parts)
    if not summed and all("operations" in row for row in parts):
        return
    low, high = _ALL_ABOUT
    if not low * summed <= rate <= high * summed:
        parsed.note(f"expected about {rate:g} operations a second in all, found {summed:g}", int(total["line"]))
