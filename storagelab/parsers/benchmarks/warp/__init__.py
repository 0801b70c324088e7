"""warp: MinIO's benchmark of object stores, its reports of ``warp analyze`` and of the benchmarks themselves.

A row of `runs` a report: ``put``, ``get``, ``delete`` and ``stat`` of objects, and ``mixed_workload`` for the total of
a mix. `throughput` and `operation_rate` are averages over the run; `throughput_min` and `throughput_max` are of its
slowest and fastest segment. Latencies are those of requests, `first_byte_latency` the time to their first byte. What
a report says of single hosts is a row of `samples` a `server`, and what it says of a range of sizes of objects one
with the range in `label`: rates of single requests there. The rate that 90% or 99% of these reach has a row of its own
("1MiB -> 10MiB, 90%"), and so have the first and the last of the requests of each object ("first access"). Machines
that run warp are rows of `clients`. A mix on several hosts that is analysed in detail has rates of hosts alone, and
its reports have latencies and no rate; some versions count the operations of a mix and have no rates of them. Segments
are slow or fast by their bytes: `operation_rate_min` and `operation_rate_max` are the lower and the higher rate of
both. JSON is read by `document`. Versions before 0.3 print MB/s and mean MiB/s.
"""

from __future__ import annotations

import re

from storagelab.parsers.benchmarks.warp import document
from storagelab.parsers.benchmarks.warp.consistency import judge
from storagelab.parsers.benchmarks.warp.report import LONGEST, Reader, is_heading
from storagelab.parsers.benchmarks.warp.values import OPERATIONS
from storagelab.parsers.declared_checks import Checks, Line, words
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.text import without_prefix

CHECKS = Checks(
    together=(
        (
            Line("Report: ", r"(?m:^[ \t]*)(?:Report|Operation): (?!\w+ - total: )"),
            Line("* Average:", r"(?m:^[ \t]*)\* (?:(?:Average|Throughput): )?[0-9.]+ (?:[KMGT]i?B|obj)/s"),
        ),
        (
            Line("Throughput, split into", r", split into", ", split into"),
            *words("* Fastest:", "* 50% Median:", "* Slowest:"),
        ),
    ),
)

FORMAT = Format(
    name="warp",
    tool="warp",
    versions="0.1 to 1.3",
    reads="reports on the console, of benchmarks and of warp analyze; JSON",
    source="minio/warp cli/analyze.go (printAnalysis), pkg/aggregate (String)",
    marks=("obj", "warp", "measure", "commandline"),
    forms=(("Report: ", "Operation: ", "warp: <ERROR>"), ('"commandline":', '"total_requests":', f"{document.MARK}:")),
    checks=CHECKS,
)


_WITHOUT_VALUE = re.compile(r"(?:\d%|\dth|Avg|Fastest|Slowest|Best|Median|Worst|StdDev):\s*$")
"""A line that was cut behind the name of its next value."""


def sniff(head: str) -> bool:
    """Whether a report with rates in objects a second, or warp's error, stands here."""
    if document.MARK in head or ('"commandline"' in head and '"total_requests"' in head):
        return True
    headings = ("Report: ", "Operation: ", "Throughput by host:", "Throughput, split into ")
    named = any(heading in head for heading in headings)
    rated = any(mark in head for mark in ("obj/s", "\nRequests considered: "))
    return (rated and named) or "warp: <ERROR>" in head


def parse(text: str) -> Parsed:
    """Read every report.

    Raises
    ------
    ParseError
        If there is neither a report nor an error of warp.
    """
    parsed = Parsed({"tool": "warp", "statistic": "single"})
    if document.MARK in text:
        parsed.runs = document.read(text, parsed, OPERATIONS)
        if not parsed.runs:
            raise refusal("an operation of warp with its throughput", text)
        return parsed
    reader = Reader(parsed)
    *lines, rest = without_prefix(text.split("\n"))
    for at, line in enumerate(lines, start=1):
        if "\ufffd" in line or len(line) > LONGEST or _WITHOUT_VALUE.search(line):
            parsed.incomplete("the line is damaged", at)
        if len(line) <= LONGEST:
            reader.take(line, at)
    parsed.cut_line(rest, len(lines) + 1)
    ends = 1 + text.rstrip().count("\n")
    if is_heading("".join(lines[ends - 1 : ends])):
        parsed.incomplete("the report ends with a heading", ends)
    judge(parsed, reader, text)
    return parsed
