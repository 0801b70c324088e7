from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis import compare_series, series_offsets
from storagelab.analysis.inference.least_squares import Fit
from storagelab.analysis.inference.series_offsets import p_of_series
from storagelab.dataset import frame, select
from storagelab.errors import AnalysisError
from tests.analysis.comparison.campaigns import series
from tests.analysis.tables import node

SIDES = ("throughput", "layout", "replicate", "32:4")


def test_offsets_by_hand() -> None:
    ds = series()
    found = frame(series_offsets(ds, "throughput", "layout"))
    rows = frame(ds).assign(log=lambda one: np.log(one["throughput"]))
    means = rows.groupby(["layout", "repeat"])["log"].mean()
    offsets = np.exp(means - means.groupby("layout").transform("mean"))
    assert found["series_offset"].tolist() == pytest.approx(offsets.tolist())
    assert (found["n"] == 6).all()
    assert (found["series_offset_low"] < found["series_offset"]).all()
    assert found["p_adjusted"].min() >= found["p"].min()


def test_with_series_it_is_students_t_on_their_means() -> None:
    ds = select(series(), layout=["replicate", "32:4"])
    found = frame(compare_series(ds, *SIDES, margin=0.12)).set_index("case")
    means = frame(ds).assign(log=lambda one: np.log(one["throughput"])).groupby(["layout", "repeat"])["log"].mean()
    test = stats.ttest_ind(means["32:4"], means["replicate"])
    row = found.loc["with series offsets"]
    low, high = test.confidence_interval(0.95)
    assert (row["ratio_low"], row["ratio_high"]) == pytest.approx((np.exp(low), np.exp(high)))
    assert row["p"] == pytest.approx(test.pvalue)
    assert (row["n"], row["n_base"], row["caveat"]) == (3, 3, "")
    pooled = np.sqrt((means["32:4"].var() + means["replicate"].var()) / 2)
    assert row["series_spread"] == pytest.approx(pooled)
    assert row["series_spread_low"] == pytest.approx(pooled * np.sqrt(4 / stats.chi2.ppf(0.975, 4)))
    assert row["series_spread_high"] == pytest.approx(pooled * np.sqrt(4 / stats.chi2.ppf(0.025, 4)))


def test_without_series_it_is_the_additive_model_of_statsmodels() -> None:
    from statsmodels.regression.linear_model import OLS

    ds = select(series(), layout=["replicate", "32:4"])
    rows = frame(ds).assign(log=lambda one: np.log(one["throughput"]), slow=lambda one: one["layout"] == "32:4")
    fit = OLS.from_formula("log ~ C(file_size) + slow", rows).fit()
    row = frame(compare_series(ds, *SIDES)).set_index("case").loc["runs independent"]
    assert np.log([row["ratio_low"], row["ratio_high"]]) == pytest.approx(fit.conf_int().loc["slow[T.True]"].tolist())
    assert row["p"] == pytest.approx(fit.pvalues["slow[T.True]"])
    nested = OLS.from_formula("log ~ C(file_size) + C(layout) : C(repeat)", rows).fit()
    assert row["p_series"] == pytest.approx(nested.compare_f_test(fit)[1])
    assert (row["n"], row["caveat"]) == (18, "series differ: runs are not independent")


def test_a_mixed_model_finds_the_same_ratio_and_the_same_error() -> None:
    from statsmodels.regression.mixed_linear_model import MixedLM

    ds = select(series(count=6), layout=["replicate", "32:4"])
    rows = frame(ds).assign(log=lambda one: np.log(one["throughput"]), slow=lambda one: one["layout"] == "32:4")
    rows["series"] = rows["layout"] + rows["repeat"].astype(str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mixed = MixedLM.from_formula("log ~ C(file_size) + slow", rows, groups="series").fit(reml=True)
    row = frame(compare_series(ds, *SIDES)).set_index("case").loc["with series offsets"]
    assert np.log(row["ratio"]) == pytest.approx(mixed.params["slow[T.True]"], abs=1e-4)
    error = np.log(row["ratio_high"] / row["ratio"]) / stats.t.ppf(0.975, 10)
    assert error == pytest.approx(mixed.bse["slow[T.True]"], rel=0.02)


def test_a_shift_of_series_hides_a_small_loss_and_runs_alone_do_not_say_so() -> None:
    found = frame(compare_series(series(seed=4, shift=0.15, loss=1.0), *SIDES)).set_index("case")
    assert found.loc["with series offsets", "verdict"] == "undecided"
    width = found["ratio_high"] / found["ratio_low"]
    assert width["runs independent"] < width["with series offsets"]
    assert (found["p_series"] < 0.001).all()


def test_a_series_that_lacks_a_level_is_not_taken_for_slow() -> None:
    ds = series(shift=0.0, noise=1e-6, loss=0.5)
    lost = ds.isel(obs=~((ds["repeat"] == 1) & (ds["layout"] == "32:4") & (ds["file_size"] == 2.0**20)).to_numpy())
    found = frame(compare_series(lost, *SIDES)).set_index("case")
    assert found.loc["with series offsets", "ratio"] == pytest.approx(0.5, rel=1e-4)


def test_what_cannot_be_asked() -> None:
    ds = series()
    with pytest.raises(AnalysisError, match="each layout has one series only"):
        series_offsets(select(ds, repeat=1.0), "throughput", "layout")
    apart = ds.isel(obs=((ds["repeat"] == 1) == (ds["file_size"] == 2.0**20)).to_numpy())
    with pytest.raises(AnalysisError, match="no level in common"):
        series_offsets(apart, "throughput", "layout")
    with pytest.raises(AnalysisError, match="of both layout=replicate and layout=16:2"):
        compare_series(ds, "throughput", "layout", "replicate", "16:2")
    unknown = np.where(ds["repeat"] == 1, np.nan, ds["file_size"])
    with pytest.raises(AnalysisError, match="of some runs file_size is not known: at which level"):
        series_offsets(ds.assign_coords(file_size=("obs", unknown, ds["file_size"].attrs)), "throughput", "layout")


def test_one_series_of_a_configuration_has_no_offset_but_can_be_compared() -> None:
    ds = series()
    some = ds.isel(obs=~((ds["layout"] == "32:4") & (ds["repeat"] > 1)).to_numpy())
    offsets = frame(series_offsets(some, "throughput", "layout")).set_index("layout")
    assert np.isnan(offsets.loc["32:4", "series_offset_low"])
    assert offsets.loc["32:4", "caveat"].startswith("no other series of its kind")
    found = frame(compare_series(some, *SIDES)).set_index("case").loc["with series offsets"]
    assert (found["n"], found["n_base"]) == (1, 3)
    assert found["ratio_low"] < found["ratio"] < found["ratio_high"]


def test_one_run_a_level_and_series_without_noise() -> None:
    rows = [
        {"layout": layout, "repeat": repeat, "file_size": size, "throughput": 1e8 * size, "run_id": f"{repeat}{size}"}
        for layout in ("replicate", "32:4")
        for repeat in (1, 2)
        for size in (1.0, 2.0)
    ]
    found = frame(compare_series(node(rows), *SIDES))
    assert found["ratio_low"].isna().all()
    assert (found["caveat"] == "no spread: no interval").all()


def test_units() -> None:
    offsets, compared = series_offsets(series(), "throughput", "layout"), compare_series(series(), *SIDES, margin=0.1)
    for name in ("series_offset", "series_offset_low", "series_offset_high", "n", "p", "p_adjusted"):
        assert offsets[name].attrs["units"] == "1"
    for name in (
        "ratio",
        "ratio_low",
        "ratio_high",
        "series_spread",
        "series_spread_low",
        "p_series",
        "ratio_low_equivalence",
    ):
        assert compared[name].attrs["units"] == "1"


@pytest.mark.parametrize(
    ("squares", "freedom", "p"),
    [
        (1.0, 1.0, 1 - 2 / np.pi * np.arctan(np.sqrt(2.0))),
        (0.0, 1.0, np.nan),
        (1.0, 0.0, np.nan),
        (1.0, 2.0, np.nan),
    ],
)
def test_offsets_of_series_are_tested_where_something_is_left_to_test_them_by(
    squares: float, freedom: float, p: float
) -> None:
    """F of one and one degree of freedom is the square of Cauchy's distribution."""
    of_series, of_configurations = (
        Fit(np.zeros(0), np.zeros((0, 0)), *left) for left in ((squares, freedom), (3.0, 2.0))
    )
    assert p_of_series(of_series, of_configurations) == pytest.approx(p, nan_ok=True)
