"""The framework job report of CMSSW (``cmsRun -j``) before CMSSW 4: times and storage counters.

Format: CMSSW, FWCore/MessageLogger/src/JobReport.cc, FWCore/Services (Timing), and Utilities/StorageFactory
(StorageAccount), whose MB are 2^20 bytes. All numbers but counts have six digits.

A report has no phase from the opening of a file to its first event: `cmssw_messages` has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from storagelab import units
from storagelab.errors import ReconstructError
from storagelab.parsers.cmssw.counters import OPERATIONS
from storagelab.reconstruct.log import MARK
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
class Timing:
    """Real and CPU seconds of the job, and the real seconds of its mean, fastest and slowest event."""

    elapsed: float
    cpu_time: float
    event_elapsed: float
    event_elapsed_min: float
    event_elapsed_max: float


@dataclass(frozen=True, slots=True)
class JobReport:
    """The report of one job."""

    counters: tuple[Counter, ...] = ()
    timing: Timing | None = None


def render(log: JobReport) -> str:
    """Return the report as cmsRun wrote it, behind a comment.

    Raises
    ------
    ReconstructError
        If it holds nothing, or there is a value that CMSSW cannot print.
    """
    if not (log.counters or log.timing):
        raise ReconstructError("report: expected counters or times, found none of them")
    return f"<!-- {MARK} -->\n<FrameworkJobReport>\n{''.join(_services(log))}</FrameworkJobReport>\n"


def _services(log: JobReport) -> Iterator[str]:
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


def _dashed(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", name)


def _times(of: Timing) -> dict[str, str]:
    times = {
        "AvgEventTime": of.event_elapsed,
        "MaxEventTime": of.event_elapsed_max,
        "MinEventTime": of.event_elapsed_min,
        "TotalJobCPU": of.cpu_time,
        "TotalJobTime": of.elapsed,
    }
    return {name: f"{printable.amount(name, value):g}" for name, value in times.items()}


def _counter_value(of: Counter) -> str:
    if not re.fullmatch(r"[A-Za-z]\w*", of.subsystem):
        raise ReconstructError(f"subsystem: expected the name of a protocol or layer, found {of.subsystem!r}")
    if of.name not in OPERATIONS:
        raise ReconstructError(f"name: expected one of {', '.join(OPERATIONS)}, found {of.name!r}")
    return (
        f" <counter-value subsystem='{of.subsystem}' counter-name='{_dashed(of.name)}'"
        f" num-operations='{printable.whole('operations_tried', of.operations_tried)}'"
        f" num-successful-operations='{printable.whole('operations', of.operations)}'"
        f" total-megabytes='{printable.amount('data_size', of.data_size) / units.MIB:g}'"
        f" total-msecs='{_milliseconds('elapsed', of.elapsed)}'"
        f" min-msecs='{_milliseconds('latency_min', of.latency_min)}'"
        f" max-msecs='{_milliseconds('latency_max', of.latency_max)}'/>\n"
    )


def _milliseconds(name: str, value: float) -> str:
    return f"{printable.amount(name, value) / units.MILLISECOND:g}"
