from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from storagelab.analysis import fairness, fairness_of, fairness_over_runs
from storagelab.analysis.inference.dependence import NOT_EXCLUDED
from storagelab.analysis.inference.seeds import generator
from storagelab.errors import AnalysisError
from tests.analysis.fairness.clients import clients, runs
from tests.analysis.tables import cluster


def shared(n: int) -> list[list[float]]:
    rng = np.random.default_rng(5)
    return [list(rng.normal(9.5, 1.0, 6)) for _ in range(n)]


def test_a_flat_spread_has_the_index_of_the_integral() -> None:
    # for a density that is flat between 8 and 11: E[x]^2 / E[x^2] = 9.5^2 / ((11^3 - 8^3) / (3 (11 - 8)))
    integral = 9.5**2 / ((11**3 - 8**3) / 9)
    assert integral == pytest.approx(0.992, abs=5e-4)
    flat = 8 + 3 * (np.arange(3000) + 0.5) / 3000
    assert fairness_of(flat)["jain"] == pytest.approx(integral, rel=1e-6)


@pytest.mark.parametrize(("inner", "half"), [((9.5,), 0.158), ((9.17, 8.01), 0.164)])
def test_half_range_over_the_mean(inner: tuple[float, ...], half: float) -> None:
    values = np.array([8.0, 11.0, *inner])
    if len(inner) == 2:
        values = np.append(values, 9.17 * 5 - values.sum())  # the published mean of 9.17
    assert fairness_of(values)["half_range"] == pytest.approx(half, abs=5e-4)


@given(st.lists(st.floats(1, 1e3), min_size=2, max_size=9))
def test_indices_are_free_of_units_and_order(values: list[float]) -> None:
    x = np.array(values)
    assert fairness_of(x * 1024) == pytest.approx(fairness_of(x), rel=1e-9, abs=1e-9, nan_ok=True)
    assert fairness_of(x[::-1]) == pytest.approx(fairness_of(x), rel=1e-9, abs=1e-9, nan_ok=True)


def test_three_runs_are_their_own_answer() -> None:
    found = fairness_over_runs(fairness(clients(runs(shared(3))), by=[]))
    assert found["n"].item() == 3
    assert np.isnan([found["jain_low"].item(), found["jain_high"].item()]).all()
    assert found["caveat"].item() == "3 runs: bootstrap needs 10, the runs themselves are the answer"
    each = [fairness_of(np.array(values))["jain"] for values in shared(3)]
    assert (found["jain_min"].item(), found["jain_max"].item()) == pytest.approx((min(each), max(each)))
    assert found["jain"].item() == pytest.approx(np.mean(each))


def test_twelve_runs_are_resampled_as_scipy_does_at_the_level_of_t() -> None:
    fair = fairness(clients(runs(shared(12), layout="a")), by=["layout"])
    found = fairness_over_runs(fair, "variation", ["layout"])
    each = np.array([np.std(values, ddof=1) / np.mean(values) for values in shared(12)])
    # Hesterberg: alpha' / 2 = Phi(-sqrt(n / (n - 1)) t)
    level = 1 - 2 * stats.norm.cdf(-np.sqrt(12 / 11) * stats.t.ppf(0.975, 11))
    order = fair["variation"].to_numpy()[np.argsort(fair["run_id"].to_numpy())]
    assert sorted(order) == pytest.approx(sorted(each))
    expected = stats.bootstrap(
        (order,), np.mean, n_resamples=9999, confidence_level=level, method="BCa",
        random_state=generator("test-2026", "variation over runs", "layout=a"),
    ).confidence_interval  # fmt: skip
    assert found["variation_low"].item() == pytest.approx(expected.low)
    assert found["variation_high"].item() == pytest.approx(expected.high)
    assert found["caveat"].item() == NOT_EXCLUDED
    assert {found[name].attrs["units"] for name in ("variation", "variation_low", "variation_std", "n")} == {"1"}
    again = fairness_over_runs(fair, "variation", ["layout"])
    assert again["variation_low"].item() == found["variation_low"].item(), "the same seed"


def test_runs_without_spread_have_no_interval() -> None:
    found = fairness_over_runs(fairness(clients(runs([[1.0, 3.0]] * 12)), by=[]))
    assert np.isnan(found["jain_low"].item())
    assert found["caveat"].item() == "runs without any spread"


def test_runs_need_an_index() -> None:
    with pytest.raises(AnalysisError, match="the dataset has no 'jain'"):
        fairness_over_runs(cluster())
