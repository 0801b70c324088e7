"""When the runs of two sides were made, and what of that forbids a verdict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from storagelab.analysis import (
    compare,
    mean_ratios,
    quantile_ratios,
    shift_functions,
    summarise,
    variance_components,
    winners,
)
from storagelab.analysis.comparison.sides import ONE_AFTER_THE_OTHER, OTHER_DAYS
from storagelab.analysis.inference.dependence import (
    LESS_THAN_ONE,
    NOT_EXCLUDED,
    STRONG,
    TAKEN_FOR_INDEPENDENT,
    freedom,
    widening,
)
from storagelab.analysis.repeats.summary import tail
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node
from tests.simulations.dependence import correlated

DAY, HOUR = 86400.0, 3600.0
SIDES = ("throughput", "layout", "a", "b")


def campaign(starts: dict[str, list[float]], cells: int = 1, noise: float = 0.02, **more: Any) -> xr.Dataset:
    rng = np.random.default_rng(8)
    height = {"a": 1.0, "b": 2.0}
    rows = [
        {
            "layout": side, "clients": float(cell), "run_id": f"{side}{cell}.{place}", "repeat": place + 1.0,
            "start_time": start + cell, "throughput": height[side] * 1e8 * float(np.exp(noise * rng.normal())),
            **{key: of(place) for key, of in more.items()},
        }
        for cell in range(cells)
        for side, whole in starts.items()
        for place, start in enumerate(whole)
    ]  # fmt: skip
    return node(rows)


def first(count: int) -> list[float]:
    return [HOUR * place / 10 for place in range(count)]


def test_sides_of_different_days_are_not_told_apart_by_anything_else() -> None:
    apart = campaign({"a": first(4), "b": [DAY + start for start in first(4)]})
    for found in (compare(apart, *SIDES), mean_ratios(apart, *SIDES)):
        assert (found["verdict"].item(), found["undecided"].item()) == ("undecided", "not comparable")
        assert found["caveat"].item() == OTHER_DAYS
        assert np.isnan([found["p"].item(), found["ratio_low"].item()]).all()


def test_several_days_a_side_are_runs() -> None:
    days = {"a": [0, HOUR, 2 * DAY, 4 * DAY], "b": [DAY, 3 * DAY, 3 * DAY + HOUR, 5 * DAY]}
    found = compare(campaign(days), *SIDES)
    assert (found["verdict"].item(), found["n"].item(), found["n_base"].item()) == ("higher", 3, 3)
    assert found.attrs["unit"] == "day"
    two = compare(campaign({"a": [0, 2 * DAY], "b": [DAY, 3 * DAY]}), *SIDES)
    assert two["undecided"].item() != "not comparable"


def test_one_side_after_the_other_is_refused_until_dependence_is_excluded() -> None:
    in_turn = {"a": first(5), "b": [HOUR + start for start in first(5)]}
    few = compare(campaign(in_turn), *SIDES)
    assert (few["verdict"].item(), few["caveat"].item()) == ("undecided", ONE_AFTER_THE_OTHER)
    turns = {"a": [2 * start for start in first(5)], "b": [2 * start + 60 for start in first(5)]}
    mixed = compare(campaign(turns), *SIDES)
    assert (mixed["verdict"].item(), mixed["caveat"].item()) == ("higher", "")
    rows = [
        {"layout": side, "clients": float(cell), "run_id": f"{side}{cell}.{n}", "repeat": n + 1.0,
         "start_time": 1e4 * "ab".index(side) + 100.0 * cell + n, "throughput": float(value)}
        for side in "ab" for cell in range(60)
        for n, value in enumerate(1 + 0.02 * np.random.default_rng(cell).normal(size=8) + "ab".index(side))
    ]  # fmt: skip
    many = compare(node(rows), *SIDES, ["clients"])
    assert set(many["verdict"].values) == {"higher"}


def test_a_strong_dependence_widens_and_is_told() -> None:
    rng = np.random.default_rng(5)
    rows = [
        {"clients": float(cell), "run_id": f"{cell}.{n}", "repeat": n + 1.0, "throughput": 1 + 0.05 * value}
        for cell in range(40) for n, value in enumerate(correlated(rng, 10, 0.7).tolist())
    ]  # fmt: skip
    found = summarise(node(rows), "throughput", ["clients"])
    assert set(found["caveat"].values) == {STRONG}
    assert found["lag_1_correlation"][0].item() == pytest.approx(0.7, abs=0.12)
    assert (found["n_effective"] < 4).all()
    half = (found["throughput_high"] - found["throughput_low"]) / 2
    rho = found["lag_1_correlation"][0].item()
    error = found["throughput_std"] * np.sqrt(widening(10, rho) / 10)
    assert np.allclose(half, stats.t.ppf(0.975, freedom(10, rho)) * error)


def test_runs_that_say_less_than_one_have_no_interval_and_no_verdict() -> None:
    rng = np.random.default_rng(5)
    rows = [
        {"layout": side, "clients": float(cell), "run_id": f"{side}{cell}.{n}", "repeat": n + 1.0,
         "throughput": float(np.exp(0.05 * value + "ab".index(side)))}
        for side in "ab" for cell in range(60)
        for n, value in enumerate(correlated(rng, 5, 0.95).tolist())
    ]  # fmt: skip
    means = summarise(node(rows), "throughput", ["layout", "clients"])
    assert np.isnan(means["throughput_low"]).all()
    assert (set(means["caveat"].values), set(means["n_effective"].values)) == ({LESS_THAN_ONE}, {0})
    for judged in (compare, mean_ratios):
        found = judged(node(rows), *SIDES, ["clients"])
        assert set(found["caveat"].values) == {LESS_THAN_ONE}
        assert set(found["verdict"].values) == {"undecided"}
    ranked = winners(node(rows), "throughput", "layout", ["clients"], best="highest")
    assert (ranked["winner"] == 1).all()


def test_a_block_is_a_run_also_where_repeats_are_numbered() -> None:
    values = [1.0, 1.1, 2.0, 2.1, 3.0, 3.1]
    rows = [
        {"run_id": str(n), "repeat": n + 1.0, "block": n // 2 + 1.0, "throughput": value}
        for n, value in enumerate(values)
    ]
    found = summarise(node(rows), "throughput", [])
    assert (found["n"].item(), found.attrs["unit"]) == (3, "block")
    assert found["icc"].item() == pytest.approx(0.99, abs=0.01)


def test_conditions_are_no_repetitions() -> None:
    rows = [
        {"clients": clients, "repeat": repeat, "run_id": f"{clients}.{repeat}", "throughput": clients * 10 + repeat}
        for clients in (1.0, 2.0, 4.0) for repeat in (1.0, 2.0, 3.0)
    ]  # fmt: skip
    fixed = summarise(node(rows), "throughput", [], over=["clients"])
    assert (fixed["n"].item(), fixed["throughput_std"].item()) == (3, pytest.approx(1))
    assert "over these 3 conditions" in fixed.attrs["method"]
    sampled = summarise(node(rows), "throughput", [], over=["clients"], conditions="sampled")
    assert (sampled["n"].item(), sampled.attrs["unit"]) == (3, "condition")
    assert sampled["throughput_std"].item() == pytest.approx(np.std([12, 22, 42], ddof=1))
    lacking = summarise(node(rows[:-1]), "throughput", [], over=["clients"])
    assert lacking["throughput_std"].item() == pytest.approx(np.std([-5 / 6, 1 / 6, 1], ddof=1))
    assert fixed["throughput"].item() == pytest.approx(np.mean([12, 22, 42]))
    half = summarise(node(rows[:5]), "throughput", [], over=["clients"])
    assert half["n"].item() == 3, "a repeat of half of the conditions counts"


def test_a_confidence_of_ones_own_and_its_limits() -> None:
    ds = campaign({"a": first(5), "b": [start + 60 for start in first(5)]})
    widths = []
    for confidence in (0.8, 0.95, 0.99):
        found = compare(ds, *SIDES, confidence=confidence)
        widths.append(float(found["ratio_high"].item() - found["ratio_low"].item()))
        mean = summarise(ds, "throughput", ["layout"], confidence=confidence)
        assert f"{100 * confidence:g} % t interval" in mean.attrs["method"]
    assert widths == sorted(widths)
    calls = (
        lambda: compare(ds, *SIDES, confidence=95),
        lambda: summarise(ds, "throughput", [], confidence=95, over=["layout"]),
    )
    for call in calls:
        with pytest.raises(AnalysisError, match=r"a confidence lies between 0 and 1, not at 95: 0\.95 is 95 %"):
            call()
    for end in (0, 1):
        with pytest.raises(AnalysisError, match=f"a confidence lies between 0 and 1, not at {end}:"):
            compare(ds, *SIDES, confidence=end)
    with pytest.raises(AnalysisError, match="an interval by 'bca' has 95 %, not 90 %: ask for 't'"):
        summarise(ds, "throughput", ["layout"], interval="bca", confidence=0.9)


def test_sides_may_lend_each_other_their_spread() -> None:
    ds = campaign({"a": first(3), "b": [start + 60 for start in first(3)]}, cells=30)
    own, lent = (compare(ds, *SIDES, ["clients"], spread=spread) for spread in ("own", "shrunken"))  # type: ignore[arg-type]
    assert (lent["freedom"] > own["freedom"]).all()
    assert "prior spread" in lent.attrs["prior"]
    assert (lent["ratio"] == own["ratio"]).all()


def test_an_undecided_row_says_what_it_could_have_shown() -> None:
    ds = campaign({"a": first(4), "b": [start + 60 for start in first(4)]}, noise=1.0)
    found = compare(ds, *SIDES)
    assert (found["verdict"].item(), found["undecided"].item()) == ("undecided", "cannot tell")
    assert found["detectable"].item() > found["ratio"].item()


def test_components_of_variance() -> None:
    rng = np.random.default_rng(9)
    shared = rng.normal(0, 0.2, 12)
    rows = [
        {"clients": float(c), "round": r + 1.0, "repeat": r + 1.0, "run_id": f"{c}.{r}",
         "throughput": float(np.exp(shared[r] + 0.1 * rng.normal()))}
        for c in range(20) for r in range(12)
    ]  # fmt: skip
    found = variance_components(node(rows), "throughput", ["clients"]).set_index(obs="shared_by")
    assert found["icc"].sel(obs="round").item() == pytest.approx(0.8, abs=0.12)
    assert found["within_std"].sel(obs="round").item() == pytest.approx(0.1, rel=0.1)
    with pytest.raises(AnalysisError, match="no repeat has several levels with several runs each"):
        variance_components(node(rows[:1]), "throughput", ["clients"], units=["repeat"])


def test_few_runs_in_order_are_flagged() -> None:
    assert summarise(campaign({"a": first(4)}), "throughput", [])["caveat"].item() == NOT_EXCLUDED


def test_candidates_of_different_days_tie_and_say_so() -> None:
    ds = campaign({"a": first(4), "b": [DAY + start for start in first(4)]})
    found = frame(winners(ds, "throughput", "layout", [], best="highest")).set_index("layout")
    assert (found["winner"].tolist(), found.loc["a", "caveat"]) == ([1, 1], OTHER_DAYS)
    turns = {"a": first(4), "b": [start + 60 for start in first(4)]}
    mixed = frame(winners(campaign(turns), "throughput", "layout", [], best="highest")).set_index("layout")
    assert mixed["winner"].to_dict() == {"a": 0, "b": 1}


@pytest.mark.parametrize("how", [{}, {"spread": "pooled"}, {"blocks": "repeat"}])
def test_dependence_widens_what_candidates_are_told_apart_by(how: dict[str, Any]) -> None:
    rng = np.random.default_rng(7)
    rows = [
        {"filesystem": one, "operation": f"o{cell}", "repeat": n + 1.0, "run_id": f"{one}{cell}.{n}",
         "operation_rate": float(np.exp(0.05 * value))}
        for cell in range(20) for one in "abcd" for n, value in enumerate(correlated(rng, 10, 0.5).tolist())
    ]  # fmt: skip
    told = winners(node(rows), "operation_rate", "filesystem", ["operation"], **how)
    shuffled = [{**row, "repeat": 1.0 + (2 * row["repeat"]) % 10} for row in rows]
    untold = winners(node(shuffled), "operation_rate", "filesystem", ["operation"], **how)
    assert told["lag_1_correlation"][0] > 0.3 > untold["lag_1_correlation"][0]
    widths = [float(np.nanmedian(np.log(one["ratio_high"] / one["ratio_low"]))) for one in (told, untold)]
    assert widths[0] > 1.5 * widths[1]


def test_the_shape_of_ten_runs_or_more_is_looked_at() -> None:
    values = [*np.random.default_rng(1).normal(1, 0.02, 29), 0.2]
    rows = [{"run_id": str(n), "throughput": value} for n, value in enumerate(values)]
    assert tail(np.array(values), "low") != "" == tail(np.array(values), None)
    assert tail(np.array(values[-9:]), "low") == ""
    assert "slow" in summarise(node(rows), "throughput", [])["caveat"].item()


@pytest.mark.parametrize(("rho", "caveats"), [(0.9, (TAKEN_FOR_INDEPENDENT, STRONG)), (0.0, ("", ""))])
def test_an_interval_that_is_no_wider_for_dependent_runs_takes_them_for_independent(
    rho: float, caveats: tuple[str, str]
) -> None:
    """Sides by turns, twenty runs each: their means are compared with a wider interval, their quantiles are not."""
    noise = correlated(np.random.default_rng(3), 400, rho).tolist()
    rows = [
        {"layout": "ab"[at // 20 % 2], "run_id": f"r{at}", "start_time": 30.0 * at, "throughput": 100 + value}
        for at, value in enumerate(noise)
    ]
    ds, (alone, widened) = node(rows), caveats
    assert quantile_ratios(ds, *SIDES)["caveat"].item() == alone
    assert set(shift_functions(ds, *SIDES)["caveat"].values) == {alone}
    assert mean_ratios(ds, *SIDES, interval="bootstrap")["caveat"].item() == alone
    assert mean_ratios(ds, *SIDES)["caveat"].item() == widened


def test_quantiles_of_sides_of_different_days_say_so() -> None:
    apart = campaign({"a": first(8), "b": [DAY + start for start in first(8)]})
    found = quantile_ratios(apart, *SIDES)
    assert found["caveat"].item() == OTHER_DAYS
    assert found["ratio_low"].item() > 1
