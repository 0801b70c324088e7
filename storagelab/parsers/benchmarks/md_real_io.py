"""The summary of MD-REAL-IO, as md-workbench was called at first: all phases at the end of the run.

Printed by md-real-io.c of JulianKunkel/md-workbench until 2016 (``prepare_report``); phases on lines of their own came
in 2017 (md_workbench.py). Counts and times of three phases stand side by side, rates below each other:

- ``precreate``, `file_create`: rates of directories and files, and of the bytes of the files;
- ``benchmark``, `mixed_workload`: rates of iterations, and of the bytes of files that were created or read, so that the
  volume, of those created alone, is not `data_size` over `elapsed`;
- ``cleanup``, `file_remove`, which may have been skipped: then its time is 0 and its rate is none.

Late in 2016 files became objects and directories sets: ``Total runtime: 60.5s = 20.00s + 24.50s + 16.00s (precreate +
benchmark + cleanup)``, ``Operations: sets: 40 objs: 40000; write: 12000 read: 12000; objs: 40000 sets: 40``. There a
phase that was not asked for has no rate.

``--thread-reports``, later ``--process-reports``, adds a table of ranks: rows of `clients`, of each phase that it
ran, with its own time, the files that it made or removed, and errors. Their files must add up to those above. The total
of files is printed as ``zu`` where the C library does not know that it is a size.
"""

from __future__ import annotations

import math
import re

from storagelab.parsers.line_formats import Rule, apply, refusal, trusted_lines
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.units import MIB

MARK = "MD-REAL-IO total files: "
_PHASES = {"precreate": "file_create", "benchmark": "mixed_workload", "cleanup": "file_remove"}
_RATES = {"Precreate": "precreate", "Benchmark": "benchmark", "Delete": "cleanup", "Cleanup": "cleanup"}
_SECONDS = r"(\d{1,12}\.\d\d)s"
_COUNT = r"\d{1,18}"
_BEGUN = re.compile(rf"\s{{0,9}}(?:{MARK}|MD-REAL-IO total objects: {_COUNT} \(version: )")
_TIMES = re.compile(
    rf"\s{{0,9}}Total runtime: +\d{{1,12}}\.\d{{3}}s precreate: {_SECONDS} benchmark: {_SECONDS} "
    rf"cleanup: {_SECONDS}\s*$"
)
_SUM_OF_TIMES = re.compile(
    rf"\s{{0,9}}Total runtime: +\d{{1,12}}\.\d{{3}}s = {_SECONDS} \+ {_SECONDS} \+ {_SECONDS} \(precreate \+ .{{0,40}}$"
)
_FILES = re.compile(
    rf"\s{{0,9}}Operations: +/Pre dir: {_COUNT} files: ({_COUNT}) /Bench create: ({_COUNT}) access: {_COUNT}"
    rf" /Clean files: ({_COUNT}) dirs: {_COUNT}\s*$"
)
_OBJECTS = re.compile(
    rf"\s{{0,9}}Operations: +sets: {_COUNT} objs: ({_COUNT}); write: ({_COUNT}) read: {_COUNT}; objs: ({_COUNT})"
    rf" sets: {_COUNT}\s*$"
)
_VOLUME = re.compile(r"\s{0,9}Volume: +precreate: (\d{1,15}\.\d) MiB benchmark: \d{1,15}\.\d MiB\s*$")
_ERRORS = re.compile(r"\s{0,9}Errors: \d{1,18} /Pre .*")
_RATE = re.compile(
    r"\s{0,9}(Precreate|Benchmark|Delete|Cleanup): +(\S{1,30}) (?:elements|iters)/s(?: \(\w{3,4}\+\w{3,5}\))?"
    r"(?: (\S{1,30}) MiB/s)? (?:ops = |iteration = |- (?:an iteration is )?)\([^()]{0,200}\)\s*$"
)
_RANKS = re.compile(r"\s{0,9}(?:Individual report:|Rank\tPrecreate\t)")
_RANK = re.compile(
    rf"\s{{0,9}}({_COUNT})\s+{_SECONDS}\s+{_SECONDS}\s+{_SECONDS}" + rf"\s+({_COUNT})\(({_COUNT})\)" * 5 + r"\s*$"
)
_TORN_RANK = re.compile(r"\s{0,9}\d{1,18}\s+[\d.]{1,15}s\s|.{0,200}\d\(\d{1,18}\)\s")


def is_one(text: str) -> bool:
    """Whether a summary of MD-REAL-IO stands here, and not phases on lines of their own."""
    return MARK in text or bool(re.search(rf"^{_BEGUN.pattern}", text, re.MULTILINE))


def read(text: str) -> Parsed:
    """Read every phase of every run.

    Raises
    ------
    ParseError
        If there is none.
    """
    summary = _Summary(Parsed({"tool": "md-real-io", "statistic": "single"}))
    for at, line in trusted_lines(text, summary.parsed):
        summary.take(line, at)
    summary.end()
    if summary.parsed.is_empty():
        raise refusal("a summary of MD-REAL-IO ('Precreate: 6000.5 elements/s')", text)
    return summary.parsed


class _Summary:
    """The runs read so far; of the last one what was said of its phases."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.rules: tuple[Rule, ...] = (
            (_BEGUN, self._begin),
            (_TIMES, lambda found, at: self._say("elapsed", found, at)),
            (_SUM_OF_TIMES, lambda found, at: self._say("elapsed", found, at)),
            (_FILES, lambda found, at: self._say("files", found, at)),
            (_OBJECTS, lambda found, at: self._say("files", found, at)),
            (_VOLUME, lambda found, at: self._say("data_size", found, at, MIB)),
            (_ERRORS, lambda found, at: parsed.incomplete(found[0].strip(), at)),
            (_RATE, self._rate),
            (_RANKS, lambda _, at: self._announce_ranks()),
            (_RANK, self._rank),
        )
        self._part = 0
        self._forget()

    def _forget(self) -> None:
        self._said: dict[str, Row] = {}
        self._rated: set[str] = set()
        self._ranks: list[float] = []
        self._are_announced = False

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        if not apply(self.rules, line, at) and _TORN_RANK.match(line):
            self.parsed.incomplete(f"expected a rank with its times and counts, found {line.strip()[:60]!r}", at)

    def _begin(self, found: re.Match[str], at: int) -> None:
        if self._part:
            self.end()
        self._part += 1
        self._forget()

    def _say(self, name: str, found: re.Match[str], at: int, unit: float = 1.0) -> None:
        """Take what a line says of the phases, in their order."""
        for phase, printed in zip(_PHASES, found.groups(), strict=False):
            self._said.setdefault(phase, {}).update(on(at, {name: number(printed) * unit}))

    def _announce_ranks(self) -> None:
        self._are_announced = True

    def _rank(self, found: re.Match[str], at: int) -> None:
        """Take the phases of a rank: times, and pairs of counts and errors of sets, files, created, read, removed."""
        rank, *printed = found.groups()
        times = [number(seconds) for seconds in printed[:3]]
        counts = [float(count) for count in printed[3::2]]
        errors = [float(count) for count in printed[4::2]]
        self._ranks.append(counts[1])
        files = (counts[1], counts[2], counts[4])
        failed = (errors[0] + errors[1], errors[2] + errors[3], errors[4])
        for (phase, operation), elapsed, made, lost in zip(_PHASES.items(), times, files, failed, strict=True):
            if elapsed:
                row: Row = {"operation": operation, "phase": phase, "share": "rank", "process": rank}
                row |= {"part": float(max(self._part, 1)), "elapsed": elapsed, "files": made, "errors": lost}
                self.parsed.clients.append({**row, "line": at})

    def _rate(self, found: re.Match[str], at: int) -> None:
        phase = _RATES[found[1]]
        self._rated.add(phase)
        rates = {"operation_rate": number(found[2]), "throughput": number(found[3]) * MIB if found[3] else math.nan}
        values = {name: rate for name, rate in rates.items() if math.isfinite(rate)}
        if values:
            whose: Row = {"operation": _PHASES[phase], "phase": phase, "part": float(max(self._part, 1)), "line": at}
            self.parsed.runs.append(settled({**whose, **self._said.get(phase, {}), **values}))

    def end(self) -> None:
        """Say what a run lacks of its phases: the summary ends with the last of their rates."""
        skipped = [phase for phase, said in self._said.items() if said.get("elapsed") == 0]
        lacking = [phase for phase in _PHASES if phase not in (*self._rated, *skipped)]
        untimed = any("elapsed" not in self._said.get(phase, {}) for phase in self._rated)
        if lacking:
            self.parsed.incomplete(f"the summary lacks the rates of {', '.join(lacking)}: it is cut")
        if untimed:
            self.parsed.incomplete("the times of the phases are missing above their rates")
        if self._are_announced and not self._ranks:
            self.parsed.incomplete("a report of the ranks is announced, and has none")
        if self._ranks and sum(self._ranks) != self._said.get("precreate", {}).get("files"):
            self.parsed.incomplete("the files of the ranks are not those of the run: a rank is missing")
