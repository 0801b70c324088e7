"""How much runs resemble the ones before them, against matrices, formulas and drawn campaigns."""

from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis.inference.dependence import (
    LONGEST,
    NOT_EXCLUDED,
    STRONG,
    UNKNOWN,
    Dependence,
    _moments,
    dependence,
    doubt,
    freedom,
    widening,
)
from tests.simulations.dependence import correlated


def cells(rho: float, count: int, n: int, seed: int = 1) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [correlated(rng, n, rho) for _ in range(count)]


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("n", [5, 10, 30])
def test_the_correlation_of_many_cells_is_found_without_the_bias_of_their_means(rho: float, n: int) -> None:
    found = dependence(cells(rho, 400, n))
    assert found.rho == pytest.approx(rho, abs=0.06)
    assert found.least <= rho <= found.most + 0.01


def test_few_runs_say_nothing() -> None:
    assert dependence([np.array([1.0, 2.0, 3.0])] * 6) == UNKNOWN
    assert dependence([np.array([1.0, 2.0])] * 100) == UNKNOWN
    assert dependence([np.ones(30)]) == UNKNOWN
    assert UNKNOWN.used == 0


def test_a_noisy_cell_counts_as_much_as_it_spreads() -> None:
    alike, apart = cells(0.0, 20, 10), [100 * x for x in cells(0.9, 20, 10)]
    assert dependence([*alike, *apart]).rho == pytest.approx(dependence(apart).rho, abs=0.01)


@pytest.mark.parametrize("n", [2, 5, 30])
@pytest.mark.parametrize("rho", [0.0, 0.4, 0.8])
def test_the_variance_of_a_mean_and_its_freedom_are_those_of_the_matrix(n: int, rho: float) -> None:
    correlations = rho ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    centring = np.eye(n) - 1 / n
    inside = np.trace(centring @ correlations)
    assert widening(n, rho) == pytest.approx(correlations.mean() / (inside / (n - 1) / n))
    squared = centring @ correlations @ centring @ correlations
    assert freedom(n, rho) == pytest.approx(inside**2 / np.trace(squared))


def test_formulas_for_many_runs_join_those_for_few() -> None:
    assert freedom(201, 0.5) == pytest.approx(freedom(200, 0.5), rel=0.03)
    assert freedom(201, 1e-9) == pytest.approx(200)
    (few_means, few_spreads), (means, spreads) = _moments(LONGEST), _moments(LONGEST + 1)
    assert means[:90] == pytest.approx(few_means[:90], abs=0.005)
    assert spreads[:60] == pytest.approx(few_spreads[:60], rel=0.06)
    few, many = dependence(cells(0.5, 30, 200)), dependence(cells(0.5, 30, 201))
    assert few.rho == pytest.approx(0.5, abs=0.03)
    assert many.rho == pytest.approx(0.5, abs=0.03)


def test_doubts() -> None:
    assert doubt(1, UNKNOWN) == ""
    assert doubt(5, UNKNOWN) == NOT_EXCLUDED
    assert doubt(5, Dependence(0.6, 0.5, 0.7)) == STRONG
    assert doubt(5, Dependence(0.0, 0.0, 0.1)) == ""


def test_runs_that_lie_far_apart_are_not_doubted() -> None:
    assert doubt(3, UNKNOWN.apart(0)) == NOT_EXCLUDED
    assert doubt(3, UNKNOWN.apart(100)) == ""
    assert doubt(3, Dependence(0.9, 0.8, 0.95).apart(100)) == STRONG
