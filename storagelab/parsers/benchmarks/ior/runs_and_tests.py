"""What every form of an IOR log becomes: runs of the tool, their tests, and the rows of each test."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from storagelab.parsers.benchmarks import file_system
from storagelab.parsers.benchmarks.calls import Calls
from storagelab.parsers.benchmarks.ior.options import called, exact_size, keys, lines_of_keys
from storagelab.parsers.benchmarks.ior.timers import Timers
from storagelab.parsers.model import Note, Parsed, Row
from storagelab.parsers.text import ctime
from storagelab.parsers.values_on_several_lines import on
from storagelab.schema import COMPUTED


@dataclass(slots=True)
class Run:
    """One invocation of the tool."""

    line: int = 0
    version: str = ""
    command: str = ""
    began: str = ""
    finished: str = ""
    ended: bool = False
    is_called: bool = False
    """Whether its command stands at a prompt, and IOR did not print it."""
    place: Row = field(default_factory=dict)

    def ran_at(self, said: Row) -> None:
        """Keep where it ran; what was said first stays, as each test of a run says it again."""
        self.place = said | self.place


@dataclass(slots=True)
class Test:
    """One test of a run: its options as printed and its rows."""

    run: Run
    id: str = ""
    line: int = 0
    options: dict[str, str] = field(default_factory=dict)
    said_on: dict[str, int] = field(default_factory=dict)
    """Lines of the options."""
    exact: dict[str, float] = field(default_factory=dict)
    facts: Row = field(default_factory=dict)
    iterations: list[Row] = field(default_factory=list)
    summaries: list[Row] = field(default_factory=list)
    is_summed: bool = False
    """Whether the heading of a summary stands there, whatever stands below it."""
    best: list[Row] = field(default_factory=list)
    timers: Timers = field(default_factory=Timers)
    counts: Counter[str] = field(default_factory=Counter)
    """Iterations of each operation so far, where a document does not number them."""

    def option(self, name: str, value: str, line: int) -> None:
        """Keep an option as it is printed, and its line."""
        self.options[name], self.said_on[name] = value, line

    def take_options(self, said: Mapping[str, str]) -> None:
        """Keep what the call of its run says of options that are not printed; a call of other sizes is another's."""
        sizes = keys(said, {})
        if any(size != sizes.get(name, size) for name, size in self.exact.items()):
            self.run.command, self.run.is_called = "", False
            return
        for name, value in said.items():
            if name not in self.options:
                self.option(name, value, self.run.line)

    def rows(self) -> list[Row]:
        """Return its iterations, its best values and its summary."""
        return self.iterations + self.best + self.summaries


@dataclass(slots=True)
class Log:
    """An IOR log while it is read."""

    parsed: Parsed = field(default_factory=lambda: Parsed({"tool": "ior"}))
    runs: list[Run] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    open_test: Test | None = None
    calls: Calls = field(default_factory=lambda: Calls("ior"))

    def start_run(self, version: str, line: int) -> Run:
        """Open a run; its first test comes with the first line that belongs to one."""
        run = Run(line, version)
        if (call := self.calls.take(line)) and not version:
            run.command, run.line, run.is_called = call, self.calls.line, True
        self.runs.append(run)
        self.open_test = None
        return run

    def run(self, line: int = 0) -> Run:
        """Return the run that is being read."""
        return self.runs[-1] if self.runs else self.start_run("", line)

    def start_test(self, id: str, line: int) -> Test:
        """Open a test of the run that is being read."""
        test = self.open_test = Test(self.run(line), id, line)
        self.tests.append(test)
        return test

    def test(self, line: int = 0) -> Test:
        """Return the test that is being read."""
        return self.open_test or self.start_test("", line)

    def test_of(self, id: str) -> Test:
        """Return the test of this run that a summary row names, else the one that is being read."""
        if self.open_test and self.open_test.id == id:
            return self.open_test
        run = self.run()
        named = (test for test in reversed(self.tests) if test.run is run and test.id == id)
        return next(named, None) or self.test()

    def summed_test(self, line: int) -> Test:
        """Return the test of a summary that comes now: where one was summed already, of another run."""
        if self.open_test and (self.open_test.is_summed or self.is_called_again()):
            self.start_run("", line)
        return self.test(line)

    def best_test(self, operation: str, line: int) -> Test:
        """Return the test of a maximum that comes now, above its summary or, of 2.x, below it."""
        test = self.open_test
        is_over = test and test.is_summed and (test.run.ended or operation in {row["operation"] for row in test.best})
        if is_over or self.is_called_again():
            self.start_run("", line)
        return self.test(line)

    def is_called_again(self) -> bool:
        """Whether a call stands between what was read of a run without a banner and what comes now."""
        test = self.open_test
        return bool(self.calls.said and test and test.rows() and not test.run.version)

    def is_followed_by_a_table(self) -> bool:
        """Whether a table of iterations that begins now is another run's: that of a test was read, without a banner."""
        test = self.open_test
        if test is None or test.is_summed or self.is_called_again():
            return test is not None
        return bool(test.iterations) and not (test.run.version or test.options)

    def finish(self) -> Parsed:
        """Put facts that all rows share into the header, the others on the rows."""
        parsed, tests = self.parsed, self.tests
        for test in tests:
            if test.run.is_called:
                test.take_options(called(test.run.command))
        parsed.header.update(self._header())
        for test in tests:
            _add_sizes(test)
            self._doubt_processes_per_node(test)
            test.facts |= lines_of_keys(test.facts, test.said_on)
        if len(tests) == 1:
            parsed.header.update(tests[0].facts)
            parsed.runs = tests[0].rows()
            parsed.clients = tests[0].timers.rows()
        else:
            for part, test in enumerate(tests, 1):
                shared: Row = {"part": part, **test.facts}
                parsed.runs += [shared | row for row in test.rows()]
                parsed.clients += [shared | row for row in test.timers.rows()]
        return parsed

    def _doubt_processes_per_node(self, test: Test) -> None:
        """IOR counts the tasks of its first node, which others need not have."""
        if not has_all_tasks(test.facts):
            each, nodes = test.facts.pop("processes_per_node"), test.facts["nodes"]
            text = f"{each:g} tasks on the first of {nodes:g} nodes, {test.facts.get('processes')} in all"
            self.parsed.note(text, test.line)

    def _header(self) -> Row:
        """Facts of the whole log; several command lines go to the notes, each with its line."""
        header: Row = {}
        runs = self.runs
        if len({run.version for run in runs}) == 1 and runs[0].version:
            header["tool_version"] = runs[0].version
        if len({run.command for run in runs}) == 1 and runs[0].command:
            header["command"] = runs[0].command
        else:
            self.parsed.notes += [Note(run.line, f"command line: {run.command}") for run in runs if run.command]
        started = [ctime(run.began) for run in runs]
        ended = [ctime(run.finished) for run in runs]
        if any(started):
            header["started"] = min(filter(None, started))
        if any(ended):
            header["ended"] = max(ended)
        if torn := file_system.torn(run.place for run in runs):
            self.parsed.note(torn)
        return header | file_system.agreed(run.place for run in runs)


_IO500 = re.compile(r"^\./ior(?!.* -v)(?=.* -Q[ =]\d) .*-g -G")
"""IOR as IO500 calls it, as a library: it prints neither a summary nor an end then."""
_MEASURED = ("write", "read")
_TIME_LIMIT = re.compile(r"-T\b|maxTimeDuration")
_STONEWALL = re.compile(r" -D[ =]?[1-9]")
"""Said in the command, too, for a log that is cut above the option."""
_CHECKED = re.compile(r"[ '\"]-\w*[RW]\b")
"""Reads that only check what they read are in no summary."""
_NEARLY_ALL = 0.98
"""The share of its bytes that rounded rates and times leave of an iteration that moved all of them."""


def why_incomplete(run: Run, tests: list[Test]) -> str:
    """Say what is missing of a whole text report, or ""."""
    if not any(test.iterations or test.summaries or test.best for test in tests):
        return "no results"
    lost = [text for test in tests for text in _lost_iterations(test)]
    if lost:
        return ", ".join(lost)
    if not run.version:
        return "its banner is left out"
    if run.ended or (is_within_io500(run.command) and all(_all_iterations(test) for test in tests)):
        return ""
    return "no 'Finished' line"


def _lost_iterations(test: Test) -> list[str]:
    """Name operations whose iterations are fewer than the summary counts, unless ``-T`` may have ended them early.

    So are operations that some of iterations, maxima and summary have, and others of them not. At the lowest verbosity
    of 2.x no iteration is printed at all.
    """
    done = [row["operation"] for row in test.iterations]
    summed = {row["operation"] for row in test.summaries}
    wanted = {row["operation"]: row["samples"] for row in test.summaries if "throughput" in row and "samples" in row}
    if _TIME_LIMIT.search(test.run.command):
        return []
    best = {row["operation"] for row in test.best}
    known = [op for op in _MEASURED if op in {*done, *summed, *best}]
    has_summary = bool(wanted) or (test.is_summed and not _CHECKED.search(test.run.command))
    unsummed = [f"no {op} in the summary" for op in known if has_summary and op not in summed]
    unsummed += [f"no maximum of {op}" for op in known if best and op not in best]
    unsummed += [f"no iteration of {op}" for op in known if done and op not in done]
    counts = {operation: done.count(operation) for operation in wanted if done}
    lost = [f"{counts[op]} of {wanted[op]:g} iterations of {op}" for op in counts if counts[op] < float(wanted[op])]
    return lost + unsummed


def _all_iterations(test: Test) -> bool:
    done = [row["operation"] for row in test.iterations]
    wanted = test.options.get("repetitions", "")
    return bool(done) and all(str(done.count(operation)) == wanted for operation in done)


def _add_sizes(test: Test) -> None:
    """Add the keys, and the bytes of rows for which IOR does not say that it moved other bytes than it was asked to."""
    test.facts = keys(test.options, test.exact, test.run.command) | test.facts
    total = aggregate(test.options, test.facts)
    sized = size_of_all(total, test.said_on)
    partial = add_sizes(test.iterations, sized, is_stonewalled(test.options) or stonewalls(test.run.command))
    repetitions = test.options.get("repetitions", "")
    for row in test.summaries:
        if sized and not partial:
            row |= where_not_said(sized, row)
        if repetitions.isdecimal():
            row.setdefault("samples", float(repetitions))
    size = file_size(test.facts, total)
    if size and not partial:
        test.facts["file_size"] = size


def size_of_all(total: float | None, said_on: Mapping[str, int]) -> Row:
    """Return the bytes of all processes with their line, by the lines of options; nothing where they are not known."""
    return on(said_on.get("aggregate filesize", COMPUTED), {"data_size": total}) if total else {}


def where_not_said(sized: Row, columns: Iterable[str]) -> Row:
    """Return the bytes of all processes, without their line where a row has a column of its own for them."""
    return {"data_size": sized["data_size"]} if "data_size" in columns else sized


def add_sizes(iterations: Iterable[Row], sized: Row, is_partial: bool) -> bool:
    """Add the bytes of all processes to iterations that say no others; return whether one may have moved fewer."""
    for row in iterations:
        if "data_size" in row:
            is_partial = is_partial or row["data_size"] != sized.get("data_size")
        elif sized and "throughput" in row and not (is_partial and ended_early(row, float(sized["data_size"]))):
            row |= sized
    return is_partial


def ended_early(row: Row, total: float) -> bool:
    """Whether the rate and the time of an iteration say that it moved less than was asked for."""
    return float(row["throughput"]) * float(row.get("elapsed", math.inf)) < _NEARLY_ALL * total


def is_within_io500(command: str) -> bool:
    """Whether IO500 runs IOR, as a library."""
    return bool(_IO500.search(command))


def stonewalls(command: str) -> bool:
    """Whether a command asks for a test to end after some time."""
    return bool(_STONEWALL.search(command))


def is_stonewalled(options: Mapping[str, str]) -> bool:
    """Whether a test was to end after some time, whatever was moved until then."""
    return "stonewallingTime" in options or "Using stonewalling" in options


def aggregate(options: Mapping[str, str], facts: Row) -> float | None:
    """Bytes all processes handle together: printed, and where rounded, processes x segments x block."""
    parts = [facts.get(name) for name in ("processes", "segments", "block_size")]
    product = 1.0
    for part in parts:
        product *= part if isinstance(part, float) else 0.0
    return exact_size(options.get("aggregate filesize", ""), product)


def has_all_tasks(facts: Row) -> bool:
    """Whether nodes with as many tasks as the first one have all tasks, as far as is said."""
    nodes, each = facts.get("nodes"), facts.get("processes_per_node")
    return nodes is None or each is None or float(nodes) * float(each) == facts.get("processes")


def file_size(facts: Row, total: float | None) -> float | None:
    """Bytes of one file: of the one that all share, or of each process's own."""
    if facts.get("file_mode") == "shared-file":
        return total
    processes = facts.get("processes")
    if facts.get("file_mode") == "file-per-process" and total and isinstance(processes, float) and processes:
        return total / processes
    return None
