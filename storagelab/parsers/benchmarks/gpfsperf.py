"""gpfsperf, the benchmark among the samples of GPFS (Spectrum Scale), with and without MPI.

A test begins with ``gpfsperf write seq /gpfs/file``, or the command that was typed, options behind it; sizes,
processes and what was asked for stand below it. ``Data rate was 2330376.56 Kbytes/sec, iops was 284.47, thread
utilization 1.000`` ends it, before the CPU utilisation of the host where ``-v`` asked for it; newer versions print
``Op Rate was`` and ``Avg Latency was``. A row of `runs` a test. Kbytes are 1024 bytes: the rate over iops is the record
size. ``create`` and ``write`` are `write`, the first with its name in `label`. `utilisation` is that of the threads:
their mean time at work over the time of the slowest. Printed by /usr/lpp/mmfs/samples/perf/gpfsperf.c; README there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from storagelab.parsers.line_formats import Rule, apply, in_its_words, trusted_lines, with_parts
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import finite
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.units import KIB, MILLISECOND, PERCENT, binary_size

FORMAT = Format(
    name="gpfsperf",
    tool="gpfsperf",
    versions="GPFS 2.x to Spectrum Scale 5.x",
    reads="tests, with and without MPI",
    source="/usr/lpp/mmfs/samples/perf/gpfsperf.c and README",
    marks=("gpfsperf", "recSize"),
    opens=(
        "gpfsperf create ",
        "gpfsperf write ",
        "gpfsperf read ",
        "gpfsperf uncache ",
        "gpfsperf-mpi ",
        "  nProcesses ",
    ),
)

EXPECTED = "a test of gpfsperf ('gpfsperf write seq FILE' and 'Data rate was ... Kbytes/sec')"
_TEST = re.compile(
    r"^\s*(?:\S{0,300}/)?gpfsperf(?:-mpi)? (create|write|read|uncache)"
    r" (seq|rand|randhint|strided)\b ?(\S{0,1000})(?: +-.{0,1000})?$"
)
_SIZES = re.compile(
    r"^\s*recSize (\d{1,18}[KMGTkmgt]?)\s+nBytes (\d{1,18}[KMGTkmgt]?)\s+fileSize (\d{1,18}[KMGTkmgt]?)"
)
_PROCESSES = re.compile(r"^\s*nProcesses (\d{1,9})\s+nThreadsPerProcess (\d{1,9})\s*$")
_RATE = re.compile(r"^\s*Data rate was (\S{1,40}) Kbytes/sec\b(.{0,400})$")
_FIGURES = {
    "operation_rate": (re.compile(r", (?:iops|Op Rate) was (\d{1,18}(?:[.,]\d{1,6})?)(?=\s|,|$)"), 1.0),
    "latency": (re.compile(r", Avg Latency was (\d{1,18}(?:[.,]\d{1,6})?) milliseconds"), MILLISECOND),
    "utilisation": (re.compile(r", thread utilization (\d{1,9}(?:[.,]\d{1,6})?)(?=\s|,|$)"), 1.0),
    "data_size": (re.compile(r", bytesTransferred (\d{1,20})\s*$"), 1.0),
}
_ANNOUNCED = re.compile(r"(?:iops|Op Rate|Avg Latency) was|thread utilization|bytesTransferred|,\s{2,}")
_CPU = re.compile(
    r"^\s*CPU utilization: user ([\d.,]{1,10})%, sys ([\d.,]{1,10})%, idle ([\d.,]{1,10})%, wait ([\d.,]{1,10})%\s*$"
)
_TORN = re.compile(r"\s*(?:recSize|nProcesses|Data rate|Data  |CPU utilization|Data\s+was|CPU  )")
_FAILED = re.compile(r"^(?:\s*(?:\S{0,300}/)?gpfsperf.{0,200}(?:rror|failed|cannot)|Error \d{1,5} on )")
_PATTERNS = {"seq": "sequential", "rand": "random", "randhint": "random", "strided": "strided"}
_NAMES = ("cpu_user", "cpu_system", "cpu_idle", "cpu_iowait")


def sniff(head: str) -> bool:
    """Whether a test of gpfsperf stands here."""
    return ("gpfsperf" in head or "recSize" in head) and (
        any(map(_TEST.match, head.split("\n"))) or ("recSize" in head and "nThreadsPerProcess" in head)
    )


def parse(text: str) -> Parsed:
    """Read every test.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "gpfsperf", "statistic": "single"})
    reader = _Tests(parsed)
    lines = trusted_lines(text, parsed)
    for at, line in lines:
        if not apply(reader.rules, line, at) and _TORN.match(line):
            parsed.incomplete(f"expected a line of gpfsperf, found {line.strip()[:60]!r}", at)
    reader.end(len(lines))
    return with_parts(parsed, EXPECTED, text)


class _Tests:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self._parsed = parsed
        self._keys: Row = {}
        self.rules: Sequence[Rule] = (
            (_TEST, self._test),
            (_SIZES, self._sizes),
            (_PROCESSES, self._processes),
            (_RATE, self._rate),
            (_CPU, self._cpu),
            (_FAILED, self._failed),
        )

    def end(self, at: int) -> None:
        """Say where a test has no rate."""
        if self._keys:
            self._parsed.incomplete("the test before this line has no 'Data rate was'", at)
        self._keys = {}

    def _test(self, found: re.Match[str], at: int) -> None:
        if "record_size" in self._keys:
            self.end(at)
        kind, pattern, file = found.groups()
        operation = {"create": "write", "uncache": "unknown"}.get(kind, kind)
        self._keys = {"operation": operation, "access_pattern": _PATTERNS[pattern]}
        self._keys |= ({"label": kind} if kind != operation else {}) | ({"file": file} if file else {})

    def _sizes(self, found: re.Match[str], at: int) -> None:
        names = ("record_size", "data_size", "file_size")
        self._keys |= on(at, {name: binary_size(word) for name, word in zip(names, found.groups(), strict=True)})

    def _processes(self, found: re.Match[str], at: int) -> None:
        self._keys |= on(at, {"processes": finite(found[1]) * finite(found[2])})

    def _rate(self, found: re.Match[str], at: int) -> None:
        figures = ((name, pattern.search(found[2]), factor) for name, (pattern, factor) in _FIGURES.items())
        try:
            row = {"throughput": finite(found[1]) * KIB}
            row |= {name: finite(figure[1]) * factor for name, figure, factor in figures if figure}
        except ValueError:
            self._parsed.incomplete(f"expected a rate, found {found[1]!r}", at)
            return
        if len(row) - 1 != len(_ANNOUNCED.findall(found[2])):
            self._parsed.incomplete(f"expected numbers, found {found[2].strip()[:80]!r}", at)
        if not {"operation", "record_size", "processes"} <= self._keys.keys():
            self._parsed.incomplete("the test of this rate lacks its name, its sizes or its processes", at)
        self._parsed.runs.append(settled({"operation": "unknown", **self._keys, **on(at, row), "line": at}))
        self._keys = {}

    def _cpu(self, found: re.Match[str], at: int) -> None:
        try:
            shares = [finite(word) * PERCENT for word in found.groups()]
        except ValueError:
            self._parsed.incomplete("expected shares of the CPU", at)
            return
        if self._parsed.runs:
            self._parsed.runs[-1] |= on(at, dict(zip(_NAMES, shares, strict=True)))

    def _failed(self, found: re.Match[str], at: int) -> None:
        self._parsed.incomplete(in_its_words(found), at)
