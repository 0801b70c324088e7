"""iperf3: what a network carries, as JSON and as text.

A row of `runs` for each side of the whole test: ``transmit`` as the sender counts, ``receive`` as the receiver does. A
sample of `series` an interval; streams, where there are several, are `clients` rows of share "process". In text, MBytes
are 2^20 bytes and Mbits 10^6 bits. JSON has bits a second, exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from storagelab.errors import ParseError
from storagelab.parsers.json_text import Found, Lines, objects
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import number, without_prefix
from storagelab.units import BIT, GB, GIB, KB, KIB, MB, MIB, TB, TIB

FORMAT = Format(
    name="iperf3",
    tool="iperf3",
    versions="3.0 to 3.17",
    reads="-J, text of clients and servers",
    source="iperf/src/iperf_api.c (iperf_print_results), iperf_locale.c, units.c",
    marks=("ID", "iperf"),
)

_NUMBER = r"\d+(?:[.,]\d+)?"
_ROW = re.compile(
    rf"\s*\[\s*(?P<stream>\d+|SUM)\](?:\[\w+-[CS]\])?\s+(?P<start>{_NUMBER})\s*-\s*(?P<end>{_NUMBER})\s+sec"
    rf"\s+(?P<size>{_NUMBER}) (?P<unit>[KMGT]?)Bytes\s+(?P<rate>{_NUMBER}) (?P<per>[KMGT]?)(?P<what>bits|Bytes)/sec"
    rf"(?P<more>.*)$"
)
_VERSION = re.compile(r"^iperf (3\.[\d.]+)")
_ERROR = re.compile(r"iperf3?: (error.*)")
_BINARY = {"": 1.0, "K": KIB, "M": MIB, "G": GIB, "T": TIB}
_DECIMAL = {"": BIT, "K": KB * BIT, "M": MB * BIT, "G": GB * BIT, "T": TB * BIT}
_SIDES = {"sender": "transmit", "receiver": "receive"}
_SUMS = (("sum_sent", "transmit"), ("sum_received", "receive"))


def sniff(head: str) -> bool:
    """Whether the heading of iperf3's table, or its JSON, stands here."""
    return (
        ("[ ID] Interval" in head and "Transfer" in head and ("Bitrate" in head or "Bandwidth" in head))
        or ('"iperf 3' in head and '"start"' in head)
        or head.startswith(("iperf3: error", "iperf 3"))
    )


def parse(text: str) -> Parsed:
    """Read the test: both sides, intervals, streams.

    Raises
    ------
    ParseError
        If there is neither a row of iperf3's table, nor its JSON, nor an error of its own.
    """
    parsed = Parsed({"tool": "iperf3", "statistic": "single"})
    documents = [found for found in objects(text) if isinstance(found.body.get("start"), dict)]
    samples: list[Row] = []
    for part, document in enumerate(documents, start=1):
        keys: Row = {"part": float(part)} if len(documents) > 1 else {}
        samples += [sample | keys for sample in _read_json(text, document, keys, parsed)]
    if not documents and '"intervals"' not in text:
        samples = _read_text(text, parsed)
    parsed.series = columns(samples) if samples else {}
    if parsed.is_empty() and parsed.complete:
        raise ParseError("a row of iperf3's table, or its JSON", text[:80], 1)
    return parsed


def _read_text(text: str, parsed: Parsed) -> list[Row]:
    *lines, rest = without_prefix(text.split("\n"))
    rows = []
    for at, line in enumerate(lines, start=1):
        if found := _ROW.match(line):
            rows.append((at, found))
        elif version := _VERSION.match(line):
            parsed.header["tool_version"] = version[1]
        elif error := _ERROR.search(line):
            parsed.incomplete(error[1], at)
        elif line.lstrip().startswith("[") and "/sec" in line:
            parsed.incomplete(f"expected a row of iperf3's table, found {line.strip()[:80]!r}", at)
    if rest.strip():
        parsed.incomplete("the last line has no end and is not trusted", len(lines) + 1)
    several = any(found["stream"] == "SUM" for _, found in rows)
    samples: list[Row] = []
    direction = "receive" if "Reverse mode" in text or "Server listening" in text else "transmit"
    for at, found in rows:
        _sort(at, found, (several, direction), samples, parsed)
    if len({row["operation"] for row in parsed.runs}) < 2:
        parsed.incomplete("the sums of sender and receiver are not both there")
    return samples


def _sort(at: int, found: re.Match[str], context: tuple[bool, str], samples: list[Row], parsed: Parsed) -> None:
    """Take a row of the table as the sum of one side, as a stream, or as a sample."""
    several, direction = context
    side = next((operation for word, operation in _SIDES.items() if word in found["more"]), "")
    row = _values(found) | {"line": at}
    start, end = number(found["start"]), number(found["end"])
    is_whole = found["stream"] == "SUM" or not several
    if side and is_whole:
        parsed.runs.append({"operation": side, "elapsed": end - start, **row, **_retransmits(found["more"])})
    elif side:
        stream: Row = {"operation": side, "share": "process", "process": found["stream"], "elapsed": end - start}
        parsed.clients.append(stream | row | _retransmits(found["more"]))
    elif is_whole:
        samples.append({"time": end, "operation": direction, **row})


def _values(found: re.Match[str]) -> Row:
    rates = _DECIMAL if found["what"] == "bits" else _BINARY
    return {
        "data_size": number(found["size"]) * _BINARY[found["unit"]],
        "throughput": number(found["rate"]) * rates[found["per"]],
    }


def _retransmits(more: str) -> Row:
    """Return the retransmissions that only a sender of TCP counts."""
    words = more.split()
    return {"retransmits": float(words[0])} if len(words) > 1 and words[0].isdecimal() else {}


def _read_json(text: str, found: Found, keys: Row, parsed: Parsed) -> list[Row]:
    body = found.body
    lines = Lines(text, found.start)
    if not found.whole:
        parsed.incomplete("the JSON breaks off", 1 + text.count("\n"))
    if "\ufffd" in text:
        parsed.incomplete("the JSON holds bytes that are not UTF-8")
    parsed.header |= _header(body.get("start", {}))
    samples = list(_samples(body.get("intervals", []), lines))
    end = body.get("end", {})
    lines.of("end")
    parsed.clients += [stream | keys for stream in _streams(end.get("streams", []), lines)]
    sums = [
        {"operation": operation, **keys, **_sum(end[name]), "line": lines.after(name, "bits_per_second")}
        for name, operation in _SUMS
        if "bits_per_second" in end.get(name, {})
    ]
    parsed.runs += sums
    if error := body.get("error"):
        parsed.incomplete(str(error))
    elif len(sums) < 2:
        parsed.incomplete("the sums of sender and receiver are not both there")
    return samples


def _header(start: Mapping[str, Any]) -> Row:
    header: Row = {}
    if str(start.get("version", "")).startswith("iperf "):
        header["tool_version"] = start["version"].split()[1]
    if seconds := start.get("timestamp", {}).get("timesecs"):
        header["started"] = datetime.fromtimestamp(seconds, tz=UTC).isoformat()
    test = start.get("test_start", {})
    for name, key in (("protocol", "protocol"), ("num_streams", "processes"), ("blksize", "record_size")):
        if name in test:
            header[key] = test[name] if key == "protocol" else float(test[name])
    return header


def _samples(intervals: list[Mapping[str, Any]], lines: Lines) -> Iterator[Row]:
    for interval in intervals:
        if "bits_per_second" in (whole := interval.get("sum", {})):
            operation = "transmit" if whole.get("sender", True) else "receive"
            line = lines.after("sum", "bytes")
            yield {"time": float(whole["end"]), "operation": operation, **_sum(whole), "line": line}


def _streams(streams: list[Mapping[str, Any]], lines: Lines) -> Iterator[Row]:
    if len(streams) < 2:
        return
    for number_, stream in enumerate(streams):
        for side, operation in _SIDES.items():
            if "bits_per_second" in (one := stream.get(side, {})):
                who: Row = {"operation": operation, "share": "process", "process": str(number_)}
                yield who | _sum(one) | {"line": lines.of("bits_per_second")}


def _sum(one: Mapping[str, Any]) -> Row:
    row: Row = {"throughput": one["bits_per_second"] * BIT, "data_size": float(one["bytes"])}
    row["elapsed"] = float(one["seconds"])
    return row | ({"retransmits": float(one["retransmits"])} if "retransmits" in one else {})
