from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis.inference.components import components, intraclass_correlation


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
