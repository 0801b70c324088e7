from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import curve_fit

from storagelab.analysis.inference.curves import HALF, KNEE, LAW, Fit, Means, Model, fit
from storagelab.analysis.inference.intervals import Floats

N = np.repeat([1.0, 2.0, 4.0, 8.0, 16.0], 4)
TRUE = {KNEE.name: [6.0], HALF.name: [3.0], LAW.name: [0.1, 0.01]}
START = {KNEE.name: [4.0], HALF.name: [2.0], LAW.name: [0.05, 0.02]}


def runs(model: Model, spread: float = 0.05) -> Floats:
    noise = np.random.default_rng(11).lognormal(0, spread, N.size)
    return 100 * np.exp(model.shape(N, np.array(TRUE[model.name]))) * noise


def fitted(model: Model) -> Fit:
    return fit(model, Means.of(N, runs(model)))


@pytest.mark.parametrize("model", [KNEE, HALF, LAW], ids=lambda model: model.name)
def test_estimates_are_those_of_scipy(model: Model) -> None:
    found = fitted(model)
    start = [np.log(90), *START[model.name]]
    best, _ = curve_fit(lambda n, a, *p: a + model.shape(n, np.array(p)), N, np.log(runs(model)), p0=start)
    assert found.height == pytest.approx(best[0], rel=1e-4)
    assert found.rest == pytest.approx(best[1:], rel=1e-3)
    misses = np.log(runs(model)) - best[0] - model.shape(N, best[1:])
    assert found.squares == pytest.approx((misses**2).sum(), rel=1e-6)


@pytest.mark.parametrize("model", [HALF, LAW], ids=lambda model: model.name)
def test_intervals_are_near_those_of_the_covariance_where_the_model_is_nearly_straight(model: Model) -> None:
    n, values = N, 100 * np.exp(model.shape(N, np.array(TRUE[model.name])))
    values = values * np.random.default_rng(2).lognormal(0, 0.005, n.size)
    found = fit(model, Means.of(n, values))
    start = [np.log(90), *START[model.name]]
    best, covariance = curve_fit(lambda n, a, *p: a + model.shape(n, np.array(p)), n, np.log(values), p0=start)
    half = stats.t.ppf(0.975, n.size - best.size) * np.sqrt(np.diag(covariance))
    for i in range(best.size - 1):
        assert found.parameter(i)[1] == pytest.approx((best[i + 1] - half[i + 1], best[i + 1] + half[i + 1]), rel=0.02)
    _, (low, high) = found.of_curve(lambda rest: np.zeros(rest.shape[:-1]))
    assert np.log([low, high]) == pytest.approx([best[0] - half[0], best[0] + half[0]], rel=1e-3)


def test_an_end_of_a_profile_interval_costs_what_f_allows() -> None:
    found = fitted(HALF)
    logs = np.log(runs(HALF))
    for end in found.parameter(0)[1]:
        gaps = logs - HALF.shape(N, np.array([end]))
        squares = ((gaps - gaps.mean()) ** 2).sum()
        excess = (squares / found.squares - 1) * (N.size - 2)
        assert excess == pytest.approx(stats.f.ppf(0.95, 1, N.size - 2), rel=0.02)


def test_criteria_by_hand() -> None:
    found = fitted(HALF)
    size, k = N.size, 3
    assert found.rmse == pytest.approx(np.sqrt(found.squares / size))
    assert found.aicc == pytest.approx(size * np.log(found.squares / size) + 2 * k + 2 * k * (k + 1) / (size - k - 1))
    inside = sum(((g - g.mean()) ** 2).sum() for g in np.log(runs(HALF)).reshape(5, 4))
    ratio = (found.squares - inside) / 3 / (inside / 15)
    assert found.p_misfit() == pytest.approx(stats.f.sf(ratio, 3, 15))


def test_the_band_holds_the_curve_and_widens_beyond_the_runs() -> None:
    found = fitted(HALF)
    best, low, high = found.log_curve(np.array([4.0, 64.0]))
    assert ((low < best) & (best < high)).all()
    assert high[1] - low[1] > high[0] - low[0]


def test_bounds_of_the_law_are_no_open_ends() -> None:
    values = 100 * N * np.random.default_rng(5).lognormal(0, 0.05, N.size)
    found = fit(LAW, Means.of(N, values))
    assert found.open_low == (False, False)
    assert found.parameter(0)[1][0] == 0
    assert found.parameter(1)[1][0] == 0
