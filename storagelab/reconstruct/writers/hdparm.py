"""Timed reads of a block device: ``hdparm -t`` and ``-T``.

Format: hdparm.c, ``time_device`` and ``time_cache``. The defect that comes with it: MB are 2^20 bytes, and so is a rate
in MB/sec; sizes are cut to whole ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell
from storagelab.units import MIB


@dataclass(frozen=True, slots=True)
class Timing:
    """One timing.

    Attributes
    ----------
    label : str
        hdparm's word for what it read: ``buffered disk reads``, ``cached reads``.
    throughput : float
        Rate [B/s].
    elapsed : float
        For how long it read [s].
    """

    label: str
    throughput: float
    elapsed: float


@dataclass(frozen=True, slots=True)
class Log:
    """Timings of one device."""

    device: str
    timings: tuple[Timing, ...]


def render(log: Log) -> str:
    """Return what hdparm printed, behind a remark of the script that called it.

    Raises
    ------
    ReconstructError
        If nothing was timed, the device is none below /dev, or a number is one that hdparm cannot print.
    """
    if not log.timings:
        raise ReconstructError("timings: expected at least one, found none")
    if not printable.word("device", log.device).startswith("/dev/"):
        raise ReconstructError(f"device: expected one below /dev/, found {log.device!r}")
    return f"{shell.REMARK}\n{log.device}:\n" + "".join(map(_line, log.timings))


def _line(timing: Timing) -> str:
    rate = printable.positive("throughput", timing.throughput) / MIB
    seconds = printable.positive("elapsed", timing.elapsed)
    label = printable.line("label", timing.label)
    return f" Timing {label}: {int(rate * seconds):3d} MB in {seconds:5.2f} seconds = {rate:6.2f} MB/sec\n"
