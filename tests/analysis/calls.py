"""One small valid call of every public analysis, with the dataset that it takes: what the hostile tests break."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr

from storagelab import analysis, dataset
from storagelab.dataset import select
from tests.analysis.comparison.campaigns import drivers
from tests.analysis.comparison.campaigns import series as campaign_of_series
from tests.analysis.efficiency import test_jobs as of_jobs
from tests.analysis.efficiency import test_phase_shares as of_phases
from tests.analysis.efficiency import test_whole_jobs as of_whole_jobs
from tests.analysis.efficiency.test_raid import sets
from tests.analysis.efficiency.test_tiers import GPFS, LUSTRE, scan
from tests.analysis.efficiency.test_traffic import on_board
from tests.analysis.efficiency.test_useful_rate import amplified
from tests.analysis.fairness.clients import clients, runs
from tests.analysis.fairness.test_client_group_differences import groups
from tests.analysis.scaling.campaigns import noisy, rows_of
from tests.analysis.scaling.test_onset import curves
from tests.analysis.series import test_failover as of_failures
from tests.analysis.series import test_monitors as of_monitors
from tests.analysis.tables import auto, cluster, fileop, latencies, node, repeats
from tests.analysis.test_lookup import study as planned_study
from tests.analysis.test_totals import packets
from tests.analysis.validity.test_agreement import DD, IOZONE, stats_of_files, tools
from tests.analysis.validity.test_drift import campaign as timed_campaign
from tests.analysis.validity.test_level_changes import SIZES, cached
from tests.analysis.validity.test_level_changes import curves as cached_curves

Run = Callable[[xr.Dataset, float], Any]

BY = ["layout", "operation", "clients"]
MB = 1e6


@dataclass(frozen=True)
class Call:
    """A call.

    Attributes
    ----------
    data : callable
        Makes the dataset.
    run : callable
        Calls the analysis with the dataset, and with a factor by which numbers in bytes that are given apart grow.
    needs : tuple of str
        Columns without which there is no answer.
    variable : str
        The one that is asked about; "" where all columns are fixed.
    marks : bool
        Whether the result is the rows of the dataset with something added.
    spread : bool
        Whether it speaks of runs, whose number and spread decide on intervals.
    """

    data: Callable[[], xr.Dataset]
    run: Run
    needs: tuple[str, ...] = ()
    variable: str = ""
    marks: bool = False
    spread: bool = False

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Those of the columns it needs that are measured numbers: their unit is checked."""
        return (
            (self.variable,) if self.variable else tuple(name for name in self.needs if name in self.data().data_vars)
        )


def of_runs(
    data: Callable[[], xr.Dataset], run: Run, *needs: str, variable: str = "throughput", marks: bool = False
) -> Call:
    """A call that takes a variable of runs."""
    return Call(data, run, (variable, *needs), variable, marks, spread=True)


def of_rows(data: Callable[[], xr.Dataset], run: Run, *needs: str, marks: bool = False) -> Call:
    """A call that takes fixed columns; those that are measured are found by their kind."""
    return Call(data, run, needs, marks=marks)


def two_curves() -> xr.Dataset:
    """Two layouts over clients, which cross; the second falls after its peak."""
    levels = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
    rising, falling = (100.0, 190.0, 340.0, 500.0, 610.0, 640.0), (150.0, 280.0, 400.0, 380.0, 300.0, 250.0)
    keys = {"server_link": 25e6, "client_link": 25e6, "operation": "read"}
    rows = []
    for layout, means in (("a", rising), ("b", falling)):
        rows += rows_of(noisy(levels, [mean * 1e5 for mean in means]), layout=layout, **keys)
    return node(rows)


def sides_of_many() -> xr.Dataset:
    """Two layouts with 32 runs each."""
    rng = np.random.default_rng(5)
    return node([row for name in "ab" for row in repeats(rng.lognormal(16, 0.1, 32), layout=name)])


def one_curve() -> xr.Dataset:
    return select(two_curves(), layout="a")


def shared_runs() -> xr.Dataset:
    """Node clients: six clients in each of three runs of two layouts, with rates, times and bytes."""
    rng = np.random.default_rng(3)
    rows = []
    for layout in ("distribute", "disperse"):
        rates = [list(rng.uniform(8.0, 12.0, 6) * MB) for _ in range(3)]
        rows += runs(rates, layout=layout, operation="read", clients=6.0, share="client")
    for row in rows:
        row |= {"elapsed": 1e9 / row["throughput"] * 1.1, "data_size": 1e9}
    return clients(rows)


def published() -> xr.Dataset:
    """Values in B/s with standard errors and n, as papers print them."""
    values = {"bare-metal": (15.6, 0.2, 3.0), "virtual": (15.3, 0.1, 5.0)}
    rows = [{"server_mode": name, "throughput": value * MB} for name, (value, _, _) in values.items()]
    errors, counts = ([of[i] for of in values.values()] for i in (1, 2))
    return node(rows).assign(
        throughput_error=("obs", np.array(errors) * MB, {"units": "B/s"}),
        samples=("obs", np.array(counts), {"units": "1"}),
    )


def pairs() -> xr.Dataset:
    """Two file systems, two mounts, two numbers of clients, four repeats."""
    rng = np.random.default_rng(5)
    rows = []
    for system, top in (("ext4", 4e8), ("xfs", 8e8)):
        for mount, share in (("kernel", 1.0), ("fuse", 0.5)):
            for count in (1.0, 4.0):
                values = top * share * np.array([0.5, 1.0, 1.1, 0.9]) * rng.normal(1, 0.02, 4)
                rows += repeats(list(values), filesystem=system, mount=mount, clients=count, operation="write")
    return node(rows)


def shares_of_time() -> xr.Dataset:
    """CPU utilisation and waiting shares of two protocols."""
    rows = repeats((0.92, 0.925, 0.915), "cpu_utilisation", protocol="mount")
    return node(rows + repeats((0.89, 0.88, 0.885), "cpu_utilisation", protocol="xrootd"))


def reads_and_counters() -> xr.Dataset:
    """Two layouts with three runs each: bytes asked for, and what the network carried."""
    return node([row for layout in ("a", "b") for row in amplified((1.68, 1.72, 1.71), layout=layout)])


def bytes_of_servers() -> xr.Dataset:
    """What three runs received from servers on links of 25 MB/s."""
    return node({"run_id": f"r{i}", "repeat": i, "network_received": 300e6 + i, "server_link": 25e6} for i in (1, 2, 3))


def blocks() -> xr.Dataset:
    """Blocks fetched by three runs."""
    return node(
        {
            "run_id": f"r{i}", "repeat": i, "blocks_fetched": 30.0 + i, "blocks_distinct": 20.0, "fetch_block": 10e6,
            "data_size": 150e6,
        }
        for i in (1, 2, 3)
    )  # fmt: skip


def requests() -> xr.Dataset:
    """Requests of three runs, of 1 kB at 1 kB to 64 kB."""
    return node(
        {"run_id": f"r{i}", "repeat": i, "offset": 1024.0 * at, "data_size": 1000.0}
        for i in (1, 2, 3)
        for at in (1, 5, 9 * i)
    )


def processes() -> xr.Dataset:
    """Times of three processes."""
    return node(
        {"run_id": f"r{i}", "repeat": i, "cpu_user_time": 0.3 * i, "cpu_system_time": 0.1, "elapsed": 2.0}
        for i in (1, 2, 3)
    )


def iozone() -> xr.Dataset:
    """Three runs of IOzone's throughput mode, with the rates of its processes and of its parent."""
    return node(
        {
            "operation": "write", "clients": 2.0, "processes": 2.0, "file_size": 10e6, "run_id": f"r{i}", "repeat": i,
            "throughput": 15e6 + i, "throughput_parent": 7.5e6, "throughput_min": 5e6 + i, "data_size": 15e6,
        }
        for i in (1, 2, 3)
    )  # fmt: skip


def three_aggregates() -> xr.Dataset:
    """Three runs, each added up in three ways."""
    return node(
        {
            "layout": "a", "clients": 4.0, "run_id": f"r{i}", "repeat": i, "operation": "read", "throughput": 12e6 + i,
            "throughput_span": 8e6 + i, "throughput_common": 11e6 + i,
        }
        for i in (1, 2, 3)
    )  # fmt: skip


def printed() -> xr.Dataset:
    """Rates that a tool divided by whole seconds, with bytes and real times."""
    return node(
        {"operation": "upload", "run_id": f"r{i}", "throughput": 4.0e6 * i, "data_size": 4.0e6 * i, "elapsed": 0.25 * i}
        for i in (1, 2, 3)
    )


def opened() -> xr.Dataset:
    """Files of which a part is read."""
    return node(
        {
            "run_id": f"r{i}", "data_size": 10e6, "entries": 1200.0, "entries_total": 3000.0, "entries_fraction": 0.4,
            "branches_fraction": 1 / i,
        }
        for i in (1, 2)
    )  # fmt: skip


def moved() -> xr.Dataset:
    """Bytes of files of one size."""
    return node({"run_id": f"r{i}", "data_size": i * 1e6, "file_size": 4e6} for i in (1, 2))


def queued() -> xr.Dataset:
    """Latencies of three runs."""
    return node(
        {"job": "read", "run_id": f"r{i}", "repeat": i, "latency": 15e-3 * i, "submission_latency": 1e-3}
        for i in (1, 2, 3)
    )


def phases_of_jobs() -> xr.Dataset:
    return node(of_phases.jobs())


def stalled(*names: str) -> xr.Dataset:
    return of_failures.node([row for name in names or ("c1",) for row in of_failures.series(of_failures.STALLED, name)])


def sent() -> xr.Dataset:
    rates = [30.0] * 10 + [20.0] * 10 + [18.0] * 10
    return of_failures.node(of_failures.series(rates, operation="transmit", interface="eth0"))


def happened() -> xr.Dataset:
    said = {"event": "request_failed", "severity": "error", "event_class": "server", "legibility": "plain"}
    return of_failures.events({**said, "time": 10.5}, {**said, "time": 21.0})


def tested() -> xr.Dataset:
    """A series: idle, a test of 40 s, idle."""
    noise = np.random.default_rng(8).normal(0, 1 * MB, 90)
    return of_monitors.node(of_monitors.samples(np.array([2.0] * 30 + [400.0] * 40 + [2.0] * 20) * MB + noise))


def two_directions() -> xr.Dataset:
    """A series of what was received, and one of what was sent."""
    rates = np.array([2.0] * 3 + [400.0] * 4) * MB
    return of_monitors.node(
        row for operation in ("receive", "transmit") for row in of_monitors.samples(rates, operation=operation)
    )


def counted() -> xr.Dataset:
    return of_failures.node(of_failures.counted((0.0, 1e6, 5e6), (2.0, 3e6, 9e6), (3.0, 4e6, 9e6)))


def pages() -> xr.Dataset:
    """Two pages of a monitor, with boot time and uptime."""
    dates = (11, 20, 37), (41, 19, 32)
    return of_monitors.node(row for i, at in enumerate(dates) for row in of_monitors.page(1.1e9, *at, float(i)))


def memory() -> xr.Dataset:
    return of_monitors.host([12, 12, 8, 2, 3, 3], [0, 0, 300, 300, 0, 0])


def compared() -> xr.Dataset:
    """A comparison with two rows."""
    return analysis.compare(fileop(), "operation_rate", "filesystem", "xfs", "btrfs", ["operation"], margin=0.1)


def won() -> xr.Dataset:
    return analysis.winners(fileop(), "operation_rate", "filesystem", ["operation"])


def means() -> xr.Dataset:
    return analysis.summarise(cluster(), "throughput", BY)


def measured_claim() -> xr.Dataset:
    return analysis.claim_quantity(means(), "c", "throughput", layout="replicate", operation="write", clients=3)


def planned_logs() -> xr.Dataset:
    return planned_study()["logs"].to_dataset()


def as_planned(ds: xr.Dataset) -> xr.DataTree:
    return dataset.tree({"logs": ds}, dataset.about(planned_study()))


def as_runs(ds: xr.Dataset) -> xr.DataTree:
    return dataset.tree({"runs": ds}, {"study": "test-2026", "origin": "measured"})


def numbered() -> xr.Dataset:
    return cluster().assign_coords(log_id=("obs", np.arange(24.0) % 2, {"units": "1"}))


def marked() -> xr.Dataset:
    return analysis.mark_cached(auto())


def stages() -> xr.Dataset:
    capacities = {"client links": 100e6, "server links": 75e6, "disks": 200e6}
    return analysis.stage_table(capacities, cluster(), link_bytes={"server links": 3.0})


def rates_of_paths() -> xr.Dataset:
    return node(repeats([60e6, 61e6, 62e6], socket_buffer=16e6, layout="a"))


def raid() -> xr.Dataset:
    return node(sets("8 x (5+1)", (8, 6, 1), disks=48.0, controllers=6.0))


def memory_of_servers() -> xr.Dataset:
    return node({"memory_total": 64e9, "fetch_block": block, "clients": 1000.0} for block in (10e6, 32e6))


def nominal() -> xr.Dataset:
    return node(repeats([120e6, 110e6, 2000e6], client_link=125e6))


CLAIM = analysis.Claim("c", "<", stated=30e6, unit="B/s")
SIDES = ("throughput", "layout", "distribute", "replicate")
MOUNTS = ("throughput", "mount", "kernel", "fuse")
OP_CLIENTS = ["operation", "clients"]
LOGS = xr.Dataset(coords={"command": ("obs", ["a -x", "a -y"])})

NO_DATASET = {
    "Claim", "Thresholds", "Tolerance", "accepted", "assert_claim", "fairness_of", "interleaved_plan", "link_rate",
}  # fmt: skip
"""Public names that take no dataset."""

CALLS: dict[str, Call] = {
    "above_nominal": of_runs(
        nominal, lambda ds, k: analysis.above_nominal(ds, "client_link"), "client_link", marks=True
    ),
    "aggregates": of_rows(
        three_aggregates, lambda ds, k: analysis.aggregates(ds, ["layout"]),
        "throughput", "throughput_span", "throughput_common", "layout",
    ),
    "amplification": of_rows(
        reads_and_counters, lambda ds, k: analysis.amplification(ds, ["layout"]),
        "network_received", "data_size", "run_id", "operation", "client_location", "layout",
    ),
    "bandwidth_delay": of_runs(rates_of_paths, lambda ds, k: analysis.bandwidth_delay(ds, 0.016), marks=True),
    "behind_gateway": of_runs(
        cluster, lambda ds, k: analysis.behind_gateway(ds, 3, 100e6 * k), "operation", "clients", "client_link",
        "server_link", marks=True,
    ),
    "best_of": of_runs(cluster, lambda ds, k: analysis.best_of(ds, "throughput", BY), *BY),
    "best_runs": of_rows(
        cluster, lambda ds, k: analysis.best_runs(ds, "throughput", BY), "throughput", *BY, marks=True
    ),
    "between": of_rows(means, lambda ds, k: analysis.between(ds, "throughput", 20e6 * k, 60e6 * k), "throughput"),
    "block_amplification": of_rows(
        blocks, lambda ds, k: analysis.block_amplification(ds), "blocks_fetched", "blocks_distinct", "fetch_block",
        "data_size",
    ),
    "blocks_touched": of_rows(
        requests, lambda ds, k: analysis.blocks_touched(ds, 4096.0 * k), "offset", "data_size"
    ),
    "both_directions": of_rows(
        compared, lambda ds, k: analysis.both_directions(ds), "ratio", "ratio_low", "ratio_high", "compared",
        marks=True,
    ),
    "bottlenecks": of_rows(
        stages, lambda ds, k: analysis.bottlenecks(ds), "stage", "capacity", "link_bytes",
        marks=True,
    ),
    "both_ways": of_rows(
        two_directions, lambda ds, k: analysis.both_ways(ds), "time", "operation", "throughput", "run_id"
    ),
    "bounds": of_rows(
        cluster, lambda ds, k: analysis.bounds(ds, 3), "operation", "clients", "client_link", "server_link"
    ),
    "cases": of_rows(
        cluster, lambda ds, k: analysis.cases(ds, ["layout", "operation"]), "layout", "operation", marks=True
    ),
    "centred": of_rows(tested, lambda ds, k: analysis.centred(ds), "time", marks=True),
    "change_points": of_runs(
        lambda: select(cached_curves(cached), file_size=SIZES[2:8]), lambda ds, k: analysis.change_points(ds),
        "file_size",
    ),
    "change_segments": of_rows(
        tested, lambda ds, k: analysis.change_segments(ds), "time", "throughput", "run_id", "client"
    ),
    "claim_quantity": of_rows(
        means,
        lambda ds, k: analysis.claim_quantity(ds, "c", "throughput", layout="replicate", operation="write", clients=3),
        "throughput", "layout", "operation", "clients",
    ),
    "below_limit": of_runs(
        cluster, lambda ds, k: analysis.below_limit(ds, "throughput", BY, limit=100e6 * k), *BY
    ),
    "check_order": of_rows(
        lambda: timed_campaign([[9.0, 8.0, 7.0], [20.0, 19.0, 21.0]]),
        lambda ds, k: analysis.check_order(ds, ["clients"]), "start_time", "clients",
    ),
    "client_shares": of_runs(
        shared_runs, lambda ds, k: analysis.client_shares(ds, "throughput", BY), *BY, "client"
    ),
    "client_values": of_runs(shared_runs, lambda ds, k: analysis.client_values(ds, "throughput", BY), *BY, "client"),
    "clients_in_memory": of_rows(
        memory_of_servers, lambda ds, k: analysis.clients_in_memory(ds), "memory_total", "fetch_block", marks=True
    ),
    "compare": of_runs(
        cluster, lambda ds, k: analysis.compare(ds, *SIDES, OP_CLIENTS, margin=0.1), *BY
    ),
    "compare_evenness": of_runs(
        shared_runs,
        lambda ds, k: analysis.compare_evenness(ds, "throughput", "layout", "distribute", "disperse"), "layout",
        "client",
    ),
    "compare_given": of_runs(
        published,
        lambda ds, k: analysis.compare_given(ds, "throughput", "server_mode", "bare-metal", "virtual", margin=0.1),
        "server_mode", "throughput_error",
    ),
    "compare_campaigns": of_runs(
        cluster,
        lambda ds, k: analysis.compare_campaigns(ds, ds, "throughput", ["operation", "layout", "clients"]).levels,
        "operation", "layout", "clients",
    ),
    "compare_series": of_runs(
        campaign_of_series,
        lambda ds, k: analysis.compare_series(ds, "throughput", "layout", "replicate", "32:4", margin=0.1),
        "layout", "repeat", "file_size",
    ),
    "compatibility": of_runs(
        published,
        lambda ds, k: analysis.compatibility(ds, "throughput", "server_mode", "bare-metal", "virtual"),
        "server_mode", "throughput_error",
    ),
    "completion_over_submission": of_rows(
        queued, lambda ds, k: analysis.completion_over_submission(ds, ["job"]), "latency", "submission_latency", "job"
    ),
    "completion_factors": of_runs(
        shared_runs, lambda ds, k: analysis.completion_factors(ds, BY), *BY, "client", variable="elapsed"
    ),
    "completion_spread": of_runs(
        shared_runs, lambda ds, k: analysis.completion_spread(ds, BY), *BY, "client", variable="elapsed"
    ),
    "count": of_rows(cluster, lambda ds, k: analysis.count(ds, of="layout", operation="read"), "layout", "operation"),
    "counter_rates": of_rows(
        counted, lambda ds, k: analysis.counter_rates(ds), "time", "interface", "operation", "counter_bytes",
        "counter_packets",
    ),
    "cpu_efficiency": of_rows(
        processes, lambda ds, k: analysis.cpu_efficiency(ds), "cpu_user_time", "cpu_system_time", "elapsed"
    ),
    "crossovers": of_runs(
        two_curves, lambda ds, k: analysis.crossovers(ds, "throughput", "layout", "a", "b"), "layout", "clients"
    ),
    "demand": of_runs(
        two_curves, lambda ds, k: analysis.demand(ds, [2.0, 8.0], by=["layout"], servers=3), "layout", "clients",
        "server_link",
    ),
    "design_counts": of_runs(
        cluster,
        lambda ds, k: analysis.design_counts(ds, "throughput", {"layout": ["distribute"], "repeat": [1, 2, 3]}),
        "layout",
    ),
    "differences": of_runs(
        shares_of_time, lambda ds, k: analysis.differences(ds, "cpu_utilisation", "protocol", "mount", "xrootd"),
        "protocol", variable="cpu_utilisation",
    ),
    "regressions": of_runs(two_curves, lambda ds, k: analysis.regressions(ds, by=["layout"]), "layout", "clients"),
    "drift": of_runs(cluster, lambda ds, k: analysis.drift(ds, "throughput", BY, ["layout"]), *BY),
    "drift_test": of_runs(
        lambda: timed_campaign([[9.0, 8.0, 7.0, 6.0, 5.0, 4.0], [20.0, 19.0, 21.0, 16.0, 15.0, 14.0]]),
        lambda ds, k: analysis.drift_test(ds, "throughput", ["operation", "clients"]), "operation", "clients",
    ),
    "enough_runs": of_runs(
        lambda: node(repeats((1e6, 1.1e6, 0.98e6, 1.02e6, 1.05e6), layout="a")),
        lambda ds, k: analysis.enough_runs(ds, "throughput", ["layout"], width=0.1), "layout",
    ),
    "extreme": of_rows(means, lambda ds, k: analysis.extreme(ds, "throughput", "lowest"), "throughput"),
    "factor_suspects": of_runs(cluster, lambda ds, k: analysis.factor_suspects(ds, "throughput", BY), *BY),
    "factorial_effects": of_runs(
        drivers,
        lambda ds, k: analysis.factorial_effects(
            ds, "throughput", {"driver_net": ("emulated", "virtio"), "driver_disk": ("ide", "virtio")}, margin=0.1
        ),
        "driver_net", "driver_disk",
    ),
    "failed_runs": of_rows(
        lambda: analysis.failover(stalled("c1", "c2"), happened()), lambda ds, k: analysis.failed_runs(ds),
        "throughput_before", "bytes_lost", "away_share", "after_share", "run_id",
    ),
    "failover": of_rows(
        stalled, lambda ds, k: analysis.failover(ds, happened()), "time", "throughput", "run_id", "client"
    ),
    "fairness": of_runs(shared_runs, lambda ds, k: analysis.fairness(ds, "throughput", BY), *BY, "client"),
    "fairness_over_runs": of_runs(
        lambda: analysis.fairness(shared_runs()), lambda ds, k: analysis.fairness_over_runs(ds, "jain", BY), *BY,
        variable="jain",
    ),
    "faster_than_links": of_runs(
        cluster, lambda ds, k: analysis.faster_than_links(ds, 3), "operation", "clients", "client_link",
        "server_link", marks=True,
    ),
    "file_shares": of_rows(moved, lambda ds, k: analysis.file_shares(ds), "data_size", "file_size", marks=True),
    "fitted_curves": of_runs(
        one_curve, lambda ds, k: analysis.fitted_curves(ds, model="saturation", at=[1.0, 3.0]), "clients"
    ),
    "flatness": of_runs(shared_runs, lambda ds, k: analysis.flatness(ds, by=BY), *BY, "client"),
    "group_differences": of_runs(
        lambda: clients(groups()), lambda ds, k: analysis.group_differences(ds, "throughput", "host", "mdt", "ost"),
        "host", "client",
    ),
    "half_peaks": of_runs(
        two_curves, lambda ds, k: analysis.half_peaks(ds, by=["layout"], among="layout"), "layout", "clients"
    ),
    "jobs": of_rows(
        of_jobs.clients, lambda ds, k: analysis.jobs(ds, of_jobs.logs()), "elapsed", "cpu_time", "disk_time",
        "data_size", "client", "run_id", "log_id", "operation", "layout", "protocol", "clients",
    ),
    "largest_ratio": of_runs(
        two_curves, lambda ds, k: analysis.largest_ratio(ds, "throughput", "layout", "a", "b", "clients"), "layout",
        "clients",
    ),
    "leaders": of_rows(
        won, lambda ds, k: analysis.leaders(ds, "filesystem", operation="stat"), "filesystem", "rank", "winner"
    ),
    "link_times": of_rows(
        bytes_of_servers, lambda ds, k: analysis.link_times(ds, 3), "network_received", "server_link", marks=True
    ),
    "level": of_rows(
        lambda: select(cluster(), clients=1), lambda ds, k: analysis.level(ds, "clients", layout="replicate"),
        "clients", "layout",
    ),
    "levels": of_rows(cluster, lambda ds, k: str(analysis.levels(ds, "clients")), "clients"),
    "marginal_rates": of_runs(
        lambda: curves({100.0: [1.0, 1.1, 0.9], 600.0: [4.0, 4.2, 3.8]}),
        lambda ds, k: analysis.marginal_rates(ds, 100.0 * k, 600.0 * k), "file_size", variable="elapsed",
    ),
    "losses_survived": of_rows(
        lambda: node([{"erasure_code": "2+1"}, {"erasure_code": "3+2"}]),
        lambda ds, k: analysis.losses_survived(ds),
        "erasure_code",
    ),
    "mark_cached": of_rows(auto, lambda ds, k: analysis.mark_cached(ds), "memory_limit", "file_size", marks=True),
    "mark_own_access": of_rows(
        lambda: node(stats_of_files()), lambda ds, k: analysis.mark_own_access(ds), "operation", "stat_origin",
        marks=True,
    ),
    "mean_ratios": of_runs(cluster, lambda ds, k: analysis.mean_ratios(ds, *SIDES, OP_CLIENTS, margin=0.1), *BY),
    "memory_release": of_rows(
        memory, lambda ds, k: analysis.memory_release(ds), "time", "memory_free", "throughput", "run_id", "host"
    ),
    "message_classes": of_rows(
        happened, lambda ds, k: analysis.message_classes(ds, interval=True), "message", "severity", "event_class",
        "legibility",
    ),
    "median": of_rows(means, lambda ds, k: analysis.median(ds, "throughput"), "throughput"),
    "of_entries_read": of_rows(
        opened, lambda ds, k: analysis.of_entries_read(ds), "data_size", "entries", "entries_total",
        "entries_fraction", marks=True,
    ),
    "of_logs": of_rows(numbered, lambda ds, k: analysis.of_logs(ds, LOGS, command="a -y"), "log_id", marks=True),
    "on_cpu": of_rows(
        processes, lambda ds, k: analysis.on_cpu(ds), "cpu_user_time", "cpu_system_time", "elapsed", marks=True
    ),
    "onsets": of_runs(
        lambda: curves({1.0: [0.9, 1.1, 1.0], 4.0: [1.9, 2.0, 2.1], 16.0: [8.0, 8.1, 7.9]}),
        lambda ds, k: analysis.onsets(ds, share=0.75), "file_size",
    ),
    "operations_time": of_rows(
        lambda: node({"operation_rate": 100.0 * i, "files": 1000.0, "run_id": f"r{i}"} for i in (1, 2)),
        lambda ds, k: analysis.operations_time(ds), "operation_rate", "files", marks=True,
    ),
    "outliers": of_runs(cluster, lambda ds, k: analysis.outliers(ds, "throughput", BY), *BY),
    "over_real_time": of_rows(
        printed, lambda ds, k: analysis.over_real_time(ds), "throughput", "data_size", "elapsed", marks=True
    ),
    "over_straight_line": of_runs(
        lambda: curves({1.0: [0.9, 1.1, 1.0], 4.0: [1.9, 2.0, 2.1], 16.0: [8.0, 8.1, 7.9]}),
        lambda ds, k: analysis.over_straight_line(ds), "file_size", variable="elapsed",
    ),
    "over_the_link": of_rows(
        lambda: node(on_board("oss1", 0.1) + on_board("oss2", 10.5)), lambda ds, k: analysis.over_the_link(ds),
        "operation", "network_received", "data_size", "throughput", "layout", "client", "run_id",
    ),
    "pair_ratios": of_runs(
        pairs, lambda ds, k: analysis.pair_ratios(ds, *MOUNTS, ["filesystem", "clients"]), "mount", "filesystem",
        "clients",
    ),
    "parts_read": of_rows(
        opened, lambda ds, k: analysis.parts_read(ds), "entries_fraction", "branches_fraction", marks=True
    ),
    "over_peak": of_runs(two_curves, lambda ds, k: analysis.over_peak(ds, by=["layout"]), "layout", "clients"),
    "peaks": of_runs(two_curves, lambda ds, k: analysis.peaks(ds, by=["layout"]), "layout", "clients"),
    "per_client": of_runs(cluster, lambda ds, k: analysis.per_client(ds, ["layout", "operation"]), *BY),
    "percentiles": of_rows(
        latencies, lambda ds, k: analysis.percentiles(ds, ["filesystem"]), "filesystem"
    ),
    "remaining_phase": of_rows(
        lambda: node(of_whole_jobs.phases()),
        lambda ds, k: analysis.remaining_phase(ds, of_whole_jobs.PARTS), "phase", "elapsed", "log_id",
    ),
    "job_rates": of_rows(
        of_whole_jobs.read, lambda ds, k: analysis.job_rates(ds), "phase", "elapsed", "data_size", "log_id",
        "operation",
    ),
    "phase_shares": of_runs(
        phases_of_jobs, lambda ds, k: analysis.phase_shares(ds, "lustre", "dcap"), "protocol", "phase",
        variable="elapsed",
    ),
    "phases": of_rows(
        lambda: analysis.jobs(of_jobs.clients(), of_jobs.logs()), lambda ds, k: analysis.phases(ds), "outside_time",
        "disk_time", "processing_time", "layout", "protocol", "clients",
    ),
    "noise_shape": of_runs(cluster, lambda ds, k: analysis.noise_shape(ds, "throughput", BY), *BY),
    "rank_counts": of_runs(
        shared_runs, lambda ds, k: analysis.rank_counts(ds, by=BY), *BY, "client"
    ),
    "plan_repeats": of_runs(
        cluster, lambda ds, k: analysis.plan_repeats(ds, "throughput", BY, effect=1.1, margin=0.1), *BY
    ),
    "plateaus": of_rows(tested, lambda ds, k: analysis.plateaus(ds), "time", "throughput", "run_id", "client"),
    "pooled_ratios": of_runs(
        lambda: analysis.pair_ratios(pairs(), "throughput", "mount", "kernel", "fuse", ["filesystem", "clients"]),
        lambda ds, k: analysis.pooled_ratios(ds, ["filesystem", "clients"]), "compared", "clients", "filesystem",
        "repeat",
        variable="ratio",
    ),
    "quantile_ratios": of_runs(
        sides_of_many,
        lambda ds, k: analysis.quantile_ratios(ds, "throughput", "layout", "a", "b"), "layout",
    ),
    "quotient": of_runs(
        lambda: packets().assign(packets_received=("obs", np.full(6, 4.0), {"units": "1"})),
        lambda ds, k: analysis.quotient(
            ds, "network_received", "packets_received", ["layout"], name="packet_size", over=["client"]
        ),
        "packets_received", "layout", "client", variable="network_received",
    ),
    "raid_capacity": of_rows(
        raid, lambda ds, k: analysis.raid_capacity(ds), "raid_sets", "disks_per_set", "parity_disks", "disk_size",
        "layout",
    ),
    "raid_layouts": of_rows(
        raid, lambda ds, k: analysis.raid_layouts(ds), "disks_per_set", "parity_disks", "disk_size", "disks"
    ),
    "redundancy": of_rows(
        lambda: node([{"layout": "a", "erasure_code": "2+1"}, {"layout": "b", "replicas": 3.0}]),
        lambda ds, k: analysis.redundancy(ds),
    ),
    "regimes": of_rows(auto, lambda ds, k: analysis.regimes(ds), "memory_limit", "file_size", marks=True),
    "repetition_units": of_runs(
        shared_runs, lambda ds, k: analysis.repetition_units(ds, "throughput", BY), *BY
    ),
    "robustness": of_runs(
        cluster, lambda ds, k: analysis.robustness(ds, "throughput", ["layout"], OP_CLIENTS), *BY
    ),
    "run_spread": of_runs(cluster, lambda ds, k: analysis.run_spread(ds, "throughput", BY), *BY),
    "run_values": of_runs(cluster, lambda ds, k: analysis.run_values(ds, "throughput", BY), *BY),
    "runs_of_plan": of_rows(
        planned_logs, lambda ds, k: analysis.runs_of_plan(as_planned(ds)), "filesystem", "mount", "driver_disk",
        "repeat", "run_id",
    ),
    "sample_means": of_rows(
        stalled, lambda ds, k: analysis.sample_means(ds, "throughput", ["client"]), "throughput", "run_id", "client"
    ),
    "saturation": of_runs(
        cluster, lambda ds, k: analysis.saturation(ds, by=BY, servers=3), *BY, "server_link"
    ),
    "scaling_curve": of_runs(two_curves, lambda ds, k: analysis.scaling_curve(ds, by=["layout"]), "layout", "clients"),
    "scaling_fits": of_runs(
        one_curve, lambda ds, k: analysis.scaling_fits(ds, models=["saturation"]), "clients",
    ),
    "sent_over_payload": of_rows(
        sent, lambda ds, k: analysis.sent_over_payload(ds, scaled(stalled(), k), happened()), "time", "throughput",
        "run_id", "client",
    ),
    "serialisation_delays": of_rows(
        means, lambda ds, k: analysis.serialisation_delays(ds, 1e6 * k, multiples=[1.0, 4.0]), "throughput"
    ),
    "series_offsets": of_runs(
        campaign_of_series, lambda ds, k: analysis.series_offsets(ds, "throughput", "layout"), "layout", "repeat",
        "file_size",
    ),
    "set_apart": of_rows(
        marked, lambda ds, k: analysis.set_apart(ds, "cached", "filesystem", "in memory"), "cached", "filesystem",
        marks=True,
    ),
    "shift_functions": of_runs(
        sides_of_many,
        lambda ds, k: analysis.shift_functions(ds, "throughput", "layout", "a", "b"), "layout",
    ),
    "share_changes": of_runs(
        shares_of_time, lambda ds, k: analysis.share_changes(ds, "protocol", "mount", "xrootd"), "protocol",
        variable="cpu_utilisation",
    ),
    "snapshot_dates": of_rows(pages, lambda ds, k: analysis.snapshot_dates(ds), "metric", "value"),
    "stability": of_rows(tested, lambda ds, k: analysis.stability(ds), "time", "throughput", "run_id", "client"),
    "stage_table": of_rows(
        cluster, lambda ds, k: analysis.stage_table({"links": 30e6 * k, "disks": 40e6 * k}, ds)
    ),
    "stated": of_rows(
        means, lambda ds, k: analysis.stated(ds, "throughput", layout="replicate", operation="write", clients=3),
        "throughput", "layout", "operation", "clients",
    ),
    "stonewall": of_rows(
        iozone, lambda ds, k: analysis.stonewall(ds, ["operation"]), "throughput", "throughput_parent", "data_size",
        "file_size", "processes", "operation",
    ),
    "variance_components": of_runs(
        cluster, lambda ds, k: analysis.variance_components(ds, "throughput", BY, units=["repeat"]), *BY
    ),
    "summarise": of_runs(cluster, lambda ds, k: analysis.summarise(ds, "throughput", BY), *BY),
    "tail_off": of_runs(two_curves, lambda ds, k: analysis.tail_off(ds, by=["layout"]), "layout", "clients"),
    "value_counts": of_rows(compared, lambda ds, k: analysis.value_counts(ds), "verdict"),
    "tiers_needed": of_runs(
        lambda: node(scan("gpfs", GPFS) + scan("lustre", LUSTRE)),
        lambda ds, k: analysis.tiers_needed(ds, by=["filesystem"]), "filesystem", "raid_tiers",
    ),
    "time_against_bandwidth": of_rows(
        shared_runs, lambda ds, k: analysis.time_against_bandwidth(ds, BY), "elapsed", "throughput", *BY, "client"
    ),
    "times_slower": of_rows(
        lambda: analysis.both_directions(compared()), lambda ds, k: analysis.times_slower(ds, operation="stat"),
        "larger", "smaller", "times", "below", "above",
    ),
    "concat": of_rows(
        cluster, lambda ds, k: analysis.concat(select(ds, operation="write"), select(ds, operation="read")),
        marks=True,
    ),
    "tool_agreement": of_runs(
        lambda: node(tools(iozone=IOZONE, dd=DD)), lambda ds, k: analysis.tool_agreement(ds), "tool", "operation"
    ),
    "totals": of_rows(
        packets, lambda ds, k: analysis.totals(ds, ["network_received", "packets_received"], ["layout"]),
        "network_received", "packets_received", "layout",
    ),
    "traffic": of_rows(
        reads_and_counters, lambda ds, k: analysis.traffic(ds, ["layout"]), "network_received", "data_size", "run_id",
        "operation", "client_location", "layout",
    ),
    "unequal_repeats": of_runs(cluster, lambda ds, k: analysis.unequal_repeats(ds, "throughput", BY), *BY),
    "unit_readings": of_runs(
        cluster, lambda ds, k: analysis.unit_readings(ds, "throughput", BY, printed="MB/s", peak=2.4e9 * k), *BY
    ),
    "until_slowest": of_rows(
        iozone, lambda ds, k: analysis.until_slowest(ds, ["operation"]), "throughput", "throughput_min", "clients",
        "operation",
    ),
    "useful_throughput": of_runs(
        lambda: node(repeats((12.4e6, 12.6e6, 12.7e6), layout="a")),
        lambda ds, k: analysis.useful_throughput(ds, 1.7, ["layout"]),
        "layout",
    ),
    "validity": of_rows(cluster, lambda ds, k: analysis.validity(as_runs(ds))),
    "validity_report": of_rows(cluster, lambda ds, k: analysis.validity_report(as_runs(ds))[0]),
    "validity_findings": of_rows(cluster, lambda ds, k: analysis.validity_findings(as_runs(ds))),
    "validity_lines": of_rows(
        cluster, lambda ds, k: analysis.validity_lines(analysis.validity_findings(as_runs(ds)))
    ),
    "verdict": of_rows(compared, lambda ds, k: analysis.verdict(ds, operation="stat"), "verdict", "operation"),
    "verdicts": of_rows(
        measured_claim, lambda ds, k: analysis.verdicts(ds, [CLAIM]), "claim", "value", "unit", "level", "n"
    ),
    "volume_check": of_rows(
        stalled, lambda ds, k: analysis.volume_check(ds, scaled(of_failures.sizes(200.0), k)), "time", "throughput",
        "run_id", "client",
    ),
    "pivot": of_rows(
        means, lambda ds, k: analysis.pivot(ds, ["layout", "operation"], "clients", "throughput"), "layout",
        "operation", "clients", "throughput",
    ),
    "winners": of_runs(
        fileop, lambda ds, k: analysis.winners(ds, "operation_rate", "filesystem", ["operation"], margin=0.1),
        "filesystem", "operation", variable="operation_rate",
    ),
    "within": of_rows(means, lambda ds, k: analysis.within(ds, "throughput", 7e6 * k, 8e7 * k), "throughput"),
    "with_keys_of": of_rows(
        stalled,
        lambda ds, k: analysis.with_keys_of(ds, node([{"run_id": "r1", "layout": "a"}]), ["layout"]), "run_id",
        marks=True,
    ),
    "with_phase": of_rows(
        happened, lambda ds, k: analysis.with_phase(ds), "time", "event", "run_id", marks=True
    ),
    "working_sets": of_rows(auto, lambda ds, k: analysis.working_sets(ds), marks=True),
}  # fmt: skip

BYTES = {"B": 1.0, "B/s": 1.0, "s/B": -1.0}
"""Units that hold bytes, with the power in which they do."""


def scaled(ds: xr.Dataset, factor: float) -> xr.Dataset:
    """The dataset with all bytes times a factor."""
    found = ds.copy(deep=True)
    for name, column in found.variables.items():
        if column.attrs.get("units") in BYTES:
            values = column.to_numpy() * factor ** BYTES[column.attrs["units"]]
            found = found.assign_coords({name: ("obs", values, column.attrs)}) if name in found.coords else (
                found.assign({name: ("obs", values, column.attrs)})
            )  # fmt: skip
    return found
