"""An interval that holds at any time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from storagelab.analysis.inference.confidence_sequences import PRIOR, anytime_interval, enough
from storagelab.analysis.inference.intervals import t_interval
from storagelab.errors import AnalysisError

VALUES = np.array([1.0, 1.1, 0.95, 1.02, 1.07, 0.99])


def likelihood_ratio(values: np.ndarray, mean: float) -> float:
    """The mixture integrated by hand: noncentral t densities over the prior of the standardised mean."""
    n = values.size
    t = (values.mean() - mean) / values.std(ddof=1) * np.sqrt(n)
    prior = stats.norm(0, np.sqrt(PRIOR))
    mixed, _ = integrate.quad(lambda m: stats.nct.pdf(t, n - 1, m * np.sqrt(n)) * prior.pdf(m), -30, 30, limit=500)
    return float(mixed / stats.t.pdf(t, n - 1))


def test_its_ends_are_the_means_at_which_the_likelihood_ratio_is_twenty() -> None:
    for end in anytime_interval(VALUES):
        assert likelihood_ratio(VALUES, end) == pytest.approx(20, rel=1e-4)


def test_it_is_wider_than_that_of_a_planned_number() -> None:
    (low, high), planned = anytime_interval(VALUES), t_interval(VALUES)
    assert low < planned[0] < planned[1] < high
    assert sum(anytime_interval(VALUES)) / 2 == pytest.approx(VALUES.mean())


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [1.0, 2.0, 1.5], [2.0] * 9])
def test_no_interval(values: list[float]) -> None:
    assert np.isnan(anytime_interval(values)).all()


def test_enough_is_told_by_the_upper_end() -> None:
    found = enough(VALUES * 1e6, 0.1)
    assert found.value == pytest.approx(stats.gmean(VALUES) * 1e6)
    assert found.half_width == pytest.approx(found.interval[1] / found.value - 1)
    assert enough(VALUES, found.half_width + 1e-9).enough
    assert not enough(VALUES, found.half_width - 1e-9).enough
    assert not enough(VALUES[:3], 10).enough


def test_refusals() -> None:
    with pytest.raises(AnalysisError, match="narrower than a share above 0, not -1"):
        enough(VALUES, -1)
    with pytest.raises(AnalysisError, match="1 of 2 runs are not positive, logs need that"):
        enough([1.0, 0.0], 0.1)
