"""The output of an event loop over trees with ROOT: what was read of each file, TTreePerfStats and TStopwatch.

Formats: ROOT, tree/treeplayer/src/TTreePerfStats.cxx (``Print``) and core/base/src/TStopwatch.cxx (``Print``); the
lines of the loop around them as `storagelab.parsers.root.log.event_loop` reads them. The defects that come with it:

- a stopwatch cuts its real time to whole seconds unless it is asked for milliseconds or microseconds;
- the sizes of the cache and of read-ahead are divided as integers, so 0 MBytes is less than one;
- ``ReadTotal`` has six digits, and a rate over a time of 0 is ``inf``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from storagelab import units
from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell

_OPTIONS = {0: "02d", 3: "06.3f", 6: "09.6f"}


@dataclass(frozen=True, slots=True)
class Stopwatch:
    """A TStopwatch: real and CPU time [s], and with how many decimals it is asked to print the real time."""

    elapsed: float
    cpu_time: float
    decimals: Literal[0, 3, 6] = 0


@dataclass(frozen=True, slots=True)
class PerfStats:
    """What TTreePerfStats counted of a tree.

    Attributes
    ----------
    data_size, data_size_uncompressed : float
        Bytes read, as stored and unzipped.
    operations : float
        Reads of the file; at least one.
    elapsed, cpu_time, disk_time : float
        Seconds: real, of the processor, and in reads of the file.
    cache_size, read_ahead : float
        Bytes of the TTreeCache, and of read-ahead.
    leaves : float
        Leaves of the tree.
    data_extra_share : float
        Bytes that were read and not asked for, over those that were.
    """

    data_size: float
    data_size_uncompressed: float
    operations: float
    elapsed: float
    cpu_time: float
    disk_time: float
    cache_size: float = 30 * units.MB
    read_ahead: float = 256 * units.KB
    leaves: float = 1.0
    data_extra_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Read:
    """A file that was read, whole or in part.

    Attributes
    ----------
    file : str
        Path or URL.
    entries, entries_total, branches, branches_total : float
        How much of its tree was read.
    data_size_file, operations_file : float
        Bytes and reads that TFile counted; headers and keys are among them.
    file_size : float
        Bytes of the file.
    statistics : PerfStats, optional
        What TTreePerfStats printed, if it was asked; a stopwatch over the same time is behind it.
    """

    file: str
    entries: float
    entries_total: float
    branches: float
    branches_total: float
    data_size_file: float
    operations_file: float
    file_size: float
    statistics: PerfStats | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """The output of one job: the files in their order, and the stopwatch of the whole loop."""

    reads: tuple[Read, ...]
    total: Stopwatch
    tool_version: str = "5.34/32"


def render(log: Log) -> str:
    """Return what the job printed.

    Raises
    ------
    ReconstructError
        If no file was read, or there is a value that ROOT cannot print.
    """
    if not log.reads:
        raise ReconstructError("reads: expected at least one file, found none")
    if not log.tool_version[:1].isdecimal():
        raise ReconstructError(f"tool_version: expected one such as '5.34/32', found {log.tool_version!r}")
    entries = sum(printable.whole("entries", read.entries) for read in log.reads)
    version = f"ROOT {printable.word('tool_version', log.tool_version)}\n"
    end = f"Total entries {entries}\n{_stopwatch(log.total)}"
    return shell.REMARK + version + "".join(map(_read, log.reads)) + end


def _read(read: Read) -> str:
    file = printable.word("file", read.file)
    if file.endswith("..."):
        raise ReconstructError(f"file: expected a path that does not end as ROOT's own messages do, found {file!r}")
    statistics = "".join(f"{line}\n" for line in _statistics(read.statistics)) if read.statistics else ""
    lap = Stopwatch(read.statistics.elapsed, read.statistics.cpu_time) if read.statistics else None
    return f"Processing {file}\n{_entries(read)}{statistics}{_stopwatch(lap) if lap else ''}"


def _entries(read: Read) -> str:
    names = ("entries", "entries_total", "branches", "branches_total", "data_size_file", "operations_file", "file_size")
    form = "Entries read {} of {}, {} of {} branches, {} bytes read in {} calls, file size {}\n"
    return form.format(*(printable.whole(name, getattr(read, name)) for name in names))


def _statistics(of: PerfStats) -> Iterator[str]:
    """Yield the lines of the print; rates are in 10^6 bytes per second."""
    size, unzipped = (
        printable.positive(name, printable.whole(name, getattr(of, name))) / units.MB
        for name in ("data_size", "data_size_uncompressed")
    )
    yield f"TreeCache = {printable.whole('cache_size', of.cache_size) // int(units.MB)} MBytes"
    yield f"N leaves  = {printable.whole('leaves', of.leaves)}"
    yield f"ReadTotal = {size:g} MBytes"
    yield f"ReadUnZip = {unzipped:g} MBytes"
    calls = printable.whole("operations", printable.positive("operations", of.operations))
    yield f"ReadCalls = {calls}"
    yield f"ReadSize  = {size * units.MB / calls / units.KB:7.3f} KBytes/read"
    yield f"Readahead = {printable.whole('read_ahead', of.read_ahead) // int(units.KB)} KBytes"
    yield f"Readextra = {printable.amount('data_extra_share', of.data_extra_share) / units.PERCENT:5.2f} per cent"
    times = ("Real Time", "elapsed"), ("CPU  Time", "cpu_time"), ("Disk Time", "disk_time")
    for label, name in times:
        yield f"{label} = {printable.amount(name, getattr(of, name)):7.3f} seconds"
    yield f"Disk IO   = {_rate(size, of.disk_time)}"
    yield f"ReadUZRT  = {_rate(unzipped, of.elapsed)}"
    yield f"ReadUZCP  = {_rate(unzipped, of.cpu_time)}"
    yield f"ReadRT    = {_rate(size, of.elapsed)}"
    yield f"ReadCP    = {_rate(size, of.cpu_time)}"


def _rate(amount: float, seconds: float) -> str:
    return f"{amount / seconds if seconds else math.inf:7.3f} MBytes/s"


def _stopwatch(of: Stopwatch) -> str:
    if of.decimals not in _OPTIONS:
        raise ReconstructError(f"decimals: expected 0, 3 or 6, found {of.decimals!r}")
    real = printable.amount("elapsed", of.elapsed)
    hours, rest = divmod(real, 3600)
    minutes, seconds = divmod(rest, 60)
    shown = format(seconds if of.decimals else int(seconds), _OPTIONS[of.decimals])
    return (
        f"Real time {int(hours)}:{int(minutes):02d}:{shown}, CP time {printable.amount('cpu_time', of.cpu_time):.3f}\n"
    )
