from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from storagelab.analysis import compare_evenness, compare_variation
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.fairness.clients import clients, runs
from tests.analysis.tables import node, repeats

RNG = np.random.default_rng(11)
PLAIN, STRIPED = RNG.normal(12.3, 0.6, (12, 6)), RNG.normal(12.8, 0.1, (12, 6))


def brown_forsythe(a: np.ndarray, b: np.ndarray) -> float:
    """One-way analysis of variance of the distances to the median, two groups, written out."""
    x, y = np.abs(a - np.median(a)), np.abs(b - np.median(b))
    both = np.r_[x, y]
    between = len(x) * (x.mean() - both.mean()) ** 2 + len(y) * (y.mean() - both.mean()) ** 2
    within = ((x - x.mean()) ** 2).sum() + ((y - y.mean()) ** 2).sum()
    return float(stats.f.sf(between / (within / (len(both) - 2)), 1, len(both) - 2))


def test_two_published_gains_in_consistency() -> None:
    # relative errors 0.08 / 12.27 and 0.01 / 12.81: striping makes the spread 8.35 times smaller
    plain, striped = ([mean - 1.0 * e, mean, mean + 1.0 * e] for mean, e in ((12.27, 0.08), (12.81, 0.01)))
    rows = repeats(plain, striping="none") + repeats(striped, striping="4MB")
    found = compare_variation(node(rows), "throughput", "striping", "4MB", "none")
    assert found["ratio"].item() == pytest.approx((0.08 / 12.27) / (0.01 / 12.81))
    assert found["ratio"].item() == pytest.approx(8.352, abs=5e-4)
    assert (found["run_variation"].item(), found["run_variation_base"].item()) == pytest.approx(
        (0.08 / 12.27, 0.01 / 12.81)
    )
    assert np.isnan([found["ratio_low"].item(), found["ratio_high"].item()]).all()
    assert found["caveat"].item() == "3 runs: bootstrap needs 10, the runs themselves are the answer"
    names = ("ratio", "ratio_low", "run_variation", "run_variation_base", "p", "p_adjusted", "n", "n_base")
    assert {found[name].attrs["units"] for name in names} == {"1"}


def test_spreads_over_runs_against_a_test_written_out() -> None:
    a, b = PLAIN[:, 1], STRIPED[:, 1]
    rows = repeats(a, striping="none") + repeats(b, striping="4MB")
    found = compare_variation(node(rows), "throughput", "striping", "none", "4MB")
    assert found["p"].item() == pytest.approx(brown_forsythe(a / a.mean(), b / b.mean()))
    assert found["verdict"].item() == "lower"
    assert found["ratio_low"].item() < found["ratio"].item() < found["ratio_high"].item() < 1
    assert found["caveat"].item() == ""


@given(st.floats(0.001, 1024), st.permutations(range(5)))
@settings(max_examples=20)
def test_relative_spreads_are_free_of_units_and_order(unit: float, order: list[int]) -> None:
    a, b = np.array([1.0, 2.0, 4.0, 3.0, 2.5]), np.array([5.0, 5.1, 5.3, 4.8, 5.2])
    one = compare_variation(node(repeats(a, layout="a") + repeats(b, layout="b")), "throughput", "layout", "a", "b")
    moved = repeats(a[order] * unit, layout="a") + repeats(b[order] * unit, layout="b")
    other = compare_variation(node(moved), "throughput", "layout", "a", "b")
    for name in ("ratio", "p"):
        assert other[name].item() == pytest.approx(one[name].item())


def test_runs_that_differ_by_factors_are_flagged() -> None:
    rows = repeats(np.exp(np.linspace(-2, 2, 12)), layout="a") + repeats(PLAIN[:, 0], layout="b")
    found = compare_variation(node(rows), "throughput", "layout", "a", "b")
    assert found["caveat"].item() == "runs differ by factors"
    assert np.isnan(found["ratio_low"].item())


def test_a_spread_needs_positive_runs_and_both_sides() -> None:
    rows = repeats((0.0, 1.0), layout="a") + repeats((1.0, 2.0), layout="b")
    with pytest.raises(AnalysisError, match="throughput is not positive in every run"):
        compare_variation(node(rows), "throughput", "layout", "a", "b")
    rows = repeats((1.0, 2.0), layout="a", clients=1.0) + repeats((1.0, 2.0), layout="b", clients=2.0)
    with pytest.raises(AnalysisError, match="no cell has throughput of both layout=a and layout=b"):
        compare_variation(node(rows), "throughput", "layout", "a", "b", ["clients"])


def test_one_run_a_side_has_no_spread() -> None:
    found = compare_variation(
        node(repeats((1.0,), layout="a") + repeats((2.0,), layout="b")), "throughput", "layout", "a", "b"
    )
    assert np.isnan([found["ratio"].item(), found["p"].item()]).all()


def test_evenness_is_compared_run_by_run() -> None:
    rows = clients(runs(PLAIN[:3].tolist(), striping="none"), runs(STRIPED[:3].tolist(), striping="4MB"))
    found = compare_evenness(rows, "throughput", "striping", "none", "4MB")
    logs = [np.log(part.std(axis=1, ddof=1) / part.mean(axis=1)) for part in (STRIPED[:3], PLAIN[:3])]
    expected = stats.ttest_ind(*logs, equal_var=False)
    assert found["p"].item() == pytest.approx(expected.pvalue)
    assert found["ratio"].item() == pytest.approx(np.exp(logs[0].mean() - logs[1].mean()))
    ends = expected.confidence_interval(0.95)
    assert (found["ratio_low"].item(), found["ratio_high"].item()) == pytest.approx(
        (np.exp(ends.low), np.exp(ends.high))
    )
    pooled = [(part / part.mean(axis=1, keepdims=True)).ravel() for part in (STRIPED[:3], PLAIN[:3])]
    assert found["p_levene"].item() == pytest.approx(brown_forsythe(*pooled))
    assert (found["n"].item(), found["n_clients"].item(), found["n_clients_base"].item()) == (3, 18, 18)
    assert found["caveat"].item() == "p_levene takes the clients of a run for independent"
    assert {found[name].attrs["units"] for name in ("ratio", "p", "p_levene", "n_clients", "n_clients_base")} == {"1"}


def test_evenness_by_operation_and_with_unequal_runs() -> None:
    rows = [
        row
        for operation in ("read", "write")
        for part in (
            runs(PLAIN[:1].tolist(), striping="none", operation=operation),
            runs(STRIPED[:2, :4].tolist(), striping="4MB", operation=operation),
        )
        for row in part
    ]
    found = frame(compare_evenness(clients(rows), "throughput", "striping", "none", "4MB", ["operation"]))
    assert found["operation"].tolist() == ["read", "write"]
    for caveat in found["caveat"]:
        assert caveat.startswith("a side has one run only: no interval; runs of different numbers of clients")
    assert found["ratio_low"].isna().all()


def test_clients_that_do_not_differ_have_no_relative_spread() -> None:
    rows = clients(runs([[5.0, 5.0]] * 2, striping="none"), runs([[5.0, 6.0]] * 2, striping="4MB"))
    with pytest.raises(AnalysisError, match="variation: 2 of 4 runs are not positive"):
        compare_evenness(rows, "throughput", "striping", "none", "4MB")
