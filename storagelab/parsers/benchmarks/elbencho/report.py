"""elbencho's text: a block a phase between lines of ``---``."""

from __future__ import annotations

import re

from storagelab.parsers.benchmarks.elbencho import phases
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number, without_prefix

ERROR = re.compile(r"\s*(?:\d\d:\d\d:\d\d\.\d+ )?ERROR: ")
_FIELD = re.compile(r"([A-Z]\w*)?\s+([A-Z][A-Za-z0-9%/ ]*?)\s*:\s+(.*?)\s*$")
_PAIR = re.compile(r"(-|\d+)(?:ms)?\s+(\d+)(?:ms)?$")
_TIME = re.compile(r"(min|avg|max)=([\d.,]+)(us|ms|s)\b")
_PERCENTILE = re.compile(r"([\d.]+)%<=([\d.,]+)")
_MICROSECONDS = {"us": 1.0, "ms": 1e3, "s": 1e6}
_FIGURES = {
    "Elapsed time": "elapsed",
    "Elapsed ms": "elapsed",
    "IOPS": "iops",
    "Files/s": "entries/s",
    "Dirs/s": "entries/s",
    "Objects/s": "entries/s",
    "Buckets/s": "entries/s",
    "Throughput MiB/s": "MiB/s",
    "Total MiB": "MiB",
    "Files total": "entries",
    "Total files": "entries",
    "Dirs total": "entries",
    "Total dirs": "entries",
    "Objects total": "entries",
    "CPU util %": "cpu",
}
_PERCENTILES = {"1": "latency_p1", "50": "latency_p50", "90": "latency_p90", "95": "latency_p95", "99": "latency_p99"}


class _Reader:
    """The blocks read so far, and the one that is open."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.kind: Row = {}
        self.line = 0
        self.figures: dict[str, tuple[float | None, float | None]] = {}
        self.more: Row = {}
        self.workers: list[Row] = []

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        if line.strip("- \t") == "":
            self.close()
        elif line.startswith("COMMAND LINE:"):
            self.parsed.header["command"] = line.partition(":")[2].strip()
        elif line.startswith("ISO DATE:"):
            self.parsed.header["started"] = line.partition(":")[2].strip()
        elif ERROR.match(line):
            self.parsed.incomplete(line.strip(), at)
        elif field := _FIELD.match(line):
            if field[1]:
                self._open(field[1], at)
            self._field(field[2], field[3], at)
        elif self.kind or "\ufffd" in line:
            self.parsed.incomplete(f"not a line of a phase: {line.strip()[:60]!r}", at)

    def _open(self, phase: str, at: int) -> None:
        self.close()
        self.kind, self.line = phases.operation(phase), at
        if not self.kind and phase not in phases.NO_MEASUREMENT and phase.isupper():
            self.parsed.note(f"{phase} is a phase that is not known", at)

    def _field(self, label: str, printed: str, at: int) -> None:
        if not self.kind:
            return
        pair = _PAIR.match(printed)
        if label in _FIGURES and pair:
            self.figures[_FIGURES[label]] = (None if pair[1] == "-" else float(pair[1]), float(pair[2]))
            self.line = at if label in ("Throughput MiB/s", "IOPS", "Files/s", "Dirs/s") else self.line
        elif label in _FIGURES:
            self.parsed.incomplete(f"{label}: expected figures of the first and the last done, found {printed!r}", at)
        elif label == "Time ms each":
            self.workers = [
                {"share": "process", "process": str(number), "elapsed": float(word) / 1e3, "line": at, **self.kind}
                for number, word in enumerate(re.findall(r"\d+", printed))
            ]
        elif label.endswith("latency"):
            values = {which: number(value) * _MICROSECONDS[unit] for which, value, unit in _TIME.findall(printed)}
            self.more |= phases.latencies(self.kind, not label.startswith("IO "), values)
        elif label == "IO lat % us" or (label.endswith("lat % us") and self.kind["operation"] not in ("read", "write")):
            self.more |= {
                _PERCENTILES[percent]: number(value) / 1e6
                for percent, value in _PERCENTILE.findall(printed)
                if percent in _PERCENTILES
            }

    def close(self) -> None:
        """End the block that is open."""
        if self.kind and self.figures:
            self.parsed.runs.append(phases.row(self.kind, self.figures) | self.more | {"line": self.line})
            self.parsed.clients += self.workers
        self.kind, self.figures, self.more, self.workers = {}, {}, {}, []


def read(text: str, parsed: Parsed) -> None:
    """Read every phase of a text."""
    reader = _Reader(parsed)
    *lines, rest = without_prefix(text.split("\n"))
    for at, line in enumerate(lines, start=1):
        reader.take(line, at)
    if rest.strip("- ") or reader.kind:
        parsed.incomplete("the log ends inside a phase", len(lines) + 1)
    reader.close()
