"""The rows of one document of fio: what holds for its run, and its jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from storagelab.parsers.fio.json_report import options as job_options
from storagelab.parsers.fio.json_report.documents import Document
from storagelab.parsers.fio.json_report.entries import read_entry, set_times
from storagelab.parsers.fio.json_report.known_layout import KnownLines
from storagelab.parsers.fio.json_report.lines import Lines
from storagelab.parsers.fio.json_report.runs import add_rows
from storagelab.parsers.fio.json_report.variables import plain
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import ctime, utc
from storagelab.units import MILLISECOND

HEADER: Row = {"tool": "fio", "statistic": "single"}


def read_document(document: Document, line: int, parsed: Parsed, part: int, known: KnownLines | None = None) -> None:
    """Add the rows of a document, a part of the log where that is not 0; `known` says where its values stand."""
    body = document.body
    lines = known or Lines(document.text, document.start, line)
    if not document.whole:
        parsed.incomplete("the JSON that begins here breaks off or is broken; only what is whole is kept", line)
    options = body.get("global options")
    shared = options if isinstance(options, dict) else {}
    of_shared = lines.of_keys("global options", shared, job_options.STATED_BY) if shared else {}
    bodies = body["jobs"] if isinstance(body.get("jobs"), list) else body["client_stats"]
    named = [entry for entry in bodies if isinstance(entry, dict) and "jobname" in entry]
    entries = []
    for number, own in enumerate(named):
        lines.enter(number)
        entries.append(read_entry(own, shared, lines, of_shared))
    for entry in entries:
        if entry.error:
            parsed.incomplete(f"job {entry.job!r} failed with error {entry.error}", entry.error_line)
    certain = document.whole and not document.lost and "\ufffd" not in document.text
    set_times(entries, plain(body, "timestamp_ms") * MILLISECOND, certain)
    _add_header(body, parsed, part)
    if entries and entries[0].options:
        parsed.header.setdefault("options", job_options.written(entries[0].options))
    add_rows(parsed, entries, certain, {"part": float(part)} if part else {})


def _add_header(body: Mapping[str, Any], parsed: Parsed, part: int) -> None:
    """Put into the header what all documents of the log have in common."""
    own = _header(body)
    if part > 1:
        own = {name: value for name, value in own.items() if parsed.header.get(name) == value}
        parsed.header = {name: value for name, value in parsed.header.items() if name in own or name in HEADER}
    else:
        parsed.header |= own


def _header(body: Mapping[str, Any]) -> Row:
    row: Row = {"tool_version": str(body.get("fio version", "")).removeprefix("fio-")}
    seconds = plain(body, "timestamp")
    ended = utc(seconds) if seconds else ctime(str(body.get("time", "")))
    return {**row, "ended": ended} if ended else row
