"""Quantiles of two sides, and intervals below a limit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import mstats

from storagelab.analysis.inference.bounded_intervals import log_deficits, typical_below
from storagelab.analysis.inference.intervals import log_t_interval
from storagelab.analysis.inference.mean_differences import Side
from storagelab.analysis.inference.quantile_comparison import DECILES, FEWEST, quantile, quantile_ratio, shift_function
from storagelab.analysis.inference.quantiles import quantile_interval
from storagelab.errors import AnalysisError

RNG = np.random.default_rng(8)
A, B = RNG.lognormal(0.2, 0.1, 30), RNG.lognormal(0.0, 0.1, 30)


def test_quantiles_are_those_of_harrell_and_davis() -> None:
    assert quantile(A, DECILES) == pytest.approx(np.asarray(mstats.hdquantiles(A, DECILES)))
    assert quantile(np.stack([A, B]), 0.5)[0] == pytest.approx([quantile(A, 0.5)[0], quantile(B, 0.5)[0]])


def test_arms_are_squared_and_added() -> None:
    a, b = A[:8], B[:10]
    low, high = quantile_ratio(a, b)
    (al, au), (bl, bu) = quantile_interval(a), quantile_interval(b)
    x, y = np.log(np.median(a)), np.log(np.median(b))
    x, y = float(np.median(np.log(a))), float(np.median(np.log(b)))
    assert np.log(low) == pytest.approx(x - y - np.hypot(x - np.log(al), np.log(bu) - y))
    assert np.log(high) == pytest.approx(x - y + np.hypot(np.log(au) - x, y - np.log(bl)))


def test_the_ratio_turns_round() -> None:
    low, high = quantile_ratio(A, B)
    assert quantile_ratio(B, A) == pytest.approx((1 / high, 1 / low))


@pytest.mark.parametrize(("a", "b"), [(A[:5], B), (A, B[:5]), (np.ones(9), B)])
def test_no_interval(a: np.ndarray, b: np.ndarray) -> None:
    assert np.isnan(quantile_ratio(a, b)).all()


def test_a_shift_of_all_deciles() -> None:
    found = shift_function(A, B, np.random.default_rng(1))
    assert found.q.tolist() == list(DECILES)
    assert found.ratio == pytest.approx(np.exp(quantile(np.log(A), DECILES) - quantile(np.log(B), DECILES)))
    assert (found.low < found.ratio).all()
    assert (found.ratio < found.high).all()
    assert ((found.low < np.exp(0.2)) & (found.high > np.exp(0.2))).all()


def test_refusals() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(AnalysisError, match=f"5 runs a side: a shift function needs {FEWEST}"):
        shift_function(A, B[:5], rng)
    with pytest.raises(AnalysisError, match="runs without spread have no shift function"):
        shift_function(A, np.ones(30), rng)
    with pytest.raises(AnalysisError, match="1 of 3 runs are not positive, ratios need that"):
        quantile_ratio([1.0, 0.0, 2.0], B)
    with pytest.raises(AnalysisError, match="1 of 3 runs reach the limit of 10: it is none"):
        log_deficits([9.0, 10.0, 8.0], 10.0)


def test_below_a_limit() -> None:
    x = np.array([9.0, 8.0, 9.5, 7.0])
    low, high = log_t_interval(10 - x)
    value, interval = typical_below(10.0, Side(log_deficits(x, 10.0)))
    assert interval == pytest.approx((10 - high, 10 - low))
    assert value == pytest.approx(10 - np.exp(np.log(10 - x).mean()))
    assert np.isnan(typical_below(10.0, Side(log_deficits([9.0], 10.0)))[1]).all()
