from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis.inference.variance_components import InCommon, components, in_common, intraclass_correlation


def test_components_by_hand() -> None:
    # two days of two runs: means 1 and 4, mean square within (0.02 + 0.02) / 2, between 2 * 4.5 / 1
    found = components([[np.array([0.9, 1.1]), np.array([3.9, 4.1])]])
    assert found.within == pytest.approx(0.02)
    assert found.between == pytest.approx((9 - 0.02) / 2)
    assert (found.freedom_between, found.freedom_within) == (1, 2)


def test_units_of_unequal_size_and_cells_add_up() -> None:
    rng = np.random.default_rng(3)
    made = []
    for _ in range(300):
        days = rng.normal(0, 2, 4)
        made.append([day + rng.normal(0, 1, size) for day, size in zip(days, (1, 3, 5, 2), strict=True)])
    found = components(made)
    assert found.between == pytest.approx(4, rel=0.15)
    assert found.within == pytest.approx(1, rel=0.1)
    assert intraclass_correlation(made) == pytest.approx(0.8, abs=0.04)


def test_nothing_is_said_of_one_unit_or_of_single_runs() -> None:
    assert np.isnan(intraclass_correlation([[np.array([1.0, 2.0])]]))
    assert np.isnan(intraclass_correlation([[np.array([1.0]), np.array([2.0])]]))


def test_units_that_differ_less_than_their_runs_share_nothing() -> None:
    assert intraclass_correlation([[np.array([1.0, 9.0]), np.array([2.0, 8.0])]]) == 0


def test_cells_that_follow_their_round_have_it_in_common() -> None:
    # three cells of four rounds, all alike: a mean over them varies as much as one of them
    rounds = np.array([1.0, 3.0, 2.0, 6.0])
    alike = in_common([("abcd", np.stack([rounds, 2 * rounds + 7, 3 * rounds]) / 100)])
    assert alike.icc == pytest.approx((3 * 36 / 42 - 1) / 2)  # spreads of one to three: (1 + 2 + 3)^2 / (1 + 4 + 9)
    assert alike.widening(3) == pytest.approx(36 / 14)
    assert alike.freedom == 3.0
    against = in_common([("abcd", np.stack([rounds, -rounds]))])
    assert (against.icc, against.widening(2)) == (0.0, 1.0)


def test_what_cells_have_in_common_is_estimated_from_all_levels() -> None:
    rng = np.random.default_rng(5)
    tables = [([(level, n) for n in range(9)], rng.normal(size=(4, 9)) + rng.normal(size=9)) for level in range(200)]
    found = in_common(tables)
    assert found.icc == pytest.approx(0.5, abs=0.06)
    assert found.freedom == pytest.approx(200 * 8)
    same = rng.normal(size=5)
    shared = in_common([("abcde", rng.normal(size=(4, 5)) * 0.1 + same) for _ in range(50)])
    assert shared.freedom < 6, "rounds that do the same to all levels are five, however many levels there are"


def test_cells_without_rounds_or_spread_say_nothing_of_what_they_have_in_common() -> None:
    nothing = [("ab", np.ones((2, 2))), ("ab", np.array([[1.0, 2.0]])), ("a", np.array([[1.0], [2.0]]))]
    assert in_common(nothing) == InCommon(0.0, np.inf)
