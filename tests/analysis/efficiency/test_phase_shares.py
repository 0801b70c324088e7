from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis import compare, phase_shares
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

LUSTRE = {"open": (10.0, 11.0, 12.0), "analysis": (100.0, 104.0, 99.0), "other": (20.0, 21.0, 19.0)}
DCAP = {"open": (60.0, 58.0, 65.0), "analysis": (200.0, 210.0, 190.0), "other": (22.0, 20.0, 21.0)}


def jobs() -> list[dict[str, Any]]:
    return [
        {
            "protocol": name,
            "phase": phase,
            "client": client,
            "repeat": i,
            "run_id": f"{name}{i}",
            "elapsed": time + shift,
        }
        for name, phases in {"lustre": LUSTRE, "dcap": DCAP}.items()
        for phase, times in phases.items()
        for i, time in enumerate(times)
        for client, shift in (("a", 1.0), ("b", -1.0))
    ]


def test_shares_of_the_difference_add_up() -> None:
    ds = phase_shares(node(jobs()), "lustre", "dcap")
    found = frame(ds).set_index("phase")
    gaps = {phase: np.mean(DCAP[phase]) - np.mean(LUSTRE[phase]) for phase in LUSTRE}
    assert found["time_difference"].to_dict() == pytest.approx(gaps)
    assert found["phase_share"].to_dict() == pytest.approx({k: gap / sum(gaps.values()) for k, gap in gaps.items()})
    assert found["phase_share"].sum() == pytest.approx(1)
    assert found["phase_share"].idxmax() == "analysis"
    assert set(found["compared"]) == {"dcap - lustre"}
    units = {"phase_share": "1", "phase_share_low": "1", "time_difference": "s", "time_difference_low": "s", "n": "1"}
    assert {name: ds[name].attrs["units"] for name in units} == units
    ends = stats.ttest_ind(DCAP["open"], LUSTRE["open"], equal_var=False).confidence_interval(0.95)
    assert found.loc["open", "time_difference_low"] == pytest.approx(ends.low)


def test_the_ends_of_a_share_are_where_welch_begins_to_refuse() -> None:
    found = frame(phase_shares(node(jobs()), "lustre", "dcap")).set_index("phase").loc["analysis"]
    wholes = [np.sum([side[phase] for phase in LUSTRE], axis=0) for side in (DCAP, LUSTRE)]
    parts = [np.array(side["analysis"]) for side in (DCAP, LUSTRE)]

    def left(share: float) -> list[np.ndarray]:
        return [part - share * whole for part, whole in zip(parts, wholes, strict=True)]

    freedom = stats.ttest_ind(*left(found["phase_share"]), equal_var=False).df
    for end in ("phase_share_low", "phase_share_high"):
        score = stats.ttest_ind(*left(found[end]), equal_var=False).statistic
        assert abs(score) == pytest.approx(stats.t.ppf(0.975, freedom))


def test_pairs_take_out_what_they_share() -> None:
    found = frame(phase_shares(node(jobs()), "lustre", "dcap", pair=["repeat"])).set_index("phase").loc["analysis"]
    gaps = {phase: np.subtract(DCAP[phase], LUSTRE[phase]) for phase in LUSTRE}
    whole = np.sum(list(gaps.values()), axis=0)
    for end in ("phase_share_low", "phase_share_high"):
        score = stats.ttest_1samp(gaps["analysis"] - found[end] * whole, 0).statistic
        assert abs(score) == pytest.approx(stats.t.ppf(0.975, 2))
    assert found["n"] == 3


@pytest.mark.parametrize("in_both", [True, False])
def test_pairs_depend_on_the_ones_before_where_their_differences_do(in_both: bool) -> None:
    """What both sides of a pair share, however much it depends on what was before, their difference does not show."""
    noise, drift = np.random.default_rng(0).normal(size=(2, 40)), 5 * np.random.default_rng(6).normal(size=40).cumsum()
    rows = [
        {"protocol": name, "phase": phase, "client": "a", "repeat": i, "run_id": f"{name}{i}", "elapsed": time + of_run}
        for side, (name, base) in enumerate((("lustre", 100.0), ("dcap", 200.0)))
        for i, of_run in enumerate(noise[side] + drift * (in_both or side))
        for phase, time in (("open", 0.3 * base), ("analysis", base))
    ]
    caveats = set(phase_shares(node(rows), "lustre", "dcap", pair=["repeat"])["caveat"].values)
    depend = "runs depend on the ones before, and this interval takes them for independent"
    assert caveats == {"" if in_both else depend}


def test_no_share_of_no_difference() -> None:
    rows = [row if row["protocol"] == "lustre" else {**row, "elapsed": 43.0 + row["repeat"]} for row in jobs()]
    found = phase_shares(node(rows), "lustre", "dcap")
    assert found["phase_share_low"].isnull().all()
    assert set(found["caveat"].to_numpy()) == {"the whole times are not told apart: no interval of a share"}
    one = phase_shares(node([row for row in jobs() if row["repeat"] == 0]), "lustre", "dcap")
    assert set(one["caveat"].to_numpy()) == {"one run a side: no interval"}


def test_what_phases_need() -> None:
    lacking = [row for row in jobs() if (row["phase"], row["repeat"]) != ("open", 2)]
    with pytest.raises(AnalysisError, match="a run of the selection lacks the phase 'open'"):
        phase_shares(node(lacking), "lustre", "dcap")
    other = [row for row in jobs() if (row["phase"], row["protocol"]) != ("open", "dcap")]
    with pytest.raises(AnalysisError, match="the two sides have different phases: open"):
        phase_shares(node(other), "lustre", "dcap")
    apart = [{**row, "layout": row["protocol"]} for row in jobs()]
    with pytest.raises(AnalysisError, match="no cell has phases of both protocol=lustre and protocol=dcap"):
        phase_shares(node(apart), "lustre", "dcap", ["layout"])
    minutes = node(jobs())
    minutes["elapsed"].attrs["units"] = "min"
    with pytest.raises(AnalysisError, match="elapsed is in 'min', the contract says 's'"):
        phase_shares(minutes, "lustre", "dcap")


def test_speed_up_in_job_time_is_a_ratio_of_job_times() -> None:
    rows = repeats((500.0, 510.0, 505.0), "elapsed", protocol="lustre", clients=50.0)
    rows += repeats((1300.0, 1340.0, 1310.0), "elapsed", protocol="dcap", clients=50.0)
    found = compare(node(rows).rename(elapsed="job_time"), "job_time", "protocol", "lustre", "dcap", ["clients"])
    assert found["ratio"].item() == pytest.approx(stats.gmean((1300, 1340, 1310)) / stats.gmean((500, 510, 505)))
    assert found["ratio"].item() == pytest.approx(2.6, abs=0.01)
    assert found["ratio"].attrs["units"] == "1"
