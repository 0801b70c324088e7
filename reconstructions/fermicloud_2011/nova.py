"""NOvA jobs of one or 21 clients: the rate of each file on the interface of each client."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from storagelab.errors import ReconstructError
from storagelab.reconstruct import draws
from storagelab.reconstruct.log import Key, Log
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from . import client
from .client import Client, place
from .keys import EXTERNAL, ONBOARD, UNKNOWN, WHOLE, lustre, striped


@dataclass(frozen=True, slots=True)
class Run:
    """Clients that read their files at once.

    Attributes
    ----------
    run_id : str
    value : str
        The published mean with its error, over all files of all clients.
    clients : int
    keys : mapping
    moved : str
        The published share of a file that crosses the network.
    mdt : int
        Clients on the host of the MDT, which read less by `gap` [B/s] than the others.
    gap : float
    """

    run_id: str
    value: str
    clients: int
    keys: Mapping[str, Key]
    moved: str = "moved_lustre"
    mdt: int = 0
    gap: float = 0.0


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield the logs of every client of every run."""
    for run in runs(published, bed):
        for number, values in enumerate(rates(run, published, int(bed.si("nova.files"))), 1):
            yield from client.logs(_client(run, number, values, published, bed), bed)


def runs(published: Published, bed: TestBed) -> Iterator[Run]:
    """Yield the runs with one client, and those with as many as there are external ones."""
    bare, virtual = lustre(bed, "bare-metal"), lustre(bed, "virtual", UNKNOWN, UNKNOWN)
    clients, stripes = int(bed.si("itb.hosts * itb.per_host")), striped(bed)
    yield Run("nova-1-bare", "single_bare", 1, bare | EXTERNAL)
    yield Run("nova-1-virtual", "single_vi", 1, virtual | EXTERNAL)
    yield Run("nova-21-bare", "n21_bare", clients, bare | EXTERNAL | WHOLE)
    yield Run("nova-21-virtual-external", "n21_vi", clients, virtual | EXTERNAL | WHOLE)
    yield Run("nova-21-striped-external", "st_itb", clients, virtual | EXTERNAL | stripes)
    mdt = int(bed.chosen("onboard_mdt"))
    gap = (published.si("st_onboard") - published.si("st_itb")) * clients / (clients - mdt)
    yield Run("nova-21-virtual-onboard", "n21_onboard", clients, virtual | ONBOARD | WHOLE, mdt=mdt)
    yield Run("nova-21-striped-onboard", "st_onboard", clients, virtual | ONBOARD | stripes, mdt=mdt, gap=gap)
    hadoop: dict[str, Key] = {"filesystem": "hadoop", "server_mode": "bare-metal", **EXTERNAL}
    bluearc: dict[str, Key] = {"filesystem": "bluearc", "protocol": "nfs", **EXTERNAL}
    yield Run("nova-21-hadoop", "nova_had", clients, hadoop, "moved_hadoop")
    yield Run("nova-21-bluearc", "nova_ba", clients, bluearc, "moved_bluearc")


def rates(run: Run, published: Published, files: int) -> list[list[float]]:
    """Return the rate of each file of each client [B/s]; over all of them mean and error are exactly as printed.

    Clients on the host of the MDT lie lower by the gap of the run; what the error leaves is scatter from file to file.

    Raises
    ------
    ReconstructError
        If the gap alone spreads the values more than the printed error allows.
    """
    mean, error = published.si(run.value), published.error(run.value)
    n = run.clients * files
    levels = [-run.gap * (i < run.mdt * files) for i in range(n)]
    left = error**2 * n - (statistics.variance(levels) if run.gap else 0.0)
    if left <= 0:
        raise ReconstructError(f"{run.run_id}: a gap of {run.gap:g} B/s leaves no error as small as {error:g} B/s")
    scatter = draws.standardised(draws.normal(n, draws.seeded(run.run_id)))
    drawn = [level + math.sqrt(left) * z for level, z in zip(levels, scatter, strict=True)]
    exact = [mean + error * math.sqrt(n) * z for z in draws.standardised(drawn)]
    return [exact[start : start + files] for start in range(0, n, files)]


def _client(run: Run, number: int, values: Sequence[float], published: Published, bed: TestBed) -> Client:
    size = bed.si("nova.file")
    return Client(
        place=place(str(run.keys["client_location"]), number, run.mdt),
        keys={**run.keys, "run_id": run.run_id, "clients": run.clients},
        wanted=size * published.si("nova_fraction"),
        moved=size * published.si(run.moved),
        file_rates=values,
    )
