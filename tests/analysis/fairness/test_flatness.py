from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from storagelab.analysis import flatness
from storagelab.errors import AnalysisError
from tests.analysis.fairness.clients import clients, run


def test_the_distance_by_hand() -> None:
    # on 0 to 10: the empirical steps at 1, 2, 3, 4, 10 are highest above x / 10 behind 4: 0.8 - 0.4
    found = flatness(clients(run([1.0, 2.0, 3.0, 4.0, 10.0], "a")), by=[], ends=(0.0, 10.0))
    assert found["uniform_distance"].item() == pytest.approx(0.4)
    assert found["p_uniform"].item() == pytest.approx(stats.ksone.sf(0.4, 5) * 2, abs=1e-3), "both sides at this size"
    assert found["p_uniform"].item() == pytest.approx(stats.kstwo.sf(0.4, 5))
    assert (found["outside_range"].item(), found["n_clients"].item(), found["caveat"].item()) == (0, 5, "")
    names = ("uniform_distance", "p_uniform", "outside_range", "n_clients")
    assert {found[name].attrs["units"] for name in names} == {"1"}


def test_without_ends_those_between_the_extremes_are_tested() -> None:
    values = [8.0, 8.5, 9.0, 9.4, 10.1, 10.6, 11.0]
    found = flatness(clients(run(values, "a")), by=[])
    expected = stats.kstest(values[1:-1], "uniform", args=(8, 3))
    assert found["uniform_distance"].item() == pytest.approx(expected.statistic)
    assert found["p_uniform"].item() == pytest.approx(expected.pvalue)


def test_two_heaps_are_not_flat() -> None:
    rng = np.random.default_rng(3)
    heaps = np.r_[rng.normal(8.2, 0.05, 25), rng.normal(10.8, 0.05, 24)]
    assert flatness(clients(run(heaps, "a")), by=[], ends=(8.0, 11.0))["p_uniform"].item() < 1e-4
    assert flatness(clients(run(rng.uniform(8, 11, 49), "a")), by=[], ends=(8.0, 11.0))["p_uniform"].item() > 0.05


@given(st.lists(st.floats(1, 1e3), min_size=7, max_size=12, unique=True))
@settings(max_examples=20)
def test_flatness_is_free_of_units_and_order(values: list[float]) -> None:
    one, other = (flatness(clients(run(x, "a")), by=[]) for x in (values, [1024 * x for x in values[::-1]]))
    assert other["uniform_distance"].item() == pytest.approx(one["uniform_distance"].item(), abs=1e-9)


@pytest.mark.parametrize(
    ("values", "ends", "caveat"),
    [
        ([1.0, 2.0, 3.0], (0.0, 4.0), "3 clients to test: needs 5"),
        ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], None, "4 clients to test: needs 5"),
        ([1.0, 2.0, 2.0, 4.0, 5.0, 5.0], (0.0, 9.0), "2 of 6 clients are tied with another: rounded?"),
        ([7.0] * 8, None, "7 of 8 clients are tied with another: rounded?"),
    ],
)
def test_too_few_or_tied_clients_have_no_p(values: list[float], ends: tuple[float, float] | None, caveat: str) -> None:
    found = flatness(clients(run(values, "a")), by=[], ends=ends)
    assert np.isnan(found["p_uniform"].item())
    assert found["caveat"].item() == caveat


def test_clients_outside_the_range_are_counted() -> None:
    found = flatness(clients(run([7.0, 8.5, 9.0, 10.0, 12.0], "a")), by=[], ends=(8.0, 11.0))
    assert found["outside_range"].item() == 2


def test_a_range_has_its_ends_in_order() -> None:
    with pytest.raises(AnalysisError, match="a range has its lower end first, got 11 to 8"):
        flatness(clients(run([8.0, 9.0], "a")), by=[], ends=(11.0, 8.0))
