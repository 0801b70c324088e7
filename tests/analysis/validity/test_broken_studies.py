"""A study that is broken on purpose shows it in the validity report; the same study unbroken does not."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from storagelab import analysis, dataset
from storagelab.errors import SidecarError
from storagelab.ingest import ingest
from tests.analysis.validity import broken
from tests.analysis.validity.broken import of_check, report
from tests.studies import declare_copies

pytestmark = pytest.mark.slow

WRITE = "gluster/dist/dist_external_03_write_r{}"
SKIM = "gluster/dist/dist_external_03_skim_r{}"


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    return broken.cluster(tmp_path / "cluster-2026")


@pytest.fixture
def loopback(tmp_path: Path) -> Path:
    return broken.loopback(tmp_path / "loopback-2026")


CLEAN = (
    "origin",
    "origin in logs",
    "planned runs",
    "whole logs",
    "all clients",
    "copies",
    "listed names",
    "names in logs",
    "rate and time",
    "link and bytes",
    "equal n",
    "options",
    "factors",
    "best of N",
)


def test_the_unbroken_cluster_is_clean_where_it_is_broken_below(cluster: Path) -> None:
    lines, _ = report(cluster)
    assert lines.loc[list(CLEAN), "findings"].sum() == 0
    assert (lines.loc[list(CLEAN), "checked"] > 0).all()
    assert lines.loc[list(CLEAN), "outcome"].str.startswith("nothing found").all()


def test_the_unbroken_loopback_is_clean_where_it_is_broken_below(loopback: Path) -> None:
    lines, found = report(loopback)
    assert lines.loc[["planned runs", "copies", "equal n", "factors", "origin in logs"], "findings"].sum() == 0
    assert not of_check(found, "outliers")["where"].str.contains("xfs/kernel_loop-direct_throughput_c04_r2").any()
    assert lines.loc["own link", "outcome"] == "not checked: no link and no other nominal rate is known"
    assert lines.loc["names in logs", "outcome"] == "not checked: the study names no client"


# --- drop one repeat


def test_a_dropped_repeat_is_a_missing_run_of_its_cell(cluster: Path) -> None:
    broken.edit_rows(cluster, lambda row: None if row["run_id"] == "dist_external_03_read_r2" else row)
    lines, found = report(cluster)
    (missing,) = of_check(found, "planned runs").to_dict("records")
    assert missing["where"] == "three clients, operation_group=read, clients=3"
    assert missing["found"] == "1 of 3 planned runs are missing"
    assert missing["finding_size"] == pytest.approx(1 / 3)
    assert lines.loc["planned runs", "worst"] == f"{missing['where']}: {missing['found']}"


def test_a_dropped_repeat_shows_without_a_design_too(loopback: Path) -> None:
    broken.with_design(loopback, [])
    broken.edit_rows(loopback, lambda row: None if "xfs/kernel_loop-direct_throughput_c04_r2" in row["file"] else row)
    lines, found = report(loopback)
    assert lines.loc["planned runs", "outcome"] == "not checked: the study states no design"
    (odd,) = of_check(found, "equal n").to_dict("records")
    assert odd["found"] == "2 runs, where configurations like it have 3"
    assert {"filesystem=xfs", "clients=4"} <= set(odd["where"].split(", "))


def test_a_dropped_log_of_one_client_is_named_with_its_run(cluster: Path) -> None:
    broken.edit_rows(cluster, lambda row: None if row["file"] == f"{WRITE.format(1)}/cli2.iozone.log" else row)
    _, found = report(cluster)
    lost = of_check(found, "all clients")["found"].tolist()
    assert len(lost) == 2  # written and rewritten
    assert all("dist_external_03_write_r1" in said and "2 of 3" in said for said in lost)


def test_a_log_that_vanished_from_the_disk_alone_stops_the_reading(cluster: Path) -> None:
    (cluster / WRITE.format(1) / "cli2.iozone.log").unlink()
    with pytest.raises(SidecarError, match=r"cli2\.iozone\.log"):
        ingest(cluster)


def test_a_log_copied_as_another_repeat_is_found(loopback: Path) -> None:
    first, second = (loopback / f"iozone/xfs/kernel_loop-direct_throughput_c04_r{repeat}.log" for repeat in (1, 2))
    shutil.copy(first, second)
    declare_copies(loopback)
    _, found = report(loopback)
    (copy,) = of_check(found, "copies").to_dict("records")
    assert copy["where"] == "iozone/xfs/kernel_loop-direct_throughput_c04_r1.log"
    assert copy["found"] == "is the same as iozone/xfs/kernel_loop-direct_throughput_c04_r2.log"


def test_a_cut_log_is_found(cluster: Path) -> None:
    log = cluster / WRITE.format(1) / "cli2.iozone.log"
    log.write_text(log.read_text().partition("	Parent sees throughput for  1 rewriters")[0])
    _, found = report(cluster)
    assert of_check(found, "whole logs")["where"].tolist() == [f"{WRITE.format(1)}/cli2.iozone.log"]


# --- swap two clients

SWAPPED = {"cli1": "cli2", "cli2": "cli1"}


def swap_in_the_list(row: broken.Row) -> broken.Row:
    swapped = row["run_id"] == "dist_external_03_write_r1"
    return {**row, "client": SWAPPED.get(row["client"], row["client"]) if swapped else row["client"]}


def test_two_clients_swapped_in_the_list_are_found_by_their_paths(cluster: Path) -> None:
    broken.edit_rows(cluster, swap_in_the_list)
    lines, found = report(cluster)
    kinds = ("iozone.log", "netdev_after.txt", "netdev_before.txt")
    wrong = {f"{WRITE.format(1)}/{client}.{kind}" for client in SWAPPED for kind in kinds}
    listed = of_check(found, "listed names")
    assert set(listed["where"]) == wrong
    first = f"{WRITE.format(1)}/cli1.iozone.log"
    assert "listed under client cli2, but its path names cli1" in listed[listed["where"] == first]["found"].tolist()
    # the logs' own words say the same of those that have any
    assert set(of_check(found, "names in logs")["where"]) == {path for path in wrong if path.endswith("iozone.log")}
    assert lines.loc["names in logs", "outcome"] == "found; 54 logs name no client"


@pytest.mark.parametrize(("run", "kind"), [(WRITE, "iozone.log"), (SKIM, "fio.json")])
def test_two_clients_logs_swapped_are_found_by_their_own_words(cluster: Path, run: str, kind: str) -> None:
    one, other = (cluster / run.format(1) / f"{client}.{kind}" for client in SWAPPED)
    broken.exchange(one, other)
    lines, found = report(cluster)
    assert lines.loc["listed names", "findings"] == 0
    wrong = of_check(found, "names in logs").sort_values("where")
    assert wrong["where"].tolist() == [f"{run.format(1)}/{client}.{kind}" for client in SWAPPED]
    assert wrong["found"].tolist() == [
        "listed under client cli1, but its options names cli2",
        "listed under client cli2, but its options names cli1",
    ]


def test_jobs_on_a_mount_swapped_are_found_by_the_files_they_read(tmp_path: Path) -> None:
    study = broken.jobs(tmp_path / "xrootd-2026")
    run = "root/dist/jobs_dist_mount_cli_02_e100_b50_r1"
    broken.exchange(*(study / run / f"{client}.root.log" for client in SWAPPED))
    _, found = report(study)
    wrong = of_check(found, "names in logs").sort_values("where")
    assert wrong["where"].tolist() == [f"{run}/{client}.root.log" for client in SWAPPED]
    assert wrong["found"].str.contains("its file names").all()


def test_equal_clients_whose_logs_name_nobody_cannot_be_told_apart(tmp_path: Path) -> None:
    """What the report cannot see, and says: through the gateway all jobs read the same addresses."""
    study = broken.jobs(tmp_path / "xrootd-2026")
    before, _ = report(study)
    run = "root/dist/jobs_dist_xrootd_cli_02_e100_b50_r1"
    broken.exchange(*(study / run / f"{client}.root.log" for client in SWAPPED))
    after, found = report(study)
    assert not found["where"].str.contains(run).any()
    assert after.loc["names in logs", "findings"] == 0
    assert after.loc["names in logs", "outcome"] == before.loc["names in logs", "outcome"]
    assert re.fullmatch(r"nothing found; \d+ logs name no client", after.loc["names in logs", "outcome"])


def test_clients_with_unequal_loads_are_told_apart_by_series_and_bytes(tmp_path: Path) -> None:
    study = broken.failover(tmp_path / "cluster-2026")
    assert report(study)[0].loc["series and bytes", "findings"] == 0
    run = study / "failover/dist_failover_r1"
    broken.exchange(run / "cli2.fio_bw.log", run / "cli3.fio_bw.log")
    _, found = report(study)
    wrong = of_check(found, "series and bytes").sort_values("where")
    assert wrong["where"].str.extract(r"client=(\w+)")[0].tolist() == ["cli2", "cli3"]
    assert wrong["log_id"].notna().all()


def test_an_on_board_client_taken_for_an_external_one_is_found_by_its_link(tmp_path: Path) -> None:
    study = broken.on_board(tmp_path / "cluster-2026")
    lines, _ = report(study)
    assert lines.loc["link and bytes", "outcome"].startswith("not checked: no client is known to be external")
    broken.edit_rows(study, lambda row: {**row, "client_location": "external"})
    _, found = report(study)
    wrong = of_check(found, "link and bytes")
    assert 0 < len(wrong) < 3
    assert wrong["found"].str.startswith("the link carried ").all()


# --- multiply one log by 1024


def test_a_client_whose_rates_are_times_1024_is_above_its_link_and_apart(cluster: Path) -> None:
    log = f"{WRITE.format(2)}/cli3.iozone.log"
    broken.times_1024(cluster / log)
    lines, found = report(cluster)
    above = of_check(found, "own link")
    (write,) = above[above["where"].str.contains("write_r2, client=cli3, operation=write")].to_dict("records")
    assert float(write["found"].split(" ", 1)[0]) > 400
    (suspects,) = of_check(found, "factors")["where"].str.extract("(run_id=[^,]+, client=[^,]+)").drop_duplicates()[0]
    assert suspects == "run_id=dist_external_03_write_r2, client=cli3"
    assert of_check(found, "factors")["found"].str.contains("too high by .*1024").all()
    record = dataset.frame(ingest(cluster)["logs"].to_dataset()).iloc[int(write["log_id"])]
    assert record["log"] == log
    assert "initial writers" in (cluster / log).read_text().splitlines()[int(write["line"]) - 1]
    assert lines.loc["own link", "log_id"] == write["log_id"]
    apart = of_check(found, "outliers")["where"]
    assert apart.str.contains("run_id=dist_external_03_write_r2, operation=write").any()


def test_a_log_times_1024_is_named_with_its_factor_where_there_is_no_link(loopback: Path) -> None:
    name = "iozone/xfs/kernel_loop-direct_throughput_c04_r2"
    broken.times_1024(loopback / f"{name}.log")
    lines, found = report(loopback)
    suspects, apart = of_check(found, "factors"), of_check(found, "outliers")
    assert set(suspects["where"].str.extract("run_id=([^,]+)")[0]) == {name}
    assert suspects["found"].str.contains("too high by .*1024").all()
    everything = dataset.frame(ingest(loopback)["runs"].to_dataset())
    assert len(suspects) == (everything["run_id"] == name).sum()
    assert apart["where"].str.startswith(f"run_id={name},").sum() == len(suspects)
    assert "1024" in lines.loc["factors", "worst"]
    assert name in lines.loc["outliers", "worst"]


def test_a_rate_times_1024_in_fio_is_not_bytes_over_time(cluster: Path) -> None:
    log = cluster / SKIM.format(1) / "cli1.fio.json"
    text = log.read_text()
    rate = re.findall(r'"bw_bytes" : (\d+)', text)[0]
    log.write_text(text.replace(f'"bw_bytes" : {rate}', f'"bw_bytes" : {1024 * int(rate)}', 1))
    _, found = report(cluster)
    (wrong,) = of_check(found, "rate and time").to_dict("records")
    assert wrong["where"] == "run_id=dist_external_03_skim_r1, client=cli1, operation=read"
    assert wrong["found"] == "the printed rate is 1,020 times bytes over time"


# --- mark a measured study as reconstructed, and lose the mark


def test_a_measured_study_marked_as_reconstructed_is_contradicted_by_every_log(cluster: Path) -> None:
    broken.edit_yaml(cluster, origin="reconstructed")
    study = ingest(cluster)
    made = analysis.validity(study)
    assert made.attrs["origin"] == analysis.validity_findings(study).attrs["origin"] == "reconstructed"
    lines, found = report(cluster)
    said = of_check(found, "origin in logs")
    assert len(said) == lines.loc["origin in logs", "checked"] == study["logs"].sizes["obs"]
    assert set(said["found"]) == {
        "the study is marked as reconstructed, but the log does not say that it is reconstructed"
    }


def test_a_reconstructed_log_in_a_measured_study_is_found(cluster: Path) -> None:
    log = cluster / WRITE.format(1) / "cli2.iozone.log"
    log.write_text("Reconstructed from published numbers\n" + log.read_text())
    _, found = report(cluster)
    (said,) = of_check(found, "origin in logs").to_dict("records")
    assert said["where"] == f"{WRITE.format(1)}/cli2.iozone.log"
    assert said["found"] == "the study is marked as measured, but the log says that it is reconstructed"


def test_a_reconstructed_study_whose_logs_say_so_is_in_order(loopback: Path) -> None:
    broken.edit_yaml(loopback, origin="reconstructed")
    for log in loopback.glob("iozone/**/*.log"):
        log.write_text("This log was reconstructed from published numbers.\n" + log.read_text())
    lines, _ = report(loopback)
    assert lines.loc["origin in logs", "outcome"] == "nothing found"


@pytest.mark.parametrize("where", ["attrs", "rows"])
def test_an_origin_that_was_lost_on_a_node_is_found(cluster: Path, where: str) -> None:
    broken.edit_yaml(cluster, origin="reconstructed")
    study = ingest(cluster)
    runs = study["runs"].to_dataset()
    if where == "attrs":
        runs.attrs["origin"] = "measured"
    else:
        runs = runs.assign_coords(origin=("obs", np.full(runs.sizes["obs"], "measured")))
    study["runs"] = type(study)(runs)
    found = dataset.frame(analysis.validity_findings(study))
    (lost,) = of_check(found, "origin").to_dict("records")
    assert (lost["where"], lost["found"]) == ("node runs", "says measured, the study says reconstructed")


# --- best of N


def test_a_log_of_which_only_the_best_is_left_is_found(loopback: Path) -> None:
    study = ingest(loopback)
    runs = study["runs"].to_dataset()
    assert dataset.frame(analysis.validity(study)).set_index("check").loc["best of N", "findings"] == 0
    best = (runs["run_id"] == "iozone/xfs/kernel_loop-direct_throughput_c04_r2") & (runs["operation"] == "write")
    study["runs"] = type(study)(runs.assign_coords(statistic=runs["statistic"].where(~best, "max")))
    (only,) = of_check(dataset.frame(analysis.validity_findings(study)), "best of N").to_dict("records")
    assert only["where"] == "tool=iozone, operation=write"
    assert only["found"] == "only the max over iterations is known"


def test_every_finding_with_a_line_leads_to_a_log(cluster: Path) -> None:
    broken.times_1024(cluster / WRITE.format(2) / "cli3.iozone.log")
    study = ingest(cluster)
    found = dataset.frame(analysis.validity_findings(study))
    logs = dataset.frame(study["logs"].to_dataset())["log"]
    traced = found[found["line"].notna()]
    assert len(traced) > 0
    for row in traced.to_dict("records"):
        assert 0 < row["line"] <= (cluster / logs.iloc[int(row["log_id"])]).read_text().count("\n") + 1
