"""Uploads with xrdcopy: ten of each size, from each of two clients, to each configuration.

An upload takes a start and the time of its bytes, ``t = t0 + s / r``. The rate r of its bytes is the plateau of its
client, less what its configuration loses (on the plateau only), shifted with the series that it belongs to and by
itself. The level of the plateau and the spread of the shifts are found so that the slowest and the fastest upload on
the plateau are the printed ends of its range.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from storagelab.errors import ReconstructError
from storagelab.reconstruct.draws import normal, seeded, standardised
from storagelab.reconstruct.log import Key, Log
from storagelab.reconstruct.model import with_start
from storagelab.reconstruct.writers import xrdcp
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from .configurations import CONFIGURATIONS, NARROW, WIDE, Configuration

STUDY = "cern-kinetic-2015"
HALVINGS = 40
"""Bisections of a number that is looked for: to a part in 10^12 of where it may lie."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client: its part of the test bed, and the word in the names of its published values."""

    part: str
    word: str

    def losses(self, published: Published, bed: TestBed) -> dict[Configuration, float]:
        """Return what share of the rate of DEV each other configuration keeps on the plateau."""
        if self.word == "fast":
            return {WIDE: 1 - published.si("fast_loss")}
        step = 1 - bed.chosen("loss_slow")
        return {NARROW: step, WIDE: step * step}


CLIENTS = (Client("virtual", "slow"), Client("physical", "fast"))


@dataclass(frozen=True, slots=True)
class Upload:
    """One upload: `kept` is its share of the rate of DEV, `shift` is in units of the spread that is looked for."""

    client: Client
    configuration: Configuration
    size: float
    repeat: int
    start: float
    kept: float
    shift: float
    flat: bool

    def elapsed(self, level: float, spread: float) -> float:
        """Return its real time, for the level of a plateau and the spread of the logs of rates around it."""
        return with_start(self.size, self.start, level * self.kept * math.exp(spread * self.shift))

    def rate(self, level: float, spread: float) -> float:
        """Return its bytes over its real time."""
        return self.size / self.elapsed(level, spread)


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield a log an upload."""
    for client in CLIENTS:
        planned = [one for configuration in CONFIGURATIONS for one in _planned(client, configuration, published, bed)]
        level, spread = fitted(planned, published.si(f"{client.word}_low"), published.si(f"{client.word}_high"))
        ends = _ends(planned, level, spread)
        for one in planned:
            yield _log(one, one.elapsed(level, spread), bed, "published" if one in ends else "model")


def sizes(bed: TestBed) -> list[float]:
    """Return the sizes of files, from the smallest to the largest; names and steps are powers of ten.

    Raises
    ------
    ReconstructError
        If the steps do not meet the largest size.
    """
    smallest, largest, step = bed.si("upload.smallest"), bed.si("upload.largest"), bed.chosen("step")
    named = [mantissa * 1000.0**power for power in range(4) for mantissa in _mantissas(step)]
    found = [size for size in named if smallest <= size <= largest]
    if not {smallest, largest} <= set(found):
        raise ReconstructError(f"steps of {step:g} do not go from {smallest:g} to {largest:g} B")
    return found


def _mantissas(step: float) -> list[float]:
    """Powers of a step below a thousand: 1, 4, 16, 64, 256."""
    return [step**power for power in range(math.ceil(math.log(1000, step)))]


def _planned(client: Client, configuration: Configuration, published: Published, bed: TestBed) -> Iterator[Upload]:
    """Yield the uploads of a configuration; the shifts on its plateau have mean 0 over it."""
    draw = seeded(STUDY, client.part, configuration.name)
    repeats, every = int(published.si("uploads")), sizes(bed)
    of_series = standardised(normal(repeats, draw))
    kept = client.losses(published, bed).get(configuration, 1.0)
    between, within = (math.sqrt(share) for share in (bed.chosen("share_of_series"), 1 - bed.chosen("share_of_series")))
    for size in every:
        flat = size > bed.si(f"upload.flat_{client.word}")
        own = standardised(normal(repeats, draw))
        for repeat, (shared, alone) in enumerate(zip(of_series, own, strict=True), 1):
            shift = between * shared + within * alone
            start = _start(bed, draw)
            yield Upload(client, configuration, size, repeat, start, kept if flat else 1.0, shift, flat)


def _start(bed: TestBed, draw: random.Random) -> float:
    (z,) = normal(1, draw)
    return bed.chosen("start") * math.exp(bed.chosen("start_spread") * z)


def fitted(planned: Sequence[Upload], low: float, high: float) -> tuple[float, float]:
    """Find the level of a plateau and the spread around it, so that the slowest and fastest of its uploads are given.

    Raises
    ------
    ReconstructError
        If the configurations and sizes alone differ by more than the range.
    """
    flat = [one for one in planned if one.flat]

    def level_at(spread: float) -> float:
        return _rising(lambda level: max(one.rate(level, spread) for one in flat), high, 4 * high)

    def depth_at(spread: float) -> float:
        level = level_at(spread)
        return high / min(one.rate(level, spread) for one in flat)

    if depth_at(0.0) > high / low:
        raise ReconstructError(f"configurations and sizes alone span more than {low:g} to {high:g} B/s")
    spread = _rising(depth_at, high / low, 1.0)
    return level_at(spread), spread


def _rising(function: Callable[[float], float], wanted: float, most: float) -> float:
    """Find where a rising function has a value, between 0 and `most`."""
    small, large = 0.0, most
    for _ in range(HALVINGS):
        middle = (small + large) / 2
        small, large = (small, middle) if function(middle) > wanted else (middle, large)
    return large


def _ends(planned: Sequence[Upload], level: float, spread: float) -> list[Upload]:
    """Return the slowest and the fastest upload of the plateau, whose rates are printed."""
    flat = sorted((one for one in planned if one.flat), key=lambda one: one.rate(level, spread))
    return [flat[0], flat[-1]]


def _log(one: Upload, elapsed: float, bed: TestBed, basis: str) -> Log:
    name = f"{one.configuration.name}/{one.client.part}/{_named(one.size)}_r{one.repeat:02d}"
    draw = seeded(STUDY, "clock", name)
    copied = xrdcp.Copy(
        source=f"{_named(one.size)}.bin",
        target=f"root://{one.configuration.name}//eos/{one.client.part}/{_named(one.size)}.bin",
        data_size=one.size,
        elapsed=elapsed,
        cpu_system_time=one.size / bed.chosen("copy_per_cpu"),
        phase=draw.random(),
        program="xrdcopy",
    )
    keys: dict[str, Key] = {
        "tool": "xrdcp", "operation": "upload", "operation_group": "upload", "file_size": one.size,
        "client": one.client.part, "client_link": bed.si(f"{one.client.part}.link"), "client_location": "external",
        "clients": 1, "repeat": one.repeat, "run_id": f"upload/{name}", "basis": basis,
    }  # fmt: skip
    return Log(f"xrdcopy/{name}.log", xrdcp.render(xrdcp.Log((copied,))), one.configuration.keys(bed) | keys)


def _named(size: float) -> str:
    """Name a size: 64MB."""
    power = int(math.log(size, 1000) + 1e-9)
    return f"{size / 1000**power:g}{['B', 'kB', 'MB', 'GB'][power]}"
