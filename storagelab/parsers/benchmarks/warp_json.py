"""warp's JSON: of ``warp analyze --json`` up to 1.0, and the files and ``--json`` of later versions.

The first has a list ``operations``, each with its throughput (``average_bps``) and its requests; the second has
``by_op_type`` and ``total``, with bytes and objects over ``measure_duration_millis``, and the requests of each client
by segments, of which warp prints the means, as here. Of a mix, ``mixed_server_stats`` or ``total`` is
`mixed_workload`. Structures in pkg/aggregate/aggregate.go, throughput.go, requests.go and live.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from storagelab.parsers.json_text import Found, mapping, mappings, objects, quantity
from storagelab.parsers.model import Parsed, Row
from storagelab.units import MILLISECOND

MARK = '"measure_duration_millis"'
_OF_REALTIME = "by_op_type"
_LATENCIES = {
    "dur_avg_millis": "latency",
    "dur_median_millis": "latency_p50",
    "dur_90_millis": "latency_p90",
    "dur_99_millis": "latency_p99",
}
_EXTREMES = {"fastest_millis": ("latency_min", min), "slowest_millis": ("latency_max", max)}
_SEGMENTS = {
    "fastest_bps": "throughput_max", "fastest_ops": "operation_rate_max", "slowest_bps": "throughput_min",
    "slowest_ops": "operation_rate_min",
}  # fmt: skip
Body = Mapping[str, Any]


def read(text: str, parsed: Parsed, operations: Mapping[str, str]) -> list[Row]:
    """Make a row of every operation, and one of all of a mix; `operations` are warp's words for them."""
    rows: list[Row] = []
    for found in objects(text):
        at = 1 + text.count("\n", 0, found.start)
        if not found.whole or "\ufffd" in text:
            parsed.incomplete("the JSON breaks off or is damaged", at)
        if found.body.get("final") is False:
            parsed.incomplete("the benchmark had not ended", at)
        parsed.header |= {"tool_version": str(found.body["warp_version"])} if found.body.get("warp_version") else {}
        parsed.header |= {"command": str(found.body["commandline"])} if found.body.get("commandline") else {}
        for word, body in _reports(found):
            row = _row(word, body, operations) | (_requests(body) if found.whole else {})
            if "elapsed" in row:
                rows.append(row | {"line": at})
            else:
                parsed.incomplete(f"{word}: the throughput has no duration", at)
    return rows


def _reports(found: Found) -> Iterator[tuple[str, Body]]:
    """Yield what the document reports, with warp's word for it."""
    body = found.body
    if _OF_REALTIME in body:
        by_type = mapping(body[_OF_REALTIME])
        yield from ((word, mapping(one)) for word, one in by_type.items())
        if len(by_type) > 1:
            yield "Total", mapping(body.get("total"))
    else:
        yield from ((str(one.get("type")), one) for one in mappings(body.get("operations")) if not one.get("skipped"))
        if total := mapping(body.get("mixed_server_stats")):
            yield "Total", {"throughput": total}


def _row(word: str, body: Body, operations: Mapping[str, str]) -> Row:
    row: Row = {"operation": operations.get(word, "unknown")}
    row |= {"label": word} if word not in operations else {}
    throughput = mapping(body.get("throughput"))
    row |= _throughput(throughput) | _named(mapping(throughput.get("segmented")), _SEGMENTS)
    for name, keys in (("processes", ("concurrency",)), ("operations", ("total_requests", "n", "operations"))):
        value = next((value for key in keys if (value := quantity(body, key)) is not None), None)
        row |= {name: value} if value else {}
    hosts = body.get("hosts")
    count = float(len(hosts)) if isinstance(hosts, list | dict) else quantity(body, "hosts")
    row |= {"nodes": count} if count else {}
    errors = next((value for key in ("total_errors", "errors") if (value := quantity(body, key)) is not None), None)
    row |= {"errors": errors} if errors is not None else {}
    return row | _start(body)


def _throughput(body: Body) -> Row:
    millis = quantity(body, "measure_duration_millis")
    if not millis:
        return {}
    seconds = millis * MILLISECOND
    row: Row = {"elapsed": seconds}
    moved, done = quantity(body, "bytes"), quantity(body, "objects")
    bps = quantity(body, "average_bps") if moved is None else moved / seconds
    ops = quantity(body, "average_ops") if done is None else done / seconds
    row |= {"data_size": moved} if moved else {}
    return row | ({"throughput": bps} if bps else {}) | ({"operation_rate": ops} if ops else {})


def _named(body: Body, names: Mapping[str, str]) -> Row:
    found = ((name, quantity(body, key)) for key, name in names.items())
    return {name: value for name, value in found if value}


def _start(body: Body) -> Row:
    try:
        return {"start_time": datetime.fromisoformat(str(body.get("start_time"))).timestamp()}
    except ValueError:
        return {}


def _requests(body: Body) -> Row:
    """Latencies of requests of one size: means over segments, the way warp prints them."""
    single = mapping(body.get("single_sized_requests"))
    by_client = mapping(body.get("requests_by_client")).values()
    segments = [mapping(one.get("single_sized_requests")) for client in by_client for one in mappings(client)]
    parts = [part for part in (single, *segments) if part and not part.get("skipped")]
    row: Row = {}
    count = sum(quantity(part, "merged_entries") or 1.0 for part in parts)
    for key, name in _LATENCIES.items():
        values = [quantity(part, key) for part in parts]
        if parts and None not in values:
            row[name] = sum(value or 0.0 for value in values) * MILLISECOND / count
    for key, (name, extreme) in _EXTREMES.items():
        printed = [value for part in parts if (value := quantity(part, key)) is not None]
        row |= {name: extreme(printed) * MILLISECOND} if printed else {}
    size = quantity(single, "obj_size")
    return row | ({"file_size": size} if size else {})
