"""When each file was moved: clients share what the server moves, each with its own weight, until they are done.

A fluid model: at any moment the server moves bytes at the rate of its step, and every client that still has some gets
a share in proportion to its weight. The sum of all files is the integral of the rates, so that logs of clients and
series of the monitor speak of the same bytes.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from storagelab.reconstruct.draws import seeded
from storagelab.reconstruct.model import fair_shares
from storagelab.study.testbed import TestBed

from .dcache import DcacheTest, Load


@dataclass(frozen=True, slots=True)
class Transfer:
    """One file of one client, both counted from 0, with begin and end in seconds since the test began."""

    client: int
    file: int
    begins: float
    ends: float


def transfers(test: DcacheTest, direction: str, bed: TestBed) -> Iterator[Transfer]:
    """Yield all transfers of one direction of a test, client by client."""
    load, step = test.loads[direction], bed.chosen("step")
    draw = seeded("bnl-2007", test.number, direction, "clients")
    weights = fair_shares(1.0, load.clients, bed.chosen("unevenness"), draw)
    by_then = [0.0, *itertools.accumulate(rate * step for rate in load.rates)]
    for client, weight in enumerate(weights):
        moved = (_moved(file * load.size / weight, weights, load) for file in range(load.files + 1))
        ends = [_steps_until(bytes_moved, by_then) * step for bytes_moved in moved]
        for file, (begin, end) in enumerate(itertools.pairwise(ends)):
            yield Transfer(client, file, begin, end)


def _moved(clock: float, weights: Sequence[float], load: Load) -> float:
    """Bytes of all clients when a client of weight w has `clock` x w: those that are done have no more."""
    return sum(min(weight * clock, load.files * load.size) for weight in weights)


def _steps_until(moved: float, by_then: Sequence[float]) -> float:
    """Steps after which the server has moved so many bytes, given what it had moved at the end of each."""
    if moved >= by_then[-1]:
        return len(by_then) - 1.0
    place = bisect.bisect_right(by_then, moved)
    return place - 1 + (moved - by_then[place - 1]) / (by_then[place] - by_then[place - 1])
