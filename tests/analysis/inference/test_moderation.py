"""Variances drawn together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from storagelab.analysis.inference.moderation import MANY, moderated


def test_the_prior_is_found_again() -> None:
    rng = np.random.default_rng(3)
    s02, d0, d = 0.04, 8.0, 4.0
    truth = s02 * d0 / rng.chisquare(d0, 20_000)
    *_, prior = moderated(truth * rng.chisquare(d, truth.size) / d, np.full(truth.size, d))
    assert (prior.variance, prior.freedom) == (pytest.approx(s02, rel=0.02), pytest.approx(d0, rel=0.08))
    assert prior.cells == 20_000


def test_moments_by_hand() -> None:
    """The equations of Smyth 2004, section 6.2, hold at what is found, the variance one standard error larger."""
    s2, d = np.array([1.0, 1.2, 0.9, 1.1]), 2.0
    drawn, freedom, prior = moderated(s2, d)
    e = np.log(s2) - special.digamma(d / 2) + np.log(d / 2)
    cautious = 1 + np.sqrt(2 / 3)
    assert cautious * e.var(ddof=1) - special.polygamma(1, d / 2) < 0
    assert prior.freedom == MANY
    assert drawn == pytest.approx(np.full(4, s2.mean()), rel=1e-5)
    wide = np.array([1.0, 20.0, 800.0, 0.05])
    drawn, freedom, prior = moderated(wide, d)
    e = np.log(wide) - special.digamma(d / 2) + np.log(d / 2)
    assert special.polygamma(1, prior.freedom / 2) == pytest.approx(
        cautious * e.var(ddof=1) - special.polygamma(1, d / 2), rel=1e-5
    )
    expected = e.mean() + special.digamma(prior.freedom / 2) - np.log(prior.freedom / 2)
    assert np.log(prior.variance) == pytest.approx(expected, rel=1e-4)
    assert drawn == pytest.approx((prior.freedom * prior.variance + d * wide) / (prior.freedom + d))
    assert freedom == pytest.approx(np.full(4, prior.freedom + d))


def test_a_cell_without_a_variance_has_that_of_the_others() -> None:
    drawn, freedom, prior = moderated([1.0, 20.0, 800.0, np.nan, 5.0, 0.0], [2.0, 2.0, 2.0, 2.0, 0.0, 2.0])
    assert drawn[3:] == pytest.approx([prior.variance] * 3)
    assert freedom[3:].tolist() == [prior.freedom] * 3
    assert prior.cells == 3


def test_two_cells_have_no_prior() -> None:
    drawn, freedom, prior = moderated([1.0, 2.0, np.nan], [2.0, 2.0, 0.0])
    assert (drawn[:2].tolist(), freedom.tolist()) == ([1.0, 2.0], [2.0, 2.0, 0.0])
    assert (prior.cells, prior.words) == (0, "no prior: too few cells")


def test_the_prior_in_words() -> None:
    assert moderated([1.0, 1.1, 0.9], 4.0)[2].words == "prior spread 1, all cells alike, from 3 cells"
    assert "degrees of freedom, from 4 cells" in moderated([1.0, 20.0, 800.0, 0.05], 2.0)[2].words
