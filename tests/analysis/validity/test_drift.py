from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis
from storagelab.analysis.validity import repetitions
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node

BY = ["operation", "clients"]


def campaign(values: Sequence[Sequence[float]] | np.ndarray, **more: Any) -> xr.Dataset:
    """A row a cell, a value a repeat; a run each minute, cell after cell in each repeat."""
    rows = [
        {
            "operation": "write",
            "clients": float(cell),
            "repeat": float(repeat),
            "run_id": f"{cell}-{repeat}",
            "start_time": 60.0 * (repeat * len(values) + cell),
            "throughput": value,
            **more,
        }
        for cell, runs in enumerate(values)
        for repeat, value in enumerate(runs)
    ]
    return node(rows)


def one(ds: xr.Dataset) -> dict[str, Any]:
    (row,) = frame(ds).to_dict("records")
    return {str(name): value for name, value in row.items()}


def test_runs_in_order_of_time_by_hand() -> None:
    # in cell 0 three pairs rise, in cell 1 two of three: S = 3 + 1; chance from all 36 orders of the two
    orders = [sum(np.sign(b - a) for a, b in itertools.combinations(o, 2)) for o in itertools.permutations(range(3))]
    chance = np.mean([abs(a + b) >= 4 for a in orders for b in orders])
    found = one(analysis.drift_test(campaign([[1.0, 2.0, 4.0], [200.0, 100.0, 400.0]]), "throughput", BY, "start_time"))
    assert (found["tau"], found["p"], found["n"]) == pytest.approx((4 / 6, chance, 6))
    # median of the slopes of the logs, neighbours 120 s apart: ln 2 / 120 s; from first to last run it is 300 s
    assert found["change"] == pytest.approx(2 ** (300 / 120))
    assert found["verdict"] == "undecided"


def test_repeats_are_the_unit_where_they_are_the_order() -> None:
    rising = [[1.0, 1.1, 1.2, 1.3, 1.5], [10.0, 10.5, 10.4, 12.0, 14.0], [3.0, 3.1, 3.2, 3.3, 3.4]]
    found = analysis.drift_test(campaign(rising), "throughput", BY)
    row = one(found)
    assert (row["n"], row["tau"], row["p"]) == pytest.approx((5, 1.0, 2 / 120)), "five repeats, not fifteen runs"
    assert row["verdict"] == "rising"
    assert found.attrs["unit"] == "repeat"
    fallen = one(analysis.drift_test(campaign([row[::-1] for row in rising]), "throughput", BY))
    assert (fallen["verdict"], fallen["change"]) == ("falling", pytest.approx(1 / row["change"]))


def test_units_of_the_result() -> None:
    found = analysis.drift_test(campaign([[1.0, 1.1, 1.2, 1.3, 1.5]]), "throughput", BY)
    for name in ("tau", "change", "change_low", "change_high", "n", "p", "p_holm"):
        assert found[name].attrs["units"] == "1"
    assert found["change_low"].item() <= found["change"].item() <= found["change_high"].item()


def test_few_repeats_are_refused_and_their_times_are_not() -> None:
    rising = campaign([[1.0, 1.1, 1.2]] * 4)
    found = one(analysis.drift_test(rising, "throughput", BY))
    assert np.isnan(found["p"])
    assert found["caveat"] == "3 repeats: no order of fewer than 5 is improbable"
    assert one(analysis.drift_test(rising, "throughput", BY, "start_time"))["verdict"] == "rising"


def test_repeats_that_each_have_something_in_common_are_flagged() -> None:
    noise = np.random.default_rng(3).normal(1, 0.01, (6, 3))
    found = one(analysis.drift_test(campaign(noise * [1.0, 1.1, 1.2]), "throughput", BY, "start_time"))
    assert found["caveat"] == "the 3 repeats differ: a drift is not told from what each has in common"
    assert one(analysis.drift_test(campaign(noise), "throughput", BY, "start_time"))["caveat"] == ""


def test_a_cell_that_lacks_a_round_takes_no_part_in_its_mean() -> None:
    flat = [[1.0, 1.1, 1.0, 1.2, 1.05], [50.0, 50.0, 50.0, 50.0]]
    assert one(analysis.drift_test(campaign(flat), "throughput", BY))["tau"] == pytest.approx(
        one(analysis.drift_test(campaign(flat[:1]), "throughput", BY))["tau"]
    )


def test_dates_are_times_and_each_part_is_tested_on_its_own() -> None:
    ds = campaign([[1.0, 1.1, 1.2, 1.3, 1.5], [2.0, 1.9, 1.8, 1.7, 1.6]])
    dates = [f"2026-11-20T16:{int(s // 60):02d}:07.5+00:00" for s in ds["start_time"].values]
    timed = ds.drop_vars("start_time").assign_coords(started=("obs", np.array(dates)))
    found = frame(analysis.drift_test(timed, "throughput", BY, "started", within=["clients"]))
    assert found["tau"].tolist() == [1.0, -1.0]
    # 2 / 120 each, Holm: twice that
    assert found["p_holm"].tolist() == pytest.approx([4 / 120] * 2)


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        (
            r"one of repeat, block, started, start_time, not clients; `with_keys_of\(ds, logs, \['started'\]\)` brings",
            {"order": "clients"},
        ),
        ("repeat is the order: cells of one repeat cannot show a drift", {"by": [*BY, "repeat"]}),
        ("layout of within is not in by: operation, clients", {"within": ["layout"]}),
        ("of 9 runs it is not known where they stand in block", {"order": "block"}),
        ("started 'noon' is no time as ISO 8601 writes it", {"order": "started"}),
    ],
)
def test_what_is_no_order(message: str, arguments: dict[str, Any]) -> None:
    ds = campaign([[1.0, 2.0, 3.0]] * 3, block=np.nan)
    ds = ds.assign_coords(started=("obs", np.full(9, "noon")))
    with pytest.raises(AnalysisError, match=message):
        analysis.drift_test(ds, "throughput", **{"by": BY, **arguments})


def test_a_rate_of_zero_has_no_log() -> None:
    with pytest.raises(AnalysisError, match="1 of 3 runs are not positive"):
        analysis.drift_test(campaign([[1.0, 0.0, 3.0]]), "throughput", BY)


def test_a_trend_without_size_is_told_as_one() -> None:
    flat = {"change": 1.0002, "change_low": 0.9999, "change_high": 1.0004}
    assert repetitions.change_over(flat) == "to three digits the end is as the start"
    assert repetitions.change_over({**flat, "change_high": 1.01}) == "end over start 1 (95 % interval 1 to 1.01)"
