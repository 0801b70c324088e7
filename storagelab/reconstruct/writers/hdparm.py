"""The output of ``hdparm -t``, in a script that traces it: timed reads of devices.

The format is that of ``time_device`` in ``hdparm.c`` of 2004 to 2010 (http://hdparm.sourceforge.net);
later versions print a blank less in front of what came from the disk. Its MB are 2^20 bytes and its kB 2^10. It counts
whole MB, and the rate is theirs over a time with more digits than it prints.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell
from storagelab.units import KIB, MIB

CHUNK = 2 * MIB
DISK_SECONDS = 3.0
"""hdparm goes on reading until so much time has gone by [s]."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Bytes that were read, whole numbers of 2^20, and in how many seconds."""

    data_size: float
    elapsed: float

    def render(self) -> str:
        """Return size, time and rate as hdparm prints them."""
        size = printable.whole("data_size in units of 2^20 B", self.data_size / MIB)
        elapsed = printable.positive("elapsed", self.elapsed)
        rate, unit = (size / elapsed, "MB") if size / elapsed > 1 else (size * MIB / elapsed / KIB, "kB")
        return f"{size:3d} MB in {elapsed:5.2f} seconds = {rate:6.2f} {unit}/sec\n"


def steady(throughput: float) -> Timing:
    """Return what hdparm times of a device with a steady rate [B/s]: as many chunks as it takes to fill the time [s].

    Raises
    ------
    ReconstructError
        If the rate is not above 0; names it.
    """
    chunks = math.ceil(printable.positive("throughput", throughput) * DISK_SECONDS / CHUNK)
    return Timing(chunks * CHUNK, chunks * CHUNK / throughput)


@dataclass(frozen=True, slots=True)
class Device:
    """One call for one device: its path, and what was read from it."""

    device: str
    disk: Timing


@dataclass(frozen=True, slots=True)
class Log:
    """The output of a script that timed some devices, or one several times."""

    devices: Sequence[Device]


def render(log: Log) -> str:
    """Return the text of a log.

    Raises
    ------
    ReconstructError
        If a value is one that hdparm could not have printed; names it.
    """
    if not log.devices:
        raise ReconstructError("devices: expected at least one, found none")
    return shell.REMARK + "".join(map(_call, log.devices))


def _call(device: Device) -> str:
    if not device.device.startswith("/dev/"):
        raise ReconstructError(f"device: expected a path below /dev, found {device.device!r}")
    return (
        shell.traced(f"hdparm -t {printable.word('device', device.device)}")
        + f"\n{device.device}:\n Timing buffered disk reads:  {device.disk.render()}"
    )
