"""vnstat's JSON and XML: for each interface the total and lists of periods, each with ``rx`` and ``tx``.

An interface may stand alone, as who posts one cuts it out of the list.

In JSON also live traffic: an object with the average (``-tr``), or a line that names the interface and one a sample
(``-l``), each with what came and went in ``sampletime``, or since the sample before, and its rates; then their sums.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from storagelab.parsers import xml
from storagelab.parsers.json_text import Lines, line_within, mapping, mappings, objects, quantity
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.values_on_several_lines import of_names, settled
from storagelab.units import KIB

_PHASES = {
    "total": "since", "fiveminute": "5 minute", "hour": "hourly", "day": "daily", "month": "monthly", "year": "yearly",
    "top": "top",
}  # fmt: skip
_DIRECTIONS = {"rx": "receive", "tx": "transmit"}
_PACKETS = {"rx": "packets_received", "tx": "packets_sent"}
_LIVE_SAMPLE = {"bytespersecond": "throughput", "packetspersecond": "packet_rate", "bytes": "data_size"}
_LIVE_SUMS = {"totalbytes": "data_size"}
_LIVE_EXTREMES = {"maxbytes": "B", "minbytes": "B", "maxpackets": "1", "minpackets": "1"}
"""Of the samples, which are of two seconds."""
_OLD = "1"
"""Version of the documents that count in KiB."""
_ALONE = re.compile(r'"traffic" ?: ?\{\s{0,40}"total" ?: ?\{\s{0,40}"rx"')


def is_json(text: str) -> bool:
    """Whether a document of vnstat stands here, or an interface that was cut out of one."""
    return '"vnstatversion"' in text or ('"traffic"' in text and _ALONE.search(text) is not None)


def read_json(text: str, parsed: Parsed) -> list[Row]:
    """Make rows of every interface in JSON."""
    samples: list[Row] = []
    watched = ""
    for found in objects(text):
        if "\ufffd" in text or not found.whole:
            parsed.incomplete("the JSON breaks off or is damaged", found.line)
        body, lines = found.body, Lines(text, found.start, found.line)
        parsed.header |= {"tool_version": str(body["vnstatversion"])} if "vnstatversion" in body else {}
        factor = KIB if str(body.get("jsonversion")) == _OLD or "nick" in body else 1.0
        watched = str(body.get("interface", watched))
        samples += _live(watched, body, lines)
        for interface in [body] if "traffic" in body else mappings(body.get("interfaces")):
            name = str(interface.get("name") or interface.get("id") or interface.get("nick") or "")
            for phase, value in mapping(interface.get("traffic")).items():
                periods = [value] if isinstance(value, dict) else mappings(value)
                samples += [row for one in periods for row in _rows(name, phase, one, factor, lines.of("rx"))]
    return samples


def _live(interface: str, body: Mapping[str, Any], lines: Lines) -> Iterator[Row]:
    """Make rows of a sample of live traffic, or of the sums behind all; a document of periods has none."""
    for side, packets in _PACKETS.items():
        one = mapping(body.get(side))
        is_sum = "bytes" not in one
        if not one.keys() & {"bytes", "totalbytes"}:
            continue
        tree = lines.next_object(side, one)
        names = (_LIVE_SUMS if is_sum else _LIVE_SAMPLE) | {"totalpackets" if is_sum else "packets": packets}
        values = {"elapsed" if is_sum else "time": quantity(body, "seconds")} | {
            name: quantity(one, printed) for printed, name in names.items()
        }
        if "sampletime" in body:
            values["elapsed"] = quantity(body, "sampletime")
        row: Row = {name: value for name, value in values.items() if value is not None}
        keys: Row = {"interface": interface, "phase": "live", "operation": _DIRECTIONS[side]}
        yield settled({**keys, **row, **of_names(names, tree, row), "line": line_within(tree, next(iter(names)))})
        for name, unit in _LIVE_EXTREMES.items():
            if (value := quantity(one, name)) is not None:
                yield {**keys, "metric": name, "value": value, "unit": unit, "line": line_within(tree, name)}


def _rows(interface: str, phase: str, period: Mapping[str, Any], factor: float, at: int) -> list[Row]:
    keys: Row = {"interface": interface, "phase": _PHASES.get(phase.removesuffix("s"), phase), "label": _label(period)}
    start = quantity(period, "timestamp")
    keys |= {"start_time": start} if start else {}
    found = ((operation, quantity(period, side)) for side, operation in _DIRECTIONS.items())
    return [
        {**keys, "operation": operation, "data_size": size * factor, "line": at}
        for operation, size in found
        if size is not None
    ]


def _label(period: Mapping[str, Any]) -> str:
    """Write a date as vnstat's tables do."""
    date, time = mapping(period.get("date")), mapping(period.get("time"))
    parts = [quantity(date, name) for name in ("year", "month", "day")]
    day = "-".join(f"{part:02.0f}" for part in parts if part)
    clock = [quantity(time, name) for name in ("hour", "minute") if name in time]
    return f"{day} {':'.join(f'{part or 0:02.0f}' for part in clock)}".strip()


def read_xml(text: str, parsed: Parsed) -> list[Row]:
    """Make rows of every interface in XML.

    Raises
    ------
    ParseError
        If a document declares entities.
    """
    samples: list[Row] = []
    for document in xml.documents(text, "vnstat"):
        if document.error or "\ufffd" in text:
            parsed.incomplete(document.error or "the document is damaged", document.line)
        attributes = document.root.attributes
        parsed.header |= {"tool_version": attributes["version"]} if "version" in attributes else {}
        factor = KIB if attributes.get("xmlversion") == _OLD else 1.0
        for interface in document.root.all("interface"):
            name = next((child.text for child in interface.children if child.tag in ("name", "id") and child.text), "")
            name = name or interface.attributes.get("name", interface.attributes.get("id", ""))
            for element in interface.all(*_PHASES):
                samples += _of_element(name, element, factor)
    return samples


def _of_element(interface: str, element: xml.Element, factor: float) -> list[Row]:
    """Make rows of a period: an element that has ``rx`` and ``tx`` directly inside it."""
    values: dict[str, Any] = {child.tag: child.text for child in element.children if child.closed}
    if not _DIRECTIONS.keys() & values.keys():
        return []
    for part in ("date", "time"):
        inside = next((child for child in element.children if child.tag == part), None)
        values[part] = {child.tag: child.text for child in inside.children} if inside else {}
    return _rows(interface, element.tag, values, factor, element.line)
