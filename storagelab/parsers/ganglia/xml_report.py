"""XML that gmond (port 8649) and gmetad (8651, and 8652 for one path or a summary) answer whoever connects.

Written by gmond.c and gmetad/server.c, DTD in gmetad/dtd.h; Ganglia 2.5 to 3.7. ``CLUSTER``, ``HOST`` and ``METRIC``
hold what each host said last: NAME, VAL, TYPE, UNITS, and TN, the seconds since it was said, counted from the
LOCALTIME of gmetad's outermost ``GRID`` or, of gmond, from that of the ``CLUSTER``. The log's `started` is the first
LOCALTIME, so that `time` is the negative age of a sample: a host that is down keeps its last metrics for days.

A summary of gmetad has ``METRICS`` with the SUM over NUM hosts (`statistic` "sum", `samples`), of each cluster and
again of the grid. LOCALTIME and REPORTED (seconds since 1970) and the hosts that are up and down are metrics of their
own. Text (TYPE string) stands in `label`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from storagelab.parsers import xml
from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.ganglia import metrics
from storagelab.parsers.ganglia.samples import reading
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import utc
from storagelab.parsers.xml import Element

FORMAT = Format(
    "ganglia-xml",
    "ganglia",
    "3.3, 3.7",
    "what hosts said last, and sums of it",
    "gmetad/dtd.h, gmond.c",
    marks=("GANGLIA",),
    opens=(
        "<GANGLIA_XML",
        "DOCTYPE GANGLIA_XML",
    ),
    checks=Checks(lacking_samples="times are the ages of single values"),
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the tree something stands: keys of its rows, and the seconds since 1970 at which it was asked for."""

    keys: Row
    now: float = math.nan


def sniff(head: str) -> bool:
    """Whether the root element or its DTD stands here."""
    return "GANGLIA_XML" in head


def parse(text: str) -> Parsed:
    """Read every metric into `series`.

    Raises
    ------
    ParseError
        If there is no metric, or the document declares entities.
    """
    documents = list(xml.documents(text, "GANGLIA_XML"))
    parsed = Parsed(_header(documents[0].root) if documents else {})
    started = _started(documents[0].root) if documents else math.nan
    rows = []
    for part, document in enumerate(documents, 1):
        keys: Row = {"part": float(part)} if len(documents) > 1 else {}
        rows += list(_below(document.root, _Place(keys), started, parsed))
        if document.error:
            parsed.incomplete(document.error, document.line)
    if not any("metric" not in row or row["metric"] not in _ATTRIBUTES for row in rows):
        raise refusal("a document GANGLIA_XML with metrics of hosts or sums of them", text)
    parsed.header |= {"started": utc(started)} if utc(started) else {}
    parsed.series = columns(rows)
    return parsed


def _header(root: Element) -> Row:
    header: Row = {"tool": root.attributes.get("SOURCE") or "ganglia"}
    return header | ({"tool_version": root.attributes["VERSION"]} if "VERSION" in root.attributes else {})


def _started(root: Element) -> float:
    return next((_local_time(element) for element in root.all() if "LOCALTIME" in element.attributes), math.nan)


def _local_time(element: Element) -> float:
    return _number(element.attributes.get("LOCALTIME", ""))


def _number(text: str) -> float:
    try:
        return reading(text)
    except ValueError:
        return math.nan


def _below(element: Element, place: _Place, started: float, parsed: Parsed) -> Iterator[Row]:
    """Yield the rows of everything inside an element."""
    for child in element.children:
        name = child.attributes.get("NAME", "")
        if child.tag in ("GRID", "CLUSTER"):
            own = replace(place, keys=place.keys | {child.tag.lower(): name})
            yield from _attributes(child, replace(own, now=_local_time(child)), started)
            now = place.now if place.now == place.now else _local_time(child)
            yield from _below(child, replace(own, now=now), started, parsed)
        elif child.tag == "HOST":
            own = replace(place, keys=place.keys | {"host": name})
            yield from _attributes(child, own, started)
            yield from _below(child, own, started, parsed)
        elif child.tag == "HOSTS":
            yield from _attributes(child, place, started)
        elif child.tag in ("METRIC", "METRICS"):
            yield from _metric(child, name, place, started, parsed)


_ATTRIBUTES = {"LOCALTIME": "s", "REPORTED": "s", "HOSTS UP": "", "HOSTS DOWN": ""}
"""Attributes that are metrics of their own, with their unit."""


def _attributes(element: Element, place: _Place, started: float) -> Iterator[Row]:
    for metric, unit in _ATTRIBUTES.items():
        tag, _, name = metric.rpartition(" ")
        value = _number(element.attributes.get(name, "")) if not tag or tag == element.tag else math.nan
        if math.isfinite(value):
            keys: Row = {"operation": "", "metric": metric, "unit": unit, "value": value, "statistic": "single"}
            yield _row(keys, element, place, place.now - started)


def _metric(element: Element, name: str, place: _Place, started: float, parsed: Parsed) -> Iterator[Row]:
    is_sum = element.tag == "METRICS"
    text = element.attributes.get("SUM" if is_sum else "VAL", "")
    unit = element.attributes.get("UNITS", "")
    if "\ufffd" in name + text + (unit if metrics.is_known(name) else ""):
        parsed.incomplete(f"bytes of {name} are no text", element.line)
        return
    age = _number(element.attributes.get("TN", "0"))
    row = _row({"statistic": "sum" if is_sum else "single"}, element, place, place.now - age - started)
    if is_sum:
        row["samples"] = _number(element.attributes.get("NUM", ""))
    if element.attributes.get("TYPE") == "string":
        yield row | {"operation": "", "metric": name, "label": text}
        return
    value = _number(text)
    if math.isfinite(value):
        keys, variable, factor = metrics.reading(name, unit)
        yield row | keys | {variable: value * factor}
    elif text.strip().lower().lstrip("+-") in ("nan", "inf"):
        parsed.note(f"{name} is {text}: left out", element.line)
    else:
        parsed.incomplete(f"{name} is no number", element.line)


def _row(row: Row, element: Element, place: _Place, time: float) -> Row:
    return place.keys | row | ({"time": time} if math.isfinite(time) else {}) | {"line": element.line}
