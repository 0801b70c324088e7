from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from storagelab.analysis.inference.correction import Correction, family, holm, verdicts


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_is_that_of_statsmodels(p: list[float]) -> None:
    with patch("gc.collect"):  # statsmodels goes through every object of the process each time it is asked
        theirs = multipletests(p, method="holm")[1]
    assert holm(p).tolist() == theirs.tolist()


def test_holm_by_hand_and_tests_not_made() -> None:
    assert holm([0.01, np.nan, 0.04, 0.03]).tolist()[0] == 0.03
    assert np.allclose(holm([0.01, np.nan, 0.04, 0.03]), [0.03, np.nan, 0.06, 0.06], equal_nan=True)


def test_holm_counts_the_groups_that_are_left() -> None:
    corrected = holm([0.01, 0.012, np.nan, 0.02, 0.3], [0, 0, 0, 1, 2])
    # three groups are left at 0.01 and 0.012, two at 0.02, one at 0.3
    assert np.allclose(corrected, [0.03, 0.036, np.nan, 0.04, 0.3], equal_nan=True)


@given(st.lists(st.floats(1e-12, 0.999), min_size=2, max_size=20))
def test_families_are_those_of_statsmodels(p: list[float]) -> None:
    for mine, theirs in (("simultaneous", "sidak"), ("fdr", "fdr_bh")):
        with patch("gc.collect"):
            expected = multipletests(p, method=theirs)[1]
        assert np.allclose(family(p, mine).adjusted, expected)  # type: ignore[arg-type]


@pytest.mark.parametrize("correction", ["simultaneous", "fdr", "none"])
def test_an_interval_of_the_level_of_a_family_excludes_what_its_test_refuses(correction: Correction) -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        z = rng.normal(0, 2, 12)
        p = 2 * stats.norm.sf(np.abs(z))
        found = family(p, correction)
        excluded = np.abs(z) > stats.norm.isf(found.alpha / 2)
        assert ((found.adjusted <= 0.05) == excluded).all()


def test_tests_not_made_do_not_count_and_those_that_might_have_been_do() -> None:
    assert family([0.03, np.nan]).alpha == 0.05
    assert np.isnan(family([0.03, np.nan]).adjusted[1])
    assert family([0.03, 0.5], size=6).adjusted[0] == pytest.approx(1 - 0.97**6)


def test_a_p_value_at_the_level_is_decided_and_one_that_is_missing_is_not() -> None:
    p, directions = np.array([0.05, 0.0501, np.nan, 0.01]), np.array(["higher", "lower", "lower", "lower"])
    assert verdicts(p, directions).tolist() == ["higher", "undecided", "undecided", "lower"]
