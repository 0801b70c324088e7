"""Draws: the same everywhere, and exactly what is demanded of them."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.reconstruct import draws

RATES = st.floats(1e5, 1e10)


def test_the_same_names_give_the_same_numbers_for_good() -> None:
    """Written down once: another Python or machine must give the same."""
    assert [round(draws.seeded("bnl-2007", 3).random(), 12) for _ in range(2)] == [0.270827989835, 0.270827989835]
    assert draws.seeded("bnl-2007", 4).random() != draws.seeded("bnl-2007", 3).random()


@given(RATES, st.floats(1e-6, 0.2), st.integers(2, 300), st.integers())
def test_a_sample_has_exactly_the_mean_and_the_error_that_are_demanded(
    mean: float, share: float, n: int, seed: int
) -> None:
    values = draws.around(mean, mean * share, n, draws.seeded(seed))
    assert len(values) == n
    assert statistics.fmean(values) == pytest.approx(mean, rel=1e-12)
    assert statistics.stdev(values) / math.sqrt(n) == pytest.approx(mean * share, rel=1e-9)


def test_no_error_is_no_spread() -> None:
    assert draws.around(3.0, 0.0, 2, draws.seeded()) == [3.0, 3.0]


@pytest.mark.parametrize(("error", "n"), [(-1.0, 5), (1.0, 1)])
def test_an_error_that_cannot_be_is_refused(error: float, n: int) -> None:
    with pytest.raises(ReconstructError, match=f"found {error:g} over {n}"):
        draws.around(1.0, error, n, draws.seeded())


@given(st.floats(1, 10), st.floats(1.1, 5), st.floats(0.1, 0.9), st.integers(5, 60))
def test_values_between_two_ends_have_both_and_the_mean(low: float, ratio: float, place: float, n: int) -> None:
    high = low * ratio
    inner = (high - low) * (n - 2) / n
    mean = low + (high - low) / n + inner * place
    values = draws.spread_between(low, high, mean, n)
    assert (values[0], values[-1]) == (low, pytest.approx(high))
    assert values == sorted(values)
    assert statistics.fmean(values) == pytest.approx(mean, rel=1e-6)


def test_a_mean_that_no_such_values_have_is_refused() -> None:
    with pytest.raises(ReconstructError, match=r"5 values from 1 to 2 have a mean of 1.2 to 1.8, not 1.9"):
        draws.spread_between(1.0, 2.0, 1.9, 5)


def test_equal_values_have_no_spread_to_scale() -> None:
    with pytest.raises(ReconstructError, match="two values or more that differ, found 3"):
        draws.standardised([1.0, 1.0, 1.0])


def test_another_order_is_the_same_values() -> None:
    values = [float(i) for i in range(50)]
    mixed = draws.shuffled(values, draws.seeded(1))
    assert mixed != values
    assert sorted(mixed) == values


@given(RATES, st.floats(0, 0.05), st.integers(1, 9), st.integers())
def test_the_best_of_a_sample_is_what_is_demanded(best: float, spread: float, n: int, seed: int) -> None:
    values = draws.with_best(best, spread, n, draws.seeded(seed))
    assert len(values) == n
    assert max(values) == pytest.approx(best, rel=1e-12)
    assert min(values) > 0


def test_the_best_of_many_lies_above_the_others_as_that_of_normal_values_does() -> None:
    """Three normal values: the highest lies 0.85 standard deviations above their mean, on average."""
    excess = [1 - statistics.fmean(draws.with_best(1.0, 0.01, 3, draws.seeded("best", i))) for i in range(2000)]
    assert statistics.fmean(excess) == pytest.approx(0.0085, rel=0.05)


def test_a_best_value_is_above_zero() -> None:
    with pytest.raises(ReconstructError, match=r"a best of 0 with a spread of 0\.1"):
        draws.with_best(0.0, 0.1, 3, draws.seeded("none"))
