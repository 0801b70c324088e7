"""Two readings of an interface's counters, before and after, as what moved in between.

A 32-bit counter that ran over starts again from 0 at 2^32, one of 64 bits at 2^64, while the interface's other counters
go on. A reset (reboot, driver reload) takes all of them down. The two are told apart by that, and by how far a counter
fell: one beyond 32 bits has run over only if it was in the upper half of 64 bits and is in the lower half now. Numbers
near 2^64 are known to 2048, no closer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from storagelab.errors import ContractError

WORD = 2.0**32
LONG_WORD = 2.0**64
LOOPBACK = ("lo", "lo0")

Counters = Mapping[str, float]
Reading = dict[tuple[str, str], Counters]
"""(interface, operation) -> counter name -> value; the operation is ``receive`` or ``transmit``."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What an interface moved between two readings: bytes, packets, and the lines of both readings.

    `wrapped` is where its bytes ran over, 2^32 or 2^64, and 0 where they did not. One that ran over at 2^32 may have
    done so several times: what moved is then known but for multiples of 2^32.
    """

    bytes: float
    packets: float
    line: float
    line_before: float = 0.0
    wrapped: float = 0.0


def reading(rows: Iterable[Mapping[str, object]]) -> Reading:
    """Index the rows of a counter snapshot by interface and direction, but for counters that have a row of their own.

    Parameters
    ----------
    rows : iterable of mapping
        Rows of a log of counters.

    Returns
    -------
    Reading
        Counters by interface and direction.
    """
    return {
        (str(row["interface"]), str(row["operation"])): {
            name: float(str(row[name])) for name in ("counter_bytes", "counter_packets", "line") if name in row
        }
        for row in rows
        if not row.get("metric")
    }


def the_interface(before: Reading, after: Reading, named: str = "") -> str:
    """Choose the interface whose counters are meant: the one that is named, or the only one besides loopback.

    Parameters
    ----------
    before : Reading
        As `reading` gives it.
    after : Reading
        As `reading` gives it.
    named : str, optional
        The interface that a sidecar names.

    Returns
    -------
    str
        Name of the interface.

    Raises
    ------
    ContractError
        If the named one is not there, or several could be meant.
    """
    both = sorted({interface for interface, _ in before} & {interface for interface, _ in after})
    candidates = [name for name in both if name == named or (not named and name not in LOOPBACK)]
    if len(candidates) != 1:
        wanted = (
            f"the interface {named!r}" if named else "one interface besides loopback (say `interface` in study.yaml)"
        )
        raise ContractError(f"expected {wanted} in both readings, found {', '.join(both) or 'none'}")
    return candidates[0]


def difference(before: Reading, after: Reading, interface: str, operation: str) -> Moved:
    """Bytes and packets that an interface moved between two readings, a counter's overflow at 2^32 or 2^64 mended.

    Parameters
    ----------
    before : Reading
        As `reading` gives it.
    after : Reading
        As `reading` gives it.
    interface : str
        Name of the interface.
    operation : str
        Direction: read is what came in, write what went out.

    Returns
    -------
    Moved
        Bytes and packets.

    Raises
    ------
    ContractError
        If the counters were reset in between: what was moved before the reset is not known.
    """
    first, second = before[interface, operation], after[interface, operation]
    if _was_reset(before, after, interface):
        raise ContractError(f"the counters of {interface} were reset between the two readings, or the two are swapped")
    moved = {name: _step(first[name], second[name]) for name in ("counter_bytes", "counter_packets")}
    wrapped = _ran_over_at(first["counter_bytes"], second["counter_bytes"])
    return Moved(moved["counter_bytes"], moved["counter_packets"], second["line"], first["line"], wrapped)


def _step(first: float, second: float) -> float:
    return second + _ran_over_at(first, second) - first


def _ran_over_at(first: float, second: float) -> float:
    """Where a counter ran over, 0 where it went on; infinity for one that can only have been reset."""
    if second >= first:
        return 0.0
    if first < WORD:
        return WORD
    return LONG_WORD if second < LONG_WORD / 2 <= first else math.inf


def _was_reset(before: Reading, after: Reading, interface: str) -> bool:
    """A counter fell that cannot have run over: beyond 32 bits, or all that had counted fell together."""
    pairs = [
        (counters[name], after[place][name])
        for place, counters in before.items()
        if place[0] == interface and place in after
        for name in ("counter_bytes", "counter_packets")
        if counters[name] > 0
    ]
    fallen = [_ran_over_at(first, second) for first, second in pairs if second < first]
    return bool(fallen) and (math.isinf(max(fallen)) or len(fallen) == len(pairs))
