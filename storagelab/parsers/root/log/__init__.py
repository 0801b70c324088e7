"""Logs of programs that read with ROOT: everything that ROOT itself prints about its reads, as they come mixed.

TTreePerfStats::Print, TTreeCache::Print, TStopwatch::Print, RNTuple's metrics, and what event loops print around them
(`event_loop`). The modules of this package say what each looks like.

A part is a file (``Processing ...``), or, where no files are named, ends where a print comes again. Rows of a part are
`read` (TTreePerfStats with what TFile counted), `read` labelled cached and uncached (TTreeCache), `read` or `write`
with `api` RNTuple. A stopwatch is a `job`; one that stands behind the statistics of a read has timed the same once
more, and is a sample in ``series``. No program says that its log ends, but event loops that say how much of each file
they read print a total.

How much was read is given as counts (`entries` of `entries_total`), not as the keys `entries_fraction` and
`branches_fraction`: a campaign asks for half of the entries, and the random half that it gets is 1543 of 3000.
"""

from __future__ import annotations

import re

from storagelab.parsers.declared_checks import Checks, Line, line_starts, words
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.root.log.reader import Reader
from storagelab.parsers.text import without_prefix

_METRICS = ("RNTuple", "RNTupleReader", "RNTupleWriter", "RNTupleParallelWriter", "RNTupleFillContext")

_PERF_STATS = (
    *("TreeCache =", "N leaves", "ReadTotal", "ReadUnZip", "ReadCalls", "ReadSize", "Readextra"),
    *("Real Time", "CPU  Time", "Disk Time", "Disk IO", "ReadUZRT", "ReadUZCP", "ReadRT", "ReadCP"),
)

_TREE_CACHE = ("Cache Efficiency .", "Cache Efficiency Rel", "Average transaction", "Number of blocks in current cache")

_NTUPLE = (
    *("nReadV", "nRead", "szReadPayload", "szReadOverhead", "szUnzip", "nClusterLoaded", "timeWallRead"),
    *("timeWallUnzip", "timeCpuRead", "timeCpuUnzip", "bwRead", "bwReadUnzip", "bwUnzip", "rtReadEfficiency"),
    "rtCompression",
)

CHECKS = Checks(
    together=(
        tuple(Line(name, rf"RPageSourceFile\.{name}\|", f"RPageSourceFile.{name}|", "literal") for name in _NTUPLE),
        line_starts(*_PERF_STATS),
        (*words(*_TREE_CACHE), Line("Reading....", r"(?<!Cached )Reading\.{4}", "Reading....", "literal")),
        words("Secondary Efficiency .", "Secondary Efficiency Rel"),
    ),
    whole_lines=(
        Line("RNTuple", r"RNTuple(?:Reader|Writer)\.[\w.]+\|[^|\n]*\|[^|\n]*\|[^|\n]+"),
        Line("Entries read ", r"Entries read \d+ of \d+, .*\bfile size \d+"),
    ),
)

FORMAT = Format(
    "root",
    "ROOT",
    "5.34 to 6.40",
    "TTreePerfStats, TTreeCache statistics, TStopwatch, TFile counters, RNTuple metrics, in one log",
    "ROOT, TTreePerfStats.cxx, TTreeCache.cxx, TFileCacheRead.cxx, TStopwatch.cxx, RNTupleMetrics.cxx",
    marks=("time", "Cpu", "CpuTime", "ReadTotal", "ReadCalls", "TreeCache", "Cached", "Cache Efficiency", *_METRICS),
    opens=(
        "Real time ",
        "RealTime=",
        "ReadTotal",
        "ReadCalls",
        "Cached Reading",
        "TreeCache = ",
        "RNTupleReader.",
    ),
    checks=CHECKS,
)

_PRINTS = [
    re.compile(pattern)
    for pattern in (
        r"Real time \d+:\d\d:\d\d[.,\d]*, (?:CP )?time \d",
        r"Real time \d[\d.]* s, CPU time \d",
        r"Real ?Time ?= *\d[\d.]* seconds,? Cpu ?Time ?= *\d",
        r"ReadTotal = *\d",
        r"ReadCalls = *\d",
        r"\*\*\*\*\*\*TreeCache statistics for ",
        r"Cached Reading\.*: *\d+ bytes in ",
        r"Cache Efficiency \.{4,40}: *\d",
        rf"RNTuple(?:{'|'.join(name.removeprefix('RNTuple') for name in _METRICS)})"
        r"\.[\w.]{1,120}\|[^|\n]*\|[^|\n]*\| *\d",
    )
]
"""Each begins with a literal, and is looked for many times as fast as all of them in one expression."""


def sniff(head: str) -> bool:
    """Whether one of ROOT's prints stands here."""
    return any(form.search(head) for form in _PRINTS)


def parse(text: str) -> Parsed:
    """Read every print.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "root"})
    reader = Reader(parsed)
    *lines, rest = without_prefix(text.split("\n"))
    for number, line in enumerate(lines, 1):
        reader.line(line, number)
    parsed.cut_line(rest, len(lines) + 1)
    reader.end()
    _add_rows(parsed, reader)
    if parsed.is_empty():
        raise refusal("something that ROOT prints, such as 'Real time 0:00:01, CP time 0.980'", text)
    return parsed


def _add_rows(parsed: Parsed, reader: Reader) -> None:
    laps: list[Row] = []
    parts = [part for part in reader.parts if part.rows() or part.laps]
    for ordinal, part in enumerate(parts, 1):
        which: Row = {"part": float(ordinal)} if len(parts) > 1 else {}
        parsed.runs += [which | row for row in part.rows()]
        named: Row = {"file": part.file} if part.file else {}
        laps += [which | named | lap for lap in part.laps]
    for ordinal, job in enumerate(reader.jobs, 1):
        which = {"part": float(ordinal)} if len(reader.jobs) > 1 else {}
        parsed.runs.append(which | job)
    samples = laps + reader.samples
    parsed.series = columns(samples) if samples else {}
