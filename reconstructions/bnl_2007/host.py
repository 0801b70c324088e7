"""The host pages of Ganglia, whose tables survive, and what the pictures on them may have shown of memory and load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from storagelab import units
from storagelab.reconstruct.draws import normal, seeded
from storagelab.reconstruct.log import Log
from storagelab.reconstruct.writers import ganglia_host_page
from storagelab.study.testbed import TestBed

from . import clock, network
from .dcache import DcacheTest

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
            os_release=bed.text("ganglia", "os_release"),
            machine_type=bed.text("ganglia", "machine_type"),
        )
        keys = {"basis": "published", "run_id": f"page-{page}", "tool": "ganglia", "role": "monitor_log"}
        yield Log(f"page-{page}/host.html", ganglia_host_page.render(shown), keys)


@dataclass(frozen=True, slots=True)
class Day:
    """What the host did over all days: its tests, and the process that asked for memory after the last of them.

    Attributes
    ----------
    tests : sequence of (float, float, int)
        Begin and end of each test [s since 1970], and how many transfers ran.
    demand : (float, float)
        Begin and end of the process [s since 1970].
    """

    tests: Sequence[tuple[float, float, int]]
    demand: tuple[float, float]

    @classmethod
    def of(cls, tests: Sequence[DcacheTest], bed: TestBed) -> Day:
        """Lay the tests out in time."""
        spans = [(test.begins, test.ends(bed), test.transfers) for test in tests]
        begins = spans[-1][1] + bed.chosen("demand_after")
        return cls(spans, (begins, begins + bed.chosen("demand_lasts")))

    def free(self, time: float, bed: TestBed) -> float:
        """Share of memory that is free: taken from the first test on, kept, and given back to a process that asks."""
        rest, work = bed.chosen("free_at_rest"), bed.chosen("free_at_work")
        filled = min(max((time - self.tests[0][0]) / bed.chosen("filling"), 0.0), 1.0)
        given_back = bed.chosen("demand") if time > self.demand[1] else 0.0
        return rest + (work - rest) * filled + given_back

    def load(self, time: float, bed: TestBed) -> float:
        """Load in the step that ends then."""
        running = sum(transfers for begins, ends, transfers in self.tests if begins < time <= ends)
        return running * bed.chosen("load_each")

    def processes(self, time: float, bed: TestBed) -> float:
        """Processes in the step that ends then."""
        return bed.chosen("processes") + float(self.demand[0] < time <= self.demand[1])


def hours(tests: Sequence[DcacheTest], bed: TestBed) -> Iterator[Log]:
    """Yield free memory, load and processes over the hour of each page."""
    day = Day.of(tests, bed)
    for page in PAGES:
        times = _times(page, bed)
        said = {
            "mem_free": _memory(page, times, day, bed),
            "load_one": [day.load(time, bed) for time in times],
            "proc_total": [day.processes(time, bed) for time in times],
        }
        for metric, values in said.items():
            text = network.render(values, times[-1], bed)
            keys = {"basis": "model", "run_id": f"hour-{page}", "role": "monitor_log", "metric": metric}
            yield Log(f"page-{page}/{metric}.rrd.xml", text, {**keys, "tool": "rrdtool"})


def _memory(page: int, times: Sequence[float], day: Day, bed: TestBed) -> list[float]:
    """Free memory as gmond reports it, in units of 1024 B."""
    total = bed.si("ganglia.mem_total") / units.KIB
    noise = (bed.chosen("memory_noise") * z for z in normal(len(times), seeded("bnl-2007", page)))
    return [total * (day.free(time, bed) + more) for time, more in zip(times, noise, strict=True)]


def _times(page: int, bed: TestBed) -> list[float]:
    """Ends of the steps in the hour before a page was saved [s since 1970]."""
    step, ends = bed.chosen("step"), clock.on_a_step(clock.saved(page, bed).timestamp(), bed)
    rows = round(bed.chosen("window") / step)
    return [ends - step * (rows - 1 - row) for row in range(rows)]
