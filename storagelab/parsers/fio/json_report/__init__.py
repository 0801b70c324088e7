"""fio's JSON and JSON+ output, versions 2.0 to 3.4x, of jobs run locally or on fio servers.

Documented in fio's HOWTO ("JSON output") and printed by its stat.c and client.c. One document is an object with
``fio version`` and either ``jobs`` or ``client_stats``, an entry a process or a group of processes, with an object for
each data direction; ``disk_util`` and the histograms of JSON+ are not read.

The operation is the data direction; how it was accessed is `access_pattern`. A direction without I/O has no row.
Latencies of each I/O priority (``prios``), and of ``lat`` and ``slat`` where they have percentiles, are rows with a
`label`.

Times: newer fio prints ``job_start`` for each job, which is exact. Without it, jobs of one group without start delay
are taken to start together and the longest of them to end at ``timestamp_ms``, when the output was printed; that is up
to some 0.3 s after the last I/O. Where jobs ran one after another, or no milliseconds are printed, there are no times.

Traps: job names say nothing about the direction; options are text and may repeat; messages of fio lie around and,
through stderr, inside the JSON; "All clients" adds up all jobs. A document that breaks off gives its whole entries
and, of the entry in which it does, the whole directions: as rows of `clients`, for nothing says that a job's last
process was among them, unless ``numjobs`` does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from storagelab.errors import ParseError
from storagelab.parsers.checks import Agreement, Checks, Line, json_keys
from storagelab.parsers.fio.json_report import options as job_options
from storagelab.parsers.fio.json_report.documents import MARK, Document, find
from storagelab.parsers.fio.json_report.entries import read_entry, set_times
from storagelab.parsers.fio.json_report.known_layout import KnownLines
from storagelab.parsers.fio.json_report.lines import Lines
from storagelab.parsers.fio.json_report.runs import add_rows
from storagelab.parsers.fio.json_report.variables import plain
from storagelab.parsers.json_text import LineNumbers
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.one_step import Found, Ordinary
from storagelab.parsers.text import ctime, line_at
from storagelab.units import MILLISECOND

_FIO_DIRECTION = ("io_bytes", "bw_min", "bw_max", "bw_agg", "bw_dev")
_LIST, _NEXT = r"(?!\s*\[)", r"(?!\s*[\d.]+,\s*"
_NOT_OF_A_STEADY_STATE = {
    name: Line(f'"{name}"', rf'"{name}"\s*:{other}', f'"{name}"', "literal")
    for name, other in (
        ("bw", _LIST),
        ("iops", _LIST),
        ("bw_mean", rf'{_NEXT}"iops_mean")'),
        ("iops_mean", rf'{_NEXT}"iops"\s*:\s*\[)'),
    )
}
"""Keys that are there once more, behind what a steady state was judged by."""

_FIO_JOB = ("groupid", "usr_cpu", "sys_cpu", "ctx", "majf", "minf", "iodepth_level", "latency_us", "latency_ms")

_LATENCY_BEFORE_COMPLETION = Line(
    '"slat_ns"', r'"slat_ns"\s*:|"prio(?:hint)?"\s*:\s*-?\d{1,9}\s*,\s*"clat_ns"\s*:', '"slat_ns"'
)
"""The latency of submission stands once for each of completion, but for those of single priorities."""

CHECKS = Checks(
    together=(
        (*json_keys(*_FIO_DIRECTION), *map(_NOT_OF_A_STEADY_STATE.__getitem__, ("bw", "iops", "bw_mean"))),
        json_keys(*_FIO_JOB),
        json_keys("min", "max", "mean", "stddev"),
        (
            *json_keys("slat_ns", "bw_samples", "iops_min", "iops_max", "iops_stddev"),
            _NOT_OF_A_STEADY_STATE["iops_mean"],
        ),
        (_LATENCY_BEFORE_COMPLETION, *json_keys("clat_ns")),
    ),
    rates=Agreement(0.1),
    broken_json=True,
    numbers_aside=("issued rwts: total=", r"^\d;fio-\d"),  # what `--output-format=json,normal,terse` says again
)

FORMAT = Format(
    "fio-json",
    "fio",
    "2.0 to 3.4x",
    "jobs, their processes, client/server runs",
    "fio HOWTO, JSON output",
    marks=("fio",),
    opens=('"fio version"',),
    repeats=("fio-text", "fio-terse"),
    checks=CHECKS,
)

_HEADER: Row = {"tool": "fio", "statistic": "single"}
_DAMAGED_KEY = re.compile(r'"[^"\n\ufffd]*\ufffd[^"\n]*"\s*:')
_SIGNAL = "fio: terminating on signal"


def sniff(head: str) -> bool:
    """Whether a document of fio begins here."""
    return '"' in head and MARK in head


def parse(text: str) -> Parsed:
    """Read every document of a log.

    Raises
    ------
    ParseError
        If there is no document, or in whole ones no job.
    """
    documents = find(text)
    if not documents:
        raise refusal("an object with a fio version", text)
    parsed = Parsed(dict(_HEADER))
    for document in {(id(one.text), one.repaired, one.lost): one for one in documents}.values():
        _report_damage(document, parsed)
    numbers = {id(document.text): LineNumbers(document.text) for document in documents}
    lines = [numbers[id(document.text)].of(document.start) for document in documents]
    for part, (document, line) in enumerate(zip(documents, lines, strict=True), 1):
        _read(document, line, parsed, part if len(documents) > 1 else 0)
    if not (parsed.runs or parsed.clients or any(map(_is_cut, documents))):
        raise ParseError("a job that did I/O or failed", "none that is whole", lines[0])
    if (at := text.find(_SIGNAL)) >= 0:
        parsed.incomplete(text[at:].partition("\n")[0].strip(), line_at(text, at))
    return parsed


def _read(document: Document, line: int, parsed: Parsed, part: int, known: KnownLines | None = None) -> None:
    body = document.body
    lines = known or Lines(document.text, document.start, line)
    _report_end(document, line, parsed)
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


def _report_damage(document: Document, parsed: Parsed) -> None:
    """Say what is wrong with the text of a document, which others may share."""
    text = document.text
    damaged = _DAMAGED_KEY.search(text) if "\ufffd" in text else None
    if damaged:
        parsed.incomplete("a key holds a byte that is not UTF-8", line_at(text, damaged.start()))
    if document.repaired:
        parsed.note(f"{document.repaired} lines that are not fio's JSON were passed over or mended")
    if document.lost:
        parsed.incomplete(f"{document.lost} lines that may have held values are unreadable or left out")


def _is_cut(document: Document) -> bool:
    """Whether a document that fio began to print breaks off."""
    return not document.whole and "fio version" in document.body


def _report_end(document: Document, line: int, parsed: Parsed) -> None:
    if not document.whole:
        parsed.incomplete("the JSON that begins here breaks off or is broken; only what is whole is kept", line)


def _add_header(body: Mapping[str, Any], parsed: Parsed, part: int) -> None:
    """Put into the header what all documents of the log have in common."""
    own = _header(body)
    if part > 1:
        own = {name: value for name, value in own.items() if parsed.header.get(name) == value}
        parsed.header = {name: value for name, value in parsed.header.items() if name in own or name in _COMMON}
    else:
        parsed.header |= own


_COMMON = tuple(_HEADER)


def _header(body: Mapping[str, Any]) -> Row:
    row: Row = {"tool_version": str(body.get("fio version", "")).removeprefix("fio-")}
    seconds = plain(body, "timestamp")
    ended = _utc(seconds) if seconds else ctime(str(body.get("time", "")))
    return {**row, "ended": ended} if ended else row


def _utc(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


class _Layouts:
    """Documents without their digits, and where values stand in each that came twice."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: dict[bytes, bool] = {}
        self._known: dict[bytes, KnownLines] = {}

    def read(self, text: str) -> Found | None:
        """Read a document by what is known of its layout; None where nothing is, or its digits change what is there."""
        lines = self._known.get(_without_digits(text))
        return _by(lines, text) if lines else None

    def learn(self, text: str, parsed: Parsed) -> None:
        """Remember the layout of a document that comes again, if reading by it gives the same."""
        layout = _without_digits(text)
        if self._seen.get(layout) and text.startswith("{\n") and text.count(MARK) == 1:
            self._seen[layout] = False
            try:
                lines = KnownLines(text, orjson.loads(text))
                found = _by(lines, text)
            except (ValueError, LookupError):
                return
            if found and _content(found.parsed) == _content(parsed):
                self._known[layout] = lines
        elif layout not in self._seen:
            if len(self._seen) >= self._most:
                oldest = next(iter(self._seen))
                del self._seen[oldest]
                self._known.pop(oldest, None)
            self._seen[layout] = True


def _content(parsed: Parsed) -> tuple[object, ...]:
    return parsed.header, parsed.runs, parsed.clients


def _by(lines: KnownLines, text: str) -> Found | None:
    """Read a document by known lines; None where anything is wrong with it."""
    parsed = Parsed(dict(_HEADER))
    _read(Document(orjson.loads(text), text, 0), 1, parsed, 0, lines)
    return Found(parsed, "") if parsed.complete and not parsed.notes and (parsed.runs or parsed.clients) else None


def _without_digits(text: str) -> bytes:
    return text.encode().translate(None, b"0123456789")


_LAYOUTS = _Layouts(512)
ORDINARY = Ordinary(MARK, _LAYOUTS.read, _LAYOUTS.learn)
