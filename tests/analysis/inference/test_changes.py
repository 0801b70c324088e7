from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab.analysis.inference.changes import changes, long_noise, p_of_place, segments

NOISE = np.random.default_rng(11).normal(0, 0.05, (3, 8))
STEP = np.array([0.0] * 5 + [-1.0] * 3)


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def test_the_best_cut_of_one_curve_by_trying_all() -> None:
    curve = (STEP + NOISE)[0]
    squares = [np.var(curve[:i]) * i + np.var(curve[i:]) * (8 - i) for i in range(1, 8)]
    found = changes(curve[None], 1, rng())
    assert found.places == (1 + int(np.argmin(squares)),) == (5,)
    # all orders of 8 values: those that have the three low ones at an end are 2 of C(8, 3) = 56
    assert found.p[0] == pytest.approx(2 / 56, abs=0.015)


def test_two_changes_by_trying_all() -> None:
    curves = np.where(np.arange(8) < 2, 1.0, STEP) + NOISE
    mean = curves.mean(axis=0)
    cost = {
        cut: sum(np.var(part) * len(part) for part in np.split(mean, cut))
        for cut in itertools.combinations(range(1, 8), 2)
    }
    found = changes(curves, 3, rng())
    assert found.places == min(cost, key=lambda cut: cost[cut]) == (2, 5)
    assert found.regions == ((2, 2), (5, 5))
    assert (np.array(found.p[:2]) <= 0.05).all()
    assert found.p[2] > 0.05


def gain(curve: np.ndarray, place: int) -> float:
    """Squares that a change at a place explains."""
    whole, parts = np.var(curve) * curve.size, np.split(curve, [place])
    return float(whole - sum(np.var(part) * part.size for part in parts))


def p_of_all_orders(curve: np.ndarray, place: int) -> float:
    """P of a change at a place, from all orders of the values before it and after it."""
    orders = [
        np.array([*before, *after])
        for before in itertools.permutations(curve[:place])
        for after in itertools.permutations(curve[place:])
    ]
    lost = [max(gain(order, at) for at in range(1, curve.size)) - gain(order, place) for order in orders]
    return float(np.mean(np.array(lost) >= lost[0] - 1e-12))


def test_p_of_each_place_is_that_of_all_orders() -> None:
    curve = np.array([0.0, 0.3, -0.2, -1.6, -1.0, -2.0, -1.7])
    exact = [p_of_all_orders(curve, place) for place in range(1, 7)]
    drawn = [p_of_place(curve[None], place, rng(), 4999) for place in range(1, 7)]
    assert drawn == pytest.approx(exact, abs=0.02)
    assert exact[2] == 1, "where least squares put it"


def test_a_region_holds_the_places_that_are_not_refused() -> None:
    curves = np.array([[-0.46, -0.12, 1.16, 0.46, -1.15, -1.80, -2.24, -1.70, -2.93, -1.63]])
    found = changes(curves, 1, rng())
    alone = [place for place in range(1, 10) if p_of_place(curves, place, rng()) > 0.05]
    assert found.regions == ((alone[0], alone[-1]),)
    assert alone == [3, 4, 5, 6]


def test_what_a_repeat_does_to_all_its_values_is_no_noise() -> None:
    shifts = np.array([[0.0], [3.0], [-5.0]])
    assert changes(STEP + NOISE + shifts, 3, rng()) == changes(STEP + NOISE, 3, rng())


def test_flat_curves_have_no_change() -> None:
    found = changes(NOISE, 3, rng())
    assert (found.places, found.regions) == ((), ())
    assert found.p[0] > 0.05
    assert changes(np.zeros((3, 8)), 3, rng()).p == (1.0,)


@given(st.floats(-20, 20), st.floats(0.1, 100))
def test_unit_and_scale_do_not_matter(level: float, scale: float) -> None:
    assert changes(level + scale * (STEP + NOISE), 2, rng()).places == (5,)


def test_a_series_is_cut_where_it_steps() -> None:
    noise = np.random.default_rng(2).normal(0, 1, 300)
    step = np.where((np.arange(300) >= 100) & (np.arange(300) < 200), 8.0, 0.0)
    assert segments(noise + step) == (100, 200)
    assert segments(noise) == ()
    assert segments(noise + step, penalty=1e6) == ()


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0], [5.0] * 50])
def test_a_series_that_says_nothing(values: list[float]) -> None:
    assert segments(np.array(values)) == ()


def test_a_series_without_noise_is_cut_at_its_steps() -> None:
    assert segments(np.array([0.0] * 20 + [5.0] * 30 + [1.0] * 25)) == (20, 50)


def test_noise_over_long_times_of_an_autoregressive_process() -> None:
    # x_t = 0.5 x_(t-1) + e: variance 1 / (1 - 0.25) = 4/3, times (1 + 0.5) / (1 - 0.5): 4
    draws = np.random.default_rng(3)
    x = draws.normal(size=20000)
    for i in range(1, x.size):
        x[i] += 0.5 * x[i - 1]
    variance, alike = long_noise(x + 50 * (np.arange(x.size) > 9000))
    assert (variance, alike) == pytest.approx((4.0, 0.5), rel=0.1)
