"""The host pages of Ganglia, whose tables survive, and what the pictures on them may have shown of memory and load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from storagelab import units
from storagelab.reconstruct.draws import normal, seeded
from storagelab.reconstruct.log import Log
from storagelab.reconstruct.studies.bnl_2007 import clock, network
from storagelab.reconstruct.studies.bnl_2007.dcache import DcacheTest
from storagelab.reconstruct.writers import ganglia_host_page
from storagelab.study.testbed import TestBed

PAGES = (1, 2, 3, 4)


def pages(bed: TestBed) -> Iterator[Log]:
    """Yield the four pages."""
    for page in PAGES:
        shown = ganglia_host_page.HostPage(
            host=bed.text("server", "host"),
            reported=clock.saved(page, bed),
            uptime=bed.si(f"page{page}.uptime"),
            processors=bed.si("ganglia.cpu_num"),
            clock_rate=bed.si("ganglia.cpu_speed"),
            memory_total=bed.si("ganglia.mem_total"),
            swap_total=bed.si(f"page{page}.swap_total"),
            os_name=bed.text("ganglia", "os_name"),
            os_release=bed.text("ganglia", "os_release").strip("'"),
            machine_type=bed.text("ganglia", "machine_type"),
        )
        keys = {"basis": "published", "run_id": f"page-{page}", "tool": "ganglia", "role": "monitor_log"}
        yield Log(f"page-{page}/host.html", ganglia_host_page.render(shown), keys)


def hours(tests: Sequence[DcacheTest], bed: TestBed) -> Iterator[Log]:
    """Yield free memory, load and processes over the hour of each page."""
    said: dict[str, Callable[[float], float]] = {
        "mem_free": lambda time: _free(time, tests, bed) * bed.si("ganglia.mem_total") / units.KIB,
        "load_one": lambda time: _transfers(time, tests, bed) * bed.chosen("load_each"),
        "proc_total": lambda time: bed.chosen("processes") + _demanded(time, tests, bed),
    }
    for page in PAGES:
        for metric, of in said.items():
            keys = {"basis": "model", "run_id": f"hour-{page}", "tool": "rrdtool", "role": "monitor_log"}
            yield Log(f"page-{page}/{metric}.rrd.xml", _hour(page, metric, of, bed), keys | {"metric": metric})


def _hour(page: int, metric: str, of: Callable[[float], float], bed: TestBed) -> str:
    step, ends = bed.chosen("step"), clock.on_a_step(clock.saved(page, bed).timestamp(), bed)
    rows = round(bed.chosen("window") / step)
    values = [of(ends - step * (rows - 1 - row)) for row in range(rows)]
    if metric == "mem_free":
        spread = bed.chosen("memory_noise") * bed.si("ganglia.mem_total") / units.KIB
        values = [value + spread * z for value, z in zip(values, normal(rows, seeded("bnl-2007", page)), strict=True)]
    return network.render(values, ends, bed)


def _free(time: float, tests: Sequence[DcacheTest], bed: TestBed) -> float:
    """Share of memory that is free: taken from the first test on, kept, and given back to a process that asks."""
    rest, work = bed.chosen("free_at_rest"), bed.chosen("free_at_work")
    filled = min(max((time - tests[0].begins) / bed.chosen("filling"), 0.0), 1.0)
    given_back = bed.chosen("demand") if time > _demand(tests, bed)[1] else 0.0
    return rest + (work - rest) * filled + given_back


def _demand(tests: Sequence[DcacheTest], bed: TestBed) -> tuple[float, float]:
    """Begin and end of the process that asks for memory after the last test [s since 1970]."""
    begins = _ends(tests[-1], bed) + bed.chosen("demand_after")
    return begins, begins + bed.chosen("demand_lasts")


def _demanded(time: float, tests: Sequence[DcacheTest], bed: TestBed) -> float:
    """One while that process lives."""
    begins, ends = _demand(tests, bed)
    return float(begins < time <= ends)


def _ends(test: DcacheTest, bed: TestBed) -> float:
    return test.begins + test.steps * bed.chosen("step")


def _transfers(time: float, tests: Sequence[DcacheTest], bed: TestBed) -> float:
    """Transfers that run in the step that ends then."""
    running = (test for test in tests if test.begins < time <= _ends(test, bed))
    return float(sum(load.clients for test in running for load in test.loads.values()))
