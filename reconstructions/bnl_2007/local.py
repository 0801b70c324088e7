"""IOzone and fileop on the server itself: heights that the model chooses, and the orders that the slides name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from storagelab.reconstruct.draws import normal, seeded
from storagelab.reconstruct.log import Key, Log
from storagelab.reconstruct.model import behind_cache
from storagelab.reconstruct.writers import fileop as writer
from storagelab.reconstruct.writers import iozone_automatic
from storagelab.reconstruct.writers.iozone_automatic import Sizes, Sweep
from storagelab.reconstruct.writers.iozone_banner import Banner
from storagelab.study.testbed import TestBed
from storagelab.units import KIB, MIB

SYSTEMS = {"zfs": "Solaris10gcc-64", "xfs": "linux-AMD64", "ext3": "linux-AMD64"}
"""File systems, and the build of IOzone that ran on theirs."""

BEST = ("zfs", "xfs")
"""File systems that the slides call best in some operations of fileop."""

LATER = "chdir"
"""Operation that fileop of that time did not know."""

READS = ("read", "reread", "random_read", "backward_read", "stride_read", "fread", "freread")
WRITES = ("write", "rewrite", "random_write", "record_rewrite", "fwrite", "frewrite")
SCATTERED = ("random_read", "random_write", "backward_read", "stride_read")
SEQUENTIAL_WRITES = ("write", "rewrite", "fwrite", "frewrite")
SMALLEST_FILE, RECORDS = 64 * KIB, (4 * KIB, 16 * MIB)
"""What automatic mode begins with, and its records, unless it is told otherwise."""


def iozone(bed: TestBed) -> Iterator[Log]:
    """Yield a log of automatic mode a file system."""
    machine = Machine.of(bed)
    sweep = Sweep((SMALLEST_FILE, bed.chosen("largest_file")), RECORDS)
    for filesystem, build in SYSTEMS.items():
        banner = Banner(_began(filesystem, bed).replace(tzinfo=None), "3.263", build)
        table = {sizes: _rates(filesystem, sizes, machine) for sizes in sweep.sizes()}
        log = iozone_automatic.Log(banner, sweep, table, f"/{filesystem}/iozone.tmp")
        yield Log(f"iozone/{filesystem}.log", iozone_automatic.render(log), _keys("iozone", filesystem, bed))


def _keys(tool: str, filesystem: str, bed: TestBed) -> dict[str, Key]:
    return {
        "basis": "model",
        "run_id": f"{tool}-{filesystem}",
        "tool": tool,
        "filesystem": filesystem,
        "server": bed.text("server", "host"),
        "server_mode": "bare-metal",
        "client_location": "on-board",
        "memory_limit": bed.si("ganglia.mem_total"),
        "started": _began(filesystem, bed).isoformat(timespec="seconds"),
    }


def _began(filesystem: str, bed: TestBed) -> datetime:
    booted = parsedate_to_datetime(bed.text("ganglia", "boottime"))
    return booted + timedelta(seconds=bed.chosen(f"began_{filesystem}"))


@dataclass(frozen=True, slots=True)
class Machine:
    """What the model says of the server: sizes [B], rates [B/s], times [s], and the shares of its file systems."""

    memory: float
    knee: float
    dirty_share: float
    processor_cache: float
    processor_rate: float
    memory_rate: float
    disk_rate: float
    scattered_rate: float
    call: float
    iozone_noise: float
    xfs_write: float
    ext3_write: float
    zfs_random_drop: float

    @classmethod
    def of(cls, bed: TestBed) -> Machine:
        """Take it from the test bed."""
        printed = {"memory": bed.si("ganglia.mem_total"), "knee": bed.si("iozone.knee")}
        return cls(**printed, **{name: bed.chosen(name) for name in cls.__slots__ if name not in printed})

    def rate(self, filesystem: str, operation: str, size: float, record: float) -> float:
        """Return the rate of an operation on a file of some size, in records of some size [B/s].

        Files that memory holds move at its rate, and at that of the processor's cache as far as they fit it. Reads of
        larger ones find nothing in memory, as each read throws out what the next would have found; of writes to them,
        what memory may hold of them is fast.
        """
        fast = behind_cache(size, self.processor_cache, self.processor_rate, self.memory_rate)
        slow = self.scattered_rate if operation in SCATTERED else self.disk_rate
        beyond = slow if operation in READS else behind_cache(size, self.dirty_share * self.memory, fast, slow)
        moved = fast if size <= self.memory else beyond
        return self.share(filesystem, operation, size) / (1 / moved + self.call / record)

    def share(self, filesystem: str, operation: str, size: float) -> float:
        """Return what the slides say of a file system, as a factor: 1 where they say nothing or call it equal."""
        if filesystem == "ext3" and operation in WRITES:
            return self.ext3_write
        if filesystem == "xfs" and operation in SEQUENTIAL_WRITES and size <= self.knee:
            return self.xfs_write
        if filesystem == "zfs" and operation == "random_write" and size > self.knee:
            return self.zfs_random_drop
        return 1.0


def _rates(filesystem: str, sizes: Sizes, machine: Machine) -> dict[str, float]:
    """Rates of all operations for one size of file and record [B/s]."""
    noise = normal(len(WRITES + READS), seeded("bnl-2007", filesystem, *sizes))
    return {
        operation: machine.rate(filesystem, operation, *sizes) * (1 + machine.iozone_noise * z)
        for operation, z in zip(WRITES + READS, noise, strict=True)
    }


def fileop(bed: TestBed) -> Iterator[Log]:
    """Yield a log of fileop a file system: all force factors up to the one that the slides may mean by 50 files."""
    for filesystem in SYSTEMS:
        best = bed.text("fileop", f"best_of_{filesystem}").split() if filesystem in BEST else []
        factors = range(1, round(bed.si("fileop.most")) + 1)
        table = {factor: _operations(filesystem, factor, best, bed) for factor in factors}
        log = writer.Log(table, directory=f"/{filesystem}")
        yield Log(f"fileop/{filesystem}.log", writer.render(log), _keys("fileop", filesystem, bed))


def _operations(filesystem: str, factor: int, best: Sequence[str], bed: TestBed) -> dict[str, writer.Rates]:
    """Rates of all operations for one force factor: one rate for all, and more of it where the slides name a best."""
    operations = [operation for operation in writer.OPERATIONS if operation != LATER]
    noise = normal(len(operations), seeded("bnl-2007", "fileop", filesystem, factor))
    rates = {}
    for operation, z in zip(operations, noise, strict=True):
        ahead = bed.chosen("fileop_gap") if operation in best else 1.0
        mean = bed.chosen("fileop_rate") * ahead * (1 + bed.chosen("fileop_noise") * z)
        rates[operation] = writer.Rates(mean, mean, mean)
    return rates
