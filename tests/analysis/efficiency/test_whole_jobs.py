from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab.analysis import compare, job_rates, phase_shares, remaining_phase
from storagelab.dataset import frame, select
from storagelab.errors import AnalysisError
from tests.analysis.tables import node

PARTS = ["open", "loop"]
TIMES = {"lustre": (1.0, 300.0, 321.0), "dcap": (12.0, 370.0, 405.0)}


def phases() -> list[dict[str, Any]]:
    """Three jobs of two protocols: two phases, and the whole."""
    return [
        {
            "protocol": name,
            "phase": phase,
            "elapsed": time + i,
            "log_id": 3 * j + i,
            "run_id": f"{name}{i}",
            "repeat": i,
        }
        for j, (name, times) in enumerate(TIMES.items())
        for i in range(3)
        for phase, time in zip((*PARTS, "total"), times, strict=True)
    ]


def read(**instead: float) -> xr.Dataset:
    """A job of two rows, and a benchmark."""
    numbers = {"size": 3e9, "elapsed": 300.0} | instead
    job = {"tool": "cmsRun", "log_id": 0, "run_id": "job", "repeat": 1}
    return node(
        [
            {**job, "operation": "job", "phase": "total", "elapsed": numbers["elapsed"]},
            {**job, "operation": "read", "data_size": numbers["size"], "elapsed": 60.0, "throughput": 5e7},
            {**job, "operation": "open", "elapsed": 1.0},
            {"tool": "iozone", "log_id": 1, "run_id": "b", "repeat": 1, "operation": "read", "throughput": 7e7},
        ]
    )


def test_what_is_left_makes_the_phases_add_up() -> None:
    found = frame(remaining_phase(node(phases()), PARTS, "rest"))
    assert set(found["phase"]) == {"open", "loop", "rest"}
    sums = found.groupby("run_id")["elapsed"].sum()
    assert sums["lustre0"] == pytest.approx(321)
    assert sums["dcap2"] == pytest.approx(407)
    rest = found[found["phase"] == "rest"].set_index("run_id")["elapsed"]
    assert rest["lustre1"] == pytest.approx(322 - 2 - 301)


def test_the_remaining_phase_is_one_that_shares_know() -> None:
    ds = phase_shares(remaining_phase(node(phases()), PARTS, "rest"), "lustre", "dcap", over=[])
    shares = frame(ds).set_index("phase")["phase_share"]
    assert shares.to_dict() == pytest.approx({"open": 11 / 84, "loop": 70 / 84, "rest": 3 / 84})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row for row in phases() if row["phase"] != "open"], "no row has the phase 'open'"),
        ([row for row in phases() if (row["phase"], row["run_id"]) != ("loop", "dcap1")], "lacks the phase 'loop'"),
        ([*phases(), phases()[0]], "a job has a phase twice"),
        ([row | ({"elapsed": 100.0} if row["phase"] == "total" else {}) for row in phases()], "longer than its phase"),
    ],
)
def test_phases_that_do_not_add_up_are_refused(rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        remaining_phase(node(rows), PARTS)


def test_a_part_of_a_log_is_a_job_of_its_own() -> None:
    rows = [row | {"log_id": 0, "part": float(row["log_id"] + 1)} for row in phases()]
    found = remaining_phase(node(rows), PARTS, "rest")
    assert np.allclose(select(found, phase="rest", protocol="lustre")["elapsed"], [20, 19, 18])


def test_the_rate_of_a_job_is_over_its_whole_time() -> None:
    found = job_rates(read())
    assert frame(found).set_index("tool")["throughput"].to_dict() == {"cmsRun": 1e7, "iozone": 7e7}
    assert found["throughput"].attrs["units"] == "B/s"
    ratio = compare(found, "throughput", "tool", "iozone", "cmsRun", ["operation"], over=["phase"])
    assert ratio["ratio"].item() == pytest.approx(1 / 7)


def test_jobs_that_do_not_say_what_they_read_are_refused() -> None:
    with pytest.raises(AnalysisError, match="says how much it read"):
        job_rates(read(size=np.nan))
    with pytest.raises(AnalysisError, match="says how much it read"):
        job_rates(read(elapsed=np.nan))
    twice = xr.concat([read(), select(read(), tool="cmsRun")], "obs")
    with pytest.raises(AnalysisError, match="two times of the whole"):
        job_rates(twice)
