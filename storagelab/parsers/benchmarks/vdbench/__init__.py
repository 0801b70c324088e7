"""vdbench: its console output and logfile, summary, totals, flat file and histograms, as text or as its HTML pages.

A run definition (RD) begins with ``13:49:00.013 Starting RD=rd1; I/O rate: 50; elapsed=60; For loops: threads=2``;
below two lines of columns there is a line an interval, and one of averages (``avg_2-60``, of intervals 2 to 60).
Averages are `runs`, with their RD in `job` and its loops in `label`; intervals are `series`. Lines of extremes and
deviations (``max_``, ``std_``) leave out columns and are left alone. Printed by Vdb/Report.java, SdStats (raw devices)
and Vdb/FwdStats.java (file systems); the flat file by Vdb/Flat.java, which explains its columns; Vdbench Users Guide.

Raw devices give a row for all operations: `read` or `write` where all of them were, else `mixed_workload`, and then
rows with the latencies of either. File systems give a row for what was asked for (``ReqstdOps``) and one for each
operation that was done. MB are 2^20 bytes, times are milliseconds; `latency_max` of versions up to 5.04.06 is that of
all operations, later ones print it for reads and writes. `cpu_utilisation` is that of the host. A histogram gives rows
with `metric`. What the run was asked for (``rate``, ``elapsed``) is no measurement.

Console output ends with a line that says so. Other files have no end, but an RD without averages is incomplete.
"""

from __future__ import annotations

import re

from storagelab.parsers.benchmarks.vdbench import flatfile
from storagelab.parsers.benchmarks.vdbench.report import HEADING, Report
from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.line_formats import refusal, trusted_lines
from storagelab.parsers.model import Format, Parsed, columns

FORMAT = Format(
    name="vdbench",
    tool="vdbench",
    versions="5.00 to 5.04.07",
    reads="console, logfile, summary, totals, flatfile, histogram; raw devices and file systems",
    source="Vdbench Users Guide; Vdb/FwdStats.java, Vdb/Flat.java, Vdb/Histogram.java",
    marks=("vdbench", "Vdbench", "Interval", "interval", "RD"),
    opens=(
        "Vdbench distribution:",
        " Starting RD=",
    ),
    checks=Checks(once=True),
)

EXPECTED = "an interval of vdbench under 'interval  i/o  MB/sec ...', a row of its flat file, or a histogram"
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
_CLOSING = re.compile(r"(?:\s*+</[A-Za-z]{1,20}>|(?!))*+\s*+")
_STARTING = re.compile(r"\s*\d\d:\d\d:\d\d[.,]\d{3} Starting RD=")


def sniff(head: str) -> bool:
    """Whether vdbench starts, names itself, or a table of it stands here."""
    if "Vdbench distribution:" in head or ("Starting RD=" in head and any(map(_STARTING.match, _plain(head)))):
        return True
    return ("nterval" in head) and any(HEADING.match(line) or flatfile.HEADING.match(line) for line in _plain(head))


def _plain(text: str) -> list[str]:
    """Return the lines without tags of HTML."""
    return (_TAG.sub("", text) if "<" in text else text).split("\n")


def _without_tags(text: str) -> str:
    """Leave tags in a last line that has no end, unless they close the page: in a text that was cut, more followed."""
    *lines, rest = text.split("\n")
    return "\n".join([*_plain("\n".join(lines)), "" if _CLOSING.fullmatch(rest) else rest])


def parse(text: str) -> Parsed:
    """Read averages into `runs`, intervals and histograms into `series`.

    Raises
    ------
    ParseError
        If there is none of them.
    """
    parsed = Parsed({"tool": "vdbench"})
    report = Report(parsed)
    table = flatfile.Table(parsed)
    for at, line in trusted_lines(_without_tags(text), parsed):
        if not table.take(line, at):
            report.take(line, at)
    report.end()
    table.end()
    parsed.runs = [*report.runs, *table.runs]
    samples = [*report.samples, *table.samples]
    parsed.series = columns(samples) if samples else {}
    if "Vdbench distribution:" in text and "Vdbench execution completed" not in text:
        parsed.incomplete("vdbench does not say that it is done")
    if parsed.is_empty() and not report.has_begun:
        raise refusal(EXPECTED, text)
    return parsed
