"""The campaign of Brookhaven's slides: clients and monitor agree, tests fit their pages, and test 6 says nothing."""

from __future__ import annotations

import itertools
from collections import Counter
from datetime import datetime
from statistics import fmean

import pytest
import xarray as xr
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from reconstructions.bnl_2007 import clock, host, logs, transfers
from reconstructions.bnl_2007.dcache import READ, WRITE, DcacheTest, Load, dcache_tests
from reconstructions.bnl_2007.local import READS, SYSTEMS, WRITES, Machine
from storagelab import analysis, dataset
from storagelab.errors import ReconstructError
from storagelab.study.amount import amount
from storagelab.study.published import read_published
from storagelab.study.testbed import read_testbed
from storagelab.units import GIB, KIB, MIB
from tests.conftest import ROOT
from tests.published import rendered, tree

FOLDER = ROOT / "raw" / "bnl-2007"
PUBLISHED, BED = read_published(FOLDER), read_testbed(FOLDER)
TESTS = dcache_tests(PUBLISHED, BED)
MACHINE = Machine.of(BED)
GB = 1e9


def monitor(**keys: object) -> xr.Dataset:
    return dataset.select(tree("bnl-2007")["series"].to_dataset(), statistic="mean", **keys)


def test_every_planned_log_is_there() -> None:
    groups = Counter((log.keys["tool"], log.keys.get("operation_group", "")) for log in rendered("bnl-2007"))
    assert groups == {
        ("iozone", ""): 3, ("fileop", ""): 3, ("ganglia", ""): 4, ("rrdtool", ""): 12,
        **{("rrdtool", f"test {number}"): 2 for number in range(1, 7)},
        **{("dccp", f"test {number}"): 30 for number in (1, 2, 3)}, ("dccp", "test 4"): 60, ("dccp", "test 5"): 150,
        ("globus-gridftp-server", "test 6"): 7,
    }  # fmt: skip


def test_only_rates_of_tests_and_pages_are_published() -> None:
    printed = [log.path for log in rendered("bnl-2007") if log.keys["basis"] == "published"]
    pages = [f"page-{page}/host.html" for page in (1, 2, 3, 4)]
    assert printed == [*pages, "test-1/bytes_out.rrd.xml", "test-2/bytes_in.rrd.xml", "test-3/bytes_out.rrd.xml"]
    local = {log.keys["basis"] for log in rendered("bnl-2007") if log.keys["tool"] in ("iozone", "fileop")}
    assert local == {"model"}


def test_no_number_of_test_6_is_claimed() -> None:
    assert {log.keys["basis"] for log in rendered("bnl-2007") if "test-6" in log.path} == {"model"}
    for name in ("published.yaml", "claims.yaml"):
        quantities = [line for line in (FOLDER / name).read_text().splitlines() if "where:" in line]
        assert not [line for line in quantities if "test-6" in line or "gridftp" in line]
    claim = next(each for each in yaml.safe_load((FOLDER / "claims.yaml").read_text())["claims"]
                 if each["id"] == "bnl-test6")  # fmt: skip
    assert "quantity" not in claim


def test_each_test_lies_within_the_hour_of_its_page_and_behind_the_one_before() -> None:
    for test in TESTS:
        saved = clock.saved(test.page, BED).timestamp()
        assert saved - 3600 < test.begins < test.ends(BED) < saved
    for one, other in itertools.pairwise(TESTS):
        assert one.ends(BED) <= other.begins
    assert [clock.local(test.begins, BED).strftime("%H:%M") for test in TESTS[:4]] == [
        "15:45", "16:15", "16:40", "16:50"
    ]  # fmt: skip


def test_pages_date_themselves() -> None:
    pages = dataset.select(tree("bnl-2007")["series"].to_dataset(), run_id=["page-1", "page-2", "page-3", "page-4"])
    dates = dataset.frame(analysis.snapshot_dates(pages, ["run_id"]))["snapshot"].tolist()
    assert dates == [
        "2006-12-20T21:34:13Z", "2006-12-20T22:06:13Z", "2006-12-27T21:33:13Z", "2007-01-19T20:29:13Z"
    ]  # fmt: skip
    assert clock.saved(4, BED) == datetime.fromisoformat("2007-01-19T15:29:13-05:00")


@pytest.mark.parametrize(
    ("test", "way", "operation"),
    [(1, READ, "transmit"), (2, WRITE, "receive"), (3, READ, "transmit"), (4, READ, "transmit"),
     (4, WRITE, "receive"), (5, READ, "transmit"), (5, WRITE, "receive")],
)  # fmt: skip
def test_clients_and_monitor_moved_the_same_bytes(test: int, way: str, operation: str) -> None:
    clients = dataset.select(tree("bnl-2007")["clients"].to_dataset(), run_id=f"test-{test}-{way}")
    said = dataset.frame(analysis.totals(clients, ["data_size"], []))["data_size"].item()
    series = monitor(run_id=f"test-{test}", operation=operation)
    seen = dataset.frame(analysis.plateaus(series, ["run_id"]))["bytes_integrated"].item()
    assert seen == pytest.approx(said, rel=1e-6)


def test_volumes_of_tests_5_and_6_are_the_printed_ones() -> None:
    for test in TESTS[4:]:
        moved = {way: load.clients * load.files * load.size for way, load in test.loads.items()}
        assert moved == {WRITE: 337.5 * GB, READ: 450 * GB}


def test_both_directions_of_test_5_move_within_the_printed_range_and_reach_its_ends() -> None:
    together = [sum(rates) for rates in zip(*(load.rates for load in TESTS[4].loads.values()), strict=True)]
    assert (min(together), max(together)) == (pytest.approx(250e6), pytest.approx(300e6))


def test_both_directions_of_test_4_have_half_of_the_printed_rate() -> None:
    assert {way: fmean(load.rates) for way, load in TESTS[3].loads.items()} == {
        READ: pytest.approx(100e6), WRITE: pytest.approx(100e6)
    }  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(
    rates=st.lists(st.floats(1e6, 1e9), min_size=1, max_size=12),
    clients=st.integers(1, 8),
    files=st.integers(1, 4),
)
def test_clients_move_all_that_the_server_moves_and_nothing_else(rates: list[float], clients: int, files: int) -> None:
    step = BED.chosen("step")
    load = Load(rates, clients, files, sum(rates) * step / clients / files)
    test = DcacheTest(1, 1, 0.0, {READ: load}, "model", "model")
    made = list(transfers.transfers(test, READ, BED))
    assert Counter(one.client for one in made) == dict.fromkeys(range(clients), files)
    assert max(one.ends for one in made) == pytest.approx(len(rates) * step)
    assert all(one.begins <= one.ends for one in made)
    ends = {(one.client, one.file): one.ends for one in made}
    assert all(one.begins == ends.get((one.client, one.file - 1), 0.0) for one in made)


@pytest.mark.parametrize("operation", READS)
def test_where_the_slides_say_nothing_or_equal_the_file_systems_are_alike(operation: str) -> None:
    for size in (MIB, GIB, 32 * GIB):
        assert len({MACHINE.rate(one, operation, size, MIB) for one in SYSTEMS}) == 1


def test_orders_of_writes_are_those_of_the_slides() -> None:
    at = {size: {one: MACHINE.rate(one, "write", size * GIB, MIB) for one in SYSTEMS} for size in (4, 8)}
    assert at[4]["zfs"] > at[4]["xfs"] > at[4]["ext3"]
    assert at[8]["zfs"] == at[8]["xfs"] > at[8]["ext3"]
    falls = {one: MACHINE.rate(one, "random_write", 8 * GIB, MIB) / MACHINE.rate(one, "random_write", 4 * GIB, MIB)
             for one in SYSTEMS}  # fmt: skip
    assert falls["zfs"] < 0.5
    assert falls["xfs"] == pytest.approx(falls["ext3"]) == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("operation", READS + WRITES)
def test_rates_fall_where_memory_ends_and_with_small_records(operation: str) -> None:
    within, beyond = (MACHINE.rate("xfs", operation, size * GIB, MIB) for size in (8, 32))
    assert beyond < 0.9 * within
    assert MACHINE.rate("xfs", operation, GIB, 4 * KIB) < MACHINE.rate("xfs", operation, GIB, MIB)


def test_memory_is_taken_by_the_first_test_and_given_back_after_the_last() -> None:
    day = host.Day.of(TESTS, BED)
    first, last = TESTS[0], TESTS[-1]
    assert day.free(first.begins, BED) == pytest.approx(0.6)
    assert [day.free(test.ends(BED), BED) for test in TESTS] == [pytest.approx(0.03)] * 6
    assert day.free(day.demand[1] + 1, BED) == pytest.approx(0.28)
    assert last.ends(BED) < day.demand[0] < day.demand[1] < clock.saved(4, BED).timestamp()


def test_a_range_that_cannot_have_the_mean_of_the_volumes_is_refused() -> None:
    steps = BED.model["steps5"].model_copy(update={"value": amount("100")})
    other = BED.model_copy(update={"model": {**BED.model, "steps5": steps}})
    with pytest.raises(ReconstructError, match=r"values from 2.5e\+08 to 3e\+08 have a mean of"):
        list(logs(PUBLISHED, other))
