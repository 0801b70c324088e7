"""The JSON of ``ip -s -j link``: a list of interfaces, each with ``stats64`` (or ``stats``) of ``rx`` and ``tx``.

One line, or indented with ``-p``. A list that is cut keeps the interfaces that are whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from storagelab.parsers.json_text import quantity
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.snapshot import DIRECTIONS, rows_of, setting
from storagelab.parsers.text import line_at, without_prefix

_COUNTS = "info_xstats"
_BYTES = re.compile(r'"bytes"\s*:\s*\d')


def read(text: str, parsed: Parsed) -> list[Row]:
    """Rows of every whole interface; a list without its end is said to be cut."""
    if not text.lstrip().startswith(("[", "{")):
        text = "\n".join(without_prefix(text.split("\n")))
    return [row for start, end, interface in _objects(text, parsed) for row in _interface(text, start, end, interface)]


def _objects(text: str, parsed: Parsed) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Every whole object of the lists, and from where to where it stands."""
    decoder = json.JSONDecoder()
    start, end = text.find("{"), 0
    while start >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            parsed.incomplete("an interface is cut, or is no JSON", line_at(text, start))
            return
        yield start, end, found
        start = text.find("{", end)
    if "]" not in text[end:]:
        parsed.incomplete("the list of interfaces has no end", text.count("\n") + 1)


def _interface(text: str, start: int, end: int, interface: dict[str, Any]) -> Iterator[Row]:
    """Rows of an interface, each with the line where its ``"bytes"`` stands."""
    stats = interface.get("stats64", interface.get("stats"))
    if not isinstance(stats, dict):
        return
    for name in ("mtu", "txqlen"):
        if (value := quantity(interface, name)) is not None:
            yield setting(str(interface.get("ifname", "")), name, value, line_at(text, start))
    yield from _of_controller(text, start, interface)
    places = [match.start() for match in _BYTES.finditer(text, start, end)]
    for side, counted in stats.items():
        if side.upper() in DIRECTIONS and isinstance(counted, dict):
            place = places.pop(0) if places and "bytes" in counted else start
            at = line_at(text, place)
            values = {name: value for name in counted if (value := quantity(counted, name)) is not None}
            yield from rows_of(str(interface.get("ifname", "")), side.upper(), "", values, at)


def _of_controller(text: str, start: int, interface: dict[str, Any]) -> Iterator[Row]:
    """Rows of what the kind of an interface counts beside, as the controller of a CAN bus does with ``-details``."""
    info = interface.get("linkinfo")
    counts = info.get(_COUNTS) if isinstance(info, dict) else None
    if isinstance(counts, dict):
        place = max(text.find(f'"{_COUNTS}"', start), start)
        for name in counts:
            if (value := quantity(counts, name)) is not None:
                at = line_at(text, max(text.find(f'"{name}"', place), start))
                yield setting(str(interface.get("ifname", "")), name, value, at)
