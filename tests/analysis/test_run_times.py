"""Tables whose rows are runs say when these were made, so that what is made of them heeds it too."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis, dataset
from storagelab.analysis.comparison.sides import OTHER_DAYS
from storagelab.analysis.source_rows import rows_behind
from tests.analysis.calls import CALLS
from tests.analysis.fairness import clients as of_clients
from tests.analysis.tables import node
from tests.analysis.test_hostile import answer, data

HOUR = 3600.0
FIRST = datetime(2026, 3, 1, 8, tzinfo=UTC).timestamp()

OF_OTHER_ROWS = {"sent_over_payload", "validity_findings", "validity_lines"}
"""They name runs of another table than the one that they are given."""


def placed(ds: xr.Dataset) -> xr.Dataset:
    """Give the runs of a dataset a place in a campaign of three days, the last of them first."""
    names, number = np.unique(ds["run_id"].to_numpy(), return_inverse=True)
    turn = (names.size - number).astype(float)
    when = {"day": np.ceil(3 * turn / names.size), "order": turn}
    return ds.assign_coords({name: ("obs", values, dataset.attributes(name)) for name, values in when.items()})


def started(ds: xr.Dataset) -> xr.Dataset:
    """Let the runs of a dataset start one after the other, an hour apart."""
    texts = [datetime.fromtimestamp(start, UTC).isoformat() for start in starts(ds).values()]
    of_runs = dict(zip(starts(ds), texts, strict=True))
    return ds.assign_coords(started=("obs", np.array([of_runs[run] for run in ds["run_id"].to_numpy().tolist()])))


def starts(ds: xr.Dataset) -> dict[str, float]:
    names = np.unique(ds["run_id"].to_numpy()).tolist()
    return {name: FIRST + HOUR * (len(names) - place) for place, name in enumerate(names)}


@cache
def naming_runs() -> list[str]:
    """Analyses of rows that name their run, whose results name it too."""
    found = []
    for name in CALLS:
        result = answer(name, data(name))
        if isinstance(result, xr.Dataset) and "run_id" in result.coords and "run_id" in data(name).coords:
            found.append(name)
    return found


def of_their_runs(result: xr.Dataset, key: str, known: dict[str, float]) -> bool:
    """Whether each row that names its run has what is known of it."""
    found = zip(result["run_id"].to_numpy().tolist(), result[key].to_numpy().tolist(), strict=True)
    return all(value == known[run] for run, value in found if run)


def test_runs_keep_their_day_and_their_place_in_the_campaign() -> None:
    kept = set()
    for name in naming_runs():
        ds = placed(data(name))
        result = CALLS[name].run(ds, 1.0)
        for key in {"day", "order"} & {*result.coords}:
            assert of_their_runs(result, key, dict(zip(ds["run_id"].to_numpy().tolist(), ds[key].values, strict=True)))
        kept |= {name} if {"day", "order"} <= {*result.coords} else set()
    assert {*naming_runs()} - kept == OF_OTHER_ROWS


def test_runs_of_rows_that_say_when_they_started_say_so() -> None:
    """Not on which day, nor in which place: these are counted in the rows at hand, which may be a part."""
    told = set()
    for name in naming_runs():
        result = CALLS[name].run(started(data(name)), 1.0)
        said = {"started", "start_time"} & {*result.coords}
        assert len(said) <= 1
        assert not {"day", "order"} & {*result.variables}
        told |= {name} if said else set()
        assert said != {"start_time"} or of_their_runs(result, "start_time", starts(data(name)))
    assert {*naming_runs()} - told == OF_OTHER_ROWS


def test_a_table_of_rows_that_do_not_say_when_they_were_made_says_nothing() -> None:
    assert not {"day", "order", "start_time"} & {*analysis.fairness(clients()).variables}


BY = ["operation", "clients"]
SHARED = [[1e6, 2e6, 4e6], [1e6, 3e6, 4e6], [2e6, 3e6, 4e6]]


def clients() -> xr.Dataset:
    """Three clients in three runs of each of two layouts."""
    kinds = ({"layout": layout, "operation": "read", "clients": 3.0} for layout in ("dist", "rep"))
    return of_clients.clients(*(of_clients.runs(SHARED, **keys) for keys in kinds))


def apart(hours: float) -> xr.Dataset:
    """Clients whose runs with the second layout start some hours after those with the first."""
    ds = clients()
    later = (ds["layout"].to_numpy() == np.unique(ds["layout"])[1]).astype(float)
    turn = ds["repeat"].to_numpy()
    return ds.assign_coords(start_time=("obs", FIRST + 60 * turn + HOUR * hours * later, {"units": "s"}))


@pytest.mark.parametrize(("hours", "caveat"), [(24, OTHER_DAYS), (0.001, "")])
def test_fairness_of_sides_of_different_days_is_not_compared(hours: float, caveat: str) -> None:
    indices = analysis.fairness(apart(hours))
    found = analysis.compare(indices, "jain", "layout", base="dist", other="rep", by=BY)
    assert (OTHER_DAYS in found["caveat"].to_numpy()[0]) == (caveat != "")


def test_a_run_starts_with_the_first_of_its_clients() -> None:
    ds = clients()
    own = FIRST + np.arange(ds.sizes["obs"]) * 7.0
    table = analysis.fairness(ds.assign_coords(start_time=("obs", own, {"units": "s"})))
    of_runs = [own[ds["run_id"].to_numpy() == run].min() for run in table["run_id"].to_numpy()]
    assert table["start_time"].to_numpy().tolist() == of_runs


def test_a_run_is_traced_to_all_of_its_clients_whenever_they_started() -> None:
    ds = clients()
    places = np.arange(ds.sizes["obs"], dtype=float)
    traced = ds.assign_coords(
        start_time=("obs", FIRST + 7 * places, {"units": "s"}), log_id=("obs", places), line=("obs", places + 1)
    )
    run = dataset.take(analysis.fairness(traced), np.array([0]))
    (behind,) = rows_behind(run, "jain")
    assert behind.sizes["obs"] == (ds["run_id"] == run["run_id"].to_numpy()[0]).sum() > 1


def test_a_result_rests_on_the_weakest_of_all_clients_whenever_they_started() -> None:
    ds = clients()
    weakest = np.where(np.arange(ds.sizes["obs"]) == ds.sizes["obs"] - 1, "derived", "published")
    own = FIRST + np.arange(ds.sizes["obs"]) * 7.0
    table = analysis.fairness(ds.assign_coords(start_time=("obs", own, {"units": "s"}), basis=("obs", weakest)))
    last = table["run_id"].to_numpy() == ds["run_id"].to_numpy()[-1]
    assert (table["basis"].to_numpy()[last] == "derived").all()
    assert (table["basis"].to_numpy()[~last] == "published").all()


def test_runs_of_a_block_are_as_early_as_the_first_of_them() -> None:
    rows = [
        {"run_id": f"r{n}", "layout": "a", "repeat": n, "block": n // 2, "order": n + 1, "throughput": 1e6 + n}
        for n in range(6)
    ]
    made = analysis.run_values(node(rows), "throughput", ["layout"])
    assert made["order"].to_numpy().tolist() == [1.0, 3.0, 5.0]


def test_parts_of_a_campaign_that_are_put_together_are_in_their_order() -> None:
    """Each part has a first day of its own; together they are of two."""
    early, late = (analysis.fairness(apart(24).isel(obs=part)) for part in halves(clients()))
    together = analysis.concat(early, late)
    found = analysis.compare(together, "jain", "layout", base="dist", other="rep", by=BY)
    assert OTHER_DAYS in found["caveat"].to_numpy()[0]


def halves(ds: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    first = ds["layout"].to_numpy() == np.unique(ds["layout"])[0]
    return np.flatnonzero(first), np.flatnonzero(~first)
