"""fio's terse output, versions 2 to 5 (``--minimal``, ``--output-format=terse``), of fio 2.0 to 3.4x.

Documented in fio's HOWTO ("Terse output") and printed by its stat.c (show_thread_status_terse_all). A line is a job
report, fields between semicolons: version, fio's version (3 on), job, group, error; then for each direction 41 fields
(47 in version 5), CPU, queue depths, latency distributions, disks (3 on), and the job's description. Directions are
read and write, then trim (version 2 of newer fio, 4 and 5); with ``unified_rw_reporting`` their mixture.

Traps: job name and description may hold semicolons, so that fields are counted from the first of the 20 percentiles
(``1.000000%=57``) backwards and from the last forwards, never from the line's beginning. Bandwidth is KiB/s, latencies
are microseconds, both cut to whole numbers. Processes of a job are lines with one name and group, but so are runs whose
output was appended: lines of one invocation show the same disks, do not repeat, and count their groups upwards. Where
there are no disks to tell, lines of one name are kept apart and noted. With ``--group_reporting`` a line is a group and
does not say of how many processes: its share of the CPU is the mean over them. There is no end mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from storagelab.errors import ParseError
from storagelab.parsers.declared_checks import Agreement, Checks
from storagelab.parsers.fio.json_report.documents import MARK
from storagelab.parsers.fio.json_report.entries import Entry
from storagelab.parsers.fio.json_report.runs import add_rows
from storagelab.parsers.fio.json_report.variables import OPERATIONS, measured
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import line_at, number, without_prefix
from storagelab.units import PERCENT

FORMAT = Format(
    "fio-terse",
    "fio",
    "2.0 to 3.4x",
    "jobs, their processes",
    "fio HOWTO, Terse output",
    marks=("fio",),
    shapes=(r";\d+;\d",),
    opens=(";fio-", "1.000000%="),
    repeats=("fio-text",),
    checks=Checks(rates=Agreement(0.05), numbers_aside=(r"issued rwts?: total=", r"^;[^;]+;\d+;\d+;")),
)

_REMARK = r"[ \t]*(?:#|//|\*)[^;\n]{0,80}[ \t]"
_LINE = re.compile(rf"(?:{_REMARK})?(?P<report>`?(?:[345];(?:fio-)?\d|2;).*%=.*)")
_SNIFFED = re.compile(
    rf"^(?:[^\s;]{{1,60}}[:>] ?|{_REMARK})?`?(?:[345];(?:fio-|2\.0\.\d+;)|2;[^\n]*;\d+;\d+;\d+;\d+;\d+;\d+;\d+;)",
    re.MULTILINE,
)
_PERCENTILE = re.compile(r"([\d.,]+)%=(\d+)")
PERCENTILES = 20
BEFORE, AFTER = 12, 9
"""Fields of a direction around its percentiles; version 5 has `MORE` behind them."""
MORE = 6
CPU = 5
_DISTRIBUTIONS = 7 + 10 + 12
_LATENCY = ("min", "max", "mean", "stddev")
_BANDWIDTH = ("bw_min", "bw_max", "bw_agg", "bw_mean", "bw_dev")
_IOPS = ("bw_samples", "iops_min", "iops_max", "iops_mean", "iops_stddev", "iops_samples")


@dataclass(frozen=True, slots=True)
class Report:
    """One line: its entry, and what tells the invocation it belongs to."""

    entry: Entry
    version: str
    disks: str
    text: str


def sniff(head: str) -> bool:
    """Whether a terse line begins here; JSON in the same log says more."""
    return ";" in head and "%=" in head and bool(_SNIFFED.search(head)) and MARK not in head


def parse(text: str) -> Parsed:
    """Read every line of a log that is a job report.

    Raises
    ------
    ParseError
        If there is none, or none of a job that did I/O or failed.
    """
    parsed = Parsed({"tool": "fio", "statistic": "single"})
    reports = list(_reports(text, parsed))
    if not reports:
        raise refusal("a line of terse output", text)
    versions = {report.version for report in reports if report.version}
    if len(versions) == 1:
        parsed.header["tool_version"] = versions.pop()
    runs = _invocations(reports, parsed)
    for part, run in enumerate(runs, 1):
        entries = [report.entry for report in run]
        add_rows(parsed, entries, True, {"part": float(part)} if len(runs) > 1 else {})
    if parsed.is_empty():
        raise ParseError("a job that did I/O or failed (version 3 prints no trims)", reports[0].text, 1)
    if MARK in text:
        parsed.note("fio's JSON in the same log is not read: --format fio-json does")
    return parsed


def _reports(text: str, parsed: Parsed) -> Iterator[Report]:
    *lines, last = without_prefix(text.split("\n"))
    for line, content in enumerate(lines, 1):
        if not (found := _LINE.match(content)):
            continue
        try:
            yield _report(found["report"].strip("`"), line)
        except (ValueError, IndexError, OverflowError):
            parsed.incomplete("a terse line that is cut or damaged: left out", line)
    parsed.cut_line(last, len(lines) + 1)
    if "\ufffd" in text:
        parsed.incomplete("bytes that are not UTF-8", line_at(text, text.index("\ufffd")))


def _report(content: str, line: int) -> Report:
    fields = content.split(";")
    places = _percentiles(fields)
    first = places[0] - BEFORE
    version = int(fields[0])
    name = 1 if version == 2 else 2
    after = AFTER + (MORE if version == 5 else 0)
    end = places[-1] + PERCENTILES + after
    entry = Entry(";".join(fields[name : first - 2]), fields[first - 2], "", {}, {})
    entry.error, entry.error_line = int(fields[first - 1]), line
    common = _common(entry, fields[end : end + CPU + _DISTRIBUTIONS])
    for operation, place in zip(_operations(version, len(places)), places, strict=True):
        values = measured(_section(fields[place - BEFORE : place + PERCENTILES + after]))
        if values:
            entry.rows[operation] = {"operation": operation, **common, **values, "line": line}
    if entry.error and not entry.rows:
        entry.rows["job"] = {"operation": "job", **common, "line": line}
    _say_together(entry)
    tail = fields[end + CPU + _DISTRIBUTIONS :]
    disks = ";".join(tail[: 9 * (len(tail) // 9)])
    return Report(entry, fields[1].removeprefix("fio-") if version > 2 else "", disks, content)


def _percentiles(fields: Sequence[str]) -> list[int]:
    """Where the percentiles of each direction begin.

    Raises
    ------
    ValueError
        If one of the directions lacks some, or there are none.
    """
    found = [place for place, field in enumerate(fields) if _PERCENTILE.fullmatch(field)]
    starts = found[::PERCENTILES]
    whole = found == [place + number for place in starts for number in range(PERCENTILES)]
    if not found or not whole or starts[0] < BEFORE + 3:
        raise ValueError("no directions")
    return starts


def _operations(version: int, count: int) -> list[str]:
    if count == 1:
        return ["mixed_workload"]
    third = "mixed_workload" if version == 3 else "trim"
    return ["read", "write", third, "mixed_workload"][:count]


def _common(entry: Entry, fields: Sequence[str]) -> Row:
    if len(fields) < CPU + _DISTRIBUTIONS:
        raise ValueError("cut")
    numbers = [float(field.removesuffix("%")) for field in fields]
    row: Row = {"job": entry.job}
    if entry.error:
        row["error_code"] = float(entry.error)
    cpu = (numbers[0] + numbers[1]) * PERCENT
    return row | {"cpu_utilisation": cpu} if cpu else row


def _section(fields: Sequence[str]) -> Mapping[str, Any]:
    """Return the fields of a direction as fio's JSON would name them."""
    numbers = [number(field.removesuffix("%")) if "=" not in field else 0.0 for field in fields]
    percentiles = dict(field.split("%=") for field in fields[BEFORE : BEFORE + PERCENTILES])
    rest = numbers[BEFORE + PERCENTILES :]
    return {
        "io_bytes": numbers[0] * 1024,
        "io_kbytes": numbers[0],
        **dict(zip(("bw", "iops", "runtime"), numbers[1:4], strict=True)),
        "slat": dict(zip(_LATENCY, numbers[4:8], strict=True)),
        "clat": {
            **dict(zip(_LATENCY, numbers[8:12], strict=True)),
            "percentile": {percent: int(value) for percent, value in percentiles.items()},
        },
        "lat": dict(zip(_LATENCY, rest[:4], strict=True)),
        **dict(zip((*_BANDWIDTH, *_IOPS), rest[4:], strict=len(rest) > AFTER)),
    }


def _say_together(entry: Entry) -> None:
    together = [operation for operation in entry.rows if operation in OPERATIONS]
    if len(together) > 1:
        for row in entry.rows.values():
            row["operation_group"] = "+".join(together)


def _invocations(reports: Sequence[Report], parsed: Parsed) -> list[list[Report]]:
    """Lines that one run of fio printed, together."""
    runs: list[list[Report]] = []
    for report in reports:
        if report.entry.error:
            error = report.entry.error
            parsed.incomplete(f"job {report.entry.job!r} failed with error {error}", report.entry.error_line)
        if not runs or _begins_a_run(report, runs[-1], parsed):
            runs.append([])
        runs[-1].append(report)
    return runs


LONGEST_ORDINAL = 9
"""Digits of the number of a group; Python refuses to read some thousands of them."""


def _ordinal(group: str) -> int:
    return int(group) if group.isdecimal() and len(group) <= LONGEST_ORDINAL else 0


def _begins_a_run(report: Report, run: Sequence[Report], parsed: Parsed) -> bool:
    before = run[-1]
    if (report.version, report.disks) != (before.version, before.disks):
        return True
    if _ordinal(report.entry.group) < _ordinal(before.entry.group) or any(report.text == other.text for other in run):
        return True
    same = [r for r in run if (r.entry.job, r.entry.group) == (report.entry.job, report.entry.group)]
    if same and not report.disks:
        line = report.entry.error_line
        parsed.note(f"another line of job {report.entry.job!r}: process or run, nothing says which; kept apart", line)
    return bool(same) and not report.disks
