"""What every form of an mdtest log becomes: runs of the tool and their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from storagelab.parsers.benchmarks import file_system
from storagelab.parsers.benchmarks.mdtest.options import asked_for, keys
from storagelab.parsers.model import Note, Parsed, Row
from storagelab.schema import COMPUTED, LINE_OF

OPERATIONS = {
    ("File", "creation"): "file_create",
    ("File", "create"): "file_create",
    ("File", "stat"): "file_stat",
    ("File", "read"): "file_read",
    ("File", "rename"): "file_rename",
    ("File", "removal"): "file_remove",
    ("Directory", "creation"): "directory_create",
    ("Directory", "stat"): "directory_stat",
    ("Directory", "read"): "directory_read",
    ("Directory", "rename"): "directory_rename",
    ("Directory", "removal"): "directory_remove",
    ("Tree", "creation"): "tree_create",
    ("Tree", "removal"): "tree_remove",
}


Lines = dict[str, int]
"""Lines of a run by what they say: its launch, its command line, the total of tasks and files."""


@dataclass(slots=True)
class Run:
    """One invocation of mdtest."""

    line: int = 0
    version: str = ""
    command: str = ""
    started: str = ""
    finished: str = ""
    ended: bool = False
    is_called: bool = False
    """Whether its command stands at a prompt, and mdtest did not print it."""
    place: Row = field(default_factory=dict)
    processes: float = 0.0
    nodes: float = 0.0
    total: float = 0.0
    said_on: Lines = field(default_factory=dict)
    last: str = ""
    quantity: str = ""
    stonewall: Row = field(default_factory=dict)
    singles: list[Row] = field(default_factory=list)
    means: dict[str, Row] = field(default_factory=dict)
    shares: list[Row] = field(default_factory=list)
    rank_means: dict[str, Row] = field(default_factory=dict)

    def measured(self) -> bool:
        """Whether it has rows of any kind."""
        return bool(self.singles or self.means or self.shares or self.rank_means)

    def why_incomplete(self) -> str:
        """Say what is missing of a whole run, or "".

        A run ends with a time stamp. Reports that quote a run leave its time stamps away, both of them: then it ends
        with the last row of its last table, which is the one of times if ``-P`` asks for it.
        """
        if not self.last:
            return "no summary"
        if self.ended:
            return self._lost_iterations()
        if self.started:
            return "no 'finished at' line"
        if self.last != "tree_remove" or (self.quantity != "elapsed" and "-P" in self.command.replace("'", "").split()):
            return "the summary ends before its last row"
        return ""

    def _lost_iterations(self) -> str:
        """Say which operations have other iterations (``-v``) than their mean is of; not all show those of trees."""
        counts = Counter(row["operation"] for row in self.singles)
        means = {operation: int(row["samples"]) for operation, row in self.means.items() if counts and "samples" in row}
        of_items = {operation: said for operation, said in means.items() if not operation.startswith("tree_")}
        wrong = [f"{counts[op]} of {said} iterations of {op}" for op, said in of_items.items() if counts[op] != said]
        return ", ".join(wrong)

    def of_rank_zero(self) -> bool:
        """Whether the per-iteration rates are those of rank 0 alone, as in 3.4 and later, and not of all tasks.

        Told by the items that rate and time make: those of one task or those of all.
        """
        printed = ((row["operation_rate"], row.get("elapsed", 0.0)) for row in self.singles)
        return is_of_rank_zero(printed, self.processes, self.total)

    def facts(self) -> Row:
        """Return the keys that hold for all its rows."""
        return facts(self.command, self.processes, self.nodes, self.total, self.said_on)


def is_of_rank_zero(printed: Iterable[tuple[Any, Any]], processes: float, total: float) -> bool:
    """Whether rates and times are rank 0's: they make its items, and not those of all tasks."""
    votes = 0
    for rate, time in printed if processes > 1 else ():
        low, high = (rate * (time + half) for half in (-0.000501, 0.000501))
        votes += (low <= total / processes <= high) - (low <= total <= high)
    return votes > 0


def facts(command: str, processes: float, nodes: float, total: float, said_on: Lines) -> Row:
    """Return the keys that hold for all rows of a run, each with its line; a count of 0 was not printed."""
    found = keys(command, processes, total)
    if processes:
        found["processes"] = processes
    if nodes:
        found["nodes"] = nodes
        if processes and processes % nodes == 0:
            found["processes_per_node"] = processes / nodes
    if total:
        found["files"] = total
    asked = asked_for(command)
    return found | _lines_of_keys(found, [name for name in asked if found.get(name) == asked[name]], said_on)


def _lines_of_keys(found: Row, asked: Collection[str], said_on: Lines) -> Row:
    """Lines of keys: what is as the command line asks stands there, what mdtest counted where it says so."""
    counted = {"processes": said_on.get("total", said_on.get("launch", 0)), "nodes": said_on.get("launch", 0)}
    counted |= {"files": said_on.get("total", 0), "items": said_on.get("total", 0)}
    of_command = {name: said_on.get("command", 0) for name in asked}
    lines = {name: line for name, line in (counted | of_command).items() if name in found and line}
    computed = {"processes_per_node": COMPUTED} if "processes_per_node" in found else {}
    return {LINE_OF[name]: line for name, line in (lines | computed).items()}


def _give_rank_zero_its_share(run: Run) -> None:
    """Make rates of rank 0 rows of `clients`; the tree is rank 0's work in any case, and its row is the whole."""
    if run.of_rank_zero():
        own = [row for row in run.singles if not str(row["operation"]).startswith("tree")]
        run.singles = [row for row in run.singles if str(row["operation"]).startswith("tree")]
        run.shares += [{**row, "share": "rank", "process": "0"} for row in own]


def finish(parsed: Parsed, runs: list[Run]) -> Parsed:
    """Put facts that all rows share into the header, the others on the rows."""
    _head(parsed, runs)
    several = len(runs) > 1
    for run in runs:
        _give_rank_zero_its_share(run)
        if "file_create" in run.means:
            run.means["file_create"].update(run.stonewall)
    for part, run in enumerate(runs, 1):
        facts = run.facts()
        shared: Row = {"part": part, **facts} if several else {}
        if not several:
            parsed.header.update(facts)
        for rows, target in (
            ([*run.singles, *run.means.values()], parsed.runs),
            ([*run.shares, *run.rank_means.values()], parsed.clients),
        ):
            target.extend([shared | row for row in rows] if several else rows)
    return parsed


def _head(parsed: Parsed, runs: list[Run]) -> None:
    """Facts of the whole log; several command lines go to the notes, each with its line."""
    header = parsed.header
    versions = {run.version for run in runs}
    commands = {run.command for run in runs}
    if len(versions) == 1 and runs[0].version:
        header["tool_version"] = runs[0].version
    if len(commands) == 1 and runs[0].command:
        header["command"] = runs[0].command
    else:
        parsed.notes += [Note(run.line, f"command line: {run.command}") for run in runs if run.command]
    started = [timestamp(run.started) for run in runs]
    ended = [timestamp(run.finished) for run in runs]
    if any(started):
        header["started"] = min(filter(None, started))
    if any(ended):
        header["ended"] = max(ended)
    if torn := file_system.torn(run.place for run in runs):
        parsed.note(torn)
    header.update(file_system.agreed(run.place for run in runs))


def timestamp(text: str) -> str:
    """ISO 8601 of mdtest's ``11/20/2026 17:15:24`` (month first), or "" where it is none.

    Examples
    --------
    >>> timestamp("11/20/2026 17:15:24")
    '2026-11-20T17:15:24'
    """
    date, _, time = text.strip().partition(" ")
    try:
        month, day, year = date.split("/")
        return datetime.fromisoformat(f"{year}-{month}-{day}T{time.strip()}").isoformat()
    except ValueError:
        return ""
