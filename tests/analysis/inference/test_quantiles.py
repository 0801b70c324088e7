"""Intervals between order statistics, by counting."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from storagelab.analysis.inference.quantiles import quantile_coverage, quantile_interval, values_needed


def test_a_median_of_six_lies_between_the_ends() -> None:
    # outside only if all six are on one side: 2 / 2^6
    assert quantile_interval([6.0, 5.0, 4.0, 3.0, 2.0, 1.0]) == (1, 6)
    assert quantile_coverage(6) == pytest.approx(1 - 2 / 64)


def test_five_values_are_too_few_for_a_median() -> None:
    assert np.isnan(quantile_interval([1.0, 2.0, 3.0, 4.0, 5.0])).all()
    assert np.isnan(quantile_coverage(5))


def test_a_median_of_ten_by_hand() -> None:
    # at most one value below: (1 + 10) / 1024 a side
    assert quantile_interval(range(1, 11)) == (2, 9)
    assert quantile_coverage(10) == pytest.approx(1 - 22 / 1024)


@pytest.mark.parametrize("n", range(6, 60))
def test_the_median_interval_is_the_sign_test_inverted(n: int) -> None:
    low, high = quantile_interval(range(1, n + 1))
    accepted = [below for below in range(n + 1) if stats.binomtest(below, n, 0.5).pvalue > 0.05]
    assert low == min(accepted)
    assert high == n + 1 - low


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9, 0.99])
def test_values_needed_is_the_first_n_with_an_interval(q: float) -> None:
    needed = values_needed(q)
    assert np.isfinite(quantile_interval(np.arange(needed), q)).all()
    assert np.isnan(quantile_interval(np.arange(needed - 1), q)).all()


def test_values_needed_by_hand() -> None:
    assert values_needed() == 6
    assert values_needed(0.9) == math.ceil(math.log(0.025) / math.log(0.9)) == 36


@given(st.integers(6, 200), st.sampled_from([0.25, 0.5, 0.75]))
def test_what_is_covered_is_never_less_than_asked_for(n: int, q: float) -> None:
    covered = quantile_coverage(n, q)
    assert np.isnan(covered) or 0.95 <= covered < 1


def test_any_rising_change_of_scale_moves_the_ends_along() -> None:
    x = np.random.default_rng(1).lognormal(size=20)
    assert np.log(quantile_interval(x)) == pytest.approx(quantile_interval(np.log(x)))


def test_no_spread_no_interval() -> None:
    assert np.isnan(quantile_interval([2.0] * 9)).all()
