from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis import tiers_needed
from storagelab.analysis.comparison.sides import OTHER_DAYS
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

NOISE = np.array([0.99, 1.0, 1.012])


def scan(filesystem: str, rates: dict[float, float], noise: Any = NOISE) -> list[dict[str, Any]]:
    return [
        row
        for tiers, rate in rates.items()
        for row in repeats(rate * np.roll(noise, int(tiers)), filesystem=filesystem, raid_tiers=tiers)
    ]


GPFS = {12.0: 1.3e9, 24.0: 2.38e9, 36.0: 2.4e9, 48.0: 2.4e9}
LUSTRE = {12.0: 0.6e9, 24.0: 1.2e9, 36.0: 1.8e9, 48.0: 2.3e9}


def test_half_the_disks() -> None:
    ds = node(scan("gpfs", GPFS) + scan("lustre", LUSTRE))
    found = tiers_needed(ds, by=["filesystem"])
    rows = frame(found).set_index("filesystem")
    assert rows["tiers_needed"].to_dict() == {"gpfs": 24, "lustre": 48}
    assert rows.loc["gpfs", "tiers_per_rate"] == pytest.approx(24 / (2.4e9 * stats.gmean(NOISE)))
    assert rows.loc["lustre", ["tiers_needed_low", "tiers_needed_high"]].tolist() == [48, 48]
    units = {"tiers_needed": "1", "tiers_needed_low": "1", "throughput": "B/s", "tiers_per_rate": "s/B", "n": "1"}
    assert {name: found[name].attrs["units"] for name in units} == units


def test_the_ends_are_those_of_one_sided_tests() -> None:
    rates = {12.0: 1.3e9, 24.0: 2.25e9, 48.0: 2.4e9}
    found = tiers_needed(node(scan("gpfs", rates)))
    logs = {tiers: np.log(rate * np.roll(NOISE, int(tiers))) for tiers, rate in rates.items()}
    floor = np.log(0.95)
    below = {
        tiers: stats.ttest_ind(logs[tiers], logs[48.0] + floor, equal_var=False, alternative="less").pvalue
        for tiers in (12.0, 24.0)
    }
    assert below[12.0] < 0.025 < below[24.0] < 0.975, "12 is shown to be below, 24 neither below nor above"
    assert found["tiers_needed"].item() == 48, "24 tiers have 94 %"
    assert (found["tiers_needed_low"].item(), found["tiers_needed_high"].item()) == (24, 48)


def test_what_is_not_shown_to_be_above_the_share_is_not_counted_as_saturated() -> None:
    found = tiers_needed(node(scan("gpfs", {12.0: 1.3e9, 24.0: 2.3e9, 48.0: 2.4e9})))
    ends = [found[f"tiers_needed{end}"].item() for end in ("", "_low", "_high")]
    assert ends == [24, 24, 48], "24 tiers have 95.8 %, with an error of 0.9 %"


def test_a_dip_behind_does_not_count_as_saturated() -> None:
    found = tiers_needed(node(scan("gpfs", {12.0: 2.4e9, 24.0: 1.2e9, 48.0: 2.4e9})))
    assert found["tiers_needed"].item() == 48


def test_one_run_has_no_interval() -> None:
    found = tiers_needed(node(scan("gpfs", GPFS, np.array([1.0]))))
    assert found["tiers_needed"].item() == 24
    assert np.isnan(found["tiers_needed_low"].item())
    assert found["caveat"].item() == "a number of tiers has one run, or no spread: no interval"


def test_what_tiers_need() -> None:
    with pytest.raises(AnalysisError, match="the selection has one number of tiers: nothing saturates"):
        tiers_needed(node(scan("gpfs", {48.0: 1.0})))
    for end in (0.0, 1.0):
        with pytest.raises(
            AnalysisError, match=f"a share of the rate of all tiers lies between 0 and 1, not at {end:g}"
        ):
            tiers_needed(node(scan("gpfs", GPFS)), share=end)
    with pytest.raises(AnalysisError, match="tiers saturate a rate in B/s, elapsed is in s"):
        tiers_needed(node([{"elapsed": 1.0, "raid_tiers": 1.0}]), "elapsed")


def test_tiers_that_were_measured_on_different_days_are_not_told_apart() -> None:
    rows = [row | {"day": 1.0 + (row["raid_tiers"] > 40)} for row in scan("gpfs", GPFS)]
    found = tiers_needed(node(rows), by=["filesystem"])
    assert found["caveat"].item() == OTHER_DAYS
    assert np.isnan([found["tiers_needed_low"].item(), found["tiers_needed_high"].item()]).all()
    assert found["tiers_needed"].item() == tiers_needed(node(scan("gpfs", GPFS)), by=["filesystem"])["tiers_needed"]
