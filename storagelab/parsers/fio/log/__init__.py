"""fio's logs over time: ``write_bw_log``, ``write_iops_log``, ``write_lat_log`` of fio 1.x to 3.4x.

Documented in fio's HOWTO ("Log File Formats") and printed by its iolog.c (flush_samples). A line is a sample::

    time, value[, maximum], direction, block size[, offset][, priority][, time of issue]

Time is in milliseconds since the start of the job, or since 1970 with ``log_unix_epoch``. With ``log_avg_msec`` a
sample is the mean over an interval and its block size 0; without, a sample is one I/O. Zero stands where a column says
nothing, and is missing here. The time of issue is not read.

**What the value is, the log does not say**: KiB/s, I/Os per second or a latency. Only the file's name does, by fio's
own suffix: ``_bw.1.log``, ``_iops.1.log``, ``_lat.1.log`` (total), ``_clat.1.log`` (completion), ``_slat.1.log``
(submission). So there is a format for each, chosen by that name or by ``--format``; where neither says it, `fio-log`
keeps the value as it stands, under `metric` and `value`. Latencies are nanoseconds since fio 3.0 and were microseconds
before, which not even the name says: nanoseconds are taken, and noted wherever a log may be older (no column of
priorities, which 3.17 brought); ``--format fio2-clat-log`` and its like read microseconds.

Traps: an I/O's own line in an IOPS log counts 1, which is no rate. With ``per_job_logs=0`` the samples of all jobs
follow each other in one file: each is a `part`, told by the time that starts again. A log of no samples is empty.
There is no end mark: a log that lost its last lines looks whole.
"""

from __future__ import annotations

from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.fio.log.sample_log import NEVER, NO_SUFFIX, SampleLog, file_name
from storagelab.parsers.model import Format
from storagelab.units import KIB, MICROSECOND, NANOSECOND

SOURCE = "fio HOWTO, Log File Formats"
CHECKS = Checks(pauses="fio prints no line for a window in which nothing ended", of_events="request_size")
NUMBERS = r", ?(?:0x[0-9a-fA-F]++|\d++), ?\d"
"""Part of every sample."""


def _format(name: str, reads: str, names: str, versions: str = "1.x to 3.4x") -> Format:
    return Format(name, "fio", versions, reads, SOURCE, names, shapes=(NUMBERS,), checks=CHECKS)


def _of_latency(kind: str, variable: str, what: str, also: str = "") -> tuple[SampleLog, SampleLog]:
    """Logs of one latency, in the units of fio 3 and of fio before."""
    new = _format(f"fio-{kind}-log", f"samples of {what} in ns: files *_{kind}.N.log", file_name(kind), "3.0 to 3.4x")
    old = _format(f"fio2-{kind}-log", f"samples of {what} in us: only where --format says so", NEVER, "1.x and 2.x")
    return SampleLog(new, variable, NANOSECOND, also), SampleLog(old, variable, MICROSECOND, also)


BANDWIDTH = SampleLog(
    _format("fio-bw-log", "samples of bandwidth: files *_bw.N.log", file_name("bw")),
    "throughput",
    KIB,
    "throughput_max",
)
IOPS = SampleLog(
    _format("fio-iops-log", "samples of IOPS: files *_iops.N.log", file_name("iops")),
    "operation_rate",
    also="operation_rate_max",
)
UNKNOWN = SampleLog(_format("fio-log", "samples whose file name does not say of what", NO_SUFFIX), "")

PARSERS = (
    BANDWIDTH,
    IOPS,
    *_of_latency("clat", "latency", "completion latency", "latency_max"),
    *_of_latency("slat", "submission_latency", "submission latency"),
    *_of_latency("lat", "total_latency", "latency from submission to completion"),
    UNKNOWN,
)
