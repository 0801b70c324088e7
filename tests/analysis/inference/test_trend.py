from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis.inference.trend import lowest_p, per_doubling, rank_trend

RNG = np.random.default_rng(8)


@pytest.mark.parametrize("size", [4, 7, 12])
def test_one_run_a_level_is_kendalls_exact_test(size: int) -> None:
    x, y = np.arange(size, dtype=float), RNG.normal(size=size)
    expected = stats.kendalltau(x, y, method="exact")
    assert rank_trend(x, y) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.parametrize("sizes", [(3, 3), (5, 2), (10, 10)])
def test_two_levels_are_the_test_of_mann_and_whitney(sizes: tuple[int, int]) -> None:
    a, b = RNG.normal(size=sizes[0]), RNG.normal(1, 1, size=sizes[1])
    p = rank_trend(np.repeat([2.0, 8.0], sizes), np.concatenate([a, b]))[1]
    assert p == pytest.approx(stats.mannwhitneyu(a, b, method="exact").pvalue)


def test_three_levels_by_counting_all_orders() -> None:
    x, y = np.repeat([1.0, 2.0, 3.0], (2, 2, 3)), np.array([5.0, 3.0, 4.0, 7.0, 1.0, 2.0, 6.0])
    later = x[:, None] < x[None, :]

    def score(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> int:
        return int((np.sign(values[None, :] - values[:, None]) * later).sum())

    scores = np.array([score(np.array(order)) for order in permutations(y)])
    assert rank_trend(x, y)[1] == pytest.approx(np.mean(np.abs(scores) >= abs(score(y))))


def test_ties_and_many_runs_are_left_to_scipy() -> None:
    x = np.repeat([1.0, 2.0], 3)
    y = np.array([1.0, 1.0, 2.0, 3.0, 3.0, 2.0])
    assert rank_trend(x, y)[1] == stats.kendalltau(x, y).pvalue
    many = np.repeat([1.0, 2.0, 4.0], 20), RNG.normal(size=60)
    assert rank_trend(*many)[1] == stats.kendalltau(*many).pvalue


def test_no_trend_without_levels_or_differences() -> None:
    assert np.isnan(rank_trend(np.ones(3), np.arange(3.0))).all()
    assert np.isnan(rank_trend(np.arange(3.0), np.ones(3))).all()
    assert np.isnan(per_doubling(np.array([1.0, 2.0]), np.array([1.0, 2.0]))[1]).all()


def test_the_lowest_p_is_that_of_a_perfect_order() -> None:
    assert lowest_p((3, 3)) == pytest.approx(0.1)
    assert lowest_p((3, 3)) == rank_trend(np.repeat([1.0, 2.0], 3), np.arange(6.0))[1]
    assert lowest_p((3, 3, 3)) < 0.01
