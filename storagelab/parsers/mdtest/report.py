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
_STONEWALL = re.compile(r"Continue stonewall hit min: (\d+) max: (\d+)")
_FAILURE = re.compile(r"FAILED in .*|\bERROR[:,] .*|MPI_ABORT was invoked.*")
_MOST_FAILURES = 5
_NOT_RUN = ["0.000"] * 4
_EXIT = re.compile(r"exit codes?: (\d+)")


@dataclass(slots=True)
class Reader:
    """The log that is read, and what is open in it: a table and its columns, an iteration."""

    parsed: Parsed = field(default_factory=lambda: Parsed({"tool": "mdtest"}))
    runs: list[Run] = field(default_factory=list)
    started: str = ""
    table: tables.Table | None = None
    samples: float = 0.0
    per_process: str = ""
    iteration: int = -1
    failures: int = 0

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
    failure = _FAILURE.search(line) if reader.failures < _MOST_FAILURES else None
    if failure:
        reader.failures += 1
        reader.parsed.note(failure[0][:200], number)


def _total(reader: Reader, number: int, line: str) -> bool:
    """``4 tasks, 1200 files/directories``; one launch tries several numbers of tasks with ``-f``, ``-l`` and ``-s``."""
    total = _TOTAL.search(line)
    if not total:
        return False
    run = reader.run(number)
    if run.measured():
        run.ended = True
        run = Run(number, run.version, run.command, run.started, nodes=run.nodes)
        reader.runs.append(run)
    run.total = float(total[2])
    run.processes = float(total[1])
    return True


def _started(reader: Reader, number: int, line: str) -> None:
    reader.started = line.partition(" at ")[2].rstrip(" -")
    reader.table = None


def _finished(reader: Reader, number: int, line: str) -> None:
    if "finished at" in line:
        run = reader.run(number)
        run.finished, run.ended = line.partition(" at ")[2].rstrip(" -"), True
        reader.table = None


def _launch(reader: Reader, number: int, line: str) -> None:
    launch = _LAUNCH.match(line)
    if launch:
        run = Run(number, launch[1], started=reader.started)
        run.processes, run.nodes = float(launch[2]), float(launch[3])
        reader.runs.append(run)
        reader.started = reader.per_process = ""
        reader.table = None
        reader.iteration = -1


def _command(reader: Reader, number: int, line: str) -> None:
    if line.startswith("Command line used:"):
        run = reader.run(number)
        run.command, run.line = line[18:].strip(), number


def _summary(reader: Reader, number: int, line: str) -> None:
    summary = _SUMMARY.match(line)
    if summary:
        run = reader.run(number)
        run.quantity = "elapsed" if summary[1] == "time" else "operation_rate"
        run.last = ""
        reader.samples = float(summary[2])
        reader.table = tables.table(run.quantity)


def _header(reader: Reader, number: int, line: str) -> None:
    if "Max" in line and reader.table:
        reader.table = tables.table(reader.table.quantity, line)


def _row(reader: Reader, number: int, line: str) -> None:
    table = reader.table
    if not table:
        _verbose(reader, number, line)
        return
    found = tables.row(line)
    if not found:
        return
    operation, stonewall, cells = found
    reader.runs[-1].last = operation
    if operation == "tree_remove":
        reader.table = None
    if table.plain and cells == _NOT_RUN:
        return
    plain = tables.plain_values(table, cells) if table.plain else None
    if plain and not stonewall:
        _mean(reader, "iteration", operation, number, plain)
    else:
        _special_row(reader, table, operation, number, cells, stonewall)


def _special_row(
    reader: Reader, table: tables.Table, operation: str, number: int, cells: list[str], stonewall: bool
) -> None:
    try:
        groups = tables.values(table, cells)
    except ValueError:
        text = f"a row of the summary is damaged: {operation} {' '.join(cells)[:80]!r}"
        reader.parsed.incomplete(text, number)
        return
    if stonewall:
        _stonewall(reader, table.quantity, operation, number, groups.get("iteration", {}))
    else:
        for group, values in groups.items():
            _mean(reader, group, operation, number, values)


def _mean(reader: Reader, group: str, operation: str, number: int, values: Row) -> None:
    """File the rate and the time of an operation under one row, at the line of the rate."""
    run = reader.runs[-1]
    if group == "iteration":
        rows, samples = run.means, reader.samples
        row: Row = {"operation": operation, "statistic": "mean", **values, "line": number}
    else:
        rows, samples = run.rank_means, reader.samples * run.processes
        row = {"operation": operation, "statistic": "mean", "share": "rank", **values, "line": number}
    if operation in rows:
        rows[operation].update(values)
        return
    if samples:
        row["samples"] = samples
    rows[operation] = row


def _stonewall(reader: Reader, quantity: str, operation: str, number: int, values: Row) -> None:
    mean = values.get(quantity)
    if mean is None:
        return
    name = "stonewall_time" if quantity == "elapsed" else "operation_rate_stonewall"
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
        reader.table = None


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
    shared: Row = {"operation": operation, "statistic": "single", "share": "rank"}
    if reader.iteration >= 0:
        shared["iteration"] = reader.iteration
    shares = reader.run(number).shares
    for rank, value in enumerate(values):
        if value:
            shares.append({**shared, "process": str(rank), reader.per_process: value, "line": number})


def _continued(reader: Reader, number: int, line: str) -> None:
    hit = _STONEWALL.match(line)
    if hit:
        reader.run(number).stonewall = {"operations_min": float(hit[1]), "operations_max": float(hit[2])}


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
    "Cont": _continued,
    "Appl": _application,
    **dict.fromkeys(("   -", "----", "Node", "Path", "FS  ", "FS: ", "WARN"), _nothing),
}


def _finish(reader: Reader, last: int, cut: str) -> Parsed:
    if not reader.runs:
        raise ParseError("an mdtest report: its launch line or its summary", cut, last)
    if cut.strip():
        reader.parsed.incomplete("the last line has no line end and was not read", last + 1)
    for part, run in enumerate(reader.runs, 1):
        why = run.why_incomplete()
        if why:
            reader.parsed.incomplete(f"run {part}: {why}", last)
    return finish(reader.parsed, reader.runs)
