"""The six dCache tests: when they ran, how fast each direction was at every step of the monitor, who moved what."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from storagelab.reconstruct import draws
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from . import clock

READ, WRITE = "read", "write"


@dataclass(frozen=True, slots=True)
class Load:
    """What clients do in one direction: each moves its files one after the other.

    Attributes
    ----------
    rates : sequence of float
        Mean rate of all clients together in each step of the monitor [B/s].
    clients, files : int
        How many clients, and files of each.
    size : float
        Bytes of a file; whole.
    """

    rates: Sequence[float]
    clients: int
    files: int
    size: float


@dataclass(frozen=True, slots=True)
class DcacheTest:
    """A test: its number, the host page that shows it, its begin [s since 1970], and its loads by direction."""

    number: int
    page: int
    begins: float
    loads: Mapping[str, Load]
    basis: str
    basis_of_clients: str
    tool: str = "dccp"

    @property
    def group(self) -> str:
        """Its name."""
        return f"test {self.number}"

    @property
    def name(self) -> str:
        """Its name as a part of a path."""
        return f"test-{self.number}"

    @property
    def steps(self) -> int:
        """Steps of the monitor from its begin to its end."""
        return len(next(iter(self.loads.values())).rates)

    @property
    def transfers(self) -> int:
        """How many transfers run at a time."""
        return sum(load.clients for load in self.loads.values())

    def ends(self, bed: TestBed) -> float:
        """Return its end [s since 1970]."""
        return self.begins + self.steps * bed.chosen("step")


def dcache_tests(published: Published, bed: TestBed) -> list[DcacheTest]:
    """Return the six tests."""
    return [
        _of_nodes(1, 1, {READ: published.si("test1_rate")}, "published", bed),
        _of_nodes(2, 1, {WRITE: published.si("test2_rate")}, "published", bed),
        _of_nodes(3, 2, {READ: published.si("test3_rate")}, "published", bed),
        _of_nodes(4, 2, dict.fromkeys((READ, WRITE), published.si("test4_rate") / 2), "derived", bed),
        _of_crowds(5, 3, published, bed),
        _of_crowds(6, 4, published, bed),
    ]


def _of_nodes(number: int, page: int, rates: Mapping[str, float], basis: str, bed: TestBed) -> DcacheTest:
    """Tests 1 to 4: every node does the same; in test 4, in both directions, which share the printed rate evenly."""
    loads = {direction: _even(number, direction, rate, bed) for direction, rate in rates.items()}
    begins = clock.at(page, bed.si(f"test{number}.begins"), bed)
    return DcacheTest(number, page, begins, loads, basis, "derived", "dccp")


def _even(number: int, direction: str, rate: float, bed: TestBed) -> Load:
    length, step = bed.chosen(f"length{number}"), bed.chosen("step")
    clients, files = round(bed.si(f"test{number}.clients")), round(bed.chosen(f"files{number}"))
    n = round(length / step)
    error = rate * bed.chosen("rate_noise") / math.sqrt(n)
    rates = draws.around(rate, error, n, draws.seeded("bnl-2007", number, direction))
    return Load(rates, clients, files, round(rate * length / clients / files))


def _of_crowds(number: int, page: int, published: Published, bed: TestBed) -> DcacheTest:
    """Tests 5 and 6: writers and readers, whose volumes are printed; in test 5, so is the range of their rate."""
    part, step, n = f"test{number}", bed.chosen("step"), round(bed.chosen("steps5"))
    volumes = {
        WRITE: bed.si(f"{part}.writers * {part}.files_written * {part}.file_size"),
        READ: bed.si(f"{part}.readers * {part}.files_read * {part}.file_size"),
    }
    whole = sum(volumes.values())
    ends = published.si("test5_low"), published.si("test5_high")
    together = draws.spread_between(*ends, whole / (n * step), n)
    together = draws.shuffled(together, draws.seeded("bnl-2007", number))
    rates = {way: [rate * volume / whole for rate in together] for way, volume in volumes.items()}
    begins = clock.on_a_step(clock.saved(page, bed).timestamp() - bed.chosen(f"before{number}"), bed)
    loads = {
        WRITE: _crowd(rates[WRITE], part, "writers", "files_written", bed),
        READ: _crowd(rates[READ], part, "readers", "files_read", bed),
    }
    basis = "derived" if number == 5 else "model"
    return DcacheTest(number, page, begins, loads, basis, basis, "dccp" if number == 5 else "globus-gridftp-server")


def _crowd(rates: Sequence[float], part: str, who: str, files: str, bed: TestBed) -> Load:
    return Load(rates, round(bed.si(f"{part}.{who}")), round(bed.si(f"{part}.{files}")), bed.si(f"{part}.file_size"))
