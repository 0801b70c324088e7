from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis.inference.between_levels import spread_of_levels

LEVELS = [np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 4.5]), np.array([6.0, 7.0, 8.5])]


def test_p_is_that_of_the_analysis_of_variance_of_scipy() -> None:
    found = spread_of_levels(LEVELS)
    assert found.p == pytest.approx(stats.f_oneway(*LEVELS).pvalue)
    assert found.value == pytest.approx(np.std([2.0, 19 / 6, 43 / 6], ddof=1))


def test_the_interval_holds_the_noncentralities_that_f_does_not_refuse() -> None:
    found = spread_of_levels(LEVELS)
    f = stats.f_oneway(*LEVELS).statistic
    noise = np.mean([level.var(ddof=1) for level in LEVELS])
    shares = [stats.ncf.cdf(f, 2, 6, 3 * 2 * end**2 / noise) for end in found.interval]
    assert shares == pytest.approx([0.975, 0.025], abs=1e-6)


def test_equal_means_reach_down_to_zero() -> None:
    same = [level - level.mean() for level in LEVELS]
    low, high = spread_of_levels(same).interval
    assert low == 0 <= high


@pytest.mark.parametrize("levels", [[np.array([1.0]), np.array([2.0])], [np.array([1.0, 1.0]), np.array([2.0, 2.0])]])
def test_without_noise_there_is_no_interval(levels: list[np.ndarray]) -> None:
    found = spread_of_levels(levels)
    assert found.value == pytest.approx(np.sqrt(0.5))
    assert np.isnan([*found.interval, found.p]).all()
