"""Snapshots of ``/proc/net/dev``: what each interface of a client had counted since boot.

Format: Linux, net/core/net-procfs.c (``dev_seq_printf_stats``), columns in proc(5). The defects that come with it:

- counters of 32 bits run over at 4 GiB (32-bit kernels, and drivers whose hardware counts so); see `counter_bits`;
- a snapshot has no time, and the counters begin at whatever was moved since boot: a run is framed by two of them.

Of a pair ingest takes the difference, in study.yaml the roles ``netdev_before`` and ``netdev_after``. A script that
reads the counters again and again prints ``date +%s.%N`` above each reading (`Readings`, role ``netdev_readings``).
"""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell

_HEADER = (
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast"
    "|bytes    packets errs drop fifo colls carrier compressed\n"
)
_RECEIVED = " {:7d} {:7d} {:4d} {:4d} {:4d} {:5d} {:10d} {:9d}"
_SENT = " {:8d} {:7d} {:4d} {:4d} {:4d} {:5d} {:7d} {:10d}"
_OTHER_COLUMNS = (0, 0, 0, 0)
BITS = (32, 64)


@dataclass(frozen=True, slots=True)
class Counted:
    """What an interface counted in one direction: bytes, packets, errors, and packets that were dropped."""

    counter_bytes: float
    counter_packets: float
    counter_errors: float = 0.0
    counter_drops: float = 0.0


@dataclass(frozen=True, slots=True)
class Interface:
    """A network interface with its name and what it received and sent since boot."""

    interface: str
    received: Counted
    sent: Counted


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A reading of all interfaces of a host.

    Attributes
    ----------
    interfaces : tuple of Interface
        In the order in which the kernel made them.
    counter_bits : int
        Width of the counters, 32 or 64: each is printed modulo 2 to this power.
    """

    interfaces: tuple[Interface, ...]
    counter_bits: int = 64


@dataclass(frozen=True, slots=True)
class Readings:
    """Readings of all interfaces of a host, each with the time above it [s since 1970-01-01T00:00:00Z]."""

    times: tuple[float, ...]
    snapshots: tuple[Snapshot, ...]


def render(log: Snapshot | Readings) -> str:
    """Return what the kernel printed, behind a remark of the script that read it.

    Raises
    ------
    ReconstructError
        If there is no interface, one has a name or a counter that the kernel cannot print, or readings have not as many
        times, of nine digits or more, that rise.
    """
    if isinstance(log, Snapshot):
        return shell.REMARK + _table(log)
    rising = all(early < late for early, late in itertools.pairwise(log.times))
    if len(log.times) != len(log.snapshots) or not rising or not all(1e8 <= time < 1e11 for time in log.times):
        raise ReconstructError(f"times: expected {len(log.snapshots)} seconds since 1970 that rise, found {log.times}")
    tables = zip(log.times, map(_table, log.snapshots), strict=True)
    return shell.REMARK + "".join(f"{time:.9f}\n{table}" for time, table in tables)


def _table(log: Snapshot) -> str:
    if not log.interfaces:
        raise ReconstructError("interfaces: expected at least one, found none")
    if log.counter_bits not in BITS:
        raise ReconstructError(f"counter_bits: expected 32 or 64, found {log.counter_bits!r}")
    return _HEADER + "".join(_line(one, log) for one in log.interfaces)


def _line(one: Interface, log: Snapshot) -> str:
    name = printable.word("interface", one.interface)
    if len(name) > 15 or set(name) & set(":|{}"):
        raise ReconstructError(f"interface: expected up to 15 characters without any of ':|{{}}', found {name!r}")
    received, sent = (_counters(counted, log.counter_bits) for counted in (one.received, one.sent))
    return f"{name:>6}:{_RECEIVED}{_SENT}".format(*received, *_OTHER_COLUMNS, *sent, *_OTHER_COLUMNS) + "\n"


def _counters(counted: Counted, bits: int) -> list[int]:
    names = (field.name for field in dataclasses.fields(counted))
    return [printable.whole(name, value) % 2**bits for name, value in zip(names, _values(counted), strict=True)]


def _values(counted: Counted) -> tuple[float, ...]:
    return counted.counter_bytes, counted.counter_packets, counted.counter_errors, counted.counter_drops
