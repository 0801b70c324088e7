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


def halves(model: Model, means: Means, parameters: Floats) -> Floats:
    """Half-widths of the intervals of a straight model: the wider of t over runs (White) and t over level means."""

    def curve(at: Floats) -> Floats:
        return at[0] + model.shape(means.n, at[1:])

    steps = np.diag(1e-5 * np.abs(parameters))
    jacobian = np.array([(curve(parameters + s) - curve(parameters - s)) / (2 * s.max()) for s in steps]).T
    weights = np.linalg.pinv(jacobian)
    variances = means.within / (means.runs - 1) / means.runs
    parts = weights**2 * variances
    freedom = parts.sum(axis=1) ** 2 / (parts**2 / (means.runs - 1)).sum(axis=1)
    left = means.n.size - model.parameters
    misses = ((means.logs - curve(parameters)) ** 2).sum() / left
    by_runs = stats.t.ppf(0.975, freedom) * np.sqrt(parts.sum(axis=1))
    by_levels = stats.t.ppf(0.975, left) * np.sqrt(misses * (weights**2).sum(axis=1))
    return np.maximum(by_runs, by_levels)


UNEVEN = np.repeat([0.001, 0.001, 0.002, 0.01, 0.01], 4)
OFFSETS = np.repeat([0.004, -0.004, 0.003, -0.004, 0.003], 4)


@pytest.mark.parametrize("model", [HALF, LAW], ids=lambda model: model.name)
@pytest.mark.parametrize(("spread", "offsets"), [(0.005, 0.0), (UNEVEN, 0.0), (0.001, OFFSETS)])
def test_intervals_are_the_wider_of_two_where_the_model_is_nearly_straight(
    model: Model, spread: float | Floats, offsets: float | Floats
) -> None:
    values = 100 * np.exp(model.shape(N, np.array(TRUE[model.name])) + offsets)
    means = Means.of(N, values * np.exp(np.random.default_rng(2).normal(0, spread, N.size)))
    found = fit(model, means)
    best = np.array([found.height, *found.rest])
    half = halves(model, means, best)
    for i in range(best.size - 1):
        assert found.parameter(i)[1] == pytest.approx((best[i + 1] - half[i + 1], best[i + 1] + half[i + 1]), rel=0.03)
    _, (low, high) = found.of_curve(lambda rest: np.zeros(rest.shape[:-1]))
    assert np.log([low, high]) == pytest.approx([best[0] - half[0], best[0] + half[0]], rel=2e-3)
    _, *band = found.log_curve(np.array([1e9 if model is HALF else 1.0]))
    assert np.exp(band).ravel() == pytest.approx([low, high], rel=1e-5), "there the curve is its height"


def test_an_end_of_a_profile_interval_costs_what_t_allows() -> None:
    values = runs(HALF, 1e-6) * np.exp(10 * OFFSETS)
    found, logs = fit(HALF, Means.of(N, values)), np.log(values).reshape(5, 4).mean(axis=1)
    for end in found.parameter(0)[1]:
        gaps = logs - HALF.shape(N[::4], np.array([end]))
        squares = ((gaps - gaps.mean()) ** 2).sum()
        assert (squares / found.between - 1) * 3 == pytest.approx(stats.f.ppf(0.95, 1, 3), rel=0.02)


def test_offsets_of_levels_widen_what_repeats_would_narrow() -> None:
    few, many = (np.repeat([1.0, 2.0, 4.0, 8.0, 16.0], n) for n in (3, 300))
    widths = []
    for n in (few, many):
        offsets = np.repeat([0.04, -0.05, 0.03, -0.04, 0.03], n.size // 5)
        noise = np.random.default_rng(3).normal(0, 0.02, n.size)
        low, high = fit(KNEE, Means.of(n, np.minimum(1, n / 5) * np.exp(offsets + noise))).parameter(0)[1]
        widths.append(np.log(high / low))
    assert widths[1] > 0.8 * widths[0] > 0.08


def test_a_level_with_many_runs_weighs_as_much_as_the_others() -> None:
    logs = np.log(runs(HALF))
    more = np.concatenate([np.tile(logs[16:], 9)])
    n = np.concatenate([N, np.full(more.size, 16.0)])
    assert fit(HALF, Means.of(n, np.exp(np.concatenate([logs, more])))).rest == pytest.approx(fitted(HALF).rest)


def test_criteria_are_those_of_least_squares_over_the_runs_where_levels_have_more_of_them() -> None:
    n, values = N[5:], runs(HALF, 0.2)[5:]
    found = fit(HALF, Means.of(n, values))
    _, _, rest, *_ = curve_fit(
        lambda n, a, h: a + HALF.shape(n, np.array([h])), n, np.log(values), p0=[np.log(90), 2.0], full_output=True
    )
    assert found.squares == pytest.approx((rest["fvec"] ** 2).sum(), rel=1e-6)
    assert found.between > 0


def test_a_level_of_one_run_has_the_spread_of_the_others() -> None:
    means = Means.of(N[3:], runs(HALF)[3:])
    variances, freedom = means.variances()
    assert means.runs.tolist() == [1, 4, 4, 4, 4]
    assert (variances[0], freedom[0]) == (pytest.approx(means.within[1:].sum() / 12), 12)
    assert variances[1] == pytest.approx(np.log(runs(HALF)[4:8]).var(ddof=1) / 4)
    assert np.isnan(Means.of(N[::4], runs(HALF)[::4]).variances()[0]).all()


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
    assert found.parameter(0)[1][0] == 0
    assert found.parameter(1)[1][0] == 0
