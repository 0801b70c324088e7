"""elbencho's JSON: one object a line and phase."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from storagelab.parsers.benchmarks.elbencho import phases, tables
from storagelab.parsers.benchmarks.elbencho.expected_phases import Asked
from storagelab.parsers.json_text import mapping, objects, quantity
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import line_at
from storagelab.units import MIB

_FIGURES = {
    "elapsed_time_ms": ("elapsed", 1.0),
    "iops": ("iops", 1.0),
    "entries/s": ("entries/s", 1.0),
    "bytes/s": ("MiB/s", 1 / MIB),
    "bytes": ("MiB", 1 / MIB),
    "entries": ("entries", 1.0),
    "cpu%": ("cpu", 1.0),
}
_CONFIG = {"file_size": "file size", "block_size": "block size", "io_depth": "IO depth", "random_offsets": "random"}
_WHICH = ("min", "avg", "max")


def read(text: str, parsed: Parsed) -> None:
    """Read every object that is a phase."""
    seen, asked = 0, Asked()
    for found in objects(text):
        at, seen, body = found.line, found.start, found.body
        kind = phases.operation(str(body.get("phase_type")))
        parts = [mapping(body.get(name)) for name in ("config", "first_done", "last_done")]
        if not found.whole:
            parsed.incomplete("the JSON breaks off", at)
        elif "phase_type" not in body or any("\ufffd" in name for part in parts for name in part):
            parsed.incomplete("a name is missing or damaged", at)
        elif kind:
            asked.phase(str(parts[0].get("command", "")), str(kind["operation"]), at)
            _take(kind, body, at, parsed)
    asked.say_what_lacks(parsed)
    _judge_end(text, seen, parsed)


def _judge_end(text: str, seen: int, parsed: Parsed) -> None:
    """Mark a log whose last document breaks off: before its first value is whole, or without the newline behind it."""
    last = text.rstrip().rfind("\n") + 1
    if text.startswith("{", last) and (seen < last or not text.endswith("\n")):
        parsed.incomplete("the JSON breaks off", line_at(text, last))


def _take(kind: Row, body: Mapping[str, Any], at: int, parsed: Parsed) -> None:
    """Take a phase: one operation, or the writes and the reads of a mix."""
    config, first, last = (mapping(body.get(name)) for name in ("config", "first_done", "last_done"))
    latency = mapping(last.get("latency"))
    try:
        shared = tables.keys(_cells(config, body)) | {"line": at}
        reads = mapping(last.get("rwmix_read"))
        rows = [_row(phases.half(kind, "write") if reads else kind, (first, last), latency)]
        if reads:
            early = {"elapsed_time_ms": first.get("elapsed_time_ms"), **mapping(first.get("rwmix_read"))}
            late = {"elapsed_time_ms": last.get("elapsed_time_ms"), **reads}
            of_reads = {name: mapping(mapping(part).get("rwmix_read")) for name, part in latency.items()}
            rows.append(_row(phases.half(kind, "read"), (early, late), of_reads))
    except (ValueError, OverflowError) as error:
        parsed.incomplete(f"expected the figures of a phase, found {error}", at)
        return
    if "elapsed" not in rows[0]:
        parsed.incomplete("expected the figures of a phase, found no elapsed time", at)
        return
    parsed.runs += [row | shared for row in rows]
    parsed.header |= {"tool_version": str(config["version"])} if "version" in config else {}


def _row(kind: Row, done: tuple[Mapping[str, Any], Mapping[str, Any]], latency: Mapping[str, Any]) -> Row:
    """Make a row from what was counted when the first and the last worker were done."""
    first, last = done
    figures = {
        figure: (_scaled(first, name, unit), _scaled(last, name, unit)) for name, (figure, unit) in _FIGURES.items()
    }
    row = phases.row(kind, figures)
    for name, of_files in (("entries", True), ("IO", False)):
        of_one = mapping(latency.get(name))
        row |= phases.latencies(kind, of_files, {which: quantity(of_one, f"{which}_us") for which in _WHICH})
    return row


def _scaled(done: Mapping[str, Any], name: str, unit: float) -> float | None:
    value = quantity(done, name)
    return None if value is None else value * unit


def _cells(config: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, str]:
    """The configuration under the names of the CSV."""
    cells = {_CONFIG.get(name, name): str(value) for name, value in config.items()}
    return cells | {"ISO date": str(body.get("iso_start_date", "")), "label": str(body.get("label", ""))}
