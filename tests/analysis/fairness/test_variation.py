from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis import compare_evenness
from storagelab.analysis.inference.dependence import NOT_EXCLUDED
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.fairness.clients import clients, runs

RNG = np.random.default_rng(11)
PLAIN, STRIPED = RNG.normal(12.3, 0.6, (12, 6)), RNG.normal(12.8, 0.1, (12, 6))


def brown_forsythe(a: np.ndarray, b: np.ndarray) -> float:
    """One-way analysis of variance of the distances to the median, two groups, written out."""
    x, y = np.abs(a - np.median(a)), np.abs(b - np.median(b))
    both = np.r_[x, y]
    between = len(x) * (x.mean() - both.mean()) ** 2 + len(y) * (y.mean() - both.mean()) ** 2
    within = ((x - x.mean()) ** 2).sum() + ((y - y.mean()) ** 2).sum()
    return float(stats.f.sf(between / (within / (len(both) - 2)), 1, len(both) - 2))


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
    assert found["caveat"].item() == f"{NOT_EXCLUDED}; p_levene takes the clients of a run for independent"
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
        assert caveat.startswith("one run a side: no interval; runs of different numbers of clients")
    assert found["ratio_low"].isna().all()


def test_clients_that_do_not_differ_have_no_relative_spread() -> None:
    rows = clients(runs([[5.0, 5.0]] * 2, striping="none"), runs([[5.0, 6.0]] * 2, striping="4MB"))
    with pytest.raises(AnalysisError, match="variation: 2 of 4 runs are not positive"):
        compare_evenness(rows, "throughput", "striping", "none", "4MB")
