"""Power, against the noncentral t and against simulated tests; and what a comparison could have shown."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis.inference.power import (
    _welch_freedom,
    difference_power,
    equivalence_power,
    paired_power,
    sidak,
    smallest_detectable,
)

CAMPAIGNS = 20_000


def simulated(n: int, gap: float, level: float) -> tuple[float, float]:
    """Share of simulated campaigns in which Welch's and the paired test find a difference at sd 5 %."""
    rng = np.random.default_rng(n)
    x, y = rng.normal(gap, 0.05, (CAMPAIGNS, n)), rng.normal(0, 0.05, (CAMPAIGNS, n))
    unequal, related = stats.ttest_ind(x, y, axis=1, equal_var=False), stats.ttest_rel(x, y, axis=1)
    return float((unequal.pvalue <= level).mean()), float((related.pvalue <= level).mean())


@pytest.mark.parametrize(("n", "gap", "cells"), [(2, 0.2, 1), (3, 0.15, 1), (3, 0.4, 60), (10, np.log(1.1), 60)])
def test_power_is_that_of_simulated_tests(n: int, gap: float, cells: int) -> None:
    level = sidak(cells)
    welch, paired = simulated(n, gap, level)
    assert difference_power(gap, [0.05], n, level)[0] == pytest.approx(welch, abs=0.012)
    assert paired_power(gap, 0.05, n, level) == pytest.approx(paired, abs=0.012)


def test_power_is_the_same_in_both_directions() -> None:
    assert difference_power(-0.1, 0.05, 5, 0.05) == difference_power(0.1, 0.05, 5, 0.05)


@pytest.mark.parametrize("n", [3, 10])
def test_equivalence_is_that_of_simulated_tests(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(0, 0.05, (CAMPAIGNS, n)), rng.normal(0, 0.05, (CAMPAIGNS, n))
    low, high = np.log(0.85), np.log(1.15)
    above = stats.ttest_ind(x, y + low, axis=1, equal_var=False, alternative="greater").pvalue
    below = stats.ttest_ind(x, y + high, axis=1, equal_var=False, alternative="less").pvalue
    found = float((np.maximum(above, below) <= 0.05).mean())
    assert equivalence_power(low, high, 0.05, n, 0.05) == pytest.approx(found, abs=0.012)
    pairs = [
        stats.ttest_rel(x, y + end, axis=1, alternative=side).pvalue for end, side in ((low, "greater"), (high, "less"))
    ]
    found = float((np.maximum(*pairs) <= 0.05).mean())
    assert equivalence_power(low, high, 0.05, n, 0.05, paired=True) == pytest.approx(found, abs=0.012)


def test_sidak_is_one_test_for_one_cell() -> None:
    assert sidak(1) == pytest.approx(0.05)
    assert 1 - (1 - sidak(60)) ** 60 == pytest.approx(0.05)


@pytest.mark.parametrize("cells", [1, 60])
def test_what_could_be_seen_is_seen_in_four_of_five(cells: int) -> None:
    """Of campaigns, the ratio that each names is shown by another one like it."""
    freedom, rng = 8.0, np.random.default_rng(cells)
    found, then = np.sqrt(rng.chisquare(freedom, (2, 100_000)) / freedom)
    gap = np.log(smallest_detectable(1.0, freedom, cells=cells)) * found
    quantile = stats.t.ppf(1 - sidak(cells) / 2, freedom)
    assert ((rng.normal(gap) / then) >= quantile).mean() == pytest.approx(0.8, abs=0.01)


def test_rows_at_once_and_rows_without_an_error() -> None:
    found = smallest_detectable([0.05, 0.01, np.nan, 0.0, 0.1], [4.0, np.inf, 3.0, 3.0, np.nan], cells=[1, 1, 1, 1, 1])
    assert found[1] == pytest.approx(np.exp(0.01 * (1.959964 + 0.841621)), rel=1e-5)
    assert found[0] > 1.1
    assert np.isnan(found[2:]).all()
    assert smallest_detectable(0.05, 4.0, cells=60) > found[0]
    assert np.isnan(smallest_detectable(0.1, [0.0, -1.0])).all(), "an error of which nothing is known"


@pytest.mark.parametrize("n", [3, 10])
def test_freedom_of_welch_lies_between_that_of_one_side_and_of_both(n: int) -> None:
    """Half a run of shares on either side is alike, and sides that spread alike have 2 (n - 1)."""
    found = _welch_freedom(n)
    assert found == pytest.approx(found[::-1])
    assert n - 1 < found.min() < found.max() <= 2 * (n - 1)
    assert found.max() == pytest.approx(2 * (n - 1), rel=0.02)
