"""Orders of campaigns: proposed, and held against what was done."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis
from storagelab.dataset import frame
from storagelab.errors import AnalysisError, UnknownNameError
from tests.analysis.tables import node

FACTORS = {"layout": ["a", "b", "c"], "clients": [1.0, 4.0]}


def measured(order: list[dict[str, Any]], **more: Any) -> xr.Dataset:
    """Runs, one a minute, in this order."""
    return node({"run_id": f"r{i}", "start_time": 60.0 * i, **row, **more} for i, row in enumerate(order))


def judged(ds: xr.Dataset, *factors: str, **how: Any) -> dict[str, dict[str, Any]]:
    found = frame(analysis.check_order(ds, factors or ("layout", "clients"), **how)).to_dict("records")
    return {str(row["factor"]): row for row in found}


def nested(repeats: int, *, rounds_outside: bool) -> list[dict[str, Any]]:
    keys = [{"layout": layout, "clients": n} for layout, n in itertools.product(*FACTORS.values())]
    both = itertools.product(range(repeats), keys) if rounds_outside else itertools.product(keys, range(repeats))
    pairs = [pair if rounds_outside else pair[::-1] for pair in both]
    return [{"repeat": float(i), **key} for i, key in pairs]


def test_each_round_has_each_condition_once_in_an_order_of_its_own() -> None:
    plan = frame(analysis.interleaved_plan(FACTORS, 4, study="test-2026"))
    assert plan["turn"].tolist() == list(range(1, 25))
    assert plan["repeat"].tolist() == sorted([1.0, 2.0, 3.0, 4.0] * 6)
    orders = [tuple(zip(part["layout"], part["clients"], strict=True)) for _, part in plan.groupby("repeat")]
    assert {frozenset(order) for order in orders} == {frozenset(itertools.product(*FACTORS.values()))}
    assert len(set(orders)) == 4


def test_the_study_seeds_the_order() -> None:
    one, same, other = (analysis.interleaved_plan(FACTORS, 4, study=study) for study in ("x", "x", "y"))
    xr.testing.assert_identical(one, same)
    assert one["layout"].values.tolist() != other["layout"].values.tolist()
    assert one["clients"].attrs["units"] == "1"
    assert (one.attrs["study"], one.attrs["method"][:10]) == ("x", "randomised")


@pytest.mark.parametrize(
    ("factors", "repeats", "message"),
    [
        ({}, 3, "0 factors in 3 rounds: a plan has one or more of both"),
        (FACTORS, 0, "2 factors in 0 rounds"),
        ({"layout": []}, 3, "the levels of layout are none: each once"),
        ({"clients": [1.0, 1.0]}, 3, "the levels of clients are 1, 1: each once"),
    ],
)
def test_plans_of_nothing(factors: dict[str, Any], repeats: int, message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        analysis.interleaved_plan(factors, repeats, study="x")


def test_a_factor_is_a_key() -> None:
    with pytest.raises(UnknownNameError, match="layout"):
        analysis.interleaved_plan({"layuot": ["a"]}, 1, study="x")


def test_what_is_proposed_is_interleaved() -> None:
    plan = frame(analysis.interleaved_plan(FACTORS, 6, study="x"))[["layout", "clients", "repeat"]]
    found = judged(measured([{str(k): v for k, v in row.items()} for row in plan.to_dict("records")]))
    assert {row["interleaving"] for row in found.values()} == {"interleaved"}
    assert max(row["order_share"] for row in found.values()) < 0.05


def test_one_level_after_the_other_by_hand() -> None:
    # ranks 1..36 in two halves: between (18^2 / 4) over (36^2 - 1) / 12
    halves = [{"layout": level, "clients": n} for level in "ab" for n in [1.0, 4.0] * 9]
    row = judged(measured(halves))["layout"]
    share = (18**2 / 4) * 4 / ((36**2 - 1) / 12) / 4
    assert row["order_share"] == pytest.approx((share - 1 / 35) / (1 - 1 / 35))
    assert (row["interleaving"], row["n"]) == ("one level after the other", 36)
    assert row["p_order"] < 1e-6
    assert judged(measured(halves))["clients"]["interleaving"] == "interleaved"
    assert analysis.check_order(measured(halves), ["layout"])["order_share"].attrs["units"] == "1"


def test_repeats_outside_or_inside() -> None:
    inside = judged(measured(nested(5, rounds_outside=False)))
    assert inside["layout"]["interleaving"] == "one level after the other"
    outside = judged(measured(nested(5, rounds_outside=True)))
    assert outside["layout"]["interleaving"] == "interleaved, in the same order in every round"
    assert outside["layout"]["position_share"] > 0.8
    assert outside["clients"]["interleaving"] == "interleaved"


def test_half_of_a_campaign_in_turn() -> None:
    rows = [{"layout": level} for level in [*"ab" * 10, *"a" * 20, *"b" * 20]]
    assert judged(measured(rows), "layout")["layout"]["interleaving"] == "partly one level after the other"


def test_logs_of_a_run_count_once() -> None:
    ds = measured(nested(3, rounds_outside=False))
    twice = xr.concat([ds, ds.assign(start_time=ds["start_time"] + 1e6)], "obs")
    assert judged(twice) == judged(ds)


def test_times_as_logs_have_them() -> None:
    ds = measured(nested(3, rounds_outside=False))
    stamps = np.datetime_as_string(np.datetime64("2026-05-01T00:00:00") + ds["start_time"].values.astype("m8[s]"))
    named = ds.drop_vars("start_time").assign_coords(started=("obs", [f"{one}Z" for one in stamps]))
    shares = [row["order_share"] for found in (judged(named, order="started"), judged(ds)) for row in found.values()]
    assert shares[:2] == pytest.approx(shares[2:])
    with pytest.raises(AnalysisError, match="started of 1 rows is no time: their order is not known"):
        judged(named.assign_coords(started=("obs", ["noon", *named["started"].values[1:]])), order="started")


def test_too_little_to_judge() -> None:
    ds = measured(nested(1, rounds_outside=True))
    assert judged(ds.isel(obs=slice(4)))["layout"]["interleaving"].startswith("too few runs: no order of fewer than 5")
    assert judged(ds.isel(obs=ds["layout"].values == "a"), "layout")["layout"]["interleaving"] == "one level"


def test_questions_that_are_none() -> None:
    ds = measured(nested(2, rounds_outside=True))
    with pytest.raises(AnalysisError, match="the order of runs is one of start_time, started, not repeat"):
        analysis.check_order(ds, ["layout"], order="repeat")
    with pytest.raises(AnalysisError, match="no factor is named: there is nothing to hold against the order"):
        analysis.check_order(ds, [])
    with pytest.raises(AnalysisError, match="start_time of 12 rows is no time"):
        analysis.check_order(ds.assign(start_time=ds["start_time"] * np.nan), ["layout"])
