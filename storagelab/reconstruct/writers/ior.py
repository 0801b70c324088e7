"""Logs of IOR 2.10, written and read with repetitions, summed up as maximum, minimum, mean and standard deviation.

The format is that of ``IOR.c`` of release 2.10 (ShowInfo, ShowSetup, ReduceIterResults, SummarizeResults;
https://github.com/hpc/ior). It knows sizes up to GiB only, of 2^30 bytes, and rounds them to two decimals. What is
imitated with it:

- the standard deviation is that of the repetitions themselves (n, not n - 1);
- under ``-vv`` there is a row a repetition, and a blank line inside the heading of the summary.

Clocks are models: a repetition begins when the one before it ended, and the zone of the clock is taken for UTC.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import ior_tables, printable, shell
from storagelab.reconstruct.writers.file_system import FileSystem
from storagelab.units import KIB, MIB


@dataclass(frozen=True, slots=True)
class Repetition:
    """One operation, once: all bytes over the time from the first open to the last close [B/s]; both take none."""

    throughput: float

    def elapsed(self, data_size: float) -> float:
        """Return the seconds of all of it."""
        return data_size / printable.positive("throughput", self.throughput)


@dataclass(frozen=True, slots=True)
class Verbose:
    """What ``-vv`` prints besides: rows of repetitions, kernel and file system of the node."""

    kernel: str
    file_system: FileSystem


@dataclass(frozen=True, slots=True)
class Log:
    """One run of IOR with one test.

    Attributes
    ----------
    started : datetime
        The local time at which the run began.
    writes, reads : sequence of Repetition
        As many of each, or none of one of them.
    processes, processes_per_node : int
        The tasks, and those on the first node.
    block_size, record_size : float
        What a task writes in one piece of the file, and at once [B]; one a multiple of the other.
    file_mode : str
        "shared-file" or "file-per-process".
    path : str
        The file, or what the names of the files begin with.
    shifts_reads : bool
        Whether tasks read what the node before theirs wrote (``-C``).
    node : str
        The first node's name.
    verbose : Verbose, optional
        What ``-vv`` adds.
    """

    started: datetime
    writes: Sequence[Repetition]
    reads: Sequence[Repetition]
    processes: int
    processes_per_node: int
    block_size: float
    record_size: float
    file_mode: str = "shared-file"
    path: str = "/mnt/ior"
    shifts_reads: bool = False
    node: str = "localhost"
    verbose: Verbose | None = None

    @property
    def data_size(self) -> float:
        """Bytes that all tasks move in one repetition."""
        return self.block_size * self.processes

    @property
    def repetitions(self) -> int:
        """How often each operation ran."""
        return max(len(self.writes), len(self.reads))

    def phases(self) -> Iterator[tuple[int, str, Repetition, datetime]]:
        """Return number, operation, results and beginning of each repetition, in the order in which they ran."""
        now = self.started
        for number in range(self.repetitions):
            for operation, repetitions in (("write", self.writes), ("read", self.reads)):
                if repetitions:
                    yield number, operation, repetitions[number], now
                    now += timedelta(seconds=repetitions[number].elapsed(self.data_size))

    def ended(self) -> datetime:
        """Return when the last repetition ended."""
        *_, (_, _, last, began) = self.phases()
        return began + timedelta(seconds=last.elapsed(self.data_size))


def render(log: Log) -> str:
    """Return the text of a log.

    Raises
    ------
    ReconstructError
        If a value is one that IOR could not have printed; names it.
    """
    _check(log)
    return (
        shell.REMARK
        + _information(log)
        + _setup(log)
        + (_repetitions(log) if log.verbose else "")
        + _summary(log)
        + f"Run finished: {log.ended().ctime()}\n"
    )


def _check(log: Log) -> None:
    for name in ("processes", "processes_per_node", "block_size", "record_size"):
        printable.positive(name, printable.whole(name, getattr(log, name), most=2**63 - 1))
    for name in ("path", "node"):
        printable.word(name, getattr(log, name))
    if log.block_size % log.record_size:
        raise ReconstructError(f"block_size: expected a multiple of {log.record_size:g} B, found {log.block_size!r}")
    if log.file_mode not in ("shared-file", "file-per-process"):
        raise ReconstructError(f"file_mode: expected shared-file or file-per-process, found {log.file_mode!r}")
    counts = {len(log.writes), len(log.reads)} - {0}
    if len(counts) != 1:
        raise ReconstructError(
            f"writes and reads: expected as many of each, or none of one, found {len(log.writes)} and {len(log.reads)}"
        )


def _information(log: Log) -> str:
    lines = [
        "IOR-2.10.3: MPI Coordinated Test of Parallel I/O",
        "",
        f"Run began: {log.started.ctime()}",
        f"Command line used: {_command(log)}",
    ]
    if not log.verbose:
        return _joined([*lines, f"Machine: Linux {log.node}"])
    return _joined([*lines, *_verbose_information(log, log.verbose)])


def _verbose_information(log: Log, verbose: Verbose) -> Iterator[str]:
    yield f"Machine: Linux {log.node} {printable.line('kernel', verbose.kernel)}"
    yield "Using synchronized MPI timer"
    yield "Start time skew across all tasks: 0.00 sec"
    yield verbose.file_system.render(log.path).removesuffix("\n")
    yield f"Participating tasks: {log.processes}"
    if log.shifts_reads:
        yield "Using reorderTasks '-C' (expecting block, not cyclic, task assignment)"


def _command(log: Log) -> str:
    flags = {
        "-w": log.writes,
        "-r": log.reads,
        "-F": _own_files(log),
        "-C": log.shifts_reads,
        "-vv": log.verbose,
    }
    sizes = f"-t {ior_tables.size_option(log.record_size)} -b {ior_tables.size_option(log.block_size)} -s 1"
    given = " ".join(flag for flag, holds in flags.items() if holds)
    return f"IOR -a POSIX {given} {sizes} -i {log.repetitions} -o {log.path}"


def _setup(log: Log) -> str:
    lines = ["", "Summary:", "\tapi                = POSIX", f"\ttest filename      = {log.path}"]
    lines.append(f"\taccess             = {'file-per-process' if _own_files(log) else 'single-shared-file'}")
    if log.verbose:
        lines.append("\tpattern            = segmented (1 segment)")
    offsets = "constant task offsets = 1" if log.shifts_reads else " no tasks offsets"
    return _joined(
        [
            *lines,
            "\tordering in a file = sequential offsets",
            f"\tordering inter file={offsets}",
            f"\tclients            = {log.processes} ({log.processes_per_node} per node)",
            f"\trepetitions        = {log.repetitions}",
            f"\txfersize           = {ior_tables.readable(log.record_size)}",
            f"\tblocksize          = {ior_tables.readable(log.block_size)}",
            f"\taggregate filesize = {ior_tables.readable(log.data_size)}",
            "",
        ]
    )


def _repetitions(log: Log) -> str:
    heading = ior_tables.REPETITIONS
    text = ""
    for number, operation, repetition, began in log.phases():
        if operation == "write" or not log.writes:
            stamp = calendar.timegm(began.timetuple())
            text += f"Using Time Stamp {stamp} (0x{stamp:x}) for Data Signature\n"
        if operation == "read":
            text += f"[RANK 000] open for reading file {_file_of_first_task(log)} XXCEL\n"
        text += f"Commencing {operation} performance test.\n{began.ctime()}\n\n{heading}"
        text += _row(log, number, operation, repetition)
        heading = ""
    return text


def _row(log: Log, number: int, operation: str, repetition: Repetition) -> str:
    sizes = (log.block_size / KIB, log.record_size / KIB)
    elapsed = repetition.elapsed(log.data_size)
    cells = (repetition.throughput / MIB, *sizes, 0.0, elapsed, 0.0, elapsed)
    return ior_tables.repetition(number, operation, cells)


def _summary(log: Log) -> str:
    done = [(operation, own) for operation, own in (("write", log.writes), ("read", log.reads)) if own]
    rows = "".join(_summary_row(log, operation, repetitions) for operation, repetitions in done)
    best = "".join(ior_tables.best(operation, max(one.throughput for one in own)) for operation, own in done)
    return f"{ior_tables.summary_heading(bool(log.verbose))}{rows}\n{best}\n"


def _summary_row(log: Log, operation: str, repetitions: Sequence[Repetition]) -> str:
    times = [repetition.elapsed(log.data_size) for repetition in repetitions]
    transfers = log.processes * (log.block_size / log.record_size)
    rates = [repetition.throughput / MIB for repetition in repetitions]
    more = _summary_of_options(log) if log.verbose else ""
    return f"{ior_tables.summary(operation, rates, [transfers / time for time in times], times)}{more}EXCEL\n"


def _summary_of_options(log: Log) -> str:
    flags = f"{int(_own_files(log))} {int(log.shifts_reads)} 1 0 0"
    sizes = f"1 {log.block_size:.0f} {log.record_size:.0f} {log.data_size:.0f}"
    return f"{log.processes} {log.processes_per_node} {log.repetitions} {flags} {sizes} -1 POSIX "


def _own_files(log: Log) -> bool:
    return log.file_mode == "file-per-process"


def _file_of_first_task(log: Log) -> str:
    offset = log.processes_per_node % log.processes if log.shifts_reads else 0
    return f"{log.path}.{offset:08d}" if _own_files(log) else log.path


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
