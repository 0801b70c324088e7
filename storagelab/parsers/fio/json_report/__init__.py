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

from storagelab.errors import ParseError
from storagelab.parsers.declared_checks import Agreement, Checks, Line, json_keys
from storagelab.parsers.fast_path import Ordinary
from storagelab.parsers.fio.json_report.documents import MARK, Document, find
from storagelab.parsers.fio.json_report.reader import HEADER, read_document
from storagelab.parsers.fio.json_report.repeated_layouts import Layouts
from storagelab.parsers.json_text import LineNumbers
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.text import line_at

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
    parsed = Parsed(dict(HEADER))
    for document in {(id(one.text), one.repaired, one.lost): one for one in documents}.values():
        _report_damage(document, parsed)
    numbers = {id(document.text): LineNumbers(document.text) for document in documents}
    lines = [numbers[id(document.text)].of(document.start) for document in documents]
    for part, (document, line) in enumerate(zip(documents, lines, strict=True), 1):
        read_document(document, line, parsed, part if len(documents) > 1 else 0)
    begun = any(not one.whole and "fio version" in one.body for one in documents)
    if not (parsed.runs or parsed.clients or begun):
        raise ParseError("a job that did I/O or failed", "none that is whole", lines[0])
    if (at := text.find(_SIGNAL)) >= 0:
        parsed.incomplete(text[at:].partition("\n")[0].strip(), line_at(text, at))
    return parsed


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


_LAYOUTS = Layouts(512)
ORDINARY = Ordinary(MARK, _LAYOUTS.read, _LAYOUTS.learn)
