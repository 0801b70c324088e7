from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from storagelab.analysis import fitted_curves, scaling_fits
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.scaling.campaigns import Curve, curve_of, curves_of, noisy

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
KNEE = 400e6 * np.minimum(1, LEVELS / 5)
HALF = 400e6 * LEVELS / (LEVELS + 3)
LAW = 100e6 * LEVELS / (1 + 0.1 * (LEVELS - 1) + 0.02 * LEVELS * (LEVELS - 1))
NAMES = ["plateau and knee", "saturation", "universal scalability law"]


def campaign(means: np.ndarray[Any, np.dtype[np.float64]], spread: float = 0.03, runs: int = 3) -> Curve:
    rng = np.random.default_rng(7)
    return {level: list(mean * rng.lognormal(0, spread, runs)) for level, mean in zip(LEVELS, means, strict=True)}


def rows(means: np.ndarray[Any, np.dtype[np.float64]], **keys: Any) -> Any:
    return frame(scaling_fits(curve_of(campaign(means), **keys))).set_index("scaling_model")


def test_a_noiseless_curve_gives_its_parameters_and_no_interval() -> None:
    found = frame(scaling_fits(curve_of({n: [a] for n, a in zip(LEVELS, KNEE, strict=True)}))).iloc[0]
    assert (found["throughput"], found["clients_knee"]) == pytest.approx((400e6, 5.0), rel=1e-4)
    assert np.isnan(found["throughput_low"])
    assert found["caveat"].startswith("runs without spread: no interval")
    assert (found["plateau_levels"], found["clients_plateau"]) == ("8, 16", 8)


@pytest.mark.parametrize(("means", "name"), list(zip((KNEE, HALF, LAW), NAMES, strict=True)))
def test_the_right_model_is_preferred_and_its_intervals_hold_the_truth(means: Any, name: str) -> None:
    found = rows(means)
    assert found.index[found["preferred"] == 1].tolist() == [name]
    assert found.loc[name, "aicc_difference"] == 0
    assert (found["aicc_difference"].drop(name) > 2).all()
    row = found.loc[name]
    truths = {
        NAMES[0]: {"throughput": 400e6, "clients_knee": 5, "throughput_one": 80e6},
        NAMES[1]: {"throughput": 400e6, "clients_half": 3, "throughput_one": 100e6},
        NAMES[2]: {"contention": 0.1, "coherency": 0.02, "throughput_one": 100e6, "clients_peak": np.sqrt(0.9 / 0.02)},
    }[name]
    for quantity, truth in truths.items():
        assert row[f"{quantity}_low"] < truth < row[f"{quantity}_high"], quantity
        assert row[f"{quantity}_low"] < row[quantity] < row[f"{quantity}_high"], quantity
    assert (row["n"], row["levels"], row["caveat"]) == (15, 5, "")


@pytest.mark.parametrize(("models", "compared"), [(NAMES[:1], False), (NAMES[:2], True), (NAMES, True)])
def test_models_are_compared_where_there_are_several(models: list[str], compared: bool) -> None:
    found = scaling_fits(curve_of(campaign(KNEE)), models=models)
    assert found.attrs["method"].endswith(", models compared by AICc") is compared


def test_the_top_of_the_law_is_that_of_its_curve() -> None:
    row = rows(LAW).loc[NAMES[2]]
    at = np.linspace(1, 30, 20001)
    one, s, k = (row[name] for name in ("throughput_one", "contention", "coherency"))
    curve = one * at / (1 + s * (at - 1) + k * at * (at - 1))
    assert row["throughput"] == pytest.approx(curve.max(), rel=1e-6)
    assert row["clients_peak"] == pytest.approx(at[curve.argmax()], rel=1e-2)
    assert row["throughput_low"] < row["throughput"] < row["throughput_high"]


def test_units() -> None:
    found = scaling_fits(curve_of(campaign(HALF)))
    pure = (
        "contention",
        "coherency_low",
        "misses",
        "aicc",
        "clients_knee",
        "clients_half_low",
        "clients_peak",
        "levels",
    )
    assert {found[name].attrs["units"] for name in pure} == {"1"}
    assert {found[name].attrs["units"] for name in ("throughput", "throughput_low", "throughput_one_high")} == {"B/s"}
    sizes = scaling_fits(curve_of(campaign(HALF), "file_size"), x="file_size")
    names = ("file_size_knee", "file_size_half", "file_size_plateau", "file_size_half_high")
    assert {sizes[name].attrs["units"] for name in names} == {"B"}
    assert NAMES[2] not in sizes["scaling_model"].values


def test_a_plateau_that_is_not_reached_is_left_open() -> None:
    row = rows(50e6 * LEVELS).loc[NAMES[0]]
    assert np.isnan(row["throughput_high"])
    assert np.isnan(row["clients_knee_high"])
    assert "leave the high end open" in row["caveat"]
    assert rows(50e6 * LEVELS**0).loc[NAMES[0], "caveat"] == "the runs leave the low end open"


def test_what_the_intervals_take_for_granted_is_checked() -> None:
    waves = {
        n: [a * (1.3 if i % 2 else 0.7) * e for e in (0.99, 1, 1.01)]
        for i, (n, a) in enumerate(zip(LEVELS, HALF, strict=True))
    }
    found = frame(scaling_fits(curve_of(waves), models=["saturation"])).iloc[0]
    assert "the model misses the levels by more than the runs scatter" in found["caveat"]
    assert found["p_misfit"] < 0.01
    shifted = noisy(LEVELS, HALF, (0.8, 1.0, 1.2))
    jitter = np.random.default_rng(3)
    shifted = {n: [v * jitter.lognormal(0, 0.01) for v in values] for n, values in shifted.items()}
    assert "repeats shift all levels alike" in frame(scaling_fits(curve_of(shifted)))["caveat"].iloc[1]
    single = frame(scaling_fits(curve_of({n: [v[0]] for n, v in campaign(HALF, 0.1).items()})))
    assert "one run a level: the spread is that of the misses" in single["caveat"].iloc[1]
    some = frame(scaling_fits(curve_of({n: v[: 1 if n == 2 else 3] for n, v in campaign(HALF, 0.1).items()})))
    assert "some levels have one run: their spread is taken from the others" in some["caveat"].iloc[1]


def test_a_spread_that_differs_from_level_to_level_is_no_caveat_but_in_the_interval() -> None:
    spread = np.array([0.001, 0.001, 0.001, 0.3, 0.3])
    rng = np.random.default_rng(5)
    noise = stats.zscore(rng.normal(size=(5, 30)), axis=1)
    curve = {n: list(a * np.exp(s * e)) for n, a, s, e in zip(LEVELS, KNEE, spread, noise, strict=True)}
    found = frame(scaling_fits(curve_of(curve), models=["plateau and knee"])).iloc[0]
    assert found["caveat"] == ""
    upper = np.log([curve[8.0], curve[16.0]])
    parts = upper.var(axis=1, ddof=1) / 30 / 4
    half = stats.t.ppf(0.975, parts.sum() ** 2 / (parts**2 / 29).sum()) * np.sqrt(parts.sum())
    ends = np.exp([upper.mean() - half, upper.mean() + half])
    assert [found["throughput_low"], found["throughput_high"]] == pytest.approx(ends, rel=5e-3)


def test_offsets_that_all_runs_of_a_level_share_are_in_the_interval() -> None:
    shared = KNEE * np.array([1.04, 0.97, 1.03, 0.97, 1.02])
    found = frame(scaling_fits(curve_of(campaign(shared, 0.001, 30)), models=["plateau and knee"])).iloc[0]
    assert found["throughput_low"] < 400e6 < found["throughput_high"]
    assert found["throughput_high"] / found["throughput_low"] > 1.1
    assert "the model misses the levels by more than the runs scatter" in found["caveat"]


def test_too_few_levels() -> None:
    three = {n: v for n, v in campaign(HALF).items() if n < 8}
    found = frame(scaling_fits(curve_of(three))).set_index("scaling_model")
    assert found.loc[NAMES[2], "caveat"] == "3 levels: a fit needs 4"
    assert np.isnan(found.loc[NAMES[2], "contention"])
    assert np.isfinite(found.loc[NAMES[1], "throughput"])
    two = {n: v for n, v in three.items() if n < 4}
    with pytest.raises(AnalysisError, match="no cell has enough levels of clients for a fit: plateau and knee needs 3"):
        scaling_fits(curve_of(two))


def test_unknown_models() -> None:
    with pytest.raises(AnalysisError, match=r"unknown scaling model 'saturaton'.*saturation"):
        scaling_fits(curve_of(campaign(HALF)), models=["saturaton"])
    with pytest.raises(
        AnalysisError, match="universal scalability law is of clients or processes, file_size is a size"
    ):
        scaling_fits(curve_of(campaign(HALF), "file_size"), x="file_size", models=[NAMES[2]])


@settings(max_examples=10)
@given(st.floats(1e-6, 1e6))
def test_a_unit_changes_no_position(times: float) -> None:
    curve = campaign(HALF)
    first = frame(scaling_fits(curve_of(curve), models=["saturation"])).iloc[0]
    second = frame(
        scaling_fits(curve_of({n: [times * v for v in values] for n, values in curve.items()}), models=["saturation"])
    ).iloc[0]
    assert second["clients_half_low"] == pytest.approx(first["clients_half_low"], rel=1.1e-5)
    assert second["throughput_high"] == pytest.approx(times * first["throughput_high"], rel=1.1e-5)


def test_the_order_of_rows_changes_nothing() -> None:
    ds = curves_of({"a": campaign(HALF), "b": campaign(KNEE)})
    turned = ds.isel(obs=np.random.default_rng(1).permutation(ds.sizes["obs"]))
    np.testing.assert_allclose(
        scaling_fits(turned, by=["layout"])["throughput_high"],
        scaling_fits(ds, by=["layout"])["throughput_high"],
        rtol=1e-9,
    )


def test_the_fitted_curve_and_its_band() -> None:
    ds = curve_of(campaign(HALF))
    found = fitted_curves(ds, model="saturation")
    rows_ = frame(found)
    assert len(rows_) == 65
    assert (rows_["throughput_low"] < rows_["throughput"]).all()
    assert (rows_["throughput"] < rows_["throughput_high"]).all()
    fitted = frame(scaling_fits(ds, models=["saturation"])).iloc[0]
    assert rows_["throughput"].iloc[0] == pytest.approx(fitted["throughput_one"])
    assert rows_["throughput_high"].iloc[0] == pytest.approx(fitted["throughput_one_high"], rel=1e-3)
    assert [found[name].attrs["units"] for name in ("clients", "throughput", "throughput_low", "n")] == [
        "1",
        "B/s",
        "B/s",
        "1",
    ]


def test_the_curve_at_chosen_levels_is_that_of_the_preferred_model_of_each_cell() -> None:
    found = frame(fitted_curves(curves_of({"a": campaign(HALF), "b": campaign(KNEE)}), by=["layout"], at=[4.0, 32.0]))
    assert found["scaling_model"].tolist() == [NAMES[1]] * 2 + [NAMES[0]] * 2
    assert found["clients"].tolist() == [4, 32] * 2
    assert found["caveat"].tolist() == ["", "outside the levels with runs"] * 2
    assert found["throughput"].tolist() == pytest.approx([400e6 * 4 / 7, 400e6 * 32 / 35, 320e6, 400e6], rel=0.05)
