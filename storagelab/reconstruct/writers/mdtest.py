"""Logs of mdtest 1.8: creates, stats and removals of files and directories, over some iterations.

The format is that of ``mdtest.c`` of release 1.8.3 (https://github.com/hpc/ior, before that
http://mdtest.sourceforge.net). A rate is that of all tasks together: their items over the time of the slowest. What is
imitated with it: three decimals, 0.000 for a phase that did not run, the standard deviation of the iterations
themselves (n, not n - 1).

Clocks are models: phases follow one another without a gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell
from storagelab.reconstruct.writers.file_system import FileSystem

_ROWS = {
    "directory_create": "Directory creation:",
    "directory_stat": "Directory stat    :",
    "directory_remove": "Directory removal :",
    "file_create": "File creation     :",
    "file_stat": "File stat         :",
    "file_remove": "File removal      :",
    "tree_create": "Tree creation     :",
    "tree_remove": "Tree removal      :",
}
_PHASES = {"create": "-C", "stat": "-T", "remove": "-r"}
LEAST = 0.0005
"""A rate below this is printed as one of a phase that did not run."""


@dataclass(frozen=True, slots=True)
class Log:
    """One run of mdtest.

    Attributes
    ----------
    started : datetime
        The local time at which the run began.
    rates : mapping of str to sequence of float
        Operations of the contract (directory_create, directory_stat, directory_remove, file_create, file_stat,
        file_read, file_remove, tree_create, tree_remove) with the rate of all tasks in each iteration [1/s]. The tree
        is made wherever something is created, and removed wherever something is removed.
    processes, nodes : int
        Tasks of the run, and the nodes on which they were.
    items : int
        Files, directories or both that each task handles.
    file_system : FileSystem
        What mdtest says of it.
    directory_mode : str
        "shared", or "unique" for a directory a task (``-u``).
    stride : int
        How many tasks further the one is whose items a task stats (``-N``); 0 for its own.
    path : str
        The directory of the test.
    verbose : bool
        Whether each iteration is printed (``-v``).
    """

    started: datetime
    rates: Mapping[str, Sequence[float]]
    processes: int
    nodes: int
    items: int
    file_system: FileSystem
    directory_mode: str = "shared"
    stride: int = 0
    path: str = "/mnt/mdtest"
    verbose: bool = False

    @property
    def iterations(self) -> int:
        """How often each phase ran."""
        return len(next(iter(self.rates.values()), ()))

    def elapsed(self, operation: str, iteration: int) -> float:
        """Return how long a phase took [s]; 0 where it did not run."""
        if operation not in self.rates:
            return 0.0
        handled = 1 if operation.startswith("tree") else self.items * self.processes
        return handled / self.rates[operation][iteration]

    def ended(self) -> datetime:
        """Return when the last phase ended."""
        phases = (self.elapsed(operation, number) for operation in self.rates for number in range(self.iterations))
        return self.started + timedelta(seconds=math.fsum(phases))


def render(log: Log) -> str:
    """Return the text of a log.

    Raises
    ------
    ReconstructError
        If a value is one that mdtest could not have printed; names it.
    """
    _check(log)
    return (
        shell.REMARK
        + f"-- started at {_stamp(log.started)} --\n\n"
        + _launch(log)
        + log.file_system.render(log.path)
        + f"\n{log.processes} tasks, {log.processes * log.items} {_handled(log)}\n"
        + ("".join(_verbose(log)) if log.verbose else "")
        + _summary(log)
        + f"\n-- finished at {_stamp(log.ended())} --\n"
    )


def _check(log: Log) -> None:
    if log.directory_mode not in ("shared", "unique"):
        raise ReconstructError(f"directory_mode: expected shared or unique, found {log.directory_mode!r}")
    for name in ("processes", "nodes", "items"):
        printable.positive(name, printable.whole(name, getattr(log, name), most=2**31 - 1))
    printable.whole("stride", log.stride, most=log.processes)
    for operation, rates in log.rates.items():
        if operation not in _ROWS or len(rates) != log.iterations or not rates:
            known = ", ".join(_ROWS)
            raise ReconstructError(f"rates: expected as many each, of {known}, found {len(rates)} of {operation!r}")
        if min(printable.amount(operation, rate) for rate in rates) < LEAST:
            raise ReconstructError(f"{operation}: expected rates of at least {LEAST} 1/s, found {min(rates)!r}")
    _check_phases(log)


def _check_phases(log: Log) -> None:
    """Refuse a phase without another that mdtest runs with it."""
    phases, kinds = _phases(log), _kinds(log)
    wanted = {f"{kind}_{phase}" for kind in kinds for phase in phases}
    wanted |= {f"tree_{phase}" for phase in phases & {"create", "remove"}}
    if wanted != set(log.rates) or not kinds:
        missing, surplus = sorted(wanted - set(log.rates)), sorted(set(log.rates) - wanted)
        raise ReconstructError(f"rates: lacks {missing or 'files and directories'}, or should not have {surplus}")


def _phases(log: Log) -> set[str]:
    return {operation.partition("_")[2] for operation in log.rates if not operation.startswith("tree")}


def _kinds(log: Log) -> set[str]:
    return {operation.partition("_")[0] for operation in log.rates} - {"tree"}


def _launch(log: Log) -> str:
    return (
        f"mdtest-1.8.3 was launched with {log.processes} total task(s) on {log.nodes} nodes\n"
        f"Command line used: {_command(log)}\n"
    )


def _command(log: Log) -> str:
    kinds, phases = _kinds(log), _phases(log)
    words = ["mdtest", f"-d {log.path}", f"-n {log.items}", f"-i {log.iterations}"]
    words += ["-F"] if kinds == {"file"} else ["-D"] if kinds == {"directory"} else []
    if phases != {*_PHASES}:
        words += [flag for phase, flag in _PHASES.items() if phase in phases]
    words += [f"-N {log.stride}"] if log.stride else []
    words += ["-u"] if log.directory_mode == "unique" else []
    return " ".join([*words, "-v"] if log.verbose else words)


def _handled(log: Log) -> str:
    names = {"file": "files", "directory": "directories"}
    return "/".join(name for kind, name in names.items() if kind in _kinds(log))


def _verbose(log: Log) -> Iterator[str]:
    """Return what ``-v`` prints of each iteration."""
    yield "\n   Operation               Duration              Rate\n"
    yield "   ---------               --------              ----\n"
    for number in range(log.iterations):
        yield f" * iteration {number + 1} *\n"
        for operation in _in_time(log):
            rate = log.rates[operation][number] if operation in log.rates else 0.0
            yield f"   {_ROWS[operation]} {log.elapsed(operation, number):10.3f} sec, {rate:10.3f} ops/sec\n"


def _in_time(log: Log) -> list[str]:
    """Return what ``-v`` prints in the order in which it ran: of files or directories also phases that did not run."""
    rows = [operation for operation in _ROWS if operation.startswith(tuple(_kinds(log)))]
    first, last = (tree for tree in _ROWS if tree.startswith("tree"))
    return [*([first] if first in log.rates else []), *rows, *([last] if last in log.rates else [])]


def _summary(log: Log) -> str:
    kinds = (*_kinds(log), "tree")
    heading = ("Max", "Min", "Mean", "Std Dev")
    rule = ("---", "---", "----", "-------")
    rows = (operation for operation in _ROWS if operation.startswith(kinds))
    return (
        f"\nSUMMARY: (of {log.iterations} iterations)\n"
        f"   {'Operation':19}{_cells(heading)}\n"
        f"   {'---------':19}{_cells(rule)}\n"
        + "".join(f"   {_ROWS[operation]}{_cells(_statistics(log, operation))}\n" for operation in rows)
    )


def _statistics(log: Log, operation: str) -> list[str]:
    rates = log.rates.get(operation, (0.0,))
    mean = math.fsum(rates) / len(rates)
    deviation = math.sqrt(math.fsum((rate - mean) ** 2 for rate in rates) / len(rates))
    return [f"{value:.3f}" for value in (max(rates), min(rates), mean, deviation)]


def _cells(words: Sequence[str]) -> str:
    return "".join(f" {word:>10}" for word in words)


def _stamp(moment: datetime) -> str:
    return f"{moment:%m/%d/%Y %H:%M:%S}"
