"""The model of a test bed, held against its equations by hand."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.reconstruct import model
from storagelab.reconstruct.draws import seeded

RATES = st.floats(1e5, 1e10)


def test_the_narrowest_stage_binds() -> None:
    assert model.narrowest({"disks": 1131e6, "links": 375e6}) == 375e6
    with pytest.raises(ReconstructError, match="a path without stages"):
        model.narrowest({})


def test_a_curve_rises_with_its_clients_and_ends_at_the_limit() -> None:
    assert model.saturating(1, 10e6, 100e6) == pytest.approx(10e6, rel=1e-6)
    assert model.saturating(1000, 10e6, 100e6) == pytest.approx(100e6, rel=1e-6)
    assert model.saturating(10, 10e6, 100e6) == pytest.approx(100e6 * 2 ** (-1 / 8))


@given(st.floats(1, 500), st.floats(1, 500), RATES, RATES)
def test_more_clients_never_get_less_and_never_more_than_the_limit(
    n: float, m: float, alone: float, limit: float
) -> None:
    few, many = sorted((n, m))
    less, more = model.saturating(few, alone, limit), model.saturating(many, alone, limit)
    assert less <= more * (1 + 1e-12)
    assert more <= min(limit, many * alone) * (1 + 1e-12)


@pytest.mark.parametrize("numbers", [(0, 1, 1), (1, 0, 1), (1, 1, -1)])
def test_a_curve_needs_numbers_above_zero(numbers: tuple[float, float, float]) -> None:
    with pytest.raises(ReconstructError, match="expected numbers above 0, found n="):
        model.saturating(*numbers)


@given(RATES, st.integers(2, 60), st.floats(0.001, 0.15), st.integers())
def test_shares_add_up_and_are_as_uneven_as_demanded(total: float, n: int, unevenness: float, seed: int) -> None:
    shares = model.fair_shares(total, n, unevenness, seeded(seed))
    assert sum(shares) == pytest.approx(total)
    assert statistics.stdev(shares) / statistics.fmean(shares) == pytest.approx(unevenness)


def test_one_client_has_it_all_and_even_shares_are_even() -> None:
    assert model.fair_shares(9.0, 1, 0.5, seeded()) == [9.0]
    assert model.fair_shares(9.0, 3, 0.0, seeded()) == [3.0, 3.0, 3.0]


def test_shares_that_cannot_be_are_refused() -> None:
    with pytest.raises(ReconstructError, match="found 0 for 3"):
        model.fair_shares(0.0, 3, 0.1, seeded())
    with pytest.raises(ReconstructError, match="an unevenness of 2 leaves one of 20 clients nothing"):
        model.fair_shares(1.0, 20, 2.0, seeded())


@pytest.mark.parametrize(("n", "expected"), [(1, 60.0), (2, 120.0), (3, 180.0), (4, 220.0), (7, 300.0)])
def test_files_without_stripes_leave_targets_idle(n: int, expected: float) -> None:
    """Three targets of 100, clients that take 60 alone: the fourth client shares a target with the first."""
    assert model.on_targets(n, [100.0, 100.0, 100.0], 60.0) == expected


def test_what_fits_in_memory_is_fast_and_what_does_not_is_a_mixture() -> None:
    assert model.behind_cache(1e9, 2e9, 1e9, 1e8) == pytest.approx(1e9)
    assert model.behind_cache(2e9, 1e9, 1e9, 1e8) == pytest.approx(1 / (0.5 / 1e9 + 0.5 / 1e8))
    assert model.behind_cache(2e9, 0.0, 1e9, 1e8) == pytest.approx(1e8)
    with pytest.raises(ReconstructError, match="found size=0"):
        model.behind_cache(0.0, 1.0, 1.0, 1.0)


def test_a_transfer_starts_and_then_moves() -> None:
    assert model.with_start(100e6, 0.5, 50e6) == 2.5
