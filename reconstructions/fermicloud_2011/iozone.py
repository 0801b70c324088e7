"""IOzone: rates over the number of clients, for each configuration of Fig. 3, 4 and 6, and of section 6."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from storagelab.reconstruct import draws, model
from storagelab.reconstruct.log import Key, Log
from storagelab.reconstruct.writers import iozone_throughput
from storagelab.reconstruct.writers.iozone_banner import Banner
from storagelab.reconstruct.writers.iozone_throughput import Child, ThroughputTest
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from .keys import EXTERNAL, ONBOARD, WHOLE, lustre, striped

BARE = (3, 6, 9, 12, 18, 26, 36, 48)
DRIVERS = (1, 3, 6, 12, 18, 26)
PLACES = (1, 3, 6, 12, 26, 45)
"""Numbers of clients: the ends are printed, those between are not."""

LASTING = timedelta(minutes=20)
"""From the start of one run to that of the next."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Rates of one operation in one configuration.

    Attributes
    ----------
    name, operation : str
    clients : sequence of int
        Where it was measured.
    plateau : float
        The rate that many clients reach [B/s].
    keys : mapping
        Keys of the configuration.
    printed : bool
        Whether the plateau is printed: the log of the most clients has it then.
    first_gain : float
        How much more a single client reads, relative; it vanishes with the logarithm of the clients.
    """

    name: str
    operation: str
    clients: Sequence[int]
    plateau: float
    keys: Mapping[str, Key] = field(default_factory=dict)
    printed: bool = False
    first_gain: float = 0.0


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield a log a point of every curve."""
    started = datetime.fromtimestamp(bed.chosen("clock"), UTC).replace(tzinfo=None)
    for curve in curves(published, bed):
        for n, rate in zip(curve.clients, rates(curve, bed), strict=True):
            yield _log(curve, n, rate, bed, started)
            started += LASTING


def curves(published: Published, bed: TestBed) -> Iterator[Curve]:
    """Yield the configurations of all figures."""
    yield from _bare_metal(published, bed)
    yield from _drivers(published, bed)
    yield from _places(published, bed)
    yield from _technologies(published, bed)


def _bare_metal(published: Published, bed: TestBed) -> Iterator[Curve]:
    for operation, value in (("write", "bm_write"), ("read", "bm_read")):
        keys = lustre(bed, "bare-metal") | EXTERNAL | WHOLE
        yield Curve("bare", operation, BARE, published.si(value), keys, printed=True)


def _drivers(published: Published, bed: TestBed) -> Iterator[Curve]:
    for net in ("virtio", "emulated"):
        for disk in ("virtio", "ide"):
            for operation, value in (("write", "vi_write"), ("read", "vi_read")):
                fast = net == "virtio"
                keys = lustre(bed, "virtual", net, disk, guests=1) | EXTERNAL | WHOLE
                plateau = published.si(value) if fast else bed.chosen(f"emulated_{operation}")
                yield Curve(f"net_{net}_disk_{disk}", operation, DRIVERS, plateau, keys, fast and disk == "virtio")


def _places(published: Published, bed: TestBed) -> Iterator[Curve]:
    lower, cut = 1 - published.si("onboard_lower"), striped(bed)
    for where, stripes, guests in (
        (EXTERNAL, WHOLE, 1), (EXTERNAL, WHOLE, 8), (EXTERNAL, cut, 8), (ONBOARD, WHOLE, 8), (ONBOARD, cut, 8)
    ):  # fmt: skip
        keys = lustre(bed, "virtual", "virtio", "unknown", guests) | where | stripes
        name = f"{where['client_location']}_{stripes['striping']}_{guests}vm"
        below = where is ONBOARD and stripes is WHOLE
        gain = bed.chosen("striped_gain") if where is ONBOARD and stripes is cut else 0.0
        yield Curve(name, "write", PLACES, published.si("vi_write"), keys)
        yield Curve(name, "read", PLACES, published.si("vi_read") * (lower if below else 1), keys, first_gain=gain)


def _technologies(published: Published, bed: TestBed) -> Iterator[Curve]:
    most = [int(bed.chosen("technology_clients"))]
    for operation in ("write", "read"):
        ends = {3: published.si(f"had_{operation}_low"), 1: published.si(f"had_{operation}_high")}
        for replicas, rate in {**ends, 2: bed.chosen(f"hadoop_between_{operation}")}.items():
            keys = {"filesystem": "hadoop", "server_mode": "bare-metal", "replicas": replicas, **EXTERNAL}
            yield Curve(f"hadoop_{replicas}", operation, most, rate, keys, printed=replicas in ends)
        keys = {"filesystem": "bluearc", "protocol": "nfs", **EXTERNAL}
        yield Curve("bluearc", operation, most, published.si(f"ba_{operation}"), keys, printed=True)


def rates(curve: Curve, bed: TestBed) -> list[float]:
    """Return the rate at each number of clients [B/s].

    Points on the plateau scatter about it with exactly its mean; a printed plateau is met exactly where the clients are
    most.
    """
    scatter = draws.normal(len(curve.clients), draws.seeded(curve.name, curve.operation))
    flat = [i for i, n in enumerate(curve.clients) if n >= bed.chosen("plateau_from")]
    scattered, exact = (flat[:-1], flat[-1:]) if curve.printed else (flat, [])
    centred = draws.standardised([scatter[i] for i in scattered]) if len(scattered) > 1 else [0.0] * len(scattered)
    scatter = [*scatter[: flat[0]], *centred, *(0.0 for _ in exact)]
    uneven = bed.chosen("unevenness")
    return [_smooth(curve, n, bed) * (1 + uneven * z) for n, z in zip(curve.clients, scatter, strict=True)]


def _smooth(curve: Curve, n: int, bed: TestBed) -> float:
    """Rate of n clients without scatter: each behind its stream, all behind the servers."""
    alone, servers = bed.chosen("stream"), int(bed.si("ost.count"))
    whole_files = curve.operation == "read" and curve.keys.get("striping") == WHOLE["striping"]
    shared = [curve.plateau / servers] * servers
    rate = model.on_targets(n, shared, alone) if whole_files else min(n * alone, curve.plateau)
    left = 1 - math.log(n) / math.log(max(*curve.clients, 2))
    return rate * (1 + curve.first_gain * left)


def _log(curve: Curve, n: int, rate: float, bed: TestBed, started: datetime) -> Log:
    """Render one run of n processes."""
    size = bed.si("iozone.file")
    shares = model.fair_shares(rate, n, bed.chosen("unevenness"), draws.seeded(curve.name, curve.operation, n))
    children = tuple(Child(share, size * share / max(shares)) for share in shares)
    test = ThroughputTest(curve.operation, n * min(shares), children)
    record = bed.chosen("record")
    text = iozone_throughput.render(iozone_throughput.Log(Banner(started), size, record, (test,), lists_children=False))
    name = f"{curve.name}/{curve.operation}_{n:02d}"
    run: dict[str, Key] = {"run_id": f"iozone/{name}", "clients": n, "nodes": bed.si("iozone.nodes")}
    basis = "published" if curve.printed and n == max(curve.clients) else "model"
    return Log(f"iozone/{name}.iozone.log", text, {**curve.keys, **run, "basis": basis})
