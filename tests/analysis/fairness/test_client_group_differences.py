from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis import group_differences
from storagelab.analysis.inference.dependence import NOT_EXCLUDED
from storagelab.errors import AnalysisError
from tests.analysis.fairness.clients import clients, runs

OST, MDT = [[14.0, 13.9], [13.7, 13.8], [14.1, 14.3]], [[12.8], [12.7], [13.0]]


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


def test_clients_of_a_run_that_began_at_their_own_times_are_one_run() -> None:
    rows = [row | {"start_time": 1e4 * row["repeat"] + place % 7} for place, row in enumerate(groups())]
    found, plain = (group_differences(clients(some), "throughput", "host", "mdt", "ost") for some in (rows, groups()))
    assert (found["n"].item(), found["n_base"].item()) == (3, 3)
    assert found["rate_difference_low"].item() == plain["rate_difference_low"].item()


def test_the_run_is_the_unit_of_a_difference_of_groups() -> None:
    found = group_differences(clients(groups()), "throughput", "host", "mdt", "ost")
    means = [np.mean(run) for run in OST], [run[0] for run in MDT]
    expected = stats.ttest_ind(*means, equal_var=False)
    ends = expected.confidence_interval(0.95)
    assert found["rate_difference"].item() == pytest.approx(np.mean(means[0]) - np.mean(means[1]))
    assert (found["rate_difference_low"].item(), found["rate_difference_high"].item()) == pytest.approx(tuple(ends))
    assert found["p"].item() == pytest.approx(expected.pvalue)
    assert (found["n"].item(), found["n_base"].item(), found["caveat"].item()) == (3, 3, NOT_EXCLUDED)
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


def test_runs_that_differ_by_factors_are_flagged() -> None:
    rows = runs([[1.0], [3.0], [9.0]], host="ost") + runs([[10.0], [11.0], [12.0]], host="mdt")
    found = group_differences(clients(rows), "throughput", "host", "mdt", "ost")
    assert found["caveat"].item() == "runs differ by factors"
