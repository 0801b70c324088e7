"""One client of a NOvA run: what its job printed, and the counters of its interface, read with their times."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from storagelab.reconstruct import draws
from storagelab.reconstruct.log import Key, Log
from storagelab.reconstruct.writers import proc_net_dev, root_counters
from storagelab.reconstruct.writers.proc_net_dev import Counted, Interface, Readings, Snapshot
from storagelab.reconstruct.writers.root_counters import PerfStats, Read, Stopwatch
from storagelab.study.testbed import TestBed

INTERFACE = "eth0"


@dataclass(frozen=True, slots=True)
class Client:
    """A client and the files that it read.

    Attributes
    ----------
    place : mapping
        Its name and where it runs: client, client_location, and for one on a server's host the server.
    keys : mapping
        Keys of its run.
    wanted, moved : float
        Bytes of a file that the job asks for, and that cross the network.
    file_rates : sequence of float
        Rate of each file on the network [B/s].
    idle : float
        Seconds of the job before its first file.
    each_file : bool
        Whether the counters are read behind each file, or only before the first and behind the last.
    """

    place: Mapping[str, Key]
    keys: Mapping[str, Key]
    wanted: float
    moved: float
    file_rates: Sequence[float]
    idle: float = 0.0
    each_file: bool = True

    @property
    def name(self) -> str:
        """Name of the client."""
        return str(self.place["client"])

    @property
    def times(self) -> list[float]:
        """Seconds that each file takes."""
        return [self.moved / rate for rate in self.file_rates]


def place(location: str, number: int, mdt: int = 0) -> dict[str, Key]:
    """Name a client, from 1, and say where it runs: the first `mdt` on-board ones on the host of the MDT."""
    if location == "external":
        return {"client": f"itb{number:02d}", "client_location": location}
    return {"client": f"fcl{number:02d}", "client_location": location, "server": "mdt" if number <= mdt else "ost"}


def started(bed: TestBed) -> str:
    """Return when every run starts: its date is not printed."""
    return datetime.fromtimestamp(bed.chosen("clock"), UTC).isoformat()


def logs(client: Client, bed: TestBed) -> Iterator[Log]:
    """Yield the log of the job, and that of the counters."""
    job: dict[str, Key] = {"job": "ana", "file_size": bed.si("nova.file"), "cache_dropped": "client"}
    keys = {**client.keys, **client.place, **job, "started": started(bed), "basis": "model"}
    folder = f"nova/{client.keys['run_id']}/{client.name}"
    yield Log(f"{folder}.root.log", root_counters.render(_job(client, bed)), keys)
    readings = proc_net_dev.render(_readings(client, bed))
    yield Log(f"{folder}.netdev.log", readings, {**keys, "role": "netdev_readings"})


def _job(client: Client, bed: TestBed) -> root_counters.Log:
    order = draws.shuffled(range(len(client.file_rates)), draws.seeded(client.keys["run_id"], client.name, "order"))
    reads = tuple(_read(client, int(file), time, bed) for file, time in zip(order, client.times, strict=True))
    whole = client.idle + sum(client.times)
    return root_counters.Log(reads, Stopwatch(whole, bed.chosen("cpu") * whole, decimals=3), bed.text("nova", "root"))


def _read(client: Client, file: int, time: float, bed: TestBed) -> Read:
    calls = math.ceil(client.wanted / bed.chosen("request"))
    wanted, events = round(client.wanted), bed.chosen("events")
    cpu = bed.chosen("cpu") * time
    counted = PerfStats(wanted, wanted, calls, time, cpu, time - cpu)
    return Read(f"/nova/file_{file}.root", events, events, 1, 2, wanted, calls, bed.si("nova.file"), counted)


def _readings(client: Client, bed: TestBed) -> Readings:
    """Read the counters before the first file, and behind each file or the last; each second frame is acknowledged."""
    ends = list(itertools.accumulate(client.times))
    sizes = [client.moved * (i + 1) for i in range(len(ends))]
    if not client.each_file:
        ends, sizes = ends[-1:], sizes[-1:]
    begin = bed.chosen("clock") + client.idle
    ack = bed.chosen("acknowledgement")
    snapshots = (snapshot(size, ack * (frames(size, bed) // 2), bed) for size in (0.0, *sizes))
    return Readings((begin, *(begin + end for end in ends)), tuple(snapshots))


def snapshot(received: float, sent: float, bed: TestBed) -> Snapshot:
    """Return the counters after so many bytes in both directions."""
    counted = (Counted(round(size), frames(size, bed)) for size in (received, sent))
    return Snapshot((Interface(INTERFACE, *counted),))


def frames(size: float, bed: TestBed) -> int:
    """Return how many full frames carry so many bytes."""
    return math.ceil(size / bed.chosen("packet"))
