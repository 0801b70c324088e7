"""What the logs of uscms-2009 must hold: the two printed results exactly, and the model's order in all else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from statistics import fmean, geometric_mean

import pytest

from reconstructions import uscms_2009
from reconstructions.uscms_2009 import access, jobs, pool, repeats, wide_area
from storagelab import parsers
from storagelab.reconstruct.log import MARK, Log
from storagelab.study.published import Published, Value, read_published
from storagelab.study.testbed import TestBed, read_testbed
from tests.conftest import ROOT

FOLDER = ROOT / "raw" / "uscms-2009"
Times = Mapping[tuple[str, float], list[float]]


@lru_cache
def published() -> Published:
    return read_published(FOLDER)


@lru_cache
def bed() -> TestBed:
    return read_testbed(FOLDER)


@lru_cache
def every() -> tuple[Log, ...]:
    return tuple(uscms_2009.logs(published(), bed()))


def instead(**printed: str) -> Published:
    """The published numbers with others in place of some."""
    values = {name: published()[name].model_dump() | {"value": value} for name, value in printed.items()}
    return Published(values={**published().values, **{name: Value(**value) for name, value in values.items()}})


def total(log: Log) -> float:
    rows = parsers.read(log.text)[1].runs
    return next(float(row["elapsed"]) for row in rows if row.get("phase") == "total")


def by_jobs(logs: Iterable[Log]) -> Times:
    """Times of single jobs, by file system and number of jobs."""
    found: dict[tuple[str, float], list[float]] = {}
    for log in logs:
        key = str(log.keys["filesystem"]), float(log.keys["clients"])
        found.setdefault(key, []).append(total(log))
    return found


def speed_ups(times: Times) -> dict[float, float]:
    levels = sorted({jobs for _, jobs in times})
    return {jobs: fmean(times["dcache-xfs", jobs]) / fmean(times["lustre", jobs]) for jobs in levels}


@lru_cache
def scan() -> Times:
    return by_jobs(log for log in every() if log.keys.get("operation_group") == "scan")


def test_every_log_says_that_it_was_not_measured_and_what_it_rests_on() -> None:
    assert len(every()) < 1500
    assert len({log.path for log in every()}) == len(every())
    assert all(MARK in log.text for log in every())
    assert {log.keys["basis"] for log in every()} == {"derived", "model"}


def test_the_same_numbers_give_the_same_logs() -> None:
    assert tuple(pool.transfers(published(), bed())) == tuple(pool.transfers(published(), bed()))
    assert tuple(wide_area.dd(published(), bed())) == tuple(wide_area.dd(published(), bed()))


@pytest.mark.slow
def test_the_largest_ratio_is_the_printed_one_and_stands_where_most_jobs_run() -> None:
    found = speed_ups(scan())
    assert max(found, key=lambda jobs: found[jobs]) == published().si("jobs_axis_high")
    assert max(found.values()) == pytest.approx(published().si("speedup_max"), abs=0.005)
    assert list(found) == [1, 10, 20, 30, 40, 50]


@pytest.mark.slow
def test_no_job_leaves_the_axis_of_time() -> None:
    assert max(map(max, scan().values())) < published().si("time_axis_high")


@pytest.mark.slow
def test_pools_on_lustre_help_dcap_at_every_number_of_jobs() -> None:
    for (filesystem, n), times in scan().items():
        if filesystem == "dcache-lustre":
            assert fmean(scan()["lustre", n]) < fmean(times) < fmean(scan()["dcache-xfs", n])


@pytest.mark.slow
@pytest.mark.parametrize("factor", ["1.9", "3.25"])
def test_another_printed_factor_gives_other_logs(factor: str) -> None:
    logs = jobs.scan(instead(speedup_max=factor), bed())
    found = speed_ups(by_jobs(log for log in logs if log.keys["clients"] in (1, 50)))
    assert found[50] == pytest.approx(float(factor), abs=0.005)
    assert found[1] == pytest.approx(speed_ups(scan())[1], rel=0.05)


def test_only_the_side_that_follows_from_the_ratio_is_derived() -> None:
    derived = {(log.keys["filesystem"], log.keys["clients"]) for log in every() if log.keys["basis"] == "derived"}
    assert derived == {("dcache-xfs", 50), ("dcache-lustre", bed().chosen("pool_clients"))}


def test_a_job_shares_what_serves_all() -> None:
    way = access.Access("lustre", "file", start=20, opening=1, computing=240, stream=50e6, capacity=1e9)
    assert way.times(3e9, 10).elapsed == pytest.approx(20 + 1 + 240 + 60)
    assert way.times(3e9, 40).elapsed == pytest.approx(20 + 1 + 240 + 120)
    assert way.times(3e9, 40).scaled(2).computing == pytest.approx(480)


def test_a_reader_far_away_waits_a_round_trip_for_each_request() -> None:
    assert access.one_request_a_round_trip(1e6, 1e8, 0.01) == pytest.approx(1e6 / 0.02)
    assert access.one_request_a_round_trip(1e6, 1e8, 0) == pytest.approx(1e8)


def test_the_pool_node_moves_what_is_printed_and_is_not_cut_at_one_gigabit() -> None:
    sums: dict[object, float] = {}
    for log in pool.transfers(published(), bed()):
        (row,) = parsers.read(log.text)[1].runs
        sums[log.keys["run_id"]] = sums.get(log.keys["run_id"], 0.0) + float(row["throughput"])
    assert fmean(sums.values()) == pytest.approx(published().si("pool_rate"), rel=1e-4)
    assert max(sums.values()) > published().si("host_link")


def test_iozone_fills_the_wide_area_and_no_more() -> None:
    logs = [log for log in wide_area.iozone(published(), bed()) if log.keys["repeat"] == 1]
    rates = {log.path: [float(row["throughput"]) for row in parsers.read(log.text)[1].runs] for log in logs}
    limit = published().si("wan_limit")
    assert all(0.9 * limit < rate < limit for found in rates.values() for rate in found)
    assert {path.split("/")[1] for path in rates} == {"medianoche", "dgt"}
    assert {path.split("/")[3] for path in rates} == {"t1", "t2", "t4", "t8"}


def test_files_of_iozone_are_twice_the_memory() -> None:
    for log in wide_area.iozone(published(), bed()):
        parsed = parsers.read(log.text)[1]
        row = parsed.header | parsed.runs[0]
        assert float(row["file_size"]) * float(row["processes"]) == 2 * float(log.keys["client_memory"])


def test_a_job_at_fit_is_slower_and_one_at_fiu_is_not() -> None:
    sites: dict[str, list[float]] = {}
    for log in jobs.remote(published(), bed()):
        sites.setdefault(str(log.keys["mount"]), []).append(total(log))
    near, fiu, fit = (geometric_mean(sites[mount]) for mount in ("campus", "wan-fiu", "wan-fit"))
    assert 1 < fiu / near < 1.1
    assert fit / near > 1.5


def test_the_phases_of_a_job_are_on_its_clock() -> None:
    times: dict[str, list[float]] = {}
    for log in jobs.phases(published(), bed()):
        rows = parsers.read(log.text)[1].runs
        found = next(float(row["elapsed"]) for row in rows if row.get("phase") == "to first record")
        times.setdefault(str(log.keys["protocol"]), []).append(found)
    assert fmean(times["file"]) == pytest.approx(bed().chosen("direct_open"), rel=0.05)
    assert fmean(times["dcap"]) == pytest.approx(bed().chosen("dcap_open"), rel=0.05)


def test_only_a_printed_mean_is_met_exactly() -> None:
    assert fmean(repeats.printed(10.0, 0.1, 5, "x")) == pytest.approx(10.0, rel=1e-12)
    assert fmean(repeats.scattered(10.0, 0.1, 5, "x")) != pytest.approx(10.0, rel=1e-4)
    assert fmean(repeats.scattered(10.0, 0.1, 4000, "x")) == pytest.approx(10.0, rel=0.01)
