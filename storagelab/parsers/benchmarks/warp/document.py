"""warp's JSON: of ``warp analyze --json`` up to 1.0, and the files and ``--json`` of later versions.

The first has a list ``operations``, each with its throughput (``average_bps``) and its requests; the second has
``by_op_type`` and ``total``, with bytes and objects over ``measure_duration_millis``, and the requests of each client
by segments, of which warp prints the means, as here. Of a mix, ``mixed_server_stats`` or ``total`` is
`mixed_workload`. Structures in pkg/aggregate/aggregate.go, throughput.go, requests.go and live.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from storagelab.parsers.json_text import Found, Lines, Tree, mapping, mappings, objects, quantity
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.values_on_several_lines import of_names, settled
from storagelab.schema import COMPUTED, LINE_OF
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
    "slowest_ops": "operation_rate_min", "median_bps": "throughput_median", "median_ops": "operation_rate_median",
}  # fmt: skip
_PLACES = {
    "measure_duration_millis": "elapsed", "bytes": "data_size", "average_bps": "throughput",
    "average_ops": "operation_rate",
}  # fmt: skip
_ROW_STANDS_ON = ("throughput", "data_size", "elapsed")
_OF_CLIENTS = ("requests_by_client", "segments", "throughput_by_host")
"""Objects with a value a client and second, of which there may be many: their lines are not looked for."""
Body = Mapping[str, Any]


def read(text: str, parsed: Parsed, operations: Mapping[str, str]) -> list[Row]:
    """Make a row of every operation, and one of all of a mix; `operations` are warp's words for them."""
    rows: list[Row] = []
    for found in objects(text):
        at = found.line
        if not found.whole or "\ufffd" in text:
            parsed.incomplete("the JSON breaks off or is damaged", at)
        if found.body.get("final") is False:
            parsed.incomplete("the benchmark had not ended", at)
        parsed.header |= {"tool_version": str(found.body["warp_version"])} if found.body.get("warp_version") else {}
        parsed.header |= {"command": str(found.body["commandline"])} if found.body.get("commandline") else {}
        whole = Lines(text, found.start, found.line).under(found.body, skip=_OF_CLIENTS)
        for word, body, lines in _reports(found, whole):
            row = _row(word, body, operations, lines) | (_requests(body, lines) if found.whole else {})
            if any(entries <= 0 for entries in _merged(_parts(body))):
                parsed.incomplete(f"{word}: expected latencies of at least one client, found fewer", at)
            if "elapsed" in row:
                stands = (line for name in _ROW_STANDS_ON if (line := row.get(LINE_OF[name])))
                rows.append(settled(row | {"line": next(stands, at)}))
            else:
                parsed.incomplete(f"{word}: the throughput has no duration", at)
    return rows


def _reports(found: Found, lines: Tree) -> Iterator[tuple[str, Body, Tree]]:
    """Yield what the document reports, with warp's word for it, and the lines of its values."""
    body = found.body
    if _OF_REALTIME in body:
        by_type, places = mapping(body[_OF_REALTIME]), mapping(lines.get(_OF_REALTIME))
        yield from ((word, mapping(one), mapping(places.get(word))) for word, one in by_type.items())
        if len(by_type) > 1:
            yield "Total", mapping(body.get("total")), mapping(lines.get("total"))
    else:
        ones = mappings(body.get("operations"))
        placed = zip(ones, mappings(lines.get("operations")) or [{}] * len(ones), strict=True)
        yield from ((str(one.get("type")), one, tree) for one, tree in placed if not one.get("skipped"))
        if total := mapping(body.get("mixed_server_stats")):
            yield "Total", {"throughput": total}, {"throughput": mapping(lines.get("mixed_server_stats"))}


def _row(word: str, body: Body, operations: Mapping[str, str], lines: Tree) -> Row:
    row: Row = {"operation": operations.get(word, "unknown")}
    row |= {"label": word} if word not in operations else {}
    throughput, places = mapping(body.get("throughput")), mapping(lines.get("throughput"))
    row |= _throughput(throughput, places)
    row |= _named(mapping(throughput.get("segmented")), _SEGMENTS, mapping(places.get("segmented")))
    for name, keys in (("processes", ("concurrency",)), ("operations", ("total_requests", "n", "operations"))):
        value = next((value for key in keys if (value := quantity(body, key)) is not None), None)
        found: Row = {name: value} if value else {}
        row |= found | of_names(dict.fromkeys(keys, name), lines, found)
    hosts = body.get("hosts")
    count = float(len(hosts)) if isinstance(hosts, list | dict) else quantity(body, "hosts")
    row |= {"nodes": count} if count else {}
    errors = next((value for key in ("total_errors", "errors") if (value := quantity(body, key)) is not None), None)
    row |= {"errors": errors} if errors is not None else {}
    return row | _start(body)


def _throughput(body: Body, lines: Tree) -> Row:
    millis = quantity(body, "measure_duration_millis")
    if not millis:
        return {}
    seconds = millis * MILLISECOND
    row: Row = {"elapsed": seconds}
    moved, done = quantity(body, "bytes"), quantity(body, "objects")
    bps = quantity(body, "average_bps") if moved is None else moved / seconds
    ops = quantity(body, "average_ops") if done is None else done / seconds
    row |= {"data_size": moved} if moved else {}
    row |= ({"throughput": bps} if bps else {}) | ({"operation_rate": ops} if ops else {})
    places = of_names(_PLACES, lines, row)
    places |= {} if moved is None or not bps else {LINE_OF["throughput"]: COMPUTED}
    return row | places | ({} if done is None or not ops else {LINE_OF["operation_rate"]: COMPUTED})


def _named(body: Body, names: Mapping[str, str], lines: Tree) -> Row:
    found = ((name, quantity(body, key)) for key, name in names.items())
    row: Row = {name: value for name, value in found if value}
    return row | of_names(names, lines, row)


def _start(body: Body) -> Row:
    try:
        return {"start_time": datetime.fromisoformat(str(body.get("start_time"))).timestamp()}
    except ValueError:
        return {}


def _parts(body: Body) -> list[Body]:
    """Requests of one size, as a whole and in their segments, but those that warp skipped."""
    single = mapping(body.get("single_sized_requests"))
    by_client = mapping(body.get("requests_by_client")).values()
    segments = [mapping(one.get("single_sized_requests")) for client in by_client for one in mappings(client)]
    return [part for part in (single, *segments) if part and not part.get("skipped")]


def _merged(parts: Iterable[Body]) -> list[float]:
    """Of how many clients each part is the sum."""
    return [quantity(part, "merged_entries") or 1.0 for part in parts]


def _requests(body: Body, lines: Tree) -> Row:
    """Latencies of requests of one size: means over segments, the way warp prints them."""
    single, parts = mapping(body.get("single_sized_requests")), _parts(body)
    row: Row = {}
    count = sum(_merged(parts))
    for key, name in _LATENCIES.items():
        values = [quantity(part, key) for part in parts]
        if count > 0 and None not in values:
            row[name] = sum(value or 0.0 for value in values) * MILLISECOND / count
    for key, (name, extreme) in _EXTREMES.items():
        printed = [value for part in parts if (value := quantity(part, key)) is not None]
        row |= {name: extreme(printed) * MILLISECOND} if printed else {}
    size = quantity(single, "obj_size")
    row |= {"file_size": size} if size else {}
    names = {key: name for key, (name, _) in _EXTREMES.items()} | _LATENCIES | {"obj_size": "file_size"}
    return row | of_names(names, mapping(lines.get("single_sized_requests")), row)
