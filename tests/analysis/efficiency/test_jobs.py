from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from storagelab.analysis import differences, jobs, of_entries_read, on_cpu, parts_read, phases, summarise
from storagelab.analysis.source_rows import rows_behind
from storagelab.analysis.traces import Logs, traced
from storagelab.dataset import frame, from_rows, select
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

KEYS = {"layout": "distribute", "protocol": "mount", "clients": 2.0, "repeat": 1, "run_id": "a", "operation": "read"}


def clients() -> xr.Dataset:
    """Two jobs of two files each: 3 s and 6 s of reading."""
    rows = []
    for log_id, (client, seconds) in enumerate({"cli1": (1.0, 2.0), "cli2": (2.0, 4.0)}.items()):
        for part, elapsed in enumerate(seconds, 1):
            rows.append({
                **KEYS, "client": client, "share": "client", "part": part, "file": f"{client}-{part}", "log_id": log_id,
                "line": 2 * part, "elapsed": elapsed, "cpu_time": 0.5, "disk_time": elapsed / 2, "data_size": 3e6,
                "disk_time_line": 2 * part + 1,
            })  # fmt: skip
        stopwatch = {**KEYS, "operation": "job", "client": client, "share": "client", "log_id": log_id, "line": 9}
        rows.append(stopwatch | {"elapsed": 4.0, "cpu_time": 2.0})
    counted = {**KEYS, "operation": "receive", "client": "cli1", "share": "client", "log_id": 2, "line": 4}
    return node([*rows, {**counted, "network_received": 9e6}])


def logs() -> xr.Dataset:
    return from_rows(
        [{"log": f"{i}", "elapsed": time} for i, time in enumerate((5.0, 10.0, np.nan))], origin="measured"
    )


def test_a_job_is_the_sum_of_its_files() -> None:
    found = frame(jobs(clients(), logs())).set_index("client")
    one = found.loc["cli1"]
    assert (one["elapsed"], one["cpu_time"], one["disk_time"], one["processing_time"]) == (3.0, 1.0, 1.5, 1.5)
    assert (one["job_time"], one["outside_time"], one["files"]) == (5.0, 2.0, 2)
    assert one["throughput"] == pytest.approx(6e6 / 3.0)
    assert one["wait_rate"] == pytest.approx(6e6 / 1.5)
    assert (one["cpu_utilisation"], one["wait_share"]) == (pytest.approx(1 / 3), 0.5)
    assert (found.loc["cli2", "job_time"], one["opening_time"]) == (10.0, 1.0)
    units = {"elapsed": "s", "job_time": "s", "throughput": "B/s", "cpu_utilisation": "1", "data_size": "B"}
    assert {name: jobs(clients(), logs())[name].attrs["units"] for name in units} == units


PROCESSES = from_rows(
    [
        {"log": "cli1.log", "elapsed": 5.0, "elapsed_log_id": 2, "elapsed_line": 7},
        {"log": "cli2.log", "elapsed": 10.0},
        {"log": "runs.csv"},
    ],
    origin="measured",
    study="tiny",
)
"""The time of the first process stands in runs.csv, that of the second in its log."""
LOGS = Logs("tiny", xr.DataTree.from_dict({"/logs": PROCESSES}))


@pytest.mark.parametrize(
    ("variable", "of_cli1"),
    [
        ("elapsed", {"raw/tiny/cli1.log": [2, 4]}),
        ("job_time", {"raw/tiny/runs.csv": [7]}),
        ("outside_time", {"raw/tiny/cli1.log": [2, 4], "raw/tiny/runs.csv": [7]}),
        ("opening_time", {"raw/tiny/cli1.log": [2, 4, 9]}),
        ("files", {"raw/tiny/cli1.log": [2, 4]}),
    ],
)
def test_each_time_of_a_job_leads_to_the_lines_that_state_it(variable: str, of_cli1: dict[str, list[int]]) -> None:
    found = select(jobs(clients(), PROCESSES), client="cli1")
    assert traced(rows_behind(found, variable), LOGS) == of_cli1


def test_the_time_of_a_process_that_no_sidecar_states_leads_to_its_log() -> None:
    found = select(jobs(clients(), PROCESSES), client="cli2")
    assert traced(rows_behind(found, "job_time"), LOGS) == {"raw/tiny/cli2.log": []}


@pytest.mark.parametrize(
    ("phase", "of_cli1"),
    [
        ("before and between files", {"raw/tiny/cli1.log": [2, 4], "raw/tiny/runs.csv": [7]}),
        ("waiting for data", {"raw/tiny/cli1.log": [3, 5]}),
    ],
)
def test_each_phase_of_a_job_leads_to_the_lines_of_its_own_times(phase: str, of_cli1: dict[str, list[int]]) -> None:
    found = select(phases(jobs(clients(), PROCESSES)), client="cli1", phase=phase)
    assert traced(rows_behind(found, "elapsed"), LOGS) == of_cli1


def test_a_run_averages_its_jobs() -> None:
    found = summarise(jobs(clients(), logs()), "elapsed", ["layout", "protocol", "clients"], over=["client"])
    assert found["elapsed"].item() == 4.5
    assert found["n"].item() == 1


def test_phases_add_up_to_the_whole_job() -> None:
    found = frame(phases(jobs(clients(), logs())))
    assert found.groupby("client")["elapsed"].sum().to_dict() == {"cli1": 5.0, "cli2": 10.0}
    first = found[found["client"] == "cli2"].set_index("phase")["elapsed"].to_dict()
    assert first == {"before and between files": 4.0, "waiting for data": 3.0, "processing": 3.0}


def test_jobs_need_reads() -> None:
    ds = clients()
    with pytest.raises(AnalysisError, match="no client read a file"):
        jobs(ds.isel(obs=[ds.sizes["obs"] - 1]), logs())


def test_only_the_entries_that_were_read_count() -> None:
    counted = {"data_size": 10.0, "entries_fraction": 0.5, "entries": 1200.0, "entries_total": 3000.0}
    unknown = dict.fromkeys(("entries", "entries_total"), np.nan)
    found = of_entries_read(node([counted, counted | unknown, counted | unknown | {"entries_fraction": np.nan}]))
    assert found["data_size"].to_numpy().tolist() == [4.0, 5.0, 10.0]
    assert found["data_size"].attrs["units"] == "B"
    for name in counted:
        with pytest.raises(AnalysisError, match=f"the dataset has no '{name}'"):
            of_entries_read(node([{key: value for key, value in counted.items() if key != name}]))


def test_time_on_the_cpu_is_that_of_both_modes() -> None:
    found = on_cpu(node([{"cpu_user_time": 0.3, "cpu_system_time": 0.1, "elapsed": 2.0}]))
    assert found["cpu_utilisation"].item() == pytest.approx(0.2)
    assert found["cpu_utilisation"].attrs["units"] == "1"


def test_the_part_that_is_read_in_words() -> None:
    fractions = [(1.0, 1.0), (0.5, 1.0), (1.0, 0.25), (0.5, 0.5)]
    rows = [{"entries_fraction": entries, "branches_fraction": branches} for entries, branches in fractions]
    words = ["all", "50 % of entries", "25 % of branches", "50 % of entries and 50 % of branches"]
    assert parts_read(node(rows))["case"].to_numpy().tolist() == words
    with pytest.raises(AnalysisError, match="does not say which fractions of entries and branches"):
        parts_read(node([*rows, {"entries_fraction": 1.0, "branches_fraction": np.nan}]))


def test_a_difference_in_points_by_hand() -> None:
    # means 0.2 and 0.6; variances 0.02 each, n = 2: error sqrt(0.02), 2 degrees of freedom, t = 4.302653
    rows = repeats((0.1, 0.3), "cpu_utilisation", entries_fraction=1.0)
    rows += repeats((0.5, 0.7), "cpu_utilisation", entries_fraction=0.5)
    found = differences(node(rows), "cpu_utilisation", "entries_fraction", 1.0, 0.5)
    half = 4.302653 * np.sqrt(0.02)
    assert found["difference"].item() == pytest.approx(0.4)
    assert found["difference_low"].item() == pytest.approx(0.4 - half, rel=1e-5)
    assert found["difference_high"].item() == pytest.approx(0.4 + half, rel=1e-5)
    assert (found["verdict"].item(), found["compared"].item()) == ("undecided", "0.5 - 1")
    assert found["difference"].attrs["units"] == "1"


def test_a_difference_of_times_is_in_seconds_and_may_be_shown() -> None:
    rows = repeats((1.0, 1.1, 0.9), "elapsed", protocol="xrootd") + repeats(
        (4.0, 4.1, 3.9), "elapsed", protocol="mount"
    )
    found = differences(node(rows), "elapsed", "protocol", "xrootd", "mount")
    assert found["time_difference"].item() == pytest.approx(3.0)
    assert found["time_difference"].attrs["units"] == "s"
    assert found["verdict"].item() == "higher"


def test_rates_have_ratios() -> None:
    rows = repeats((1.0, 2.0), protocol="xrootd") + repeats((1.0, 2.0), protocol="mount")
    with pytest.raises(AnalysisError, match="pure numbers and of times, throughput is in B/s"):
        differences(node(rows), "throughput", "protocol", "xrootd", "mount")


def test_a_difference_needs_both_sides() -> None:
    rows = repeats((1.0, 2.0), "elapsed", protocol="xrootd", clients=1.0)
    rows += repeats((1.0, 2.0), "elapsed", protocol="mount", clients=2.0)
    with pytest.raises(AnalysisError, match="no cell has elapsed of both protocol=xrootd and protocol=mount"):
        differences(node(rows), "elapsed", "protocol", "xrootd", "mount", ["clients"])
