"""What every form of an mdtest log becomes: runs of the tool and their rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from storagelab.parsers.mdtest.options import keys
from storagelab.parsers.model import Parsed, Row

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


@dataclass(slots=True)
class Run:
    """One invocation of mdtest."""

    line: int = 0
    version: str = ""
    command: str = ""
    started: str = ""
    finished: str = ""
    processes: float = 0.0
    nodes: float = 0.0
    total: float = 0.0
    last: str = ""
    rates: dict[str, Row] = field(default_factory=dict)
    singles: list[Row] = field(default_factory=list)
    means: dict[str, Row] = field(default_factory=dict)
    shares: list[Row] = field(default_factory=list)
    rank_means: dict[str, Row] = field(default_factory=dict)

    def facts(self) -> Row:
        """Return the keys that hold for all its rows."""
        found = keys(self.command, self.processes, self.total)
        if self.processes:
            found["processes"] = self.processes
        if self.nodes:
            found["nodes"] = self.nodes
            if self.processes and self.processes % self.nodes == 0:
                found["processes_per_node"] = self.processes / self.nodes
        if self.total:
            found["files"] = self.total
        return found


def finish(parsed: Parsed, runs: list[Run]) -> Parsed:
    """Put facts that all rows share into the header, the others on the rows."""
    _head(parsed, runs)
    several = len(runs) > 1
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
    versions = {run.version: None for run in runs if run.version}
    commands = {run.command: run.line for run in runs if run.command}
    if len(versions) == 1:
        parsed.header["tool_version"] = next(iter(versions))
    if len(commands) == 1:
        parsed.header["command"] = next(iter(commands))
    elif commands:
        for command, line in commands.items():
            parsed.note(f"command line: {command}", line)
    for name, text in (("started", runs[0].started), ("ended", runs[-1].finished)):
        date = timestamp(text)
        if date:
            parsed.header[name] = date


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
