"""What the files beside a page hold: facts.json, metrics.json and summary.json."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson
from PIL import Image

from storagelab.paper.document import Document
from storagelab.paper.published_items import Item
from storagelab.paper.sections import inline, plain

LEAD = 320
"""Characters that the index shows of an abstract."""
THUMBNAIL = 480
"""Pixels of the longer side of a thumbnail, which is shown half as large."""

_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s++(?=[A-Z])")


def facts(document: Document) -> dict[str, Any]:
    """Contents of facts.json: each fact with unit, origin, interval, how it is printed, and the lines it is from."""
    return {
        "study": document.provenance["study"],
        "dataset_sha256": document.provenance["sha256"],
        "facts": {fact["name"]: _fact(fact, document) for fact in document.facts},
    }


def _fact(fact: dict[str, Any], document: Document) -> dict[str, Any]:
    record = {name: fact[name] for name in ("value", "unit", "origin", "text")}
    if fact["interval"]:
        low, high = fact["interval"]
        record["interval"] = {"low": low, "high": high, "level": fact["level"]}
    if fact["n"] is not None:
        record["n"] = fact["n"]
    record |= fact["source"]
    used = ("fact", fact["name"]) in document.registry.used
    comes_from = {"comes_from": fact["comes_from"]} if fact["comes_from"] else {}
    return {**record, "stated_in": fact["cell"], "used": used, **comes_from, "trace": fact["trace"]}


COMPACT = "traces are places in the list of traces; a trace maps a place in the list of logs to lines"
"""What facts without repeats say of themselves."""


def without_repeats(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Write the contents of facts.json with each log and each trace once, for a page that carries them."""
    places: dict[str, int] = {}
    traces: dict[tuple[tuple[int, tuple[int, ...]], ...], int] = {}

    def placed(trace: Mapping[str, Sequence[int]]) -> int:
        key = tuple((places.setdefault(log, len(places)), tuple(lines)) for log, lines in trace.items())
        return traces.setdefault(key, len(traces))

    told = {name: {**fact, "trace": placed(fact["trace"])} for name, fact in facts["facts"].items()}
    listed = [{str(log): list(lines) for log, lines in trace} for trace in traces]
    return {**facts, "facts": told, "how_to_read": COMPACT, "logs": list(places), "traces": listed}


def summary(document: Document) -> dict[str, Any]:
    """Contents of summary.json: what the index shows."""
    provenance = document.provenance
    first = document.key_figure or next(iter(document.figures), None)
    return {
        "study": provenance["study"],
        "title": plain(document.title),
        "abstract": abstract(document),
        "authors": [author.name for author in document.front.authors],
        "origin": provenance["origin"],
        "dates": document.dates,
        "counts": counts(document),
        "notes": document.notes,
        "lead": lead(abstract(document)),
        "answers": [[plain(inline(cell)) for cell in row] for row in document.answers.rows] if document.answers else [],
        "figures": [_figure(item) for item in document.figures],
        "thumbnail": thumbnail(first) if first else "",
        "thumbnail_of": first.name if first else "",
    }


def abstract(document: Document) -> str:
    """Return the abstract in plain text, without the numbers of citations."""
    return plain(_CITATION.sub("", inline(document.abstract)))


def lead(abstract: str) -> str:
    """Return the sentences of an abstract that say enough: up to `LEAD` characters, and one at least."""
    told, *others = _BETWEEN_SENTENCES.split(abstract)
    for sentence in others:
        if len(told) + len(sentence) > LEAD:
            break
        told += f" {sentence}"
    return told


def _figure(item: Item) -> dict[str, str]:
    return {"name": item.name, "anchor": item.anchor, "caption": plain(item.caption)}


def thumbnail(item: Item) -> str:
    """Return a figure as a small PNG in base64, in few colours."""
    image = Image.open(io.BytesIO(base64.b64decode(item.data["image/png"]))).convert("RGB")
    image.thumbnail((THUMBNAIL, THUMBNAIL))
    buffer = io.BytesIO()
    image.quantize(32, dither=Image.Dither.NONE).save(buffer, "png")
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def metrics(document: Document) -> dict[str, Any]:
    """Contents of metrics.json, all of it numbers, for ``dvc metrics diff``: the facts in SI, and what was counted."""
    numbers = {fact["name"]: fact["value"] for fact in document.facts if not isinstance(fact["value"], str)}
    return {"counts": counts(document), "rows": document.provenance["rows"], "facts": numbers}


def counts(document: Document) -> dict[str, int]:
    """How many runs, measurements (rows of the node runs) and logs there are, and figures, tables and facts."""
    rows = document.provenance["rows"]
    data = {"runs": document.provenance["runs"], "measurements": rows.get("runs", 0), "logs": rows.get("logs", 0)}
    shown = {"figures": len(document.figures), "tables": len(document.tables), "facts": len(document.facts)}
    return {**data, **shown}


def as_json(content: Mapping[str, Any]) -> bytes:
    """Write JSON as the files beside a page hold it."""
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


_CITATION = re.compile(r'(?<!\s)\s*+\[<a class="citation"(?:(?!\[<a class="citation")[^\]\n]|(?!))*+\]')
FILES: Mapping[str, Callable[[Document], dict[str, Any]]]
FILES = {"facts.json": facts, "metrics.json": metrics, "summary.json": summary}
