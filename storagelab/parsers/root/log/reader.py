"""From the lines of a log to its parts: a file read, or whatever was printed once before it is printed again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.root.log import event_loop, metrics
from storagelab.parsers.root.log.perf_stats import FIRST, Block, field_in, is_sensible
from storagelab.parsers.root.log.stopwatch import label_in, stopwatch_in
from storagelab.parsers.root.log.tree_cache import Statistics, title_in
from storagelab.parsers.values_on_several_lines import on

_VERSION = re.compile(r"(?:^ROOT |Welcome to ROOT )v?(\d\S*)")
_COMMENT = re.compile(r"[ \t]*(?:(?://+|#+|\*|>+|\|)[ \t]*)*")
_MARKS = " \t/#>|"
_DAMAGED = "\ufffd"


@dataclass(slots=True)
class Part:
    """What was printed of one read; each print at most once."""

    file: str = ""
    entries: Row = field(default_factory=dict)
    block: Block | None = None
    cache: Statistics | None = None
    plain: Row = field(default_factory=dict)
    counters: list[metrics.Counters] = field(default_factory=list)
    laps: list[Row] = field(default_factory=list)
    line: int = 0

    def rows(self) -> list[Row]:
        """Return its rows of ``runs``."""
        keys: Row = {"file": self.file} if self.file else {}
        if self.cache:
            keys |= {name: value for name, value in self.cache.keys.items() if name not in keys}
        block = self.block.row() if self.block else {}
        entries = on(self.line, self.entries) if block else self.entries
        read: Row = {"operation": "read"} | entries | block | {"line": block.get("line", self.line)}
        rows = [keys | read] if self.entries or block else []
        rows += [self.plain] if self.plain else []
        rows += self.cache.rows() if self.cache else []
        return rows + [keys | row for row in (one.row() for one in self.counters) if row]


class Reader:
    """Takes a log's lines one by one.

    Attributes
    ----------
    parts : list of Part
        Reads, in their order.
    jobs : list of Row
        Stopwatches that do not stand behind the statistics of a read.
    samples : list of Row
        Every counter of RNTuple.
    """

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.parts: list[Part] = []
        self.jobs: list[Row] = []
        self.samples: list[Row] = []
        self._total: Row = {}
        self._before = ""
        self._senseless: list[tuple[int, str]] = []

    def line(self, text: str, number: int) -> None:
        """Read a line that ended with a newline."""
        if _DAMAGED in text:
            self.parsed.incomplete("bytes that are not UTF-8", number)
        mark = text[:1]
        if mark == "*" and not text.startswith("******T"):
            return
        text = text[_start(text) :].rstrip() if mark in _MARKS else text.rstrip()
        if text:
            self._read(text, number)
            self._before = text

    def _read(self, text: str, number: int) -> None:
        found = field_in(text)
        if found:
            self._field(*found, number)
        elif "Real" in text:
            self._stopwatch(text, number)
        elif "|" in text:
            self._counter(text, number)
        elif text.startswith("Number of ") or ".." in text:
            self._cache(text, number)
        else:
            self._words(text, number)

    def _words(self, text: str, number: int) -> None:
        """Read a line of the event loop, or a title."""
        title = title_in(text)
        if title is not None:
            self._part_without("cache", "plain", line=number).cache = Statistics(title, number)
        elif text.startswith("Processing "):
            self._file(text, number)
        elif text.startswith(("Entries read ", "Total entries", "Reading ")):
            self._loop(text, number)
        else:
            self._version(text)

    # --- prints ---------------------------------------------------------------------------------------------------

    def _field(self, label: str, value: float, number: int) -> None:
        block = self._last().block if self.parts else None
        if block is None or label == FIRST or label in block.printed:
            part = self._part_without("block", line=number)
            block = part.block = Block(number)
        block.add(label, value, number)
        if not is_sensible(value):
            self._senseless.append((number, label))

    def _cache(self, text: str, number: int) -> None:
        if self.parts and self._last().cache:
            statistics = self._last().cache
            if statistics and statistics.add(text, number):
                return
        title = title_in(text)
        if title is not None:
            self._part_without("cache", "plain", line=number).cache = Statistics(title, number)
        elif text.startswith(("Cached Reading", "Number of branches in the cache")):
            statistics = Statistics({}, number)
            if statistics.add(text, number):
                self._part_without("cache", "plain", line=number).cache = statistics

    def _counter(self, text: str, number: int) -> None:
        found = metrics.counter_in(text)
        if not found:
            self._version(text)
            return
        name, unit, value = found
        owner, _, counter = name.rpartition(".")
        self.samples.append(metrics.sample(name, unit, value, number))
        self._counters_of(owner, counter, number).add(counter, unit, value, number)

    def _counters_of(self, owner: str, counter: str, number: int) -> metrics.Counters:
        """Return the counters of a page source or sink: new ones where the counter has come before."""
        part = self._part_without("block", "cache", "plain", line=number)
        known = next((one for one in part.counters if one.owner == owner), None)
        if known and counter in known.names:
            part, known = self._begin(number), None
        if not known:
            known = metrics.Counters(owner, number)
            part.counters.append(known)
        return known

    def _stopwatch(self, text: str, number: int) -> None:
        found = stopwatch_in(text)
        if not found:
            return
        times, before = found
        row: Row = {"operation": "job", **times, "line": number}
        if self._total:
            self.jobs.append(row | self._total)
            self._total = {}
        elif self.parts and self._last().block and not self._last().laps:
            self._last().laps.append(row)
        else:
            label = before or _timed(self._before)
            self.jobs.append(row | ({"label": label} if label else {}))

    # --- the event loop -------------------------------------------------------------------------------------------

    def _file(self, text: str, number: int) -> None:
        file = event_loop.file_in(text)
        if file:
            self._begin(number).file = file

    def _loop(self, text: str, number: int) -> None:
        total, entries, reads = event_loop.total_in(text), event_loop.entries_in(text), event_loop.reads_in(text)
        if total is not None:
            self._total = on(number, {"entries": total})
        elif entries:
            part = self._part_without("entries", line=number)
            part.entries, part.line = entries, number
        elif reads:
            self._part_without("plain", "cache", "block", line=number).plain = reads | {"line": number}

    def _version(self, text: str) -> None:
        match = _VERSION.search(text) if "ROOT " in text else None
        if match:
            self.parsed.header.setdefault("tool_version", match[1])

    # --- parts ----------------------------------------------------------------------------------------------------

    def _last(self) -> Part:
        return self.parts[-1]

    def _begin(self, number: int) -> Part:
        self.parts.append(Part(line=number))
        return self.parts[-1]

    def _part_without(self, *prints: str, line: int) -> Part:
        """Return the part that a print belongs to: a new one where the last has such a print."""
        if not self.parts or any(getattr(self._last(), name) for name in prints):
            return self._begin(line)
        return self._last()

    # --- the end --------------------------------------------------------------------------------------------------

    def end(self) -> None:
        """Say what is missing."""
        for part in self.parts:
            self._check(part)
        if self._total:
            self.parsed.incomplete("the time behind the total is missing")
        elif any(part.entries for part in self.parts) and not any("entries" in job for job in self.jobs):
            self.parsed.incomplete("the total behind the files is missing")
        if self._senseless:
            names = ", ".join(dict.fromkeys(label for _, label in self._senseless))
            self.parsed.note(f"no sensible number in {len(self._senseless)} places: {names}", self._senseless[0][0])

    def _check(self, part: Part) -> None:
        missing = part.block.missing() if part.block else []
        if missing:
            self.parsed.incomplete(f"statistics without {', '.join(missing)}", part.block.line if part.block else 0)
        if part.file and not (part.block or part.entries or part.cache or part.counters):
            self.parsed.incomplete(f"nothing is said of {part.file}", part.line)
        if part.cache and part.cache.cached and not part.cache.is_whole():
            self.parsed.incomplete("statistics of a cache are not whole", part.cache.line)


def _start(text: str) -> int:
    """Where a line begins behind the marks of a comment."""
    match = _COMMENT.match(text)
    return match.end() if match else 0


def _timed(text: str) -> str:
    """What the line above a stopwatch says that was timed."""
    return label_in(text) if text.startswith("Time for ") or text.endswith(":") else ""
