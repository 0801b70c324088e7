"""mdtest's text report, 1.8 to 4.x, one line at a time: each line of interest is known by its first four characters."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from storagelab.errors import ParseError
from storagelab.parsers.mdtest import tables
from storagelab.parsers.mdtest.log import OPERATIONS, Run, finish
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.ranks import unquoted, without_label

_LAUNCH = re.compile(r"mdtest-(\S+) was launched with (\d+) total task\(s\) on (\d+) node")
_TOTAL = re.compile(r"(\d+) tasks?, (\d+) (?:files?|director)")
_SUMMARY = re.compile(r"SUMMARY(?: (rate|time))?.*\(of (\d+) iteration")
_DETAIL = re.compile(r"(File|Directory|Tree) (\w+)\s*:\s*(\d+[.,]\d+) sec,\s*(\d+[.,]\d+) ops/sec")
_ITERATION = re.compile(r"\* iteration (\d+) ")
_EXIT = re.compile(r"exit codes?: (\d+)")


@dataclass(slots=True)
class Reader:
    """The log that is read, and what is open in it: a table and its columns, an iteration."""

    parsed: Parsed = field(default_factory=lambda: Parsed({"tool": "mdtest"}))
    runs: list[Run] = field(default_factory=list)
    started: str = ""
    quantity: str = ""
    samples: float = 0.0
    columns: tables.Columns = tables.PLAIN
    per_process: str = ""
    iteration: int = -1

    def run(self, line: int = 0) -> Run:
        """Return the run that is being read."""
        if not self.runs:
            self.runs.append(Run(line, started=self.started))
        return self.runs[-1]


def parse(text: str) -> Parsed:
    """Read a text report."""
    reader = Reader()
    lines = text.split("\n")
    cut = lines.pop()
    find = HANDLERS.get
    for number, line in enumerate(lines, 1):
        handle = find(line[:4])
        if handle:
            handle(reader, number, line)
        elif line:
            _labelled(reader, number, line)
    return _finish(reader, len(lines), cut)


def _labelled(reader: Reader, number: int, line: str) -> None:
    if " task" in line[:24] and _total(reader, number, line):
        return
    for bare in (unquoted(line), without_label(line)):
        handle = HANDLERS.get(bare[:4])
        if handle:
            handle(reader, number, bare)
            return


def _total(reader: Reader, number: int, line: str) -> bool:
    total = _TOTAL.search(line)
    if total:
        reader.run(number).total = float(total[2])
        reader.run().processes = reader.run().processes or float(total[1])
    return bool(total)


def _started(reader: Reader, number: int, line: str) -> None:
    reader.started = line.partition(" at ")[2].rstrip(" -")
    reader.quantity = ""


def _finished(reader: Reader, number: int, line: str) -> None:
    if "finished at" in line:
        reader.run().finished = line.partition(" at ")[2].rstrip(" -")
        reader.quantity = ""


def _launch(reader: Reader, number: int, line: str) -> None:
    launch = _LAUNCH.match(line)
    if launch:
        run = Run(number, launch[1], started=reader.started)
        run.processes, run.nodes = float(launch[2]), float(launch[3])
        reader.runs.append(run)
        reader.started = reader.quantity = reader.per_process = ""
        reader.iteration = -1


def _command(reader: Reader, number: int, line: str) -> None:
    if line.startswith("Command line used:"):
        run = reader.run(number)
        run.command, run.line = line[18:].strip(), number


def _summary(reader: Reader, number: int, line: str) -> None:
    summary = _SUMMARY.match(line)
    if summary:
        reader.quantity = "elapsed" if summary[1] == "time" else "operation_rate"
        reader.samples = float(summary[2])
        reader.columns = tables.PLAIN
        reader.run(number).last = ""


def _header(reader: Reader, number: int, line: str) -> None:
    if "Max" in line:
        reader.columns = tables.columns(line)


def _row(reader: Reader, number: int, line: str) -> None:
    if "ops/sec" in line:
        _verbose(reader, number, line)
        return
    found = tables.row(line)
    if not found or not reader.quantity:
        return
    operation, stonewall, cells = found
    try:
        groups = tables.values(reader.columns, cells, reader.quantity)
    except ValueError:
        reader.parsed.incomplete(f"a row of the summary is damaged: {line.strip()[:80]!r}", number)
        return
    run = reader.run()
    run.last = operation
    if stonewall:
        _stonewall(reader, operation, number, groups.get("iteration", {}))
    elif groups:
        _means(reader, operation, number, groups)


def _means(reader: Reader, operation: str, number: int, groups: dict[str, Row]) -> None:
    """File the rate and the time of an operation under one row, at the line of the rate."""
    run = reader.run()
    for group, values in groups.items():
        rows = run.means if group == "iteration" else run.rank_means
        row = rows.get(operation)
        if row is None:
            share: Row = {"share": "rank"} if group == "rank" else {}
            samples = reader.samples * (run.processes if group == "rank" else 1.0)
            rows[operation] = {"operation": operation, "statistic": "mean", **share, **values, "line": number}
            if samples:
                rows[operation]["samples"] = samples
        else:
            row.update(values)


def _stonewall(reader: Reader, operation: str, number: int, values: Row) -> None:
    mean = values.get(reader.quantity)
    if mean is None:
        return
    name = "stonewall_time" if reader.quantity == "elapsed" else "operation_rate_stonewall"
    row: Row = {"operation": operation, "statistic": "mean", "samples": reader.samples, "line": number}
    reader.run().means.setdefault(operation, row)[name] = mean


def _verbose(reader: Reader, number: int, line: str) -> None:
    """``V-1: main: * iteration 1 *`` and ``V-1:   File stat  :  0.014 sec,  1000.000 ops/sec``."""
    if " sec," in line:
        detail = _DETAIL.search(line)
        if detail:
            _detail(reader, number, *detail.groups())
    else:
        iteration = _ITERATION.search(line)
        if iteration:
            reader.iteration = int(iteration[1]) - 1


def _detail(reader: Reader, number: int, item: str, verb: str, seconds: str, rate: str) -> None:
    operation = OPERATIONS.get((item, verb))
    time, speed = (float(text.replace(",", ".")) for text in (seconds, rate))
    if not operation or not speed:
        return
    row: Row = {"operation": operation, "statistic": "single", "operation_rate": speed, "line": number}
    if time:
        row["elapsed"] = time
    if reader.iteration >= 0:
        row["iteration"] = reader.iteration
    reader.run(number).singles.append(row)


def _per_process(reader: Reader, number: int, line: str) -> None:
    if line.startswith("Per process result"):
        reader.per_process = "elapsed" if "time" in line else "operation_rate"
        reader.quantity = ""


def _iteration(reader: Reader, number: int, line: str) -> None:
    text = line.partition(":")[2].strip()
    if line.startswith("iteration:") and text.isdigit():
        reader.iteration = int(text)


def _test(reader: Reader, number: int, line: str) -> None:
    """``Test File stat 8.5e-03,2.4e-02``: the seconds, or the rate, of each process."""
    words = line.replace(":", " ").split()
    operation = OPERATIONS.get((words[1], words[2])) if len(words) == 4 else None
    if not operation or not reader.per_process:
        return
    try:
        values = [float(text) for text in words[3].split(",")]
    except ValueError:
        reader.parsed.incomplete(f"a line of the table of processes is damaged: {line[:80]!r}", number)
        return
    shares = reader.run(number).shares
    for rank, value in enumerate(values):
        if value:
            row: Row = {"operation": operation, "statistic": "single", "share": "rank", "process": str(rank)}
            shares.append(row | {"iteration": reader.iteration, reader.per_process: value, "line": number})


def _application(reader: Reader, number: int, line: str) -> None:
    code = _EXIT.search(line)
    if code:
        reader.parsed.header["exit_status"] = float(code[1])


def _nothing(reader: Reader, number: int, line: str) -> None:
    """Known, and says nothing of a measurement."""


HANDLERS: dict[str, Callable[[Reader, int, str], None]] = {
    **dict.fromkeys(("   F", "   D", "   T", "File", "Dire", "Tree"), _row),
    **dict.fromkeys(("   O", "Oper"), _header),
    "-- s": _started,
    "- st": _started,
    **dict.fromkeys(("-- f", "- fi"), _finished),
    "mdte": _launch,
    "Comm": _command,
    "SUMM": _summary,
    **dict.fromkeys(("V-0:", "V-1:", "V-2:", "V-3:", " * i"), _verbose),
    "Per ": _per_process,
    "iter": _iteration,
    "Test": _test,
    "Appl": _application,
    **dict.fromkeys(("   -", "----", "Node", "Path", "FS  ", "FS: ", "WARN"), _nothing),
}


def _finish(reader: Reader, last: int, cut: str) -> Parsed:
    if not reader.runs:
        raise ParseError("an mdtest report: its launch line or its summary", cut, last)
    if cut.strip():
        reader.parsed.incomplete("the last line has no line end and was not read", last + 1)
    for part, run in enumerate(reader.runs, 1):
        if not run.finished and (run.started or run.last != "tree_remove"):
            reader.parsed.incomplete(f"run {part} has no end", last)
    return finish(reader.parsed, reader.runs)
