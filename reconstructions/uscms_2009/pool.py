"""Transfers out of one dCache pool node on Lustre, whose rates add up to the one that is printed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from storagelab.reconstruct.draws import seeded
from storagelab.reconstruct.log import Key, Log
from storagelab.reconstruct.model import fair_shares
from storagelab.reconstruct.writers import dccp
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from . import repeats


def transfers(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield what dccp printed, a log a client; over the repeats the sum of its rates is on average what is printed."""
    clients, n = int(bed.chosen("pool_clients")), int(bed.chosen("repeats"))
    unevenness, mean = bed.chosen("pool_unevenness"), bed.chosen("pool_transfer_time")
    sums = repeats.printed(published.si("pool_rate"), bed.chosen("run_unevenness"), n, "pool")
    for repeat, whole in enumerate(sums, 1):
        run_id = f"pool/r{repeat}"
        rates = fair_shares(whole, clients, unevenness, seeded(run_id, "rate"))
        times = fair_shares(clients * mean, clients, unevenness, seeded(run_id, "time"))
        for i, (rate, seconds) in enumerate(zip(rates, map(round, times), strict=True), 1):
            client = f"client-{i}"
            keys = _keys(repeat, seconds, bed) | {"run_id": run_id, "client": client, "clients": clients}
            yield Log(f"{run_id}/{client}.log", _text(round(rate * seconds), seconds, f"{i}-{repeat}", bed), keys)


def _keys(repeat: int, seconds: int, bed: TestBed) -> dict[str, Key]:
    """Return what is known of a transfer; all of a run begin with it, and the runs follow each other by the hour."""
    started = datetime.fromisoformat(bed.text("slides", "date")).replace(tzinfo=UTC) + timedelta(hours=repeat)
    return {
        "basis": "derived",
        "repeat": repeat,
        "filesystem": "dcache-lustre",
        "protocol": "dcap",
        "operation": "download",
        "started": started.isoformat(),
        "ended": (started + timedelta(seconds=seconds)).isoformat(),
    }


def _text(size: int, seconds: int, name: str, bed: TestBed) -> str:
    source = f"dcap://dcache.example.org{bed.text('lustre', 'mount_point')}/file-{name}.root"
    return dccp.render(dccp.Log((dccp.Copy(source, "/dev/null", size, seconds),)))
