"""The best of n normal values, by formulas that the textbooks give in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis.inference.extremes import expected_excess, expected_maximum, unbiased_deviation


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (1, 0.0),
        (2, 1 / np.sqrt(np.pi)),
        (3, 1.5 / np.sqrt(np.pi)),
        (4, 3 / np.sqrt(np.pi) * (0.5 + np.arcsin(1 / 3) / np.pi)),
    ],
)
def test_closed_forms(n: int, expected: float) -> None:
    assert expected_maximum(n) == pytest.approx(expected, abs=1e-9)


def test_the_numbers_that_papers_quote() -> None:
    assert [round(expected_maximum(n), 2) for n in (2, 3, 4)] == [0.56, 0.85, 1.03]


def test_against_simulation() -> None:
    best = np.random.default_rng(1).standard_normal((100_000, 10)).max(axis=1)
    assert expected_maximum(10) == pytest.approx(best.mean(), abs=5 * best.std() / np.sqrt(best.size))


def test_c4_is_the_mean_of_a_chi_distribution() -> None:
    values = [1.0, 2.0, 4.0, 7.0]
    c4 = stats.chi(3).mean() / np.sqrt(3)
    assert unbiased_deviation(values) == pytest.approx(np.std(values, ddof=1) / c4)
    assert np.isnan(unbiased_deviation([1.0]))


def test_of_two_values_the_excess_is_half_their_distance() -> None:
    # s = d / sqrt(2), c4 = sqrt(2 / pi), 1 / sqrt(pi): d / 2, which is the best less the mean
    assert expected_excess([3.0, 5.0]) == pytest.approx(1.0)
