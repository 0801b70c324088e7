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
from storagelab.reconstruct.studies.bnl_2007.dcache import DcacheTest, Load
from storagelab.study.testbed import TestBed


@dataclass(frozen=True, slots=True)
class Transfer:
    """One file of one client, both counted from 0, with begin and end in seconds since the test began."""

    client: int
    file: int
    begins: float
    ends: float


def transfers(test: DcacheTest, direction: str, bed: TestBed) -> Iterator[Transfer]:
    """Yield all transfers of one direction of a test, client by client."""
    load = test.loads[direction]
    draw = seeded("bnl-2007", test.number, direction, "clients")
    weights = fair_shares(1.0, load.clients, bed.chosen("unevenness"), draw)
    for client, weight in enumerate(weights):
        ends = [_when(_moved(file * load.size / weight, weights, load), load, bed) for file in range(load.files + 1)]
        for file, (begin, end) in enumerate(itertools.pairwise(ends)):
            yield Transfer(client, file, begin, end)


def _moved(clock: float, weights: Sequence[float], load: Load) -> float:
    """Bytes of all clients when a client of weight w has `clock` x w: those that are done have no more."""
    return sum(min(weight * clock, load.files * load.size) for weight in weights)


def _when(moved: float, load: Load, bed: TestBed) -> float:
    """Seconds after which the server has moved so many bytes."""
    step = bed.chosen("step")
    by_then = [0.0, *itertools.accumulate(rate * step for rate in load.rates)]
    place = min(bisect.bisect_left(by_then, moved), len(load.rates))
    if place == 0:
        return 0.0
    return min(place - 1 + (moved - by_then[place - 1]) / (load.rates[place - 1] * step), len(load.rates)) * step
