"""Jobs that also write, MINOS Loon and NOvA Ana: one rate each is printed, of a client that reads and writes."""

from __future__ import annotations

from collections.abc import Iterator

from storagelab.reconstruct import draws, model
from storagelab.reconstruct.log import Key, Log
from storagelab.reconstruct.writers import proc_net_dev
from storagelab.reconstruct.writers.proc_net_dev import Readings
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from .client import place, snapshot, started
from .keys import EXTERNAL, UNKNOWN

JOBS = {"loon": "loon_rate", "ana-write": "ana_write_rate"}


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield the counters of every client of both jobs, which receives and sends at the printed rate."""
    clients = int(bed.si("itb.hosts * itb.per_host"))
    begin, time = bed.chosen("clock"), bed.chosen("writing_time")
    for job, value in JOBS.items():
        run_id = f"{job}-{clients}"
        keys: dict[str, Key] = {"filesystem": "lustre", "server_mode": UNKNOWN, "striping": UNKNOWN, **EXTERNAL}
        keys |= {"run_id": run_id, "clients": clients, "job": job, "started": started(bed)}
        keys |= {"role": "netdev_readings", "basis": "model"}
        total = published.si(value) * clients
        rates = model.fair_shares(total, clients, bed.chosen("unevenness"), draws.seeded(run_id))
        for number, rate in enumerate(rates, 1):
            where = place("external", number)
            counted = tuple(snapshot(size, size, bed) for size in (0.0, rate * time))
            text = proc_net_dev.render(Readings((begin, begin + time), counted))
            yield Log(f"writing/{run_id}/{where['client']}.netdev.log", text, {**keys, **where})
