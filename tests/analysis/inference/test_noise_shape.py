"""What the residuals of a table show of its noise."""

from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis.inference.correction import ALPHA
from storagelab.analysis.inference.noise_shape import (
    APART,
    SKEWED,
    TAILED,
    Shape,
    missed,
    shape_of,
    unseen_share,
)
from tests.simulations.shape import NOISES

TABLES = 200


def flagged(noise: str, n: int, cells: int) -> float:
    """Share of tables that are flagged."""
    rng = np.random.default_rng(n)
    tables = (NOISES[noise][0](rng, (cells, n)) for _ in range(TABLES))
    return float(np.mean([bool(shape_of(list(x / x.mean(axis=1, keepdims=True))).caveat) for x in tables]))


@pytest.mark.parametrize("noise", [name for name in NOISES if name != "normal"])
def test_twenty_cells_show_what_one_does_not(noise: str) -> None:
    """From five runs on; of three runs the skew of a cap is seen in four tables of five."""
    found = {n: flagged(noise, n, 20) for n in (3, 5, 10, 30)}
    assert min(found[5], found[10], found[30]) >= 0.9, found
    assert found[3] >= (0.75 if "cap" in noise else 0.9), found


@pytest.mark.parametrize("cells", [1, 20])
def test_clean_tables_are_left_alone(cells: int) -> None:
    """5 %, and three standard errors of 200 tables."""
    assert max(flagged("normal", n, cells) for n in (3, 5, 10, 30)) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / TABLES)


def test_what_reaches_a_level_exactly_is_told() -> None:
    assert TAILED in Shape(1.0, 1.0, SKEWED, 1.0, 9).caveat
    assert APART in Shape(1.0, 1.0, 1.0, ALPHA - SKEWED, 9).caveat
    assert Shape(1.0, 1.0, SKEWED * 1.001, (ALPHA - SKEWED) * 1.001, 9).caveat == ""


def test_statistics_by_hand() -> None:
    # cells -2, 1, 1 and 1, 1, -2 about 0: cubes (-8 + 1 + 1) * 2 / 6 = -2; s^2 = 12 / 4; slowest 2 over sqrt(3)
    found = shape_of([[-2.0, 1.0, 1.0], [1.0, 1.0, -2.0], [5.0]])
    assert found.skewness == pytest.approx(-2 / 3**1.5)
    assert found.slowest == pytest.approx(2 / np.sqrt(3))
    assert found.runs == 6


def test_times_are_slow_at_the_other_end() -> None:
    x = list(NOISES["stalls of one run in twenty"][0](np.random.default_rng(1), (20, 5)))
    low, high = shape_of(x), shape_of([-values for values in x], "high")
    assert (low.p_skewness, low.p_slowest) == (high.p_skewness, high.p_slowest)
    assert TAILED in low.caveat
    assert APART in low.caveat
    assert TAILED not in shape_of(x, "high").caveat


def test_the_order_of_cells_says_nothing() -> None:
    rng = np.random.default_rng(2)
    samples = [rng.normal(1, 0.05, n) for n in (3, 7, 4, 3)]
    assert shape_of(samples).p_skewness == shape_of(samples[::-1]).p_skewness


@pytest.mark.parametrize("samples", [[], [[1.0]], [[1.0, 2.0]], [[1.0, 1.0, 1.0]]])
def test_what_says_nothing(samples: list[list[float]]) -> None:
    assert (shape_of(samples).runs, shape_of(samples).caveat) == (0, "")


def test_stalls_that_are_missed() -> None:
    assert missed(0.05, [3, 30]) == pytest.approx([0.857375, 0.214639], rel=1e-5)


@pytest.mark.parametrize("runs", [1, 3, 30, 1000])
def test_what_is_rarer_than_the_unseen_share_is_missed_more_often(runs: int) -> None:
    share = float(unseen_share(runs))
    assert missed(share, runs) == pytest.approx(0.05)
    assert missed(share / 2, runs) > 0.05
