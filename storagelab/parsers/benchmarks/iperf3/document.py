"""iperf3's JSON: one document a test (-J), or one object an event (--json-stream)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from storagelab.parsers.benchmarks.iperf3 import middle
from storagelab.parsers.benchmarks.iperf3.rows import SIDES
from storagelab.parsers.benchmarks.iperf3.table import of_no_sum
from storagelab.parsers.json_text import Found, Lines, Pairs, Tree, line_within, mapping, mappings, objects, quantity
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.values_on_several_lines import of_names, settled
from storagelab.units import BIT, MICROSECOND, MILLISECOND, PERCENT

_SUMS = {
    "sum_sent": "transmit",
    "sum_received": "receive",
    "sum_sent_bidir_reverse": "transmit",
    "sum_received_bidir_reverse": "receive",
}
_REVERSE = "_bidir_reverse"
_OF_BOTH = ("sum", "sum_sent", "sum_received")
_CPU = {"total": "cpu_utilisation", "user": "cpu_user", "system": "cpu_system"}
_OTHER_END = ("server_output_text", "server_output_json")
_INTERVALS = ("sum", "sum_bidir_reverse")
_COUNTS = {
    "bytes": ("data_size", 1.0),
    "seconds": ("elapsed", 1.0),
    "retransmits": ("retransmits", 1.0),
    "jitter_ms": ("jitter", MILLISECOND),
    "lost_packets": ("packets_lost", 1.0),
    "packets": ("packets_sent", 1.0),
    "lost_percent": ("packets_lost_share", PERCENT),
    "out_of_order": ("packets_out_of_order", 1.0),
}
_OF_STREAMS = {
    "snd_cwnd": ("congestion_window", 1.0),
    "rtt": ("round_trip_time", MICROSECOND),
    "max_snd_cwnd": ("congestion_window_max", 1.0),
    "max_rtt": ("round_trip_time_max", MICROSECOND),
    "min_rtt": ("round_trip_time_min", MICROSECOND),
    "mean_rtt": ("round_trip_time", MICROSECOND),
    "out_of_order": ("packets_out_of_order", 1.0),
}
"""What is said of streams alone, and holds for the whole where there is one."""


def found(text: str) -> list[Found]:
    """Return the documents of a text; events of a stream are put together to one."""
    bodies = list(objects(text, _told_apart))
    events = [body for body in bodies if "event" in body.body]
    if not events:
        documents = [body for body in bodies if isinstance(body.body.get("start"), dict) or _has_sums(body.body)]
        return documents or middle.found(text, bodies)
    whole: dict[str, Any] = {"intervals": []}
    for event in events:
        name, data = event.body["event"], event.body.get("data")
        if name == "interval":
            whole["intervals"].append(data)
        elif name in ("start", "end", "error"):
            whole[name] = data
    return [Found(whole, events[0].start, events[0].line, all(event.whole for event in events))]


def _told_apart(pairs: Pairs) -> dict[str, Any]:
    """Name the second of two sums as iperf3 does since 3.11; from 3.7 on it printed those of both directions alike."""
    body: dict[str, Any] = {}
    for name, value in pairs:
        is_second = name in body and name in _OF_BOTH
        body[f"{name}{_REVERSE}" if is_second else name] = value
    return body


def _has_sums(body: Mapping[str, Any]) -> bool:
    """Whether a document has the end of a test, from which the rest may have been taken away."""
    return any(name.startswith("sum") for name in mapping(body.get("end")))


def read(text: str, documents: Sequence[Found], parsed: Parsed) -> list[Row]:
    """Read every document; the samples are returned."""
    samples: list[Row] = []
    for part, one in enumerate(documents, start=1):
        keys: Row = {"part": float(part)} if len(documents) > 1 else {}
        samples += [sample | keys for sample in _document(text, one, keys, parsed)]
    if "\ufffd" in text:
        parsed.incomplete("the JSON holds bytes that are not UTF-8")
    return samples


def _document(text: str, one: Found, keys: Row, parsed: Parsed) -> list[Row]:
    lines = Lines(text, one.start, one.line)
    start, end = mapping(one.body.get("start")), mapping(one.body.get("end"))
    is_server = "accepted_connection" in start
    if not one.whole:
        parsed.incomplete("the JSON breaks off", 1 + text.count("\n"))
    parsed.header |= _header(start, lines)
    receives = is_server != bool(quantity(mapping(start.get("test_start")), "reverse"))
    samples = list(_samples(mappings(one.body.get("intervals")), receives, lines))
    streams = mappings(end.get("streams"))
    if streams:
        lines.of("end")
    parsed.clients += [stream | keys for stream in _streams(streams, receives, lines, parsed)]
    only = _only(streams, lines) if len(streams) == 1 and _come_first(end) else {}
    side = "C" if not is_server else "S"
    sums = [{**row, **keys} for row in _sums(end, side, receives, lines, parsed)]
    sums = [settled(row | only.get(_told_by(row, sums), {})) for row in sums]
    cpu = _cpu(end, receives, lines)
    parsed.runs += [{**row, **cpu.get(str(row["operation"]), {})} for row in sums]
    done = {str(row["operation"]) for row in sums}
    for operation in [one for one in cpu if one not in done and done]:
        samples += of_no_sum(operation, cpu[operation], {})
    if any(name in one.body for name in _OTHER_END):
        parsed.note("the server's own report is left alone")
    if error := one.body.get("error"):
        parsed.incomplete(str(error))
    elif len({row["operation"] for row in sums}) < (1 if is_server or "sum" in end else 2):
        parsed.incomplete("the sums of sender and receiver are not both there")
    return samples


def _come_first(body: Mapping[str, Any]) -> bool:
    """Whether the streams stand before the sums: lines are found by walking forward."""
    names = list(body)
    sums = [at for at, one in enumerate(names) if one.startswith("sum")]
    return "streams" in names and not any(at < names.index("streams") for at in sums)


def _only(streams: Sequence[Mapping[str, Any]], lines: Lines) -> dict[str, Row]:
    """What is said of the only stream, by side."""
    sides = {side: mapping(streams[0].get(side)) for side in (*SIDES, "udp")}
    return {side: _of_stream(one, lines.next_object(side, one)) for side, one in sides.items() if one}


def _told_by(row: Row, sums: Sequence[Row]) -> str:
    """Which side of a stream tells of a sum; datagrams are told of by who receives them, if there is such a sum."""
    if "packets_sent" not in row:
        return next(side for side, operation in SIDES.items() if operation == row["operation"])
    return "udp" if row["operation"] == "receive" or len(sums) == 1 else ""


def _of_stream(one: Mapping[str, Any], lines: Tree) -> Row:
    """Return what is said of a stream; the window and the times of a sender at the other end are printed as 0."""
    row: Row = {
        key: value * unit
        for name, (key, unit) in _OF_STREAMS.items()
        if (value := quantity(one, name)) or (value == 0 and name == "out_of_order")
    }
    return row | of_names({name: key for name, (key, _) in _OF_STREAMS.items() if name in one}, lines, row)


def _header(start: Mapping[str, Any], lines: Lines) -> Row:
    header: Row = {}
    if (version := str(start.get("version", "")).split())[:1] == ["iperf"] and len(version) > 1:
        header["tool_version"] = version[1]
    seconds = quantity(mapping(start.get("timestamp")), "timesecs")
    if seconds and abs(seconds) < 1e11:
        header["started"] = datetime.fromtimestamp(seconds, tz=UTC).isoformat()
    test = mapping(start.get("test_start"))
    if isinstance(test.get("protocol"), str):
        header["protocol"] = test["protocol"]
    names = {"num_streams": "processes", "blksize": "record_size"}
    said = {key: value for name, key in names.items() if (value := quantity(test, name)) is not None}
    return header | said | of_names(names, lines.next_object("test_start", test), said)


def _samples(intervals: Sequence[Mapping[str, Any]], receives: bool, lines: Lines) -> Iterator[Row]:
    """Yield the intervals; before 3.7 they do not say whose they are, and are those of this end."""
    for interval in intervals:
        streams = mappings(interval.get("streams"))
        only = len(streams) == 1 and _come_first(interval)
        of_stream = _of_stream(streams[0], lines.next_object("streams", streams[0])) if only else {}
        for name in _INTERVALS:
            whole = mapping(interval.get(name))
            end = quantity(whole, "end")
            if end is None or "bits_per_second" not in whole:
                continue
            operation = "transmit" if whole.get("sender", not receives) else "receive"
            phase: Row = {"phase": "omitted"} if whole.get("omitted") is True else {}
            tree = lines.next_object(lines.printed(name, _REVERSE), whole)
            at = line_within(tree, "bytes")
            values = _values(whole, tree) | of_stream
            yield settled({"time": end, "operation": operation, **values, "line": at, **phase})


def _streams(streams: Sequence[Mapping[str, Any]], receives: bool, lines: Lines, parsed: Parsed) -> Iterator[Row]:
    if len(streams) < 2:
        return
    for ordinal, stream in enumerate(streams):
        for side in (*SIDES, "udp"):
            one = mapping(stream.get(side))
            operation = SIDES.get(side) or ("transmit" if one.get("sender", not receives) else "receive")
            if quantity(one, "bits_per_second") and "bytes" not in one:
                parsed.incomplete(f"stream {ordinal} lacks the bytes of its {side}")
            elif quantity(one, "bits_per_second") and quantity(one, "bytes"):
                who: Row = {"operation": operation, "share": "process", "process": str(ordinal)}
                tree = lines.next_object(side, one)
                values = _values(one, tree) | _of_stream(one, tree)
                yield settled(who | values | {"line": line_within(tree, "bits_per_second")})


def _sums(end: Mapping[str, Any], side: str, receives: bool, lines: Lines, parsed: Parsed) -> Iterator[Row]:
    """Yield the sums of both sides; older versions give one for UDP: clients the sender's, servers datagrams."""
    older = {"sum": "receive" if receives and side == "S" else "transmit"}
    reverse = [name for name in (f"sum_sent{_REVERSE}", f"sum{_REVERSE}") if name in end]
    is_both, is_twice = bool(reverse), any(lines.printed(name, _REVERSE) != name for name in reverse)
    if is_both:
        older = {"sum": "transmit", f"sum{_REVERSE}": "receive"}
    names = {name: operation for name, operation in _SUMS.items() if name in end} or older
    for name, operation in names.items():
        one = mapping(end.get(name))
        if quantity(one, "bits_per_second") is None:
            continue
        printed = lines.printed(name, _REVERSE)
        tree = lines.next_object(printed, one)
        line = line_within(tree, "bits_per_second")
        label: Row = {"label": _role(name, side, is_told=not is_twice)} if is_both else {}
        values = _values(one, tree)
        is_counted = quantity(one, "bytes") or ("bytes" not in one and values["throughput"])
        if "bytes" not in one:
            parsed.incomplete(f"the sum {printed!r} lacks its bytes", line)
        if not is_counted:
            values = {name: value for name, value in values.items() if name not in ("data_size", "throughput")}
        if is_counted or quantity(one, "packets"):
            yield settled({"operation": operation, **label, **values, "line": line})
        else:
            parsed.note(f"{operation}: nothing was counted at this end", line)


def _role(name: str, side: str, *, is_told: bool) -> str:
    """Return iperf3's role of a direction: the reverse is what the server sends, or what an end prints second."""
    is_reverse = name.endswith(_REVERSE)
    sends = is_reverse == (side == "S") if is_told else not is_reverse
    return f"{'TX' if sends else 'RX'}-{side}"


def _values(one: Mapping[str, Any], lines: Tree) -> Row:
    row: Row = {"throughput": (quantity(one, "bits_per_second") or 0.0) * BIT}
    for name, (key, unit) in _COUNTS.items():
        if (value := quantity(one, name)) is not None:
            row[key] = value * unit
    names = {"bits_per_second": "throughput", **{name: key for name, (key, _) in _COUNTS.items()}}
    return row | of_names(names, lines, row)


def _cpu(end: Mapping[str, Any], host_receives: bool, lines: Lines) -> dict[str, Row]:
    """CPU time of both ends by operation; in a test of both directions each does both."""
    used = mapping(end.get("cpu_utilization_percent"))
    if f"sum_sent{_REVERSE}" in end:
        return {}
    sides = ("receive", "transmit") if host_receives else ("transmit", "receive")
    tree = lines.next_object("cpu_utilization_percent", used)
    return {
        operation: said
        for operation, end_of in zip(sides, ("host", "remote"), strict=True)
        if (said := _shares(used, end_of, tree))
    }


def _shares(used: Mapping[str, Any], end_of: str, lines: Tree) -> Row:
    """CPU time of an end over elapsed time, and of that what users and the system had."""
    names = {f"{end_of}_{name}": key for name, key in _CPU.items()}
    said: Row = {key: share * PERCENT for name, key in names.items() if (share := quantity(used, name))}
    return said | of_names(names, lines, said)
