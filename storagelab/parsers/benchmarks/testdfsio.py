"""Hadoop's TestDFSIO: blocks of results, in the log that it appends to or between the lines of a MapReduce job.

A row a block. Each map task moves one file: `throughput` is all bytes over the sum of the tasks' times, so it is that
of one task and not of the cluster; `throughput_mean` is the mean of the tasks' rates and `throughput_std` their
standard deviation, `samples` how many there were. `elapsed` is that of the whole job. "mb" are 2^20 bytes. HiBench's
version also samples what all tasks move together: the mean over time is a row with the label "aggregated".
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from storagelab.errors import ParseError
from storagelab.parsers.declared_checks import Checks, words
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.units import MIB

CHECKS = Checks(
    together=(
        words(
            *(
                "----- TestDFSIO -----",
                "Date & time:",
                "Number of files:",
                "Total MBytes processed:",
                "Throughput mb/sec:",
            ),
            *("Average IO rate mb/sec:", "IO rate std deviation:", "Test exec time sec:"),
        ),
    ),
)

FORMAT = Format(
    name="testdfsio",
    tool="TestDFSIO",
    versions="Hadoop 0.20 to 3.3, HiBench",
    reads="TestDFSIO_results.log, console output",
    source="hadoop-mapreduce-client-jobclient, org/apache/hadoop/fs/TestDFSIO.java (analyzeResult)",
    marks=("TestDFSIO",),
    opens=(
        "----- TestDFSIO -----",
        "fs.TestDFSIO: ",
    ),
    stamped=True,
    checks=CHECKS,
)

OPERATIONS = {
    "write": "write",
    "read": "read",
    "append": "append",
    "random read": "random_read",
    "backward read": "backward_read",
    "skip read": "stride_read",
    "truncate": "truncate",
}
_BLOCK = re.compile(r"[-\u2013\u2014]{2,5} TestDFSIO [-\u2013\u2014]{2,5}(?: : (\S*(?:\s++\S++|(?!))*+))?\s*$")
_BEGUN = re.compile(r"fs\.TestDFSIO: -{1,5}(?: [A-Za-z]{0,8})?\s*$")
"""The beginning of the heading of a block, as a log may end."""
_BROKEN = re.compile(r" ?: (\S+(?: \S+)?)\s*$")
"""The operation, where somebody's editor broke the heading before it."""
_FIELD = re.compile(r"(?:^|: |#)\s*+([A-Z][^:]{0,60}?): (\S.{0,200})$")
_LONGEST_FIELD = 400
"""Characters from the end of a line in which its field begins."""
_REMARKS = (" #", " //", " (", "\uff08", "\u3010", "<br")
"""What somebody writes behind a value begins so."""
_VERSION = re.compile(r"TestDFSIO\.([\d.]+)")
_BUFFER = re.compile(r"bufferSize = (\d+)")
_FIELDS = {
    "Number of files": ("files", 1.0),
    "Total MBytes processed": ("data_size", MIB),
    "Throughput mb/sec": ("throughput", MIB),
    "Total Throughput mb/sec": ("throughput_span", MIB),
    "Average IO rate mb/sec": ("throughput_mean", MIB),
    "IO rate std deviation": ("throughput_std", MIB),
    "Test exec time sec": ("elapsed", 1.0),
}
_LAST = "elapsed"
_EXTENDED = "-- Extended Metrics --"
_UNAVAILABLE = "Aggregated throughput results are unavailable"
_AGGREGATED = {"Average of Aggregated Throughput": "throughput", "Standard Deviation": "throughput_std"}


def sniff(head: str) -> bool:
    """Whether a block of results, or the start of a job, stands here."""
    return "TestDFSIO" in head and ("----- TestDFSIO -----" in head or "fs.TestDFSIO: " in head)


def parse(text: str) -> Parsed:
    """Read every block.

    Raises
    ------
    ParseError
        If there is no block of results, and nothing of a job.
    """
    parsed = Parsed({"tool": "TestDFSIO", "statistic": "mean"})
    rows: list[Row] = []
    aggregated: list[Row] = []
    keys: Row = {}
    heading = 0
    *lines, rest = text.split("\n")
    for at, line in enumerate(lines, start=1):
        if "\ufffd" in line:
            parsed.incomplete("the line is damaged", at)
        found = _BLOCK.search(line)
        if found and found[1] is None:
            heading = at
        elif found or (heading == at - 1 and (found := _BROKEN.match(line))):
            _end(rows, parsed, at)
            rows.append({"operation": _operation(_bare(found[1]), at), "line": at, **keys})
            keys = {}
        elif found := _BUFFER.search(line):
            keys = on(at, {"record_size": float(found[1])})
        elif found := _VERSION.search(line):
            parsed.header["tool_version"] = found[1]
        else:
            found = _field(line)
            _take_extended(line, found, at, rows, aggregated, parsed)
            if found:
                _take(found[1], found[2], at, rows[-1] if rows else {}, parsed)
    _finish(parsed, rows, rest, len(lines) + 1, text)
    _add_aggregated(parsed, aggregated)
    return parsed


def _bare(printed: str) -> str:
    """Take away what somebody wrote behind a value."""
    for sign in _REMARKS:
        printed = printed.partition(sign)[0]
    return printed.rstrip()


def _operation(word: str, at: int) -> str:
    try:
        return OPERATIONS[word]
    except KeyError:
        raise ParseError(f"an operation of TestDFSIO ({', '.join(OPERATIONS)})", word, at) from None


def _take(name: str, printed: str, at: int, row: Row, parsed: Parsed) -> None:
    """Take a field of the block, or its date."""
    if name == "Date & time":
        row |= _end_time(printed)
    elif name in _FIELDS:
        short, unit = _FIELDS[name]
        if short in row or not row:
            parsed.incomplete(f"{name}: the block that it belongs to has no heading", at)
            return
        try:
            row |= on(at, {short: number(_bare(printed)) * unit})
        except ValueError:
            parsed.incomplete(f"{name}: expected a number, found {printed!r}", at)
        if short == "throughput":
            row["line"] = at
        if short == "files" and short in row:
            row |= on(at, {"samples": row[short]})


def _field(line: str) -> re.Match[str] | None:
    """Return the name and the value at the end of a line; the line may be long, a field is not."""
    line = line.rstrip()
    return _FIELD.search(line, max(0, len(line) - _LONGEST_FIELD))


def _take_extended(
    line: str, found: re.Match[str] | None, at: int, rows: list[Row], aggregated: list[Row], parsed: Parsed
) -> None:
    """Take a line of those that HiBench prints behind a block."""
    name = found[1].rstrip() if found else ""
    if _EXTENDED in line and rows:
        aggregated.append({"operation": rows[-1]["operation"], "label": "aggregated", "block": len(rows), "line": at})
    elif _UNAVAILABLE in line and aggregated:
        aggregated.pop()
    elif found and name in _AGGREGATED:
        _take_aggregated(_AGGREGATED[name], found[2], at, aggregated, parsed)


def _take_aggregated(name: str, printed: str, at: int, aggregated: list[Row], parsed: Parsed) -> None:
    """Take the mean over time of what all tasks moved together, or its deviation."""
    if not aggregated or name in aggregated[-1]:
        parsed.incomplete(f"expected '{_EXTENDED}' above an aggregated throughput, found none", at)
        return
    try:
        aggregated[-1] |= on(at, {name: number(_bare(printed).removesuffix(" mb/sec")) * MIB})
        aggregated[-1] |= {"line": at} if name == "throughput" else {}
    except ValueError:
        parsed.incomplete(f"expected a rate in mb/sec, found {printed!r}", at)


def _add_aggregated(parsed: Parsed, aggregated: list[Row]) -> None:
    """Add rows of aggregated throughputs, each with the part of its block."""
    has_parts = len(parsed.runs) > 1
    for row in aggregated:
        block = float(row.pop("block"))
        if not set(_AGGREGATED.values()) <= row.keys():
            parsed.incomplete("the aggregated throughput is not whole", int(row["line"]))
        if "throughput" in row:
            parsed.runs.append(settled(row | ({"part": block} if has_parts else {})))


def _end_time(printed: str) -> Row:
    """End of the job where its zone is UTC; other zones are letters that several places share."""
    _, _, date = printed.partition(" ")
    try:
        moment = datetime.strptime(date, "%b %d %H:%M:%S UTC %Y")
    except ValueError:
        return {}
    return {"end_time": moment.replace(tzinfo=UTC).timestamp()}


def _end(rows: list[Row], parsed: Parsed, at: int) -> None:
    """Say where the last block ended before its time."""
    if rows and _LAST not in rows[-1]:
        parsed.incomplete("the block of results before this line has no 'Test exec time sec'", at)


def _finish(parsed: Parsed, rows: list[Row], rest: str, at: int, text: str) -> None:
    parsed.cut_line(rest, at)
    if _BEGUN.search(text[-_LONGEST_FIELD:]):
        parsed.incomplete("the log ends in the heading of a block of results", text.rstrip().count("\n") + 1)
    _end(rows, parsed, at)
    if not rows:
        if not sniff(text):
            raise refusal("a line '----- TestDFSIO ----- : write'", text)
        parsed.incomplete("the job has no block of results")
    parsed.runs = [settled(row) for row in rows if "throughput" in row or _LAST in row]
    if len(parsed.runs) > 1:
        for part, row in enumerate(parsed.runs, start=1):
            row["part"] = float(part)
