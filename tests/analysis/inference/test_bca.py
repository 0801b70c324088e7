"""The bootstrap: scipy's, wider, refused below ten."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis.inference.bca import FEWEST, bca_interval, expanded
from storagelab.analysis.inference.seeds import generator

RUNS = np.random.default_rng(7).normal(100, 5, 12)
OTHER = np.random.default_rng(8).normal(80, 5, 15)


def _ratio(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
    ratio: np.ndarray = b.mean(axis=axis) / a.mean(axis=axis)
    return ratio


def test_it_is_scipys_at_a_wider_level() -> None:
    level = 1 - 2 * stats.norm.sf(np.sqrt(12 / 11) * stats.t.ppf(0.975, 11))
    expected = stats.bootstrap(
        (RUNS,), np.mean, n_resamples=500, method="BCa", confidence_level=level, random_state=generator("a")
    ).confidence_interval
    assert bca_interval([RUNS], np.mean, generator("a"), resamples=500) == pytest.approx(tuple(expected))


def test_the_level_by_hand() -> None:
    # t(0.975, 9) = 2.262157; sqrt(10 / 9) of it is 2.384526, two-sided 0.98290
    assert expanded(0.95, 10) == pytest.approx(0.98290, abs=1e-5)
    assert expanded(0.95, 10**6) == pytest.approx(0.95, abs=1e-5)


def test_for_normal_values_it_is_close_to_t() -> None:
    found = bca_interval([RUNS], np.mean, generator("a"))
    t = stats.ttest_1samp(RUNS, 0).confidence_interval(0.95)
    assert found == pytest.approx((t.low, t.high), abs=0.15 * (t.high - t.low))


def test_it_repeats() -> None:
    again = [bca_interval([RUNS], np.mean, generator("cluster", "mean"), resamples=200) for _ in range(2)]
    assert again[0] == again[1]


def test_a_ratio_of_two_samples_holds_the_ratio_of_their_means() -> None:
    low, high = bca_interval([OTHER, RUNS], _ratio, generator("a"), resamples=500)
    assert low < RUNS.mean() / OTHER.mean() < high


def test_a_statistic_without_spread_has_no_interval() -> None:
    found = bca_interval([RUNS], lambda runs, axis=-1: _ratio(runs, runs * 1.5, axis), generator("a"), resamples=200)
    assert np.isnan(found).all()


@pytest.mark.parametrize("samples", [[RUNS[: FEWEST - 1]], [RUNS, OTHER[:9]], [np.ones(20)]])
def test_few_values_or_no_spread_give_none(samples: list[np.ndarray]) -> None:
    assert np.isnan(bca_interval(samples, lambda *parts, axis=-1: parts[0].mean(axis=axis), generator("a"))).all()
