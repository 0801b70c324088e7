from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from storagelab.analysis import compare_given, mean_ratios, pair_ratios
from storagelab.analysis.comparison.means import METHODS
from storagelab.analysis.inference.dependence import NOT_EXCLUDED
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.comparison.campaigns import LAYOUTS, MANY, SIDES, SYSTEMS, means, published
from tests.analysis.tables import node

A, B = (8.0, 9.0, 10.5), (10.0, 11.0, 13.0, 12.0)


@pytest.mark.parametrize(("system", "ratio", "error"), [("hadoop", 0.6295, 0.0085), ("bluearc", 0.6494, 0.0039)])
@pytest.mark.parametrize("interval", ["fieller", "propagation"])
def test_two_file_systems_over_lustre_by_hand(system: str, ratio: float, error: float, interval: str) -> None:
    found = compare_given(SYSTEMS, "throughput", "filesystem", "lustre", system, interval=interval).isel(obs=0)  # type: ignore[arg-type]
    assert found["ratio"] == pytest.approx(ratio, abs=5e-5)
    assert found["ratio_error"] == pytest.approx(error, abs=5e-5)
    assert found["ratio_low"] == pytest.approx(ratio - 1.96 * error, abs=3e-4)
    assert found["ratio_high"] == pytest.approx(ratio + 1.96 * error, abs=3e-4)
    assert found["verdict"] == "lower"


def test_not_compatible_and_yet_equivalent() -> None:
    found = compare_given(MANY, *SIDES, margin=0.05).isel(obs=0)
    assert found["ratio"] == pytest.approx(1 - 0.0223, abs=5e-5)
    # 1.645 sqrt((0.06 / 12.55)^2 + (0.08 / 12.27)^2) = 0.0133 around the log of the ratio
    assert found["ratio_low_equivalence"] == pytest.approx(np.exp(-0.02256 - 0.01330), abs=5e-5)
    assert found["ratio_high_equivalence"] == pytest.approx(np.exp(-0.02256 + 0.01330), abs=5e-5)
    assert 0.95 < found["ratio_low_equivalence"] < found["ratio_high_equivalence"] < 1.05
    assert found["p_equivalent"] < 0.05
    assert found["verdict"] == "lower, within the margin"
    assert compare_given(MANY, *SIDES, margin=0.03)["verdict"].item() == "lower"


@pytest.mark.parametrize("counted", ["n", "samples"])
def test_a_standard_deviation_of_known_runs_makes_the_standard_error(counted: str) -> None:
    means_of = node({"layout": name, "throughput": mean} for name, mean in (("bare-metal", 100.0), ("virtual", 90.0)))
    error = ("obs", [2.0, 2.0], {"units": "B/s"})
    spread = {"throughput_std": ("obs", [6.0, 4.0], {"units": "B/s"}), counted: ("obs", [9.0, 4.0], {"units": "1"})}
    sides = ("throughput", "layout", "bare-metal", "virtual")
    found = compare_given(means_of.assign(spread), *sides)
    runs = {counted: spread[counted]}
    assert found.identical(compare_given(means_of.assign(throughput_error=error, **runs), *sides))
    with pytest.raises(AnalysisError, match="need a standard error: throughput_error, or throughput_std with n"):
        compare_given(means_of.assign(throughput_std=spread["throughput_std"]), *sides)


def test_fieller_is_the_set_of_ratios_that_a_t_test_does_not_refuse() -> None:
    found = mean_ratios(means(A, B), *LAYOUTS).isel(obs=0)
    ratio = np.mean(A) / np.mean(B)
    ends = np.var(A, ddof=1) / 3, np.var(B, ddof=1) / 4
    parts = ends[0], ratio**2 * ends[1]
    t = stats.t.ppf(0.975, sum(parts) ** 2 / (parts[0] ** 2 / 2 + parts[1] ** 2 / 3))

    def refused(r: float) -> float:
        return float((np.mean(A) - r * np.mean(B)) ** 2 - t**2 * (ends[0] + r**2 * ends[1]))

    low, high = optimize.brentq(refused, 0.3, ratio), optimize.brentq(refused, ratio, 2)
    assert (found["ratio"], found["ratio_low"], found["ratio_high"]) == pytest.approx((ratio, low, high))
    assert found["p"] == pytest.approx(stats.ttest_ind(A, B, equal_var=False).pvalue)
    assert (found["n"], found["n_base"], found["caveat"]) == (3, 4, NOT_EXCLUDED)


def test_an_open_interval_is_none() -> None:
    found = mean_ratios(means((1.0, 1.1, 0.9), (0.1, 1.0, 2.5)), *LAYOUTS).isel(obs=0)
    assert np.isnan([found["ratio_low"], found["ratio_high"]]).all()
    assert found["ratio"] == pytest.approx(1 / 1.2)
    assert found["caveat"] == "the base is not told from zero: no interval"


def test_propagation_by_hand_and_where_it_is_not_claimed() -> None:
    found = mean_ratios(means(A, B), *LAYOUTS, interval="propagation").isel(obs=0)
    relative = stats.sem(A) / np.mean(A), stats.sem(B) / np.mean(B)
    error = np.mean(A) / np.mean(B) * np.hypot(*relative)
    df = np.hypot(*relative) ** 4 / (relative[0] ** 4 / 2 + relative[1] ** 4 / 3)
    assert found["ratio_error"] == pytest.approx(error)
    assert found["ratio_high"] - found["ratio"] == pytest.approx(stats.t.ppf(0.975, df) * error)
    wide = mean_ratios(means(A, (5.0, 11.0, 13.0, 9.0)), *LAYOUTS, interval="propagation")
    assert wide["caveat"].item() == "the base is known to 18 % only: use fieller"


def _ratio(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
    return np.asarray(a.mean(axis) / b.mean(axis))


def test_a_bootstrap_is_that_of_scipy_at_the_expanded_level_and_needs_ten_runs() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(2, 0.2, 12), rng.normal(1, 0.1, 10)
    found = mean_ratios(means(x, y), *LAYOUTS, interval="bootstrap").isel(obs=0)
    level = 2 * stats.norm.cdf(np.sqrt(10 / 9) * stats.t.ppf(0.975, 9)) - 1
    other = stats.bootstrap((x, y), _ratio, confidence_level=level, random_state=np.random.default_rng(9))
    ends = other.confidence_interval
    assert (found["ratio_low"], found["ratio_high"]) == pytest.approx((ends.low, ends.high), rel=0.02)
    assert found["caveat"] in ("", NOT_EXCLUDED)
    again = mean_ratios(means(x, y), *LAYOUTS, interval="bootstrap").isel(obs=0)
    assert (found["ratio_low"], found["ratio_high"]) == (again["ratio_low"], again["ratio_high"])
    few = mean_ratios(means(x[:9], y), *LAYOUTS, interval="bootstrap").isel(obs=0)
    assert np.isnan(few["ratio_low"])
    assert few["caveat"] == "9 runs: bootstrap needs 10"


@pytest.mark.parametrize(
    ("a", "b", "caveat"),
    [
        ((1.0,), (2.0, 2.1), "one run a side: no interval"),
        ((1.0, 1.0), (2.0, 2.0), "no spread: no interval"),
        ((1.0, 4.0, 9.0), (20.0, 21.0), "runs differ by factors: compare has the ratio of geometric means"),
    ],
)
def test_caveats(a: tuple[float, ...], b: tuple[float, ...], caveat: str) -> None:
    assert mean_ratios(means(a, b), *LAYOUTS)["caveat"].item() == caveat


def test_what_cannot_be_asked() -> None:
    with pytest.raises(AnalysisError, match="a mean of throughput is not positive"):
        mean_ratios(means((0.0, 0.0), (1.0, 2.0)), *LAYOUTS)
    with pytest.raises(AnalysisError, match="a mean of throughput is not positive"):
        compare_given(published(("bare-metal", 0.0, 0.1), ("virtual", 1.0, 0.1)), *SIDES)
    with pytest.raises(AnalysisError, match="no cell has throughput of both layout=distribute and layout=replicate"):
        mean_ratios(means(A, B).assign_coords(clients=("obs", [1.0] * 3 + [2.0] * 4)), *LAYOUTS, ["clients"])


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([2.0**-10, 3.0, 1024.0]), st.permutations(range(7)))
def test_neither_units_nor_the_order_of_rows_matter(factor: float, order: list[int]) -> None:
    plain, other = means(A, B), means(np.multiply(A, factor), np.multiply(B, factor)).isel(obs=order)
    for interval in ("fieller", "propagation"):
        found = [frame(mean_ratios(ds, *LAYOUTS, interval=interval, margin=0.1)) for ds in (plain, other)]  # type: ignore[arg-type]
        names = found[0].select_dtypes("number").columns
        assert np.allclose(found[0][names], found[1][names], equal_nan=True)


def test_units_and_method() -> None:
    found = mean_ratios(means(A, B), *LAYOUTS, margin=0.1)
    for name in (
        "ratio",
        "ratio_error",
        "ratio_low",
        "ratio_high",
        "ratio_low_equivalence",
        "ratio_high_equivalence",
        "n",
        "n_base",
        "p",
    ):
        assert found[name].attrs["units"] == "1"
    assert METHODS["fieller"] in found.attrs["method"]
    assert found["ratio_error"].attrs["long_name"] == "standard error of ratio to the base"
    assert pair_ratios(means(A, B), *LAYOUTS, [])["ratio"].attrs["units"] == "1"
