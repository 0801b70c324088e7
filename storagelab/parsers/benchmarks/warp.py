"""warp: MinIO's benchmark of object stores, its reports of ``warp analyze`` and of the benchmarks themselves.

A row of `runs` a report: ``put``, ``get``, ``delete`` and ``stat`` of objects, and ``mixed_workload`` for the total
of a mix. `throughput` and `operation_rate` are averages over the run; `throughput_min` and `throughput_max` are of
its slowest and fastest segment. Latencies are those of requests, `first_byte_latency` the time to their first byte.
"""

from __future__ import annotations

import re

from storagelab.errors import ParseError
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import number, without_prefix
from storagelab.units import GIB, KIB, MIB, TIB

FORMAT = Format(
    name="warp",
    tool="warp",
    versions="0.4 to 1.3",
    reads="reports on the console, of benchmarks and of warp analyze",
    source="minio/warp cli/analyze.go (printAnalysis), pkg/aggregate (String)",
    marks=("obj", "warp"),
)

OPERATIONS = {
    "PUT": "put",
    "GET": "get",
    "DELETE": "delete",
    "STAT": "stat",
    "LIST": "list",
    "Total": "mixed_workload",
    "MIXED": "mixed_workload",
    "Mixed": "mixed_workload",
}
_NUMBER = r"\d+(?:[.,]\d+)?"
_REPORT = re.compile(r"\s*(?:Report|Operation): (\w+)")
_DETAILS = (
    ("processes", re.compile(r"Concurrency: (\d+)"), 1.0),
    ("nodes", re.compile(r"Hosts: (\d+)"), 1.0),
    ("file_size", re.compile(r"Size: (\d+)"), 1.0),
    ("operations", re.compile(r"\((\d+) reqs\)"), 1.0),
    ("read_share", re.compile(r", (\d+)%"), 0.01),
)
_RAN = re.compile(r"Ran(?: Duration)?: (?:(\d+)h)?(?:(\d+)m)?(?:([\d.]+)s)?")
_RATES = re.compile(rf"(?:({_NUMBER}) ?([KMGT]?i?B)/s)?(?:, )?(?:({_NUMBER}) obj/s)?")
_SEGMENT = re.compile(r"\s*\* (Average|Throughput|Fastest|Slowest|50% Median): (.*)")
_TIME = re.compile(rf"(Avg|50%|90%|99%|Fastest|Slowest|Best|Worst|StdDev|Median|90th|99th): ({_NUMBER})(µs|us|ms|s)")
_ERROR = re.compile(r"<ERROR>|\* Errors: ")
_BYTES = {"B": 1.0, "KiB": KIB, "MiB": MIB, "GiB": GIB, "TiB": TIB, "KB": 1e3, "MB": 1e6, "GB": 1e9}
_SECONDS = {"µs": 1e6, "us": 1e6, "ms": 1e3, "s": 1.0}
_SEGMENTS = {"Average": "", "Throughput": "", "Fastest": "_max", "Slowest": "_min"}
_LATENCIES = {
    "Avg": "latency",
    "50%": "latency_p50",
    "90%": "latency_p90",
    "99%": "latency_p99",
    "Fastest": "latency_min",
    "Slowest": "latency_max",
    "StdDev": "latency_std",
}
_FIRST_BYTE = {"Avg": "first_byte_latency", "Best": "first_byte_latency_min", "Worst": "first_byte_latency_max"}


def sniff(head: str) -> bool:
    """Whether a report with an average in objects a second, or warp's error, stands here."""
    return ("obj/s" in head and ("Report: " in head or "Operation: " in head)) or "warp: <ERROR>" in head


def parse(text: str) -> Parsed:
    """Read every report.

    Raises
    ------
    ParseError
        If there is neither a report nor an error of warp.
    """
    parsed = Parsed({"tool": "warp", "statistic": "single"})
    rows: list[Row] = []
    *lines, rest = without_prefix(text.split("\n"))
    for at, line in enumerate(lines, start=1):
        if "\ufffd" in line:
            parsed.incomplete("the line is damaged", at)
        if report := _REPORT.match(line):
            rows.append(_report(report[1], line, at, parsed))
        elif _ERROR.search(line):
            parsed.incomplete(line.strip(), at)
        elif rows and line.lstrip().startswith("* "):
            _take(rows[-1], line, at)
    if rest.strip():
        parsed.incomplete("the last line has no end and is not trusted", len(lines) + 1)
    _judge(parsed, rows, text)
    return parsed


def _report(word: str, line: str, at: int, parsed: Parsed) -> Row:
    if word not in OPERATIONS:
        parsed.incomplete(f"expected an operation ({', '.join(OPERATIONS)}), found {word!r}", at)
    row: Row = {"operation": OPERATIONS.get(word, ""), "line": at}
    return row | _details(line)


def _details(line: str) -> Row:
    row: Row = {name: float(found[1]) * unit for name, pattern, unit in _DETAILS if (found := pattern.search(line))}
    if ran := _RAN.search(line):
        hours, minutes, seconds = (float(part or 0) for part in ran.groups())
        row["elapsed"] = 3600 * hours + 60 * minutes + seconds
    return row


def _take(row: Row, line: str, at: int) -> None:
    """Take one starred line of a report."""
    if segment := _SEGMENT.match(line):
        if segment[1] in _SEGMENTS and _rates(row, segment[2], _SEGMENTS[segment[1]]) and not _SEGMENTS[segment[1]]:
            row["line"] = at
    elif "Reqs:" in line or ("First Access:" not in line and "TTFB:" in line):
        names = _FIRST_BYTE if "TTFB:" in line else _LATENCIES
        for which, value, unit in _TIME.findall(line):
            if which in names:
                row.setdefault(names[which], number(value) / _SECONDS[unit])
    else:
        row |= _details(line)


def _rates(row: Row, printed: str, suffix: str) -> bool:
    found = _RATES.match(printed)
    if found and found[1]:
        row[f"throughput{suffix}"] = number(found[1]) * _BYTES[found[2]]
    if found and found[3]:
        row[f"operation_rate{suffix}"] = number(found[3])
    return bool(found and (found[1] or found[3]))


def _judge(parsed: Parsed, rows: list[Row], text: str) -> None:
    parsed.runs = [row for row in rows if row["operation"] and ("throughput" in row or "operation_rate" in row)]
    for row in rows:
        if "operation_rate" not in row:
            parsed.incomplete("the report has no average", int(row["line"]))
        elif "operation_rate_min" not in row:
            parsed.incomplete("the report has no slowest segment", int(row["line"]))
    if not rows and parsed.complete:
        raise ParseError("a report of warp ('Report: GET ...')", text[:80], 1)
