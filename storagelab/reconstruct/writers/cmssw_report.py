"""The framework job report of CMSSW (``cmsRun -j``): files with their events, times, storage counters.

Format: CMSSW, FWCore/MessageLogger/src/JobReport.cc, FWCore/Services (Timing), and Utilities/StorageFactory
(StorageAccount), whose MB are 2^20 bytes. Releases before CMSSW 4 write attributes of ``counter-value`` and a
``TimingService``, later ones a ``Metric`` a number; see `JobReport.metrics`. All numbers but counts have six digits.

A report has no phase from the opening of a file to its first event: `cmssw_messages` has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from storagelab import units
from storagelab.errors import ReconstructError
from storagelab.parsers.cmssw.counters import OPERATIONS
from storagelab.reconstruct.mark import MARK
from storagelab.reconstruct.writers import printable


@dataclass(frozen=True, slots=True)
class Counter:
    """What one layer of storage counted of one operation.

    Attributes
    ----------
    subsystem : str
        ``dcap``, ``file``, ``root``, ``rfio``, or ``tstoragefile``, the layer above them.
    name : str
        Operation as CMSSW 4 names it: ``open``, ``read``, ``readActual``, ...
    operations_tried, operations : float
        Calls, and those that succeeded.
    data_size : float
        Bytes.
    elapsed, latency_min, latency_max : float
        Seconds in all successful calls, in the fastest and in the slowest of them.
    """

    subsystem: str
    name: str
    operations_tried: float
    operations: float
    data_size: float = 0.0
    elapsed: float = 0.0
    latency_min: float = 0.0
    latency_max: float = 0.0


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that was read: its physical name, its logical name, and how many events came from it."""

    file: str
    entries: float
    logical_name: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """Real and CPU seconds of the job, and the real seconds of its mean, fastest and slowest event."""

    elapsed: float
    cpu_time: float
    event_elapsed: float
    event_elapsed_min: float
    event_elapsed_max: float


@dataclass(frozen=True, slots=True)
class JobReport:
    """The report of one job; `metrics` says whether it is written as from CMSSW 4 on."""

    files: tuple[InputFile, ...] = ()
    counters: tuple[Counter, ...] = ()
    timing: Timing | None = None
    metrics: bool = False


def render(log: JobReport) -> str:
    """Return the report as cmsRun wrote it, behind a comment.

    Raises
    ------
    ReconstructError
        If it holds nothing, or there is a value that CMSSW cannot print.
    """
    if not (log.files or log.counters or log.timing):
        raise ReconstructError("report: expected files, counters or times, found none of them")
    parts = [_file(file) for file in log.files]
    parts += _performance(log) if log.metrics else _services(log)
    return f"<!-- {MARK} -->\n<FrameworkJobReport>\n{''.join(parts)}</FrameworkJobReport>\n"


def _file(file: InputFile) -> str:
    name = escape(printable.word("file", file.file))
    return (
        "\n<InputFile>\n"
        '<State  Value="closed"/>\n'
        f"<LFN>{escape(file.logical_name and printable.word('logical_name', file.logical_name))}</LFN>\n"
        f"<PFN>{name}</PFN>\n"
        "<Catalog></Catalog>\n"
        "<ModuleLabel>source</ModuleLabel>\n"
        "<InputType>primaryFiles</InputType>\n"
        "<InputSourceClass>PoolSource</InputSourceClass>\n"
        f"<EventsRead>{printable.whole('entries', file.entries)}</EventsRead>\n"
        "</InputFile>\n"
    )


def _services(log: JobReport) -> Iterator[str]:
    """Yield what releases before CMSSW 4 write."""
    if log.timing:
        lines = (f'  <{name}  Value="{value}" />\n' for name, value in _times(log.timing).items())
        yield f"<TimingService>\n{''.join(lines)}</TimingService>\n"
    if log.counters:
        counters = "".join(map(_counter_value, log.counters))
        yield (
            "<StorageStatistics>\n<storage-factory-summary>\n <storage-factory-stats>\n<storage-timing-summary>\n"
            f"{counters}"
            "</storage-timing-summary>\n </storage-factory-stats>\n</storage-factory-summary>\n</StorageStatistics>\n"
        )


def _counter_value(of: Counter) -> str:
    statistics = (f"{_dashed(name)}='{value}'" for name, value in statistics_of(of).items())
    return f" <counter-value subsystem='{of.subsystem}' counter-name='{_dashed(of.name)}' {' '.join(statistics)}/>\n"


def _dashed(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", name)


def _performance(log: JobReport) -> Iterator[str]:
    """Yield what releases from CMSSW 4 on write: a summary a service, its numbers sorted by name."""
    if log.timing:
        yield _summary("Timing", _times(log.timing))
    if log.counters:
        numbers = {
            f"Timing-{of.subsystem}-{of.name}-{name}": value
            for of in log.counters
            for name, value in statistics_of(of).items()
        }
        yield _summary("StorageStatistics", numbers)


def _summary(of: str, numbers: Mapping[str, str]) -> str:
    lines = (f'    <Metric Name="{name}" Value="{value}"/>\n' for name, value in sorted(numbers.items()))
    return (
        f'<PerformanceReport>\n  <PerformanceSummary Metric="{of}">\n{"".join(lines)}'
        "  </PerformanceSummary>\n</PerformanceReport>\n"
    )


def _times(of: Timing) -> dict[str, str]:
    times = {
        "AvgEventTime": of.event_elapsed,
        "MaxEventTime": of.event_elapsed_max,
        "MinEventTime": of.event_elapsed_min,
        "TotalJobCPU": of.cpu_time,
        "TotalJobTime": of.elapsed,
    }
    return {name: f"{printable.amount(name, value):g}" for name, value in times.items()}


def statistics_of(of: Counter) -> dict[str, str]:
    """Return the numbers of a counter as CMSSW prints them, by the names and in the order of its storage account.

    Raises
    ------
    ReconstructError
        If the subsystem or the operation is none, or a number cannot be printed.
    """
    if not re.fullmatch(r"[A-Za-z]\w*", of.subsystem):
        raise ReconstructError(f"subsystem: expected the name of a protocol or layer, found {of.subsystem!r}")
    if of.name not in OPERATIONS:
        raise ReconstructError(f"name: expected one of {', '.join(OPERATIONS)}, found {of.name!r}")
    return {
        "numOperations": str(printable.whole("operations_tried", of.operations_tried)),
        "numSuccessfulOperations": str(printable.whole("operations", of.operations)),
        "totalMegabytes": f"{printable.amount('data_size', of.data_size) / units.MIB:g}",
        "totalMsecs": _milliseconds("elapsed", of.elapsed),
        "minMsecs": _milliseconds("latency_min", of.latency_min),
        "maxMsecs": _milliseconds("latency_max", of.latency_max),
    }


def _milliseconds(name: str, value: float) -> str:
    return f"{printable.amount(name, value) / units.MILLISECOND:g}"
