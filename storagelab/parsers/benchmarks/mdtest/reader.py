"""What is open while an mdtest report is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from storagelab.parsers.benchmarks.calls import Calls
from storagelab.parsers.benchmarks.mdtest.log import Run
from storagelab.parsers.benchmarks.mdtest.tables import Table
from storagelab.parsers.model import Parsed


@dataclass(slots=True)
class Reader:
    """The log that is read, and what is open in it: a table and its columns, an iteration."""

    parsed: Parsed = field(default_factory=lambda: Parsed({"tool": "mdtest"}))
    runs: list[Run] = field(default_factory=list)
    started: str = ""
    table: Table | None = None
    samples: float = 0.0
    per_process: str = ""
    iteration: int = -1
    failures: int = 0
    calls: Calls = field(default_factory=lambda: Calls("mdtest"))
    is_headed: bool = False
    """Whether a launch or a heading came: a row of a table can then not stand alone."""

    def run(self, line: int = 0) -> Run:
        """Return the run that is being read."""
        if not self.runs:
            self.runs.append(Run(line, started=self.started))
        return self.runs[-1]

    def next_run(self, line: int) -> Run:
        """Begin another run of the same launch; of an excerpt below a call at a prompt, of another one."""
        before = self.run(line)
        if before.is_called or self.calls.said:
            self.runs.append(Run(line, started=self.started))
            return self.runs[-1]
        run = Run(line, before.version, before.command, before.started, nodes=before.nodes)
        run.said_on = {what: said for what, said in before.said_on.items() if what != "total"}
        self.runs.append(run)
        return run

    def summed_run(self, quantity: str, line: int) -> Run:
        """Return the run of a summary that begins on a line, with the call that stands above an excerpt."""
        run = self.run(line)
        if any(quantity in row for row in run.means.values()) or (self.calls.said and run.measured()):
            run = self.next_run(line)
        if (call := self.calls.take(line)) and not (run.version or run.command):
            run.command, run.line, run.is_called = call, self.calls.line, True
            run.said_on["command"] = self.calls.line
        return run
