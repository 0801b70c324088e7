from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from storagelab.analysis.inference.trend_tests import p_of_rounds, trend

X = np.arange(9.0)
Y = np.array([1.2, 0.7, 2.5, 2.2, 3.1, 2.9, 2.0, 4.2, 3.3])


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_one_cell_is_kendall_and_theil_and_sen_of_scipy() -> None:
    found = trend([(X, Y)], rng())
    tau, slope = stats.kendalltau(X, Y, method="exact"), stats.theilslopes(Y, X)
    assert (found.tau, found.p) == pytest.approx((tau.statistic, tau.pvalue))
    assert found.slope == pytest.approx(slope.slope)


def test_four_that_rise_by_hand() -> None:
    # of 4! orders two are as extreme; of the 6 slopes 1, 1, 1, 1, 1, 1 the median is 1
    found = trend([(X[:4], X[:4])], rng())
    assert (found.tau, found.slope, found.p) == pytest.approx((1.0, 1.0, 2 / 24))
    assert np.isnan(found.interval).all(), "no slope is refused at 5 %"


def test_two_cells_by_hand_from_all_their_orders() -> None:
    cells = [(X[:3], np.array([1.0, 5.0, 9.0])), (X[:3], np.array([200.0, 100.0, 300.0]))]
    score = {order: sum(np.sign(b - a) for a, b in itertools.combinations(order, 2)) for order in
             itertools.permutations(range(3))}  # fmt: skip
    sums = [a + b for a in score.values() for b in score.values()]
    found = trend(cells, rng())
    assert found.tau == pytest.approx((3 + 1) / 6)
    assert found.p == pytest.approx(np.mean(np.abs(sums) >= 4))


def test_the_interval_holds_the_slopes_that_the_test_does_not_refuse() -> None:
    low, high = trend([(X, Y)], rng()).interval
    for slope, inside in ((low - 1e-6, False), (low + 1e-6, True), (high - 1e-6, True), (high + 1e-6, False)):
        p = trend([(X, Y - slope * X)], rng()).p
        assert (p > 0.05) is inside


def test_where_only_the_largest_score_is_refused_the_interval_reaches_from_slope_to_slope() -> None:
    """Of five runs a score of 10 has p = 2 / 120, one of 8 has 10 / 120: no slope is outside."""
    x, y = np.arange(5.0), np.array([0.0, 3.0, 1.0, 7.0, 20.0])
    slopes = [(y[j] - y[i]) / (j - i) for i, j in itertools.combinations(range(5), 2)]
    assert trend([(x, y)], rng()).interval == pytest.approx((min(slopes), max(slopes)))


def test_ties_are_drawn_and_come_near_the_exact_value() -> None:
    tied = np.array([1.0, 1.0, 2.0, 3.0, 3.0, 4.0])
    scores = [sum(np.sign(b - a) for a, b in itertools.combinations(order, 2)) for order in
              itertools.permutations(tied)]  # fmt: skip
    exact = np.mean(np.abs(scores) >= 13)
    assert trend([(X[:6], tied)], rng()).p == pytest.approx(exact, abs=0.003)
    assert trend([(X[:6], np.ones(6))], rng()).p == 1.0


def test_without_pairs_there_is_no_trend() -> None:
    for cells in ([], [(X[:1], Y[:1])], [(np.zeros(3), Y[:3])]):
        assert np.isnan([trend(cells, rng()).tau, trend(cells, rng()).p]).all()


@given(st.permutations(range(9)), st.floats(0.1, 1e6))
def test_order_of_rows_and_unit_do_not_matter(order: list[int], unit: float) -> None:
    found, same = trend([(X, Y)], rng()), trend([(X[order], Y[order] * unit)], rng())
    assert (same.tau, same.p) == (found.tau, pytest.approx(found.p))
    assert same.slope == pytest.approx(found.slope * unit)


def test_rounds_that_differ_by_statsmodels() -> None:
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    values = np.array([[1.0, 1.4, 1.1], [5.2, 5.9, 5.1], [3.0, 3.3, 3.1], [7.1, 7.2, 7.0]])
    cell, turn = (place.ravel() for place in np.indices(values.shape))
    rows = pd.DataFrame({"y": values.ravel(), "cell": cell.astype(str), "turn": turn.astype(str)})
    expected = anova_lm(ols("y ~ cell + turn", rows).fit()).loc["turn", "PR(>F)"]
    assert p_of_rounds(values) == pytest.approx(expected)
    assert np.isnan(p_of_rounds(values[:1]))
