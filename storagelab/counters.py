"""Two readings of an interface's counters, before and after, as what moved in between.

A 32-bit counter that ran over starts again from 0 at 2^32 while the interface's other counters go on. A reset (reboot,
driver reload) takes all of them down. The two are told apart by that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from storagelab.errors import ContractError

WORD = 2.0**32
LOOPBACK = ("lo", "lo0")

Counters = Mapping[str, float]
Reading = dict[tuple[str, str], Counters]
"""(interface, operation) -> counter name -> value; the operation is ``receive`` or ``transmit``."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What an interface moved between two readings: bytes, packets, and the line of the second reading."""

    bytes: float
    packets: float
    line: float


def reading(rows: Iterable[Mapping[str, object]]) -> Reading:
    """Index the rows of a counter snapshot by interface and direction."""
    return {
        (str(row["interface"]), str(row["operation"])): {
            name: float(str(row[name])) for name in ("counter_bytes", "counter_packets", "line") if name in row
        }
        for row in rows
    }


def the_interface(before: Reading, after: Reading, named: str = "") -> str:
    """Choose the interface whose counters are meant: the one that is named, or the only one besides loopback.

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
    """Bytes and packets that an interface moved between two readings, a counter's overflow at 2^32 mended.

    Raises
    ------
    ContractError
        If the counters were reset in between: what was moved before the reset is not known.
    """
    first, second = before[interface, operation], after[interface, operation]
    if _was_reset(before, after, interface):
        raise ContractError(f"the counters of {interface} were reset between the two readings, or the two are swapped")
    moved = {name: _step(first[name], second[name]) for name in ("counter_bytes", "counter_packets")}
    return Moved(moved["counter_bytes"], moved["counter_packets"], second["line"])


def _step(first: float, second: float) -> float:
    return second - first if second >= first else second + WORD - first


def _was_reset(before: Reading, after: Reading, interface: str) -> bool:
    """A counter fell that cannot have run over: beyond 32 bits, or all that had counted fell together."""
    pairs = [
        (counters[name], after[place][name])
        for place, counters in before.items()
        if place[0] == interface and place in after
        for name in ("counter_bytes", "counter_packets")
        if counters[name] > 0
    ]
    fallen = [first for first, second in pairs if second < first]
    return bool(fallen) and (max(fallen) >= WORD or len(fallen) == len(pairs))
