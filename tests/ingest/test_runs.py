"""Runs over several logs, as campaigns get them wrong: nothing partial or contradictory passes as a whole run."""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from storagelab import dataset
from storagelab.errors import ContractError, IncompleteLogError, IncompleteRunError, SidecarError, StoragelabError
from storagelab.ingest import incomplete, ingest, problems, read_log, tidy
from tests.conftest import LOGS
from tests.studies import cut_out, declare_copies

RUN = "dist_external_02_write_r1"
SWEEP = LOGS / "iozone" / "auto_excel_i0_i1.log"
Row = dict[str, str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One run of two clients: an IOzone log and a pair of counters each."""
    return cut_out("cluster-2026", lambda row: row["run_id"] == RUN, tmp_path / "cluster-2026")


def rewrite(folder: Path, change: Callable[[list[Row]], list[Row]]) -> None:
    """Change the rows of runs.csv."""
    table = folder / "runs.csv"
    with table.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    names = list(rows[0])
    with table.open("w", newline="") as out:
        writer = csv.DictWriter(out, names)
        writer.writeheader()
        writer.writerows(change(rows))


def put(folder: Path, which: str, **cells: str) -> None:
    """Write cells into the rows whose file has a name that begins so."""
    rewrite(folder, lambda rows: [row | cells if Path(row["file"]).name.startswith(which) else row for row in rows])


def log(folder: Path, name: str) -> Path:
    return folder / "gluster" / "dist" / RUN / name


def runs(study: xr.DataTree) -> dict[str, float]:
    ds = study["runs"].to_dataset()
    return dict(zip(map(str, ds.operation.values), map(float, ds.throughput.values), strict=True))


def cut_before_rewrite(folder: Path) -> None:
    path = log(folder, "cli2.iozone.log")
    text = path.read_text()
    path.write_text(text[: text.index("rewriters")].rpartition("\n")[0] + "\n")


def kinds(found: list[StoragelabError]) -> list[type]:
    return [type(problem) for problem in found]


def test_an_operation_that_one_client_lacks_is_no_row_of_the_run_but_its_shares_are_kept(folder: Path) -> None:
    whole = ingest(folder)
    cut_before_rewrite(folder)
    study = ingest(folder)
    assert runs(study)["write"] == runs(whole)["write"]
    assert "rewrite" not in runs(study)
    shares = dataset.select(study["clients"].to_dataset(), operation="rewrite")
    assert list(shares.client.values) == ["cli1"]
    assert incomplete(study)[-1] == f"run {RUN}: rewrite of 1 of 2 clients: not added up"
    assert dataset.about(study)["left_out"] == incomplete(study)[-1:]
    assert kinds(problems(folder)) == [IncompleteLogError, IncompleteRunError]


def test_a_row_says_whether_all_logs_behind_it_are_whole(folder: Path) -> None:
    assert set(ingest(folder)["runs"].complete.values) == {1.0}
    cut_before_rewrite(folder)
    study = ingest(folder)
    (of_write,) = dataset.select(study["runs"].to_dataset(), operation="write").complete.values
    assert of_write == 0.0
    shares = dataset.select(study["clients"].to_dataset(), operation="write")
    assert list(shares.complete.values) == [1.0, 0.0]
    (of_counters,) = dataset.select(study["runs"].to_dataset(), operation="receive").complete.values
    assert of_counters == 1.0


def test_a_tool_that_failed_makes_its_log_incomplete(folder: Path) -> None:
    put(folder, "cli1.iozone", exit_status="137")
    (told,) = problems(folder)
    assert str(told).endswith("cli1.iozone.log: incomplete: the tool left with exit status 137")
    assert incomplete(ingest(folder)) == [str(told)]


@pytest.mark.parametrize("lost", ["cli2.iozone.log", "cli2."])
def test_a_client_without_a_log_is_missed(lost: str, folder: Path) -> None:
    for path in log(folder, "").glob(f"{lost}*"):
        path.unlink()
    rewrite(folder, lambda rows: [row for row in rows if (folder / row["file"]).is_file()])
    study = ingest(folder)
    rows = study["runs"].operation.values if "runs" in study.children else ()
    assert not {"write", "rewrite"} & set(rows)
    assert f"run {RUN}: write of 1 of 2 clients: not added up" in incomplete(study)
    assert set(kinds(problems(folder))) == {IncompleteRunError}


def test_more_clients_than_the_sidecar_says(folder: Path) -> None:
    rewrite(folder, lambda rows: [row | {"clients": "1"} for row in rows])
    with pytest.raises(SidecarError, match=r"runs\.csv:2: clients is 1, but the run has logs of 2: cli1, cli2"):
        ingest(folder)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            {"layout": "replicate"},
            r"runs\.csv:5: .*layout is 'replicate', but 'distribute' for another log of the run, ",
        ),
        ({"clients": "3"}, r"clients is 3\.0, but 2\.0 for another log of the run, .*runs\.csv:2"),
        ({"repeat": ""}, r"repeat is not said, but 1\.0 for another log"),
        (
            {"client": ""},
            r"cli2\.iozone\.log: one of 2 logs of a run, but `client` does not say whose; .* has `role: monitor_log`",
        ),
        ({"client": "cli1"}, rf"run {RUN}: write of client 'cli1' twice, on lines 32 and 32 of its logs"),
        ({"tool_version": "3.5"}, r"cli2\.iozone\.log: tool_version is '3\.5' here, but the log says '3\.471'"),
    ],
)
def test_logs_of_a_run_that_contradict_each_other(cells: Row, message: str, folder: Path) -> None:
    put(folder, "cli2.iozone", **cells)
    with pytest.raises((SidecarError, ContractError), match=message):
        ingest(folder)
    assert len(problems(folder)) == 1


def test_the_counters_of_a_run_are_held_against_its_logs(folder: Path) -> None:
    rewrite(folder, lambda rows: [row | {"layout": "replicate"} if "netdev" in row["kind"] else row for row in rows])
    with pytest.raises(SidecarError, match="layout is 'replicate', but 'distribute' for another log of the run"):
        ingest(folder)


def test_clients_may_differ_in_what_belongs_to_a_client(folder: Path) -> None:
    put(folder, "cli2", client_link_mbit="100")
    study = ingest(folder)
    assert list(dataset.select(study["clients"].to_dataset(), operation="write").client_link.values) == [25e6, 12.5e6]
    written = dataset.select(study["runs"].to_dataset(), operation="write")
    assert "client_link" not in written or np.isnan(written.client_link.values).all()


def test_a_second_reading_of_one_kind(folder: Path) -> None:
    shutil.copy(log(folder, "cli1.netdev_after.txt"), log(folder, "cli1.netdev_after.again.txt"))
    declare_copies(folder)
    again = f"gluster/dist/{RUN}/cli1.netdev_after.again.txt"
    rewrite(folder, lambda rows: rows + [row | {"file": again} for row in rows if "cli1.netdev_after" in row["file"]])
    with pytest.raises(SidecarError, match=r"a second netdev_after of the client, after gluster/\S+again\.txt"):
        ingest(folder)


def test_readings_that_were_swapped(folder: Path) -> None:
    swap = {"netdev_before": "netdev_after", "netdev_after": "netdev_before"}
    rewrite(folder, lambda rows: [row | {"kind": swap.get(row["kind"], row["kind"])} for row in rows])
    with pytest.raises(SidecarError, match=r"counters of eth0 were reset between the two readings, or .* are swapped"):
        ingest(folder)


@pytest.fixture
def sweeps(tmp_path: Path) -> Path:
    """Two clients that each ran IOzone over several file and record sizes."""
    folder = tmp_path / "sweeps"
    folder.mkdir()
    (folder / "study.yaml").write_text("id: sweeps\ntitle: Sweeps\norigin: measured\n")
    declare_copies(folder)
    (folder / "runs.csv").write_text("file,client,clients,run_id\na.log,a,2,both\nb.log,b,2,both\n")
    for name in ("a.log", "b.log"):
        shutil.copy(SWEEP, folder / name)
    return folder


def test_a_sweep_of_several_clients_is_added_up_size_by_size(sweeps: Path) -> None:
    alone = tidy([read_log(SWEEP)])["runs"].to_dataset()
    both = ingest(sweeps)["runs"].to_dataset()
    assert len(set(alone.record_size.values)) > 1
    keys = ["operation", "record_size", "file_size", "line"]
    one, two = (dataset.frame(ds).set_index(keys)["throughput"].sort_index() for ds in (alone, both))
    assert list(one.index) == list(two.index)
    np.testing.assert_allclose(two, 2 * one)


def test_counters_around_one_log_do_not_add_up_its_rows(sweeps: Path, folder: Path) -> None:
    (sweeps / "b.log").unlink()
    for name in ("before", "after"):
        shutil.copy(log(folder, f"cli1.netdev_{name}.txt"), sweeps / f"{name}.txt")
    rows = "file,role,clients,run_id\na.log,benchmark,4,one\n"
    (sweeps / "runs.csv").write_text(
        rows + "".join(f"{name}.txt,netdev_{name},4,one\n" for name in ("before", "after"))
    )
    study = ingest(sweeps)
    alone = tidy([read_log(SWEEP)])
    found = dataset.frame(study["runs"].to_dataset()).query("operation not in ('receive', 'transmit')")
    assert list(found["throughput"]) == list(alone["runs"].throughput.values)
    assert "clients" not in study.children or "client" not in set(study["clients"].share.values)


def test_logs_that_differ_only_in_their_suffix_are_two_runs(sweeps: Path) -> None:
    (sweeps / "b.log").rename(sweeps / "a.txt")
    (sweeps / "runs.csv").write_text("file\na.log\na.txt\n")
    assert set(ingest(sweeps)["runs"].run_id.values) == {"a", "a.txt"}
    logs = [read_log(sweeps / name, name=name) for name in ("a.log", "a.txt")]
    assert set(tidy(logs)["runs"].run_id.values) == {"a", "a.txt"}


def test_pipes_and_sockets_below_a_study_are_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe.log")
    assert problems(folder) == []


def add_striping(folder: Path, *sizes: int) -> None:
    """Add logs of ``lfs getstripe`` to the run of the folder."""
    for number, size in enumerate(sizes):
        name = f"gluster/dist/{RUN}/stripes{number}.txt"
        (folder / name).write_text(f"file\nlmm_stripe_count:  4\nlmm_stripe_size:   {size}\nlmm_pattern:   raid0\n")
        rewrite(
            folder,
            lambda rows, name=name: [
                *rows,
                rows[0] | {"file": name, "kind": "striping", "tool": "lfs getstripe", "client": ""},
            ],
        )


def test_lfs_getstripe_beside_the_benchmark_gives_the_stripe_keys(folder: Path) -> None:
    add_striping(folder, 4194304)
    found = ingest(folder)
    for node in ("runs", "clients"):
        ds = found[node].to_dataset()
        benchmark = ds.isel(obs=np.isin(ds.operation.values, ["write", "rewrite"]))
        assert set(benchmark.stripe_size.values) == {4194304.0}
        assert set(benchmark.stripe_count.values) == {4.0}
        assert set(benchmark.stripe_size_line.values) == {3.0}
        (of_striping,) = {int(number) for number in benchmark.stripe_size_log_id.values}
        assert str(found["logs"]["log"].values[of_striping]).endswith("stripes0.txt")


def test_two_logs_of_lfs_getstripe_that_differ_are_refused(folder: Path) -> None:
    add_striping(folder, 4194304, 1048576)
    with pytest.raises(
        SidecarError, match=r"runs\.csv:\d+: .*stripes1\.txt says .*1048576.*another log of the run .*4194304"
    ):
        ingest(folder)
