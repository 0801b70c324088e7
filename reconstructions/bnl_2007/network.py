"""What Ganglia keeps of the network of the host around each test: a round-robin database a direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from storagelab.reconstruct.draws import seeded
from storagelab.reconstruct.log import Log
from storagelab.reconstruct.writers import rrd_dump
from storagelab.study.testbed import TestBed

from .dcache import READ, WRITE, DcacheTest

METRICS = {READ: "bytes_out", WRITE: "bytes_in"}
"""What clients read, the host sends."""


def dumps(test: DcacheTest, bed: TestBed) -> Iterator[Log]:
    """Yield a dump a direction, from some idle time before a test to some after it."""
    margin = round(bed.chosen("margin") / bed.chosen("step"))
    for direction, metric in METRICS.items():
        load = test.loads.get(direction)
        draw = seeded("bnl-2007", test.number, metric, "idle")
        idle = [bed.chosen("idle") * draw.uniform(0.5, 1.5) for _ in range(test.steps + 2 * margin)]
        values = [*idle[:margin], *(load.rates if load else idle[margin:-margin]), *idle[-margin:]]
        ends = test.begins + (test.steps + margin) * bed.chosen("step")
        yield Log(
            f"{test.name}/{metric}.rrd.xml",
            render(values, ends, bed),
            {
                "basis": test.basis if load else "model",
                "run_id": test.name,
                "role": "monitor_log",
                "tool": "rrdtool",
                "metric": metric,
                "server": bed.text("server", "host"),
                "filesystem": "zfs",
                "operation_group": test.group,
            },
        )


def render(values: Sequence[float], ends: float, bed: TestBed) -> str:
    """Return a dump of a metric, a row a step, the last of which ends then [s since 1970]."""
    archive = rrd_dump.Archive(tuple((value,) for value in values))
    return rrd_dump.render(rrd_dump.Dump(ends, (archive,), (values[-1],), step=bed.chosen("step")))
