"""The tables that vdbench prints to the console, its logfile, its summary and its totals; histograms between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from storagelab.parsers.benchmarks.vdbench import cells
from storagelab.parsers.line_formats import Rule, apply, in_its_words, metric
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.clock import Clock
from storagelab.parsers.text import finite, number
from storagelab.units import PERCENT, binary_size

HEADING = re.compile(
    r"^\s*(?:([A-Z][a-z]{2} \d\d, \d{4})\s+)?\.?(?:interval +i/o +MB/sec|Interval\. +\.*ReqstdOps)\b(.*)$"
)
_STARTING = re.compile(r"^\s*(\d\d:\d\d:\d\d[.,]\d{3}) Starting RD=([^;\s]{1,200})(.*)$")
_THREADS = re.compile(r"\bthreads=(\d{1,9}k?)\b")
"""1,024 of them are printed as ``1k``."""
_LINE = re.compile(r"^\s*(?:(\d\d:\d\d:\d\d[.,]\d{3})\s*)?(?:(avg|max|std)_\d+-\d+|(\d{1,9}))\s+(?=[\dN])(.{1,2000})$")
_SIZE = re.compile(r"\bxfersize=(\d{1,9}[kmgKMG]?)\b")
_VERSION = re.compile(r"Vdbench distribution: (vdbench)?(\S{1,60})")
_FAILED = re.compile(r"^.{0,300}?(?:Data Validation error|Vdbench terminating|java\.lang\.RuntimeException|aborting)")
_HISTOGRAM = re.compile(r"^\s*(Reads and writes|Reads|Writes|[A-Z][a-z]{2,20}):\s*$")
_BUCKET = re.compile(
    r"^\s*([\d.,]{1,20}) < +([\d.,]{1,20}|max) +(\d[\d,]{0,20}) +([\d.,]{1,10}) +([\d.,]{1,10})(?:\s|$)"
)
_TORN_BUCKET = re.compile(r"^\s*\d{1,9}[.,]\d{3}\s")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_DIRECTIONS = {"Reads": "read", "Writes": "write"}
_SECOND_LINE = ("rate", "1024**2", "resp")
_ONE_CELL = ("xfer",)


class Report:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self.runs: list[Row] = []
        self.samples: list[Row] = []
        self.has_begun = False
        self._parsed = parsed
        self._definition: Row = {}
        self._part = 0
        self._has_averages = True
        self._at = 0
        self._clock = Clock()
        self._started = ""
        self._titles: list[str] = []
        self._columns: list[str] = []
        self._direction = ""
        self._rules: Sequence[Rule] = (
            (_STARTING, self._start),
            (HEADING, self._head),
            (_LINE, self._numbers),
            (_HISTOGRAM, self._histogram),
            (_BUCKET, self._bucket),
            (_TORN_BUCKET, self._torn),
            (_VERSION, self._version),
            (_FAILED, self._fail),
        )

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        if self._titles:
            self._subtitles(line, at)
        else:
            apply(self._rules, line, at)

    def end(self) -> None:
        """Say where a run has no averages."""
        if not self._has_averages:
            self._parsed.incomplete("a run has no averages: it was stopped, or the log is cut", self._at)

    def _start(self, found: re.Match[str], at: int) -> None:
        self.end()
        self._part += 1
        self.has_begun, self._has_averages, self._at = True, False, at
        self._clock.seconds(found[1])
        self._started = self._started or found[1]
        self._definition = {"job": found[2], "part": float(self._part)}
        loops = found[3].partition("For loops: ")[2].strip()
        if loops not in ("", "None"):
            self._definition["label"] = loops
        if threads := _THREADS.search(found[3]):
            self._definition["processes"] = float(binary_size(threads[1]))
        if size := _SIZE.search(loops):
            self._definition["record_size"] = binary_size(size[1])

    def _head(self, found: re.Match[str], at: int) -> None:
        """Take the first line of columns; its date is that of the log."""
        titles = found[0].replace(".", " ").split()
        start = next(place for place, word in enumerate(titles) if word.lower() == "interval")
        self._titles = titles[start + 1 :]
        if found[1] and "started" not in self._parsed.header:
            self._date(found[1])

    def _date(self, printed: str) -> None:
        """Take the day on which the first run began, where its time is known."""
        try:
            day = datetime.strptime(printed, "%b %d, %Y").date()
        except ValueError:
            return
        if self._started:
            self._parsed.header["started"] = f"{day.isoformat()}T{self._started.replace(',', '.')}"

    def _subtitles(self, line: str, at: int) -> None:
        words, titles = line.split(), self._titles
        self._titles, self._columns = [], []
        if not words or words[0] not in _SECOND_LINE:
            self._parsed.incomplete("the second line of columns is missing", at)
        elif "ReqstdOps" in titles:
            self._columns = list(_grouped(titles, words))
        else:
            self._columns = [f"{title} {word}" for title, word in zip(titles, words, strict=False)]

    def _numbers(self, found: re.Match[str], at: int) -> None:
        time, kind, interval, rest = found.groups()
        if kind in ("max", "std") or not self._columns:
            if not kind and not self._columns:
                self._parsed.incomplete("numbers without columns", at)
            return
        try:
            values = dict(zip(self._columns, map(number, rest.split()), strict=True))
        except ValueError:
            self._parsed.incomplete(f"expected {len(self._columns)} numbers, found {rest.strip()[:60]!r}", at)
            return
        rows = [{**self._definition, **row, "line": at} for row in cells.rows(values)]
        if kind == "avg":
            self._has_averages = True
            self.runs += [{**row, "statistic": "mean"} for row in rows]
        else:
            when: Row = {"iteration": finite(interval), "statistic": "single"}
            self.samples += [
                {**(when | ({"time": round(self._clock.seconds(time), 3)} if time else {})), **row} for row in rows
            ]

    def _histogram(self, found: re.Match[str], at: int) -> None:
        self._direction = _DIRECTIONS.get(found[1], "mixed_workload" if found[1] == "Reads and writes" else "")
        self._has_averages = True

    def _bucket(self, found: re.Match[str], at: int) -> None:
        count = found[3].replace(",", "") if _THOUSANDS.fullmatch(found[3]) else found[3]
        keys = {"operation": self._direction, "label": f"{found[1]} to {found[2]} ms"}
        counted = metric("response time histogram", finite(count), "1", at, **keys)
        share = metric("response time histogram, share", finite(found[4]) * PERCENT, "1", at, **keys)
        self.samples += [{**self._definition, **row, "statistic": "single"} for row in (counted, share)]

    def _torn(self, found: re.Match[str], at: int) -> None:
        if self._direction:
            self._parsed.incomplete(f"expected a bucket of the histogram, found {found.string.strip()[:60]!r}", at)

    def _version(self, found: re.Match[str], at: int) -> None:
        self.has_begun = True
        self._parsed.header["tool_version"] = found[2]

    def _fail(self, found: re.Match[str], at: int) -> None:
        if self.has_begun or self._columns:
            self._parsed.incomplete(in_its_words(found), at)


def _grouped(titles: list[str], words: list[str]) -> Iterator[str]:
    """Name the columns of file systems: a title stands over one word or over two."""
    place = 0
    for title in titles:
        if place >= len(words):
            return
        one = words[place] in ("pct", "total") and title != "cpu%"
        width = 1 if one or title in _ONE_CELL else 2
        yield from (f"{title} {word}" for word in words[place : place + width])
        place += width
