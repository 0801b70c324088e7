from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis import cpu_efficiency, share_changes
from storagelab.analysis.inference.dependence import NOT_EXCLUDED
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

WHOLE, HALF = (0.92, 0.925, 0.915), (0.89, 0.88, 0.885)


def test_long_jobs_count_for_more() -> None:
    rows = [{"run_id": "a", "elapsed": 10.0, "cpu_time": 9.0}, {"run_id": "a", "elapsed": 30.0, "cpu_time": 15.0}]
    found = cpu_efficiency(node(rows))
    assert found["cpu_utilisation"].item() == pytest.approx(24 / 40)
    units = {"cpu_utilisation": "1", "cpu_time": "s", "elapsed": "s"}
    assert {name: found[name].attrs["units"] for name in units} == units
    modes = [{"run_id": "a", "elapsed": 10.0, "cpu_user_time": 4.0, "cpu_system_time": 1.0}]
    assert cpu_efficiency(node(modes))["cpu_utilisation"].item() == 0.5


def test_jobs_without_time_have_no_efficiency() -> None:
    with pytest.raises(AnalysisError, match="a run took no time"):
        cpu_efficiency(node([{"run_id": "a", "elapsed": 0.0, "cpu_time": 1.0}]))
    rows = [{"run_id": "a", "elapsed": 1.0, "cpu_time": np.nan}, {"run_id": "a", "elapsed": np.nan, "cpu_time": 1.0}]
    with pytest.raises(AnalysisError, match="no row has elapsed and cpu_time"):
        cpu_efficiency(node(rows))


def test_points_and_relative_are_both_given() -> None:
    rows = repeats(WHOLE, "cpu_utilisation", entries_fraction=1.0)
    rows += repeats(HALF, "cpu_utilisation", entries_fraction=0.5)
    found = share_changes(node(rows), "entries_fraction", 1.0, 0.5)
    assert found["difference"].item() == pytest.approx(-0.035)
    ratio = stats.gmean(HALF) / stats.gmean(WHOLE)
    assert found["relative_difference"].item() == pytest.approx(ratio - 1)
    points = stats.ttest_ind(HALF, WHOLE, equal_var=False)
    relative = stats.ttest_ind(np.log(HALF), np.log(WHOLE), equal_var=False).confidence_interval(0.95)
    assert found["difference_low"].item() == pytest.approx(points.confidence_interval(0.95).low)
    assert found["relative_difference_low"].item() == pytest.approx(np.exp(relative.low) - 1)
    assert found["relative_difference_high"].item() == pytest.approx(np.exp(relative.high) - 1)
    assert found["p"].item() == pytest.approx(points.pvalue)
    assert (found["verdict"].item(), found["caveat"].item(), found["n"].item()) == ("lower", NOT_EXCLUDED, 3)
    assert {found[f"relative_difference{end}"].attrs["units"] for end in ("", "_low", "_high")} == {"1"}
    assert found["difference"].attrs["units"] == "1"


def test_cells_without_a_side_are_left_out_of_both() -> None:
    rows = repeats(WHOLE, "cpu_utilisation", entries_fraction=1.0, protocol="mount")
    rows += repeats(HALF, "cpu_utilisation", entries_fraction=0.5, protocol="mount")
    rows += repeats(HALF, "cpu_utilisation", entries_fraction=0.5, protocol="xrootd")
    found = share_changes(node(rows), "entries_fraction", 1.0, 0.5, ["protocol"])
    assert found["protocol"].to_numpy().tolist() == ["mount"]
    assert found["relative_difference"].item() == pytest.approx(stats.gmean(HALF) / stats.gmean(WHOLE) - 1)


def test_one_run_a_side_has_no_interval() -> None:
    rows = repeats((0.9,), "cpu_utilisation", entries_fraction=1.0)
    rows += repeats((0.8,), "cpu_utilisation", entries_fraction=0.5)
    found = share_changes(node(rows), "entries_fraction", 1.0, 0.5)
    assert found["relative_difference"].item() == pytest.approx(-1 / 9)
    assert np.isnan(found["relative_difference_low"].item())
    assert found["caveat"].item() == "one run a side: no interval"


def test_points_are_of_pure_numbers() -> None:
    rows = repeats((1.0, 2.0), "elapsed", protocol="a") + repeats((1.0, 2.0), "elapsed", protocol="b")
    with pytest.raises(AnalysisError, match="points are of pure numbers, elapsed is in s"):
        share_changes(node(rows), "protocol", "a", "b", variable="elapsed")
