"""The ROOT analysis: five runs in each configuration, of all entries of a file and of half of them.

The share c of its real time that a run spends on the processor is drawn around a mean, and its real time is its
processor time over c. The mean of all entries and the spread are found so that the lowest and the highest run are the
printed ends of the range. With half of the entries DEV stays at that mean, and the codes lie below it by the printed
points: the smaller drop for 10+2, the larger for 32+4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from storagelab.reconstruct.draws import normal, seeded, standardised
from storagelab.reconstruct.log import Key, Log
from storagelab.reconstruct.writers import root_counters
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from .configurations import CONFIGURATIONS, NARROW, WIDE, Configuration
from .requests import stretches

STUDY = "cern-kinetic-2015"
DROPS = {NARROW: "drop_low", WIDE: "drop_high"}
"""Which printed drop the logs of a configuration follow with half of the entries."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run: `entries` is the share of the entries that it reads."""

    configuration: Configuration
    entries: float
    repeat: int
    cpu_utilisation: float
    basis: str


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield a log a run."""
    for run in runs(published):
        yield _log(run, bed)


def runs(published: Published) -> Iterator[Run]:
    """Yield all runs, with the share of their time on the processor."""
    whole, half = published.si("all_entries"), published.si("half_entries")
    drawn = {one: _drawn(one, whole, published) for one in CONFIGURATIONS}
    low, high = published.si("cpu_low"), published.si("cpu_high")
    every = [z for of_one in drawn.values() for z in of_one]
    lowest, highest = min(every), max(every)
    spread = (high - low) / (highest - lowest)
    mean = high - spread * highest
    for configuration in CONFIGURATIONS:
        for repeat, z in enumerate(drawn[configuration], 1):
            basis = "published" if z in (lowest, highest) else "model"
            yield Run(configuration, whole, repeat, mean + spread * z, basis)
        level = mean - (published.si(DROPS[configuration]) if configuration in DROPS else 0.0)
        for repeat, z in enumerate(_drawn(configuration, half, published), 1):
            yield Run(configuration, half, repeat, level + spread * z, "model")


def _drawn(configuration: Configuration, entries: float, published: Published) -> list[float]:
    return standardised(normal(int(published.si("read_runs")), seeded(STUDY, "analysis", configuration.name, entries)))


def _log(run: Run, bed: TestBed) -> Log:
    percent = f"{100 * run.entries:g}"
    name = f"{run.configuration.name}/entries{percent}_r{run.repeat}"
    keys: dict[str, Key] = {
        "tool": "root", "operation": "read", "operation_group": "read", "entries_fraction": run.entries,
        "client": "virtual", "client_link": bed.si("virtual.link"), "client_location": "external", "clients": 1,
        "repeat": run.repeat, "run_id": f"read/{name}", "basis": run.basis,
    }  # fmt: skip
    text = root_counters.render(_job(run, bed))
    return Log(f"root/{name}.log", text, run.configuration.keys(bed) | run.configuration.block(bed) | keys)


def _job(run: Run, bed: TestBed) -> root_counters.Log:
    statistics = _statistics(run, bed)
    branches, entries = bed.chosen("branches"), bed.chosen("entries")
    read = root_counters.Read(
        file=f"root://{run.configuration.name}//eos/atlas.root",
        entries=round(run.entries * entries), entries_total=entries, branches=branches, branches_total=branches,
        data_size_file=statistics.data_size, operations_file=statistics.operations, file_size=bed.chosen("file"),
        statistics=statistics,
    )  # fmt: skip
    return root_counters.Log((read,), root_counters.Stopwatch(statistics.elapsed, statistics.cpu_time, decimals=3))


def _statistics(run: Run, bed: TestBed) -> root_counters.PerfStats:
    (jitter,) = normal(1, seeded(STUDY, "processor", run.configuration.name, run.entries, run.repeat))
    cpu = run.entries * bed.chosen("cpu") * (1 + bed.chosen("cpu_spread") * jitter)
    moved = sum(size for _, size in stretches(run.entries, bed))
    elapsed, cache = cpu / run.cpu_utilisation, bed.si("analysis.tree_cache")
    return root_counters.PerfStats(
        data_size=moved, data_size_uncompressed=moved * bed.chosen("compression"), operations=math.ceil(moved / cache),
        elapsed=elapsed, cpu_time=cpu, disk_time=elapsed - cpu, cache_size=cache, leaves=bed.chosen("branches"),
    )  # fmt: skip
