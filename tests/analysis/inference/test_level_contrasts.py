from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis.inference.level_contrasts import (
    Levels,
    changes,
    first_crossing,
    p_no_shift,
    peaks_possible,
)
from storagelab.analysis.inference.mean_differences import welch

RNG = np.random.default_rng(4)
A, B = RNG.normal(10, 1, 4), RNG.normal(12, 2, 6)


@pytest.mark.parametrize("shift", np.linspace(-8, 4, 13))
def test_a_difference_of_two_levels_is_told_by_welch(shift: float) -> None:
    levels = Levels.of([1.0, 2.0], [A, B + shift])
    p = welch(A, B + shift).p()
    expected = 0 if p > 0.05 else np.sign(A.mean() - B.mean() - shift)
    assert levels.signs(np.array([[1.0, -1.0]])).tolist() == [expected]


def test_a_level_with_one_run_counts_only_where_it_has_weight() -> None:
    levels = Levels.of([1.0, 2.0], [A, np.array([5.0])])
    assert levels.signs(np.array([[1.0, 0.0], [1.0, -1.0], [0.0, 1.0]])).tolist() == [1, 0, 0]


def test_weights_are_straight_over_the_log() -> None:
    levels = Levels.of([1.0, 4.0, 16.0], [A, A, A])
    assert levels.weights(np.array([1.0, 2.0, 8.0])) == pytest.approx(
        np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]])
    )
    assert {1.0, 4.0, 16.0} <= set(levels.positions())


def test_crossings() -> None:
    at = np.array([1.0, 4.0, 16.0])
    assert first_crossing(at, np.array([-1.0, 0.0, 1.0])) == 4
    assert first_crossing(at, np.array([1.0, -1.0, 1.0])) == pytest.approx(2)
    assert np.isnan(first_crossing(at, np.array([1.0, 2.0, 1.0])))
    assert [changes(np.array(s)) for s in ([1, 0, -1], [1, -1, 0, 1], [0, 0], [1, 0, 1])] == [1, 2, 0, 0]


def test_levels_that_may_be_the_peak() -> None:
    levels = Levels.of(
        [1.0, 2.0, 4.0], [np.array([1.0, 1.1, 0.9]), np.array([9.0, 10.0, 12.0]), np.array([9.5, 10.0, 12.0])]
    )
    assert peaks_possible(levels) == [1, 2]


def test_a_sum_of_rounds_is_told_by_a_paired_test() -> None:
    a, b = RNG.normal(10, 1, (5, 2)), RNG.normal(10, 1, (5, 2))
    shift = RNG.normal(0, 9, (5, 1))
    joined = Levels.of_rounds([1.0, 2.0], a + shift).joined(Levels.of_rounds([1.0, 2.0], b + shift), sign=-1.0)
    for move in np.linspace(-3, 3, 13):
        p = stats.ttest_1samp(a[:, 1] - b[:, 1] + move, 0).pvalue
        expected = 0 if p > 0.05 else np.sign((a - b)[:, 1].mean() + move)
        assert joined.signs(np.array([[0.0, 1.0, 0.0, 1.0]]), move).tolist() == [expected]


def test_rounds_without_spread_tell_nothing() -> None:
    lower = np.array([0.1, 0.2, 0.3, 0.7])
    alike = Levels.of_rounds([1.0, 2.0], np.stack([lower, lower + 1 / 3], axis=1))
    assert np.ptp(alike.rounds @ [-1.0, 1.0]) > 0, "but for rounding"  # type: ignore[operator]
    assert alike.signs(np.array([[-1.0, 1.0], [1.0, 1.0]])).tolist() == [0, 1]


def test_only_rounds_of_both_stay_rounds() -> None:
    rounds, runs = Levels.of_rounds([1.0], np.array([[1.0], [2.0]])), Levels.of([1.0], [np.array([1.0, 2.0])])
    assert rounds.joined(runs).rounds is None
    assert runs.joined(rounds).rounds is None


def test_shifts_of_rounds_by_statsmodels() -> None:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    values = RNG.normal(0, 1, (4, 5)) + np.arange(4)[:, None] * 0.5
    rows = pd.DataFrame([(i, j, values[i, j]) for i in range(4) for j in range(5)], columns=["round", "level", "y"])
    anova = anova_lm(ols("y ~ C(round) + C(level)", rows).fit())
    assert p_no_shift(values) == pytest.approx(anova.loc["C(round)", "PR(>F)"])
    assert np.isnan(p_no_shift(values[:1]))
    assert np.isnan(p_no_shift(np.empty((0, 0))))
