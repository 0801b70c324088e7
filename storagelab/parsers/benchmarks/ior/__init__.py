"""IOR, the parallel I/O benchmark (LLNL, now hpc/ior), 2.10 to 4.x.

Four forms are read, each by its own module: the text report, the JSON summary, the CSV summary and the CSV of ranks.
A row of `runs` is an iteration of an operation (``statistic`` "single") or IOR's own summary over them ("mean"). Keys
that all tests of a log share stand in the header; with several tests, `part` and the keys stand on the rows.
What to beware of, and where it is dealt with:

- a version does not fix the columns (3.1.0 prints two tables): columns are found by header (`tables`);
- sizes are rounded in the options ("9.46 TiB"): the exact one is taken from where it is printed (`options`);
- "Stonewall(MiB)" is a rate, MiB/s; "Max Write: x MiB/sec (y MB/sec)" has y in 10^6 bytes;
- "clients per node" is the count on the first node, not the mean;
- IOR within IO500 prints no summary and no end (`report`).
"""

from __future__ import annotations

import re

from storagelab import units
from storagelab.parsers.benchmarks.ior import csv_tables, json_document, json_summary, report, tables
from storagelab.parsers.benchmarks.ior.fast_path import ORDINARY
from storagelab.parsers.declared_checks import Agreement, Checks, Line, json_keys, line_starts, options, words
from storagelab.parsers.model import Format, Parsed

__all__ = ["FORMAT", "ORDINARY", "parse", "sniff"]

_JSON_IOR = ("operation", "API", "numTasks", "bwMaxMIB", "bwMinMIB", "bwMeanMIB", "bwStdMIB", "OPsMean", "MeanTime")

_JSON_IOR_ROW = (
    "bwMiB",
    "blockKiB",
    "xferKiB",
    "iops",
    "latency",
    "openTime",
    "wrRdTime",
    "closeTime",
    "totalTime",
)

_IOR_OPTIONS = (
    "api",
    "test filename",
    "access",
    "ordering in a file",
    "ordering inter file",
    "repetitions",
    "xfersize",
)

_IOR_OPTIONS_3 = ("apiVersion", "type", "segments", "tasks", "clients per node")

CHECKS = Checks(
    together=(
        options(*_IOR_OPTIONS, "blocksize", "aggregate filesize"),
        options(*_IOR_OPTIONS_3),
        options("memoryBuffer", "dataAccess", "GPUDirect"),
        (
            *line_starts("Summary of all tests:"),
            Line("Operation   Max(MiB)", r"(?m:^[ \t\r]*)Operation +Max\(MiB\)", "Operation ", "line"),
        ),
        line_starts("Run began", "Run finished"),
        json_keys(*_JSON_IOR),
        json_keys(*_JSON_IOR_ROW),
    ),
    below=(
        (
            *words("MPI Coordinated Test of Parallel I/O"),
            Line("Began", r"(?:Run b|B)egan *:", "egan"),
            Line("Command line", r"Command line(?: used)? *:", "Command line", "literal"),
            Line("Machine", r"Machine *:", "Machine", "literal"),
        ),
    ),
    rates=Agreement(0.05, seconds=units.MICROSECOND, statistic="single"),
    means=True,
    broken_json=True,
    numbers_aside=("#File Hits Dist:",),
)

FORMAT = Format(
    name="ior",
    tool="IOR",
    versions="2.10 to 4.x",
    reads="text report, JSON summary, CSV summary and CSV of ranks",
    source="https://github.com/hpc/ior/blob/main/src/ior-output.c",
    marks=("Coordinated", "access bw", "access rank", "MiB", "Began", "invalid"),
    shapes=(r"write {5}\d", r"read {6}\d"),
    forms=(
        (
            "MPI Coordinated Test of Parallel I/O",
            "access    bw(MiB/s)",
            "access bw(MiB/s)",
            "Max Write:",
            "Max Read:",
            "Summary of all tests:",
        ),
        ('"Version": "',),
        ("access,bw(MiB/s)",),
    ),
    checks=CHECKS,
)

_JSON = ('"Version"', '"Began"', '"Command line"')
_CSV = (csv_tables.SUMMARY, csv_tables.RANKS)
_IO500 = ("[RESULT", "IO500 version", "io500_ior_cmd")
_TABLE = ("  bw(MiB/s)  ", "access bw(MiB/s) ", " Max(MiB) ", " Max (MiB) ")
_MAXIMUM = re.compile(r"\bMax (?:Write|Read): +\d+\.\d+ MiB/sec(?: \(\d+\.\d+ MB/sec\)|[ \t\r]*$)", re.MULTILINE)
_ROW = re.compile(r"^(?:write {5}|read {6})\d.*", re.MULTILINE)
_REFUSED = ("Error invalid argument: ", "\nInvalid options\n")


def sniff(head: str) -> bool:
    """Whether the text is IOR's, and not that of IO500, which runs IOR.

    A rank that refuses IOR's options says so before the banner, many ranks for many pages.
    """
    if head.startswith("{"):
        return _all(_JSON, head)
    return _speaks(head) and not (
        any(mark in head for mark in _IO500) or ("mdtest-" in head and "was launched with" in head)
    )


def _speaks(head: str) -> bool:
    return (
        report.BANNER in head
        or ("access," in head and any(mark in head for mark in _CSV))
        or ("(MiB" in head and any(mark in head for mark in _TABLE))
        or ('"' in head and _all(_JSON, head))
        or (" MiB/sec" in head and bool(_MAXIMUM.search(head)))
        or _all(_REFUSED, head)
        or any(tables.usual_header(row[0]) for row in _ROW.finditer(head))
    )


def _all(marks: tuple[str, ...], text: str) -> bool:
    return all(mark in text for mark in marks)


def parse(text: str) -> Parsed:
    """Read an IOR log of any form.

    Returns
    -------
    Parsed
        `runs` with throughput [B/s], operation_rate [1/s], latency, open_time, transfer_time, close_time, elapsed [s]
        and data_size [B]; `clients` for the CSV of ranks.

    Raises
    ------
    ParseError
        If nothing of IOR's is in the text.
    """
    if report.BANNER in text:
        return report.parse(text)
    if _all(_JSON, text):
        return json_document.parse(text) or json_summary.parse(text)
    if any(mark in text for mark in _CSV):
        return csv_tables.parse(text)
    return report.parse(text)
