"""elbencho: its results as text, CSV and JSON lines, and its live statistics.

A row of `runs` a phase. elbencho gives each figure twice: when the first worker was done and when the last was. The
latter, over all the work, are `throughput`, `operation_rate` and `elapsed`; the former have the names of a stonewall:
`throughput_stonewall`, `operation_rate_stonewall`, `stonewall_time`. In phases that read and write, `operation_rate`
and `latency` are those of I/O operations, `file_rate` and `file_latency` those of whole files. MiB are 2^20 bytes.
Percentiles are upper bounds of the tool's histogram. Live statistics are `series`. Dropping caches is no measurement.
"""

from __future__ import annotations

from storagelab import units
from storagelab.parsers.benchmarks.elbencho import documents, report, tables
from storagelab.parsers.declared_checks import Agreement, Checks, Line, options, words
from storagelab.parsers.line_formats import with_parts
from storagelab.parsers.model import Format, Parsed

CHECKS = Checks(
    together=(
        (
            Line("Throughput MiB/s", r"(?m:^[ \t]*)Throughput Mi?B/s *:", "Throughput M"),
            Line("Total MiB", r"(?m:^[ \t]*)Total Mi?B *:", "Total M"),
        ),
        (
            Line("Files/s", r"(?m:^[ \t]*)Files/s *:", "Files/s"),
            Line("Files total", r"(?m:^[ \t]*)(?:Files total|Total files) *:", "iles"),
        ),
        (Line("Elapsed time", r"(?m:^[A-Z]\S*\s+)Elapsed (?:time|ms) *:"), Line("---", r"(?m:^-{3,}[ \t\r]*$)")),
        options("Objects/s", "Objects total"),
        (Line("ISO DATE:", r"ISO DATE(?: start)?:", "ISO DATE", "literal"), *words("COMMAND LINE:")),
    ),
    rates=Agreement(0.01, seconds=units.MILLISECOND, rate=units.MIB, size=units.MIB),
)

FORMAT = Format(
    name="elbencho",
    tool="elbencho",
    versions="1.x to 3.1",
    reads="result files and console output, --csvfile, --jsonfile, --livecsv",
    source="elbencho/source/Statistics.cpp (printPhaseResultsToStringVec, printPhaseResultsAsJSON)",
    marks=("FIRST", "ISO", "label", "Label", "phase", "ERROR", "Elapsed time", "Elapsed ms"),
    forms=(
        ("ISO DATE:", "elbencho -", "elbencho /", "FIRST DONE", "ISO Date,Label", "Label,Phase,RuntimeMS"),
        ("ISO date,label",),
        ('"phase_type"',),
    ),
    checks=CHECKS,
)


def sniff(head: str) -> bool:
    """Whether a heading of one of elbencho's four outputs, or its error message, stands here."""
    return (
        (report.HEADING in head and "LAST DONE" in head)
        or head.startswith((tables.RESULTS, *tables.LIVE))
        or ('"phase_type"' in head and '"last_done"' in head)
        or bool(report.ERROR.match(head))
        or ("Elapsed " in head and bool(report.PHASE.search(head)))
    )


def parse(text: str) -> Parsed:
    """Read every phase, or every live sample.

    Raises
    ------
    ParseError
        If the log holds neither phases nor samples nor an error of elbencho.
    """
    parsed = Parsed({"tool": "elbencho", "statistic": "single"})
    if text.startswith(tables.LIVE) and report.HEADING not in text:
        tables.read_live(text, parsed)
    elif text.startswith(tables.RESULTS):
        tables.read_results(text, parsed)
    elif '"phase_type"' in text:
        documents.read(text, parsed)
    else:
        report.read(text, parsed)
        tables.read_live_between(text, parsed)
        if parsed.series and not parsed.runs:
            parsed.incomplete("the log ends before the results of the phase whose live statistics it has")
    return with_parts(parsed, "a phase of elbencho under 'OPERATION  RESULT TYPE  FIRST DONE  LAST DONE'", text)
