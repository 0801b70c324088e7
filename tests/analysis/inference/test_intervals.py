from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis.inference import correction, intervals, mean_differences

A, B = [10.0, 12.0, 11.0, 15.0], [8.0, 9.0, 7.5]


def test_a_t_interval_is_that_of_scipy() -> None:
    expected = stats.ttest_1samp(A, 0).confidence_interval(0.95)
    assert intervals.t_interval(A) == pytest.approx((expected.low, expected.high))


def test_the_t_interval_of_three_runs_by_hand() -> None:
    # mean 2, s = 1, t(0.975, 2) = 4.302653: 2 -+ 4.302653 / sqrt(3)
    assert intervals.t_interval([1.0, 2.0, 3.0]) == pytest.approx((-0.484138, 4.484138), abs=1e-6)


@pytest.mark.parametrize("values", [[], [3.0], [3.0, 3.0, 3.0]])
def test_no_spread_no_interval(values: list[float]) -> None:
    assert np.isnan(intervals.t_interval(values)).all()


def test_a_log_interval_is_the_exponential_of_the_t_interval_of_the_logs() -> None:
    low, high = intervals.t_interval(np.log(A))
    assert intervals.log_t_interval(A) == pytest.approx((np.exp(low), np.exp(high)))


def test_welch_is_that_of_scipy() -> None:
    test = stats.ttest_ind(A, B, equal_var=False)
    found = mean_differences.welch(A, B)
    assert found.p() == pytest.approx(test.pvalue)
    assert found.interval() == pytest.approx(tuple(test.confidence_interval(0.95)))


def test_paired_is_that_of_scipy() -> None:
    test = stats.ttest_rel(A[:3], B)
    assert mean_differences.paired(A[:3], B).p() == pytest.approx(test.pvalue)


def test_pooling_two_samples_is_students_test() -> None:
    test = stats.ttest_ind(A, B)
    found = mean_differences.pooled(A, B, *mean_differences.within([A, B]))
    assert found.p() == pytest.approx(test.pvalue)


def test_equivalence_is_two_one_sided_tests() -> None:
    above = stats.ttest_ind(np.array(A) + 5, B, equal_var=False, alternative="greater").pvalue
    below = stats.ttest_ind(np.array(A) - 5, B, equal_var=False, alternative="less").pvalue
    assert mean_differences.welch(A, B).p_outside(-5, 5) == pytest.approx(max(above, below))


@pytest.mark.parametrize(
    "one",
    [
        mean_differences.welch([1.0], [2.0, 3.0]),
        mean_differences.welch([1.0, 1.0], [2.0, 2.0]),
        mean_differences.paired([1.0, 2.0], [0.0, 1.0]),
    ],
)
def test_without_spread_a_difference_has_a_value_and_no_test(one: mean_differences.Difference) -> None:
    assert np.isfinite(one.value)
    assert np.isnan([one.p(), one.p_outside(-1, 1), *one.interval()]).all()


def test_holm_by_hand() -> None:
    assert correction.holm([0.01, 0.04, np.nan, 0.03]) == pytest.approx([0.03, 0.06, np.nan, 0.06], nan_ok=True)
    assert correction.holm([0.5, 0.9]).max() <= 1
