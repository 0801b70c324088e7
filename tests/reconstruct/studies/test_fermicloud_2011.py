"""What the logs of fermicloud-2011 must hold: what is printed, to its digits; what the model adds, within bounds."""

from __future__ import annotations

import shutil
from functools import lru_cache

import numpy as np
import pytest
import xarray as xr

from reconstructions.fermicloud_2011 import fairness, iozone, nova
from storagelab import analysis, dataset, schema
from storagelab.claims.printed_numbers import printed
from storagelab.claims.study_numbers import Numbers
from storagelab.dataset import frame
from storagelab.errors import ReconstructError
from storagelab.ingest import ingest
from storagelab.reconstruct import campaign
from storagelab.study.published import Published, Value, read_published
from storagelab.study.testbed import TestBed, read_testbed
from tests.conftest import ROOT

FOLDER = ROOT / "raw" / "fermicloud-2011"
MB = 1e6


@lru_cache
def published() -> Published:
    return read_published(FOLDER)


@lru_cache
def bed() -> TestBed:
    return read_testbed(FOLDER)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> xr.DataTree:
    """The dataset of the study, rendered and read as the pipeline does."""
    folder = tmp_path_factory.mktemp("raw") / FOLDER.name
    folder.mkdir()
    for sidecar in FOLDER.glob("*.yaml"):
        shutil.copy(sidecar, folder)
    campaign.write(campaign.reconstruct(FOLDER), folder)
    return ingest(folder)


def of(study: xr.DataTree, node: str, **where: object) -> xr.Dataset:
    return dataset.select(study[node].to_dataset(), **where)


def instead(name: str, **fields: str) -> Published:
    """The published numbers with another in place of one."""
    changed = Value(**(published()[name].model_dump() | fields))
    return Published(values={**published().values, name: changed})


@pytest.mark.slow
def test_every_printed_number_comes_back_to_its_digits(study: xr.DataTree) -> None:
    rows = printed(Numbers(published(), bed(), study))
    assert [row["name"] for row in rows if row["agrees"] == "no"] == []
    assert sum(row["from"] == "logs" for row in rows) > 40
    assert all(row["because"] for row in rows if not row["from"])


def test_every_log_says_that_it_is_reconstructed_and_is_whole(study: xr.DataTree) -> None:
    logs = frame(study["logs"].to_dataset())
    assert logs["notes"].str.contains(schema.SAYS_RECONSTRUCTED).all()
    assert logs["complete"].eq(1).all()
    assert set(logs["format"]) == {"iozone", "hdparm", "root", "proc-net-dev"}


def test_only_printed_plateaus_are_called_published(study: xr.DataTree) -> None:
    points = frame(of(study, "runs", tool="iozone", basis="published"))
    rates = set((points["throughput"] / MB).round(3))
    named = [f"{system}_{operation}" for system in ("bm", "vi", "ba") for operation in ("read", "write")]
    named += [f"had_{operation}_{end}" for operation in ("read", "write") for end in ("low", "high")]
    assert rates == {published().si(name) / MB for name in named}
    assert len(points) == 10


# --- Fig. 3, 4, 6 -------------------------------------------------------------------------------------------------


@lru_cache
def curves() -> tuple[iozone.Curve, ...]:
    return tuple(iozone.curves(published(), bed()))


@pytest.mark.parametrize("curve", curves(), ids=lambda curve: f"{curve.name}-{curve.operation}")
def test_a_curve_rises_to_its_plateau_within_the_links(curve: iozone.Curve) -> None:
    rates = np.array(iozone.rates(curve, bed()))
    limit = bed().si("server.link * ost.count")
    clients = np.array(curve.clients)
    assert (rates < limit).all()
    assert (rates <= 1.1 * clients * bed().chosen("stream")).all()
    flat = rates[clients >= bed().chosen("plateau_from")]
    if not curve.first_gain:
        assert flat.mean() == pytest.approx(curve.plateau, rel=1e-9)


def curve(name: str, operation: str) -> iozone.Curve:
    return next(one for one in curves() if (one.name, one.operation) == (name, operation))


def test_one_client_reads_a_whole_file_from_one_of_three_servers() -> None:
    # the first of six points of a curve whose plateau is 350 MB/s
    alone = iozone.rates(curve("net_virtio_disk_virtio", "read"), bed())[0]
    assert alone == pytest.approx(350 * MB / 3, rel=0.05)


def test_the_gain_of_stripes_on_board_vanishes() -> None:
    striped = np.array(iozone.rates(curve("on-board_4MB_8vm", "read"), bed()))
    external = np.array(iozone.rates(curve("external_4MB_8vm", "read"), bed()))
    gain = striped / external - 1
    assert gain[0] > 0.01
    assert abs(gain[-1]) < 0.05


# --- Fig. 7, 8 ----------------------------------------------------------------------------------------------------


@lru_cache
def runs() -> dict[str, nova.Run]:
    return {run.run_id: run for run in nova.runs(published(), bed())}


@pytest.mark.parametrize("run", runs().values(), ids=str)
def test_mean_and_error_are_over_files_of_clients(run: nova.Run) -> None:
    values = np.array(nova.rates(run, published(), 10))
    assert values.shape == (run.clients, 10)
    assert values.mean() == pytest.approx(published().si(run.value))
    assert values.std(ddof=1) / values.size**0.5 == pytest.approx(published().error(run.value))
    assert values.min() > 0


def test_no_client_reads_much_faster_than_one_that_is_alone() -> None:
    alone = published().si("single_bare")
    for run in runs().values():
        assert np.mean(nova.rates(run, published(), 10), axis=1).max() < 1.02 * alone


def test_on_board_clients_with_stripes_are_two_groups() -> None:
    run = runs()["nova-21-striped-onboard"]
    values = np.array(nova.rates(run, published(), 10))
    mdt, ost = values[: run.mdt].mean(), values[run.mdt :].mean()
    assert ost - mdt == pytest.approx(MB, rel=0.1)
    assert mdt == pytest.approx(published().si("st_itb"), rel=0.01)


def test_one_value_a_client_cannot_have_the_printed_error() -> None:
    # two groups of clients 1 MB/s apart spread 21 values more than 0.03 MB/s times the root of 21 allows
    run = runs()["nova-21-striped-onboard"]
    with pytest.raises(ReconstructError, match=r"a gap of .* leaves no error as small as 30000 B/s"):
        nova.rates(run, published(), 1)


def test_the_unit_of_repetition_decides_the_error(study: xr.DataTree) -> None:
    rows = of(study, "clients", run_id="nova-21-striped-onboard", operation="receive")
    units = [["client", "part"], ["client"]]
    found = analysis.repetition_units(rows, "throughput", ["run_id"], over=["server"], units=units)
    errors = dict(zip(found.repetition.values, found.throughput_error.values, strict=True))
    assert errors["client x part"] == pytest.approx(0.03 * MB, rel=1e-6)
    assert errors["client"] > 2 * errors["client x part"]


def test_the_interface_counts_more_than_the_job_asks_for(study: xr.DataTree) -> None:
    ids = ["nova-21-bare", "nova-21-hadoop", "nova-21-bluearc"]
    rows = of(study, "runs", run_id=ids, operation=["read", "receive"])
    found = frame(analysis.amplification(rows, ["filesystem"])).set_index("filesystem")["amplification"]
    assert found.to_dict() == pytest.approx({"lustre": 1.7, "hadoop": 1.0, "bluearc": 1.0})


def test_every_interval_of_a_counter_is_held_against_all_that_was_asked_for(study: xr.DataTree) -> None:
    found = frame(analysis.validity(study)).set_index("check")["outcome"]
    for check in ("link and bytes", "rate and time", "all clients", "planned runs", "origin in logs"):
        assert found[check] == "nothing found"


def test_a_smaller_error_than_the_gap_allows_is_refused() -> None:
    run = runs()["nova-21-striped-onboard"]
    with pytest.raises(ReconstructError, match=r"nova-21-striped-onboard: a gap of .* as small as 10000 B/s"):
        nova.rates(run, instead("st_onboard", error="0.01"), 10)


# --- Fig. 9 -------------------------------------------------------------------------------------------------------


@lru_cache
def finishes() -> tuple[fairness.Finish, ...]:
    return (*fairness.external(published(), bed()), *fairness.onboard(published(), bed()))


def clients_of_49(study: xr.DataTree, operation: str) -> xr.Dataset:
    return of(study, "clients", run_id="nova-49", operation=operation)


def test_the_first_of_all_is_external_and_the_last_on_board() -> None:
    first, last = (choose(finishes(), key=lambda one: one.factor) for choose in (min, max))
    assert (first.factor, first.place["client_location"]) == (1.0, "external")
    assert (last.factor, last.place["client_location"]) == (1.77, "on-board")
    assert len({one.place["client"] for one in finishes()}) == 49


def test_seven_on_board_clients_are_on_each_host() -> None:
    servers = [one.place.get("server", "") for one in finishes()]
    assert [servers.count(kind) for kind in ("", "mdt", "ost")] == [21, 7, 21]


def test_times_and_rates_are_two_things(study: xr.DataTree) -> None:
    jobs, moved = (frame(clients_of_49(study, operation)) for operation in ("job", "receive"))
    assert jobs["elapsed"].max() / jobs["elapsed"].min() == pytest.approx(1.77, abs=0.005)
    assert moved["throughput"].max() / moved["throughput"].min() == pytest.approx(1.375, abs=0.001)


def test_every_client_moves_the_same_bytes_within_its_wall_time(study: xr.DataTree) -> None:
    jobs, moved = (frame(clients_of_49(study, operation)).set_index("client") for operation in ("job", "receive"))
    assert set(moved["network_received"]) == {10 * 0.85 * 1.5e9}
    idle = jobs["elapsed"] - moved["elapsed"].reindex(jobs.index)
    assert idle.min() > 0
    begun = moved["start_time"].reindex(jobs.index) - bed().chosen("clock")
    assert np.allclose(begun, idle, atol=0.01)


def test_rates_and_times_are_about_evenly_spread(study: xr.DataTree) -> None:
    rates = analysis.flatness(clients_of_49(study, "receive"), "throughput", ["operation"])
    factors = analysis.completion_factors(clients_of_49(study, "job"), ["operation"])
    times = analysis.flatness(factors, "completion_factor", ["operation"], ends=(1.0, 1.7701))
    assert rates["p_uniform"].item() > 0.05
    assert times["p_uniform"].item() > 0.05


def test_the_sum_of_the_rates_is_more_than_the_links_carry(study: xr.DataTree) -> None:
    run = of(study, "runs", run_id="nova-49", operation="receive")
    links = bed().si("server.link * ost.count")
    assert run.throughput.item() > 1.19 * links
    assert run.throughput_span.item() < links


# --- bytes --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {log.path: log.text for log in campaign.reconstruct(FOLDER)}


def test_the_same_numbers_make_the_same_bytes(texts: dict[str, str]) -> None:
    assert {log.path: log.text for log in campaign.reconstruct(FOLDER)} == texts


def test_a_study_has_some_hundred_logs(texts: dict[str, str]) -> None:
    assert 500 < len(texts) < 1500
