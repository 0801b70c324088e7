"""Fig. 9: 49 NOvA clients at once, external ones and those on the hosts of the servers.

The paper prints two things of each group that do not follow from each other: the time of its clients over that of the
first of all, and their rates. Wall time and rate are separate here: all clients move the same bytes, the counters of a
client are read over just the window that this takes at its rate, and what its wall time has more lies before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from storagelab.reconstruct import draws
from storagelab.reconstruct.log import Key, Log
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from . import client
from .client import Client, place
from .keys import UNKNOWN, lustre

RUN = "nova-49"


@dataclass(frozen=True, slots=True)
class Finish:
    """When a client is done, over the time of the first of all, and its rate [B/s]."""

    place: dict[str, Key]
    factor: float
    rate: float


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield the logs of all clients of the run."""
    finishes = [*external(published, bed), *onboard(published, bed)]
    size, files = bed.si("nova.file"), int(bed.si("nova.files"))
    moved = size * published.si("moved_lustre")
    first = bed.chosen("first_done") * max(files * moved / each.rate / each.factor for each in finishes)
    keys = lustre(bed, "virtual", UNKNOWN, UNKNOWN) | {"run_id": RUN, "clients": len(finishes), "striping": UNKNOWN}
    for each in finishes:
        window = files * moved / each.rate
        one = Client(
            place=each.place,
            keys=keys,
            wanted=size * published.si("nova_fraction"),
            moved=moved,
            file_rates=[each.rate] * files,
            idle=first * each.factor - window,
            each_file=False,
        )
        yield from client.logs(one, bed)


def external(published: Published, bed: TestBed) -> list[Finish]:
    """Return the external clients: the first of all is one of them, and so are the slowest and the fastest."""
    n = int(bed.si("itb.hosts * itb.per_host"))
    factors = draws.spread_between(1.0, bed.chosen("external_last"), published.si("f_itb"), n)
    rates = draws.spread_between(published.si("bw_low"), published.si("bw_high"), published.si("b_itb"), n)
    return _paired("external", factors, rates, bed)


def onboard(published: Published, bed: TestBed) -> list[Finish]:
    """Return the on-board clients: the last of all is one of them."""
    n = int(bed.si("server.count * onboard.per_host"))
    ends = bed.chosen("onboard_first"), published.si("completion_last")
    factors = draws.spread_between(*ends, published.si("f_onboard"), n)
    rates = draws.spread_between(bed.chosen("onboard_slow"), bed.chosen("onboard_fast"), published.si("b_onboard"), n)
    return _paired("on-board", factors, rates, bed)


def _paired(location: str, factors: list[float], rates: list[float], bed: TestBed) -> list[Finish]:
    """Let those with the highest rates be done first; which of them is on which host is drawn."""
    pairs = list(zip(sorted(factors), sorted(rates, reverse=True), strict=True))
    mdt = int(bed.si("onboard.per_host"))
    order = draws.shuffled(range(len(pairs)), draws.seeded(RUN, location))
    return [Finish(place(location, int(i) + 1, mdt), *pair) for i, pair in zip(order, pairs, strict=True)]
