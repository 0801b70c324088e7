"""The summary of MD-REAL-IO, as md-workbench was called at first: all phases at the end of the run.

Printed by md-real-io.c of JulianKunkel/md-workbench until 2016 (``prepare_report``); phases on lines of their own came
in 2017 (md_workbench.py). Counts and times of three phases stand side by side, rates below each other:

- ``precreate``, `file_create`: rates of directories and files, and of the bytes of the files;
- ``benchmark``, `mixed_workload`: rates of iterations, and of the bytes of files that were created or read, so that the
  volume, of those created alone, is not `data_size` over `elapsed`;
- ``cleanup``, `file_remove`, which may have been skipped: then its time is 0 and its rate is none.

``--thread-reports`` adds a table of ranks, which is not read. The total of files is printed as ``zu`` where the C
library does not know that it is a size.
"""

from __future__ import annotations

import math
import re

from storagelab.parsers.line_formats import Rule, apply, refusal, trusted_lines
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.several_lines import on, settled
from storagelab.parsers.text import number
from storagelab.units import MIB

MARK = "MD-REAL-IO total files: "
_PHASES = {"precreate": "file_create", "benchmark": "mixed_workload", "cleanup": "file_remove"}
_RATES = {"Precreate": "precreate", "Benchmark": "benchmark", "Delete": "cleanup"}
_SECONDS = r"(\d{1,12}\.\d\d)s"
_BEGUN = re.compile(rf"\s{{0,9}}{MARK}")
_TIMES = re.compile(
    rf"\s{{0,9}}Total runtime: \d{{1,12}}\.\d{{3}}s precreate: {_SECONDS} benchmark: {_SECONDS} cleanup: {_SECONDS}\s*$"
)
_FILES = re.compile(
    r"\s{0,9}Operations: +/Pre dir: \d{1,18} files: (\d{1,18}) /Bench create: (\d{1,18}) access: \d{1,18}"
    r" /Clean files: (\d{1,18}) dirs: \d{1,18}\s*$"
)
_VOLUME = re.compile(r"\s{0,9}Volume: +precreate: (\d{1,15}\.\d) MiB benchmark: \d{1,15}\.\d MiB\s*$")
_ERRORS = re.compile(r"\s{0,9}Errors: \d{1,18} /Pre .*")
_RATE = re.compile(
    r"\s{0,9}(Precreate|Benchmark|Delete): +(\S{1,30}) (?:elements|iters)/s(?: \(dirs\+files\))?(?: (\S{1,30}) MiB/s)? "
    r"(?:ops|iteration) = \([^()]{0,200}\)\s*$"
)
_RANKS = re.compile(r"\s{0,9}Rank\tPrecreate\t")


def read(text: str) -> Parsed:
    """Read every phase of every run.

    Raises
    ------
    ParseError
        If there is none.
    """
    summary = _Summary(Parsed({"tool": "md-real-io", "statistic": "single"}))
    for at, line in trusted_lines(text, summary.parsed):
        apply(summary.rules, line, at)
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
            (_FILES, lambda found, at: self._say("files", found, at)),
            (_VOLUME, lambda found, at: self._say("data_size", found, at, MIB)),
            (_ERRORS, lambda found, at: parsed.incomplete(found[0].strip(), at)),
            (_RATE, self._rate),
            (_RANKS, lambda _, at: parsed.incomplete("a table of ranks, which is not read", at)),
        )
        self._part = 0
        self._said: dict[str, Row] = {}
        self._rated: set[str] = set()

    def _begin(self, found: re.Match[str], at: int) -> None:
        if self._part:
            self.end()
        self._part += 1
        self._said, self._rated = {}, set()

    def _say(self, name: str, found: re.Match[str], at: int, unit: float = 1.0) -> None:
        """Take what a line says of the phases, in their order."""
        for phase, printed in zip(_PHASES, found.groups(), strict=False):
            self._said.setdefault(phase, {}).update(on(at, {name: number(printed) * unit}))

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
        lacking = [phase for phase in _PHASES if phase not in self._rated]
        untimed = any("elapsed" not in self._said.get(phase, {}) for phase in self._rated)
        if lacking:
            self.parsed.incomplete(f"the summary lacks the rates of {', '.join(lacking)}: it is cut")
        if untimed:
            self.parsed.incomplete("the times of the phases are missing above their rates")
