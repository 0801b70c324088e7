"""dbench and tbench: a mixed load of many operations, its throughput and the latencies of each.

A row of ``mixed_workload`` for the run, one for each operation of the load with its name in `label`, and a sample of
`series` a second, those before the measurement with `phase` "warmup". MB are 10^6 bytes: the source multiplies bytes by
1.0e-6. A sample's throughput is the mean since the start of the measurement.
"""

from __future__ import annotations

import re

from storagelab.errors import ParseError
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.placed import on
from storagelab.parsers.text import printf_number as number
from storagelab.units import MB

FORMAT = Format(
    name="dbench",
    tool="dbench",
    versions="2 to 4",
    reads="dbench and tbench: progress, table of operations, result",
    source="dbench.c (sig_alarm, show_one_latency, main)",
    marks=("dbench", "tbench", "warmup", "execute", "cleanup", "Throughput clients", "Throughput procs"),
    opens=(
        "dbench version ",
        "AvgLat    MaxLat",
        *(f"Throughput {digit}" for digit in range(10)),
    ),
)

_NUMBER = r"\d+(?:[.,]\d+)?"
_VERSION = re.compile(r"\b[dt]bench version (\S+)")
_SAMPLE = re.compile(
    rf"\s*(?P<processes>\d+)\s+(?P<operations>\d+)\s+(?P<rate>{_NUMBER}) MB/sec  (?P<phase>warmup|execute|cleanup)"
    rf"\s+(?P<time>{_NUMBER}) sec(?:\s+latency (?P<latency>{_NUMBER}) ms)?"
)
_OLD_SAMPLE = re.compile(rf"\s*\d+\s+\d+\s+{_NUMBER} MB/sec\s*$")
"""Version 2 does not say when; its samples are left alone."""
_OPERATION = re.compile(rf"\s*(?P<label>[A-Za-z]\w*)\s+(?P<count>\d+)\s+(?P<mean>{_NUMBER})\s+(?P<max>{_NUMBER})\s*$")
_RESULT = re.compile(rf"\s*Throughput (?P<rate>{_NUMBER}) MB/sec(?P<more>.*)")
_PROCESSES = re.compile(r"(?<!\d)(\d+) (?:clients|procs)")
_LATENCY = re.compile(rf"max_latency=({_NUMBER}) ms")
_HEADING = ["Operation", "Count", "AvgLat", "MaxLat"]
_MODE = re.compile(r"\((sync open|sync dirs)\)")


def sniff(head: str) -> bool:
    """Whether dbench names itself, or its progress or result stands here."""
    return ("bench version " in head and bool(_VERSION.search(head))) or (" MB/sec" in head and _progress(head))


def _progress(head: str) -> bool:
    lines = [line for line in head.split("\n") if " MB/sec" in line]
    return any(_SAMPLE.match(line) or (_RESULT.match(line) and _PROCESSES.search(line)) for line in lines)


def parse(text: str) -> Parsed:
    """Read the result, the table of operations and the progress.

    Raises
    ------
    ParseError
        If the log holds nothing of dbench.
    """
    parsed = Parsed({"tool": "dbench", "statistic": "single"})
    samples: list[Row] = []
    operations: list[Row] = []
    *lines, rest = text.split("\n")
    in_table = False
    for at, line in enumerate(lines, start=1):
        if found := _SAMPLE.match(line):
            samples.append(_sample(found, at))
        elif found := _RESULT.match(line):
            parsed.runs.append(_result(found, at))
            parsed.runs += [{**operation, **_shared(parsed.runs[-1])} for operation in operations]
            operations = []
        elif in_table and (found := _OPERATION.match(line)):
            operations.append(_operation(found, at))
        elif found := _VERSION.search(line):
            parsed.header |= {"tool": found[0].split()[0], "tool_version": found[1]}
        elif line.split() == _HEADING:
            in_table = True
        elif not line.strip():
            in_table = False
        elif ("MB/sec" in line and not _OLD_SAMPLE.match(line)) or (in_table and "---" not in line):
            parsed.incomplete(f"expected progress, an operation or a result, found {line.strip()[:80]!r}", at)
    parsed.runs += operations
    parsed.series = columns(samples) if samples else {}
    _judge(parsed, rest, len(lines) + 1, text)
    return parsed


def _sample(found: re.Match[str], at: int) -> Row:
    row: Row = {
        "time": number(found["time"]),
        "operation": "mixed_workload",
        "phase": found["phase"],
        "throughput": number(found["rate"]) * MB,
        "operations": float(found["operations"]),
        "line": at,
    }
    return row | ({"latency_max": number(found["latency"]) / 1000} if found["latency"] else {})


def _result(found: re.Match[str], at: int) -> Row:
    row: Row = {"operation": "mixed_workload", "throughput": number(found["rate"]) * MB, "line": at}
    if processes := _PROCESSES.findall(found["more"]):
        row["processes"] = float(processes[-1])
    if latency := _LATENCY.search(found["more"]):
        row["latency_max"] = number(latency[1]) / 1000
    if mode := _MODE.search(found["more"]):
        row["operation_group"] = mode[1]
    return row


def _shared(result: Row) -> Row:
    shared: Row = {name: result[name] for name in ("processes", "operation_group") if name in result}
    return on(int(result["line"]), shared)


def _operation(found: re.Match[str], at: int) -> Row:
    return {
        "operation": "mixed_workload",
        "label": found["label"],
        "operations": float(found["count"]),
        "latency": number(found["mean"]) / 1000,
        "latency_max": number(found["max"]) / 1000,
        "line": at,
    }


def _judge(parsed: Parsed, rest: str, at: int, text: str) -> None:
    if rest.strip():
        parsed.incomplete("the last line has no end and is not trusted", at)
    if not any("throughput" in row for row in parsed.runs):
        if parsed.is_empty() and not sniff(text):
            raise ParseError("a line 'Throughput ... MB/sec'", text[:80], 1)
        parsed.incomplete("there is no line 'Throughput ... MB/sec': dbench did not end")
