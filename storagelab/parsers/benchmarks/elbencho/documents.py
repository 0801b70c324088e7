"""elbencho's JSON: one object a line and phase."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from storagelab.parsers.benchmarks.elbencho import phases, tables
from storagelab.parsers.json_text import objects
from storagelab.parsers.model import Parsed
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


def read(text: str, parsed: Parsed) -> None:
    """Read every object that is a phase."""
    at, seen = 1, 0
    for found in objects(text):
        at, seen = at + text.count("\n", seen, found.start), found.start
        body = found.body
        kind = phases.operation(str(body.get("phase_type")))
        if not found.whole:
            parsed.incomplete("the JSON breaks off", at)
        elif "phase_type" not in body or any(
            "\ufffd" in name for part in ("first_done", "last_done", "config") for name in body.get(part, ())
        ):
            parsed.incomplete("a name is missing or damaged", at)
        elif kind:
            try:
                figures = _figures(body["first_done"], body["last_done"])
                row = phases.row(kind, figures) | tables.keys(_cells(body)) | {"line": at}
            except (KeyError, TypeError, ValueError) as error:
                parsed.incomplete(f"expected the figures of a phase, found {error}", at)
                continue
            parsed.runs.append(row | _latencies(kind, body))
            parsed.header |= {"tool_version": body["config"]["version"]} if "version" in body["config"] else {}


def _figures(first: Mapping[str, str], last: Mapping[str, str]) -> dict[str, tuple[float | None, float | None]]:
    return {
        figure: (float(first[name]) * unit if name in first else None, float(last[name]) * unit)
        for name, (figure, unit) in _FIGURES.items()
        if name in last
    }


def _cells(body: Mapping[str, Any]) -> dict[str, str]:
    """The configuration under the names of the CSV."""
    config = {_CONFIG.get(name, name): str(value) for name, value in body["config"].items()}
    return config | {"ISO date": body.get("iso_start_date", ""), "label": body.get("label", "")}


def _latencies(kind: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for title, of_files in (("entries_latency", True), ("iops_latency", False)):
        values = body.get(title, {})
        named = {which: float(values[f"{which}_us"]) for which in ("min", "avg", "max") if f"{which}_us" in values}
        found |= phases.latencies(dict(kind), of_files, named)
    return found
