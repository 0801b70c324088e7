"""One time axis a run: times of all its logs, and what was done to it, counted from the run's start."""

from __future__ import annotations

from pathlib import Path

import pytest
import xarray as xr

from storagelab import dataset
from storagelab.errors import SidecarError
from storagelab.ingest import ingest, problems
from storagelab.ingest.one_run import _samples_later
from tests.conftest import ROOT
from tests.studies import cut_out

YAML = """\
id: tiny
title: A tiny study
origin: measured
columns:
  started_at: {{key: started}}
  broken_at: {{event: server_failed}}
defaults: {{run_id: one{defaults}}}
"""
UTC = ", time_zone: UTC"
BANDWIDTH = "1795198225733, 1024, 1, 0, 0\n1795198225933, 2048, 1, 0, 0\n"
SYSLOG = "2026-11-20 19:10:35 Lustre: Failing over a-OST0001\n2026-11-20 19:10:36 Lustre: Failing over a-OST0002\n"
BOOT = "[  100.500000] Lustre: Failing over a-OST0001\n[  101.500000] Lustre: Failing over a-OST0002\n"


def study(
    folder: Path, logs: dict[str, str], defaults: str = "", started: str = "", broken: dict[str, str] | None = None
) -> Path:
    folder = folder / "tiny"
    folder.mkdir()
    (folder / "study.yaml").write_text(YAML.format(defaults=defaults))
    rows = [f"{name},messages,{started},{(broken or {}).get(name, '')}" for name in logs]
    (folder / "runs.csv").write_text("\n".join(["file,role,started_at,broken_at", *rows]) + "\n")
    for name, text in logs.items():
        (folder / name).write_text(text)
    return folder


def times(tree: xr.DataTree, node: str) -> list[float]:
    return [round(float(time), 6) for time in tree[node].to_dataset()["time"].values]


BOTH = {"a_bw.log": BANDWIDTH, "b.log": SYSLOG}


def test_times_count_from_the_start_that_the_sidecar_says(tmp_path: Path) -> None:
    tree = ingest(study(tmp_path, BOTH, ", time_zone: '+01:00'", "2026-11-20T18:10:25.000+00:00"))
    assert times(tree, "series") == [0.733, 0.933]
    assert times(tree, "events") == [10.0, 11.0]


def test_samples_that_have_no_time_stay_as_they_are() -> None:
    """Such as the progress of a transfer whose log says no moment, in a run that begins with another log."""
    assert _samples_later({"progress": [0.5, 1.0]}, 2.0) == {"progress": [0.5, 1.0]}
    assert _samples_later({"progress": [0.5, 1.0], "time": [0.0, 1.0]}, 2.0)["time"] == [2.0, 3.0]


def test_the_host_that_a_sidecar_says_is_that_of_all_samples_and_events(tmp_path: Path) -> None:
    tree = ingest(study(tmp_path, BOTH, ", host: oss1, time_zone: UTC"))
    assert [set(tree[node].to_dataset()["host"].values.tolist()) for node in ("series", "events")] == [{"oss1"}] * 2


def test_a_zone_has_a_name_too(tmp_path: Path) -> None:
    tree = ingest(study(tmp_path, BOTH, ", time_zone: Europe/Zurich", "2026-11-20T19:10:25"))
    assert times(tree, "events") == [10.0, 11.0]


def test_without_a_start_the_first_log_begins(tmp_path: Path) -> None:
    tree = ingest(study(tmp_path, BOTH, ", time_zone: '+01:00'"))
    assert times(tree, "series") == [0.0, 0.2]
    assert times(tree, "events") == [9.267, 10.267]


def test_a_clock_without_its_zone_is_refused_beside_others(tmp_path: Path) -> None:
    folder = study(tmp_path, BOTH)
    with pytest.raises(
        SidecarError,
        match=r"runs\.csv:3: b\.log says 2026-11-20T19:10:35 without a time zone, and stands on one time axis with "
        r"a_bw\.log: add `time_zone: UTC`, or the zone it is, to its keys",
    ):
        ingest(folder)
    assert any("without a time zone" in str(problem) for problem in problems(folder))


def test_a_clock_without_a_date_is_refused_beside_others(tmp_path: Path) -> None:
    folder = study(tmp_path, {"a_bw.log": BANDWIDTH, "b.log": BOOT})
    with pytest.raises(SidecarError, match=r"b\.log does not say when it began, .* add `started` with its time zone"):
        ingest(folder)


def test_alone_a_log_needs_no_zone(tmp_path: Path) -> None:
    assert times(ingest(study(tmp_path, {"b.log": SYSLOG})), "events") == [0.0, 1.0]


def test_a_log_without_a_date_began_when_the_sidecar_says(tmp_path: Path) -> None:
    tree = ingest(study(tmp_path, {"a_bw.log": BANDWIDTH, "b.log": BOOT}, "", "2026-11-20T18:10:25+00:00"))
    assert times(tree, "events") == [0.0, 1.0]


def test_what_was_done_to_the_run_is_an_event_that_leads_to_its_row(tmp_path: Path) -> None:
    moment = "2026-11-20T18:10:27.500+00:00"
    folder = study(tmp_path, BOTH, UTC, "2026-11-20T18:10:25+00:00", {"a_bw.log": moment, "b.log": moment})
    tree = ingest(folder)
    (row,) = dataset.frame(tree["events"].to_dataset()).query("event == 'server_failed'").to_dict("records")
    assert (row["time"], row["line"], row["run_id"]) == (2.5, 2.0, "one")
    log = dataset.frame(tree["logs"].to_dataset()).loc[int(row["log_id"])]
    assert (log["log"], log["role"], log["format"]) == ("runs.csv", "sidecar", "runs.csv")


def test_rows_of_a_run_must_agree_on_what_was_done_to_it(tmp_path: Path) -> None:
    broken = {"a_bw.log": "2026-11-20T18:10:27+00:00", "b.log": "2026-11-20T18:10:28+00:00"}
    with pytest.raises(SidecarError, match=r"runs\.csv:3: b\.log: server_failed at 2026-11-20 18:10:28\+00:00, but at"):
        ingest(study(tmp_path, BOTH, UTC, "2026-11-20T18:10:25+00:00", broken))


def test_what_was_done_needs_a_zone(tmp_path: Path) -> None:
    folder = study(tmp_path, {"b.log": SYSLOG}, "", "", {"b.log": "2026-11-20T18:10:27"})
    with pytest.raises(SidecarError, match="server_failed at 2026-11-20T18:10:27 needs `time_zone`"):
        ingest(folder)


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("2026-10-25 02:30:00", r"b\.log: 2026-10-25T02:30:00 comes twice in Europe/Zurich: say the offset"),
        ("2026-03-29 02:30:00", r"b\.log: 2026-03-29T02:30:00 is skipped in Europe/Zurich: say the offset"),
    ],
)
def test_an_hour_that_comes_twice_or_never_is_no_moment(tmp_path: Path, moment: str, said: str) -> None:
    logs = {"a_bw.log": BANDWIDTH, "b.log": SYSLOG.replace("2026-11-20 19:10:35", moment)}
    with pytest.raises(SidecarError, match=said):
        ingest(study(tmp_path, logs, ", time_zone: Europe/Zurich"))


def test_the_offset_says_which_of_two_hours_it_is(tmp_path: Path) -> None:
    night = "2026-10-25 02:30:00 Lustre: Failing over a-OST0001\n2026-10-25 02:30:01 Lustre: Failing over a-OST0002\n"
    tree = ingest(study(tmp_path, {"b.log": night}, ", time_zone: '+01:00'", "2026-10-25T01:29:50+00:00"))
    assert times(tree, "events") == [10.0, 11.0]


def test_a_log_in_which_the_clocks_are_changed_is_refused(tmp_path: Path) -> None:
    night = "2026-10-25 01:59:00 Lustre: Failing over a-OST0001\n2026-10-25 03:01:00 Lustre: Failing over a-OST0002\n"
    folder = study(tmp_path, {"b.log": night}, ", time_zone: Europe/Zurich")
    with pytest.raises(SidecarError, match="the clocks of Europe/Zurich are changed while it runs"):
        ingest(folder)


SAR = """\
Linux 6.1.0 (vm) \t2026-11-20 \t_x86_64_\t(2 CPU)

23:59:58        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil
23:59:59         eth0      1.00      1.00      1.00      1.00      0.00      0.00      0.00      0.00
00:00:00         eth0      1.00      1.00      1.00      1.00      0.00      0.00      0.00      0.00
00:00:01         eth0      1.00      1.00      1.00      1.00      0.00      0.00      0.00      0.00
"""


def test_midnight_is_no_step_back(tmp_path: Path) -> None:
    tree = ingest(study(tmp_path, {"a.log": SAR}, UTC, "2026-11-20T23:59:50+00:00"))
    assert sorted(set(times(tree, "series"))) == [9.0, 10.0, 11.0]


def test_what_a_log_says_from_before_the_run_has_negative_times(tmp_path: Path) -> None:
    tree = ingest(study(tmp_path, BOTH, ", time_zone: '+01:00'", "2026-11-20T18:10:35.500+00:00"))
    assert times(tree, "events") == [-0.5, 0.5]


def test_series_stay_slim(tmp_path: Path) -> None:
    tree = ingest(study(tmp_path, BOTH, ", time_zone: '+01:00', filesystem: lustre, clients: 1, client: c1"))
    names = {"run_id", "operation", "statistic", "client", "time", "throughput", "log_id", "line"}
    assert set(tree["series"].to_dataset().variables) == names


@pytest.fixture(scope="module")
def failover(tmp_path_factory: pytest.TempPathFactory) -> xr.DataTree:
    folder = tmp_path_factory.mktemp("raw") / "cluster-2026"
    return ingest(cut_out("cluster-2026", lambda row: row["run_id"] == "rep3_failover_r1", folder, "failover"))


def test_all_logs_of_a_real_run_agree_on_when_it_failed(failover: xr.DataTree) -> None:
    events = dataset.frame(failover["events"].to_dataset())
    failed = events[events["event"] == "server_failed"]["time"].item()
    assert failed == pytest.approx(10.013, abs=1e-6)
    lost = events[events["event"] == "connection_lost"].groupby("client")["time"].min()
    assert len(lost) == 3
    assert (lost - failed).between(0, 0.1).all()


def test_every_client_of_a_real_run_has_its_samples(failover: xr.DataTree) -> None:
    series = dataset.frame(failover["series"].to_dataset())
    for _, rows in series[series["throughput"].notna() & series["time"].notna()].groupby(["client", "operation"]):
        assert rows["time"].min() < 2
        assert rows["time"].max() > 44
    assert (ROOT / "raw/cluster-2026/failover/runs.csv").is_file()
