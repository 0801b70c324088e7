"""flatfile.html: a line of columns, ``tod Run Interval reqrate rate MB/sec ...``, and below it a line an interval."""

from __future__ import annotations

import re
from collections.abc import Mapping

from storagelab.parsers.benchmarks.vdbench import cells
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.clock import Clock
from storagelab.parsers.text import finite

HEADING = re.compile(r"^\s*tod\s+(?:timestamp\s+)?Run\s+Interval\s")
_NONE = "n/a"
_CELLS = {
    "rate": "i/o rate",
    "MB/sec": "MB/sec 1024**2",
    "bytes/io": "bytes i/o",
    "read%": "read pct",
    "resp": "resp time",
    "read_resp": "read resp",
    "write_resp": "write resp",
    "resp_max": "resp max",
    "resp_std": "resp stddev",
    "queue_depth": "queue depth",
    "cpu_used": "cpu% sys+u",
    "cpu_kernel": "cpu% sys",
}
_OF_FILE_SYSTEMS = {
    "rate": "ReqstdOps rate",
    "resp": "ReqstdOps resp",
    "MB/sec": "mb/sec total",
    "MB_read": "mb/sec read",
    "MB_write": "mb/sec write",
    "Xfersize": "xfer size",
    "cpu_used": "cpu% total",
    "cpu_kernel": "cpu% sys",
}
_OPERATION = re.compile(r"([A-Z][a-z]+)_(rate|resp)")
_PATTERNS = {100.0: "random", 0.0: "sequential", -1.0: "sequential"}


class Table:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self.runs: list[Row] = []
        self.samples: list[Row] = []
        self._parsed = parsed
        self._columns: list[str] = []
        self._clock = Clock()
        self._open = ""
        self._part = 0
        self._at = 0

    def take(self, line: str, at: int) -> bool:
        """Read one line; whether it is the flat file's."""
        if HEADING.match(line):
            self._columns = line.split()
            return True
        if not self._columns or line.startswith("*") or not line.strip():
            return bool(self._columns)
        words = line.split()
        if not re.match(r"\d\d:\d\d:\d\d", words[0]):
            return False
        if len(words) != len(self._columns):
            self._parsed.incomplete(f"expected {len(self._columns)} cells, found {len(words)}", at)
            return True
        self._row(dict(zip(self._columns, words, strict=True)), at)
        return True

    def end(self) -> None:
        """Say where a run has no averages."""
        if self._open:
            self._parsed.incomplete(f"run {self._open} has no averages: it was stopped, or the log is cut", self._at)

    def _row(self, words: Mapping[str, str], at: int) -> None:
        job, interval = words["Run"], words["Interval"]
        if self._open != job:
            self.end()
            self._part += 1
        self._open, self._at = job, at
        try:
            rows = _rows({name: finite(word) for name, word in words.items() if _is_value(name, word)})
        except ValueError as error:
            self._parsed.incomplete(f"expected numbers, found {error}", at)
            return
        keys: Row = {"job": job, "part": float(self._part)}
        if interval.startswith("avg_"):
            self._open = ""
            self.runs += [{**keys, **row, "statistic": "mean", "line": at} for row in rows]
        elif interval.isdecimal():
            when: Row = {"time": round(self._clock.seconds(words["tod"]), 3), "iteration": float(interval)}
            self.samples += [{**keys, **when, **row, "statistic": "single", "line": at} for row in rows]


def _is_value(name: str, word: str) -> bool:
    return word != _NONE and name not in ("tod", "timestamp", "Run", "Interval", "version")


def _rows(values: Mapping[str, float]) -> list[Row]:
    """Make rows with what the run was asked for: threads, and the size of a transfer."""
    names = _OF_FILE_SYSTEMS if "Read_rate" in values else _CELLS
    named = {names[name]: value for name, value in values.items() if name in names}
    if names is _OF_FILE_SYSTEMS:
        found = ((_OPERATION.fullmatch(name), value) for name, value in values.items())
        named |= {f"{match[1].lower()} {match[2]}": value for match, value in found if match}
    keys: Row = {"processes": values["threads"]} if values.get("threads") else {}
    if values.get("xfersize", 0.0) > 0:
        keys["record_size"] = values["xfersize"]
    if "seekpct" in values:
        keys["access_pattern"] = _PATTERNS.get(values["seekpct"], "mixed")
    return [keys | row for row in cells.rows(named)]
