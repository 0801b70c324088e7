"""filebench: the operations of a workload (flowops), and the sum of those that move data or metadata of files.

``Per-Operation Breakdown`` heads a line a flowop, ``IO Summary`` ends it; workloads with ``psrun`` print both once a
period (`iteration`). The rows are `mixed_workload`: the sum, and each flowop by the name that the workload gives it in
`label`. Of the sum a `read` and a `write` row say how many operations a second they were; where all were of one kind,
the sum is a row of that kind and there is no other. mb are 2^20 bytes. Waits
and limits of rate are flowops too and are in no sum. What is printed as zero (no data moved, or less than the last
digit shows) is no value, nor is a longest latency that 1.4 cut to whole milliseconds and with it below the mean. CPU
time an operation, which 1.4 prints, is left alone. `job` is the personality,
`processes` are the instances where one kind of process is started (their threads are not printed), and `elapsed` is
cut to whole seconds. Printed by stats.c (stats_snap) of filebench/filebench.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from storagelab.parsers.line_formats import Rule, apply, in_its_words, refusal, trusted_lines
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import finite
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import MIB, MILLISECOND

FORMAT = Format(
    name="filebench",
    tool="filebench",
    versions="1.3 to 1.5-alpha3",
    reads="operations, sums of runs and of periods",
    source="filebench/filebench, stats.c (stats_snap)",
    marks=("Per Operation Breakdown", "IO Summary", "Filebench Version"),
    opens=("Filebench Version ", "Per-Operation Breakdown", "IO Summary:"),
)

EXPECTED = "results of filebench ('IO Summary: 3094 ops 515.172 ops/s 79/79 rd/wr 3.9mb/s 5.0ms/op')"
_STAMP = r"\s*(?:\d{1,10}: )?(?:\s{0,8}\d{1,10}\.\d{1,3}: )?\s{0,8}"
"""Before 1.4.9 the process stands in front of the time."""
_N = r"(\d{1,18}(?:\.\d{1,9})?)"
_FLOWOP = re.compile(
    rf"(\S{{1,128}})\s+(?:(\d{{1,18}})ops\s+)?{_N}ops/s\s+{_N}mb/s\s+{_N}ms/op"
    rf"(?:\s+\d{{1,18}}us/op-cpu)?(?:\s+\[\s*{_N}ms -\s+{_N}ms\])?(?:\s+\[ [\d ]{{0,2000}}\])?\s*$"
)
_SUM = re.compile(
    rf"{_STAMP}IO Summary:\s+(\d{{1,18}}) ops,?\s+{_N} ops/s,?\s+\(?{_N}/{_N} (?:rd/wr|r/w)\)?,?"
    rf"\s+{_N}mb/s,?\s+(?:\d{{1,18}}us cpu/op,\s+)?{_N}ms(?:/op| latency)\s*$"
)
_VERSION = re.compile(rf"{_STAMP}Filebench Version (\S{{1,40}})\s*$")
_PERSONALITY = re.compile(rf"{_STAMP}(\S.{{0,80}}?) Version \S{{1,40}}\s+personality successfully loaded\s*$")
_STARTING = re.compile(rf"{_STAMP}Starting (\d{{1,9}}) \S{{1,128}} instances\s*$")
_RUNNING = re.compile(rf"{_STAMP}Running\.\.\.\s*$")
_TOOK = re.compile(rf"{_STAMP}Run took (\d{{1,9}}) seconds\.\.\.\s*$")
_BREAKDOWN = re.compile(rf"{_STAMP}Per-Operation Breakdown\s*$")
_DOWN = re.compile(rf"{_STAMP}Shutting down processes\s*$")
_BEGINS = re.compile(rf"{_STAMP}(?:Starting \d|Running\.\.\.|Per-Operation |\S.{{0,120}}personality successfully)")
"""Lines of the next run, where the name of filebench above it was lost."""
_FAILED = re.compile(
    rf"{_STAMP}(?:NO VALID RESULTS!|Unexpected Process termination|[Ff]ailed to |Run aborted|Aborting|"
    r"\w{1,20} creation failed|Can't |\S.{0,80}\bterminated prematurely)"
)
_TORN = re.compile(rf"{_STAMP}(?:IO Summary|Per-Operation|Run took|Filebench V)|.*\dops/s\s+\d")


def sniff(head: str) -> bool:
    """Whether filebench names itself, or its operations or their sum stand here."""
    known = (_VERSION, _BREAKDOWN, _SUM)
    return ("ilebench V" in head or "-Operation B" in head or "IO Summary:" in head) and any(
        pattern.match(line) for line in head.split("\n") for pattern in known
    )


def parse(text: str) -> Parsed:
    """Read every run, and every period of it.

    Raises
    ------
    ParseError
        If there is none, and nothing says that one began.
    """
    parsed = Parsed({"tool": "filebench", "statistic": "single"})
    reader = _Runs(parsed)
    lines = trusted_lines(text, parsed)
    for at, line in lines:
        reader.take(line, at)
    reader.end(len(lines))
    if reader.runs == 1:
        for row in parsed.runs:
            del row["part"]
    if not parsed.runs and parsed.complete:
        raise refusal(EXPECTED, text)
    return parsed


class _Runs:
    """What has been read so far: the run that goes on, and the flowops that wait for their sum."""

    def __init__(self, parsed: Parsed) -> None:
        self._parsed = parsed
        self.runs = 0
        self._forget()
        self._rules: Sequence[Rule] = (
            (_SUM, self._sum),
            (_BREAKDOWN, self._breakdown),
            (_VERSION, self._version),
            (_PERSONALITY, self._personality),
            (_STARTING, self._starting),
            (_RUNNING, self._running),
            (_TOOK, self._took),
            (_DOWN, self._down),
            (_FAILED, self._failed),
        )

    def _forget(self) -> None:
        self._keys: Row = {}
        self._processes: dict[int, float] = {}
        self._flowops: list[Row] = []
        self._in_table = self._has_begun = self._ran = self._is_down = self._has_failed = False
        self._rows: list[list[Row]] = []

    def take(self, line: str, at: int) -> None:
        """Read a line."""
        flowop = _FLOWOP.match(line) if "ops/s" in line else None
        if flowop and (self._in_table or not self._rows):
            if not self._in_table:
                self._parsed.incomplete("operations without 'Per-Operation Breakdown' above them", at)
            self._in_table = True
            self._flowops.append(_flowop(flowop, at))
        elif self._is_down and _BEGINS.match(line):
            self.end(at)
            self.take(line, at)
        elif not apply(self._rules, line, at) and ((self._in_table and line.strip()) or _TORN.match(line)):
            self._parsed.incomplete(f"expected an operation of filebench or their sum, found {line.strip()[:60]!r}", at)

    def end(self, at: int) -> None:
        """Say what the run before this line lacks, and put its rows into the log."""
        if self._in_table:
            self._parsed.incomplete("operations without their sum 'IO Summary'", at)
        elif self._ran and not self._rows and not self._has_failed:
            self._parsed.incomplete("the run before this line has no 'IO Summary'", at)
        elif self._has_begun and not self._ran:
            self._parsed.incomplete("filebench started and did not run a workload", at)
        elif self._ran and not self._is_down:
            self._parsed.incomplete("no 'Shutting down processes': filebench was stopped, or the log is cut", at)
        if self._flowops:
            self._rows.append(self._flowops)
        self._close()

    def _close(self) -> None:
        if len(self._processes) == 1:
            ((line, processes),) = self._processes.items()
            self._keys |= on(line, {"processes": processes})
        self.runs += bool(self._rows)
        for number, rows in enumerate(self._rows):
            period: Row = {"iteration": float(number)} if len(self._rows) > 1 else {}
            self._parsed.runs += [{**row, **self._keys, **period, "part": float(self.runs)} for row in rows]
        self._forget()

    def _version(self, found: re.Match[str], at: int) -> None:
        if self._has_begun or self._rows or self._in_table:
            self.end(at)
        self._has_begun = True
        self._parsed.header["tool_version"] = found[1]

    def _personality(self, found: re.Match[str], at: int) -> None:
        self._keys["job"] = found[1]

    def _starting(self, found: re.Match[str], at: int) -> None:
        self._processes[at] = finite(found[1])

    def _running(self, found: re.Match[str], at: int) -> None:
        self._has_begun = self._ran = True

    def _took(self, found: re.Match[str], at: int) -> None:
        self._keys |= on(at, {"elapsed": finite(found[1])})

    def _breakdown(self, found: re.Match[str], at: int) -> None:
        if self._in_table:
            self._parsed.incomplete("the operations above have no sum 'IO Summary'", at)
        self._in_table = True

    def _down(self, found: re.Match[str], at: int) -> None:
        self._is_down = True

    def _failed(self, found: re.Match[str], at: int) -> None:
        self._has_failed = True
        self._parsed.incomplete(in_its_words(found), at)

    def _sum(self, found: re.Match[str], at: int) -> None:
        if not self._in_table:
            self._parsed.note("the sum stands alone: its operations are not in the log", at)
        operations, rate, reads, writes, moved, latency = map(finite, found.groups())
        row = _measured({"operations": operations, "operation_rate": rate}, moved, latency)
        shares = {operation: share for operation, share in (("read", reads), ("write", writes)) if share}
        only = _only(shares, rate)
        rows: list[Row] = [{"operation": only or "mixed_workload", **row, "line": at}]
        for operation, share in shares.items():
            rows += [] if only else [{"operation": operation, "operation_rate": share, "line": at}]
        self._add_up(operations, moved, at)
        self._rows.append(rows + self._flowops)
        self._flowops, self._in_table = [], False

    def _add_up(self, operations: float, moved: float, at: int) -> None:
        """Say where flowops are missing: all together are no fewer than the sum, and move as much as it says."""
        if not self._flowops:
            if self._in_table:
                self._parsed.incomplete("no operation stands above their sum", at)
            return
        counted = [float(row["operations"]) for row in self._flowops if "operations" in row]
        if len(counted) == len(self._flowops) and sum(counted) < operations:
            self._parsed.incomplete(f"the operations above are fewer than the {operations:.0f} of their sum", at)
        bytes_moved = sum(float(row.get("throughput", 0.0)) for row in self._flowops) / MIB
        if abs(bytes_moved - moved) > 0.05 * (len(self._flowops) + 1) + 1e-6:
            self._parsed.incomplete(f"the operations above move {bytes_moved:.1f} mb/s, and their sum {moved:.1f}", at)


def _flowop(found: re.Match[str], at: int) -> Row:
    name, operations, rate, moved, latency, lowest, highest = found.groups()
    counted: Row = {"operations": finite(operations)} if operations else {}
    extremes = {"latency_min": finite(lowest or "0"), "latency_max": finite(highest or "0")}
    if "." not in (highest or ".") and extremes["latency_max"] < finite(latency) < extremes["latency_max"] + 1:
        del extremes["latency_max"]
    if highest and extremes["latency_min"] > finite(highest):
        del extremes["latency_min"]
    row = _measured({**counted, "operation_rate": finite(rate)}, finite(moved), finite(latency))
    row |= {key: value * MILLISECOND for key, value in extremes.items() if value}
    return {"operation": "mixed_workload", "label": name, **row, "line": at}


def _only(shares: dict[str, float], rate: float) -> str:
    """Return the kind that all operations are of, as far as whole operations a second tell it."""
    if len(shares) != 1:
        return ""
    ((operation, share),) = shares.items()
    return operation if abs(rate - share) <= 0.5 <= rate / 100 else ""


def _measured(counts: Row, moved: float, latency: float) -> Row:
    row = {name: value for name, value in counts.items() if value or name == "operations"}
    return (
        row | ({"throughput": moved * MIB} if moved else {}) | ({"latency": latency * MILLISECOND} if latency else {})
    )
