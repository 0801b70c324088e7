from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis import group_differences, mixture_share
from storagelab.errors import AnalysisError
from tests.analysis.fairness.clients import clients, runs

OST, MDT, MIXED = [[14.0, 13.9], [13.7, 13.8], [14.1, 14.3]], [[12.8], [12.7], [13.0]], [[13.6], [13.7], [13.9]]


def groups(same_runs: bool = False) -> list[dict[str, Any]]:
    rows = []
    for i, (ost, mdt) in enumerate(zip(OST, MDT, strict=True), 1):
        named = [("ost", value) for value in ost] + [("mdt", value) for value in mdt]
        rows += [
            {"host": host, "client": f"{host}{j}", "throughput": value, "repeat": i} | {
                "run_id": f"r{i}" if same_runs else f"{host}{i}"
            }
            for j, (host, value) in enumerate(named)
        ]  # fmt: skip
    return rows


def test_the_run_is_the_unit_of_a_difference_of_groups() -> None:
    found = group_differences(clients(groups()), "throughput", "host", "mdt", "ost")
    means = [np.mean(run) for run in OST], [run[0] for run in MDT]
    expected = stats.ttest_ind(*means, equal_var=False)
    ends = expected.confidence_interval(0.95)
    assert found["rate_difference"].item() == pytest.approx(np.mean(means[0]) - np.mean(means[1]))
    assert (found["rate_difference_low"].item(), found["rate_difference_high"].item()) == pytest.approx(tuple(ends))
    assert found["p"].item() == pytest.approx(expected.pvalue)
    assert (found["n"].item(), found["n_base"].item(), found["caveat"].item()) == (3, 3, "")
    assert (found["compared"].item(), found["verdict"].item()) == ("ost - mdt", "higher")
    assert {found[f"rate_difference{end}"].attrs["units"] for end in ("", "_low", "_high")} == {"B/s"}
    assert {found[name].attrs["units"] for name in ("n", "n_base", "p", "p_adjusted")} == {"1"}


def test_groups_of_the_same_runs_are_paired() -> None:
    ds = clients(groups(same_runs=True))
    assert "pair them by run_id" in group_differences(ds, "throughput", "host", "mdt", "ost")["caveat"].item()
    found = group_differences(ds, "throughput", "host", "mdt", "ost", pair=["run_id"])
    gaps = [np.mean(a) - b[0] for a, b in zip(OST, MDT, strict=True)]
    expected = stats.ttest_1samp(gaps, 0)
    assert found["p"].item() == pytest.approx(expected.pvalue)
    assert found["rate_difference_low"].item() == pytest.approx(expected.confidence_interval(0.95).low)
    assert found["caveat"].item() == ""


def test_one_run_has_no_interval_however_many_clients() -> None:
    rows = [row for row in groups() if row["repeat"] == 1]
    found = group_differences(clients(rows), "throughput", "host", "mdt", "ost")
    assert found["rate_difference"].item() == pytest.approx(13.95 - 12.8)
    assert np.isnan(found["rate_difference_low"].item())
    assert found["caveat"].item() == "too few runs, or no spread: no interval"


def test_groups_that_are_not_there() -> None:
    rows = [{**row, "layout": str(row["host"])} for row in groups()]
    with pytest.raises(AnalysisError, match="no cell has clients of both host=mdt and host=ost"):
        group_differences(clients(rows), "throughput", "host", "mdt", "ost", ["layout"])
    with pytest.raises(AnalysisError, match="rates, times and pure numbers, data_size is in B"):
        group_differences(clients([{**row, "data_size": 1.0} for row in rows]), "data_size", "host", "mdt", "ost")


def three(*values: list[list[float]]) -> list[dict[str, Any]]:
    named = zip(("mixed", "ost", "mdt"), values, strict=False)
    return [row for host, part in named for row in runs(part, host=host)]


def test_three_in_four_hosts() -> None:
    found = mixture_share(clients(three([[13.75]], [[14.0]], [[13.0]])), "throughput", "host", "mixed", "ost", "mdt")
    assert found["mixture_share"].item() == pytest.approx(0.75)
    assert np.isnan(found["mixture_share_low"].item())
    assert found["caveat"].item() == "a group has one run only: no interval"


def test_the_ends_of_a_share_are_where_the_test_begins_to_refuse() -> None:
    found = mixture_share(clients(three(MIXED, OST, MDT)), "throughput", "host", "mixed", "ost", "mdt")
    m, a, b = (np.array([np.mean(run) for run in part]) for part in (MIXED, OST, MDT))
    value = (m.mean() - b.mean()) / (a.mean() - b.mean())
    assert found["mixture_share"].item() == pytest.approx(value)
    errors = np.array([x.var(ddof=1) / 3 for x in (m, a, b)])
    parts = errors * np.array([1, value**2, (1 - value) ** 2])
    freedom = parts.sum() ** 2 / (parts**2 / 2).sum()
    for end in ("low", "high"):
        p = found[f"mixture_share_{end}"].item()
        gap = m.mean() - p * a.mean() - (1 - p) * b.mean()
        error = np.sqrt((errors * np.array([1, p**2, (1 - p) ** 2])).sum())
        assert abs(gap / error) == pytest.approx(stats.t.ppf(0.975, freedom))
    assert found["mixture_share_low"].item() < value < found["mixture_share_high"].item()
    assert {found[f"mixture_share{end}"].attrs["units"] for end in ("", "_low", "_high")} == {"1"}
    assert (found["n"].item(), found["caveat"].item()) == (3, "")


def test_a_share_of_groups_that_are_alike_is_not_bounded() -> None:
    found = mixture_share(
        clients(three(MIXED, MDT, [[12.6], [12.9], [13.1]])), "throughput", "host", "mixed", "ost", "mdt"
    )
    assert np.isnan(found["mixture_share_low"].item())
    assert found["caveat"].item() == "the two groups are not told apart"


def test_what_is_outside_is_no_mixture() -> None:
    far = [[16.0], [16.1], [15.9]]
    found = mixture_share(clients(three(far, OST, MDT)), "throughput", "host", "mixed", "ost", "mdt")
    assert found["mixture_share_low"].item() > 1
    assert found["caveat"].item() == "outside 0 to 1: no mixture of these two"


def test_a_mixture_needs_all_three() -> None:
    apart = [{**row, "layout": str(row["host"])} for row in three(MIXED, OST, MDT)]
    with pytest.raises(AnalysisError, match="no cell has clients of all three of host: mixed, ost and mdt"):
        mixture_share(clients(apart), "throughput", "host", "mixed", "ost", "mdt", ["layout"])


def test_runs_that_differ_by_factors_are_flagged() -> None:
    rows = runs([[1.0], [3.0], [9.0]], host="ost") + runs([[10.0], [11.0], [12.0]], host="mdt")
    found = group_differences(clients(rows), "throughput", "host", "mdt", "ost")
    assert found["caveat"].item() == "runs differ by factors"
