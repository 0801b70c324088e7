"""A stranger's first hour: a folder of logs becomes a defended comparison, with keys that are the stranger's own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import storagelab
from storagelab import analysis, dataset, figures, schema
from storagelab.backend import StoragelabBackend
from storagelab.paper import tables
from tests import first_hour
from tests.cli.conftest import Cli

IOR_STUDY = r"""id: scratch-2026
title: Two releases of the scratch file system
origin: measured
keys:
  filesystem: lustre
  release: {long_name: release of the file system, levels: [A, B]}
  kernel: {long_name: kernel of the clients}
  mount_options: {description: as mount prints them}
defaults: {mount_options: "noatime,flock"}
match:
- regex: 'ior_n(?P<nodes>\d+)_p(?P<processes_per_node>\d+)_rel(?P<release>\w)_r(?P<repeat>\d)\.log'
- {glob: '*_relA_*', keys: {kernel: "5.14"}}
- {glob: '*_relB_*', keys: {kernel: "6.12"}}
design:
- name: releases
  factors: {nodes: [1, 4, 8], release: [A, B]}
"""
FIO_STUDY = r"""id: disk-2026
title: Two schedulers of a disk
origin: measured
keys:
  scheduler: {long_name: I/O scheduler, levels: [none, mq-deadline]}
match:
- regex: 'randread-bs\d+k-(?P<scheduler>[a-z-]+)\.(?P<repeat>\d)\.json'
"""


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "scratch-2026"
    folder.mkdir()
    assert len(first_hour.write_ior_logs(folder)) == 60
    return folder


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "disk-2026"
    folder.mkdir()
    assert len(first_hour.write_fio_logs(folder)) == 12
    return folder


def ingested(folder: Path, sidecar: str, cli: Cli) -> xr.DataTree:
    (folder / "study.yaml").write_text(sidecar)
    assert cli("checksums", folder).code == 0
    assert cli("check", folder).out.endswith("nothing wrong\n")
    assert cli("ingest", folder, "-o", "dataset.nc").code == 0
    schema.OWN.forget()  # a dataset is understood without its study.yaml
    return storagelab.open_study("dataset.nc")


def test_from_60_logs_of_ior_to_a_comparison(scratch: Path, cli: Cli) -> None:
    shown = cli("parse", scratch).out
    assert shown.startswith("60 logs read, 0 of them incomplete, 0 not read; 120 rows\n")
    assert "ior     ior 4.0.0  60    0           120" in shown
    assert "nodes               3       1 (40), 4 (40), 8 (40)" in shown

    study = ingested(scratch, IOR_STUDY, cli)
    runs = study["runs"].to_dataset()
    assert runs.storage.keys()["release"].to_dict() == {"A": 60, "B": 60}
    assert set(study["logs"]["ran_on"].values) == {"node01", "node02", "node03"}
    assert set(study["logs"]["filesystem_size"].values) == {100 * 2.0**40}

    newer = runs.storage.compare("throughput", "release", "A", "B")
    assert set(newer["verdict"].values) == {"higher"}
    np.testing.assert_allclose(newer["ratio"].values, first_hour.GAIN, rtol=0.05)
    assert "kernel follows from release" in newer.attrs["follows"]
    assert set(newer.coords) == {"operation", "nodes", "processes_per_node", "compared"}

    wider = storagelab.select(runs, release="A").storage.compare("throughput", "nodes", 1, 8)
    assert wider.attrs["follows"] == "processes follows from nodes, processes_per_node"
    assert wider.sizes["obs"] == 4, "two operations by two processes per node"
    np.testing.assert_allclose(wider["ratio"].values, 8**0.8, rtol=0.06)


def test_own_keys_go_wherever_those_of_the_contract_go(scratch: Path, cli: Cli, tmp_path: Path) -> None:
    runs = ingested(scratch, IOR_STUDY, cli)["runs"].to_dataset()
    reads = storagelab.select(runs, release=["A", "B"], operation="read", nodes=8, processes_per_node=16)
    means = analysis.summarise(reads, "throughput", "release", over="kernel")
    assert means["release"].attrs["long_name"] == "release of the file system"
    assert means["release"].values.tolist() == ["A", "B"]
    assert analysis.winners(reads, "throughput", "release", "nodes", over="kernel")["winner"].values.tolist() == [0, 1]
    drawn = figures.points(reads, "throughput", category="release", hue="kernel", over=["repeat"])
    assert "release of the file system" in drawn.alt + drawn.caption
    automatic = storagelab.select(runs, operation="read").storage.plot(variable="throughput")
    assert "processes " not in automatic.caption.replace("processes per node", "")
    whole = runs.storage.plot(variable="throughput")
    assert "a panel for each " in whole.caption
    assert "processes " not in whole.caption.replace("processes per node", "")
    assert any("_and_" in str(name) for name in whole.data.coords)
    html = tables.html(dataset.frame(means), tables.Look({}, {}, {}, 3, {}))
    assert "elease of the file system" in html
    assert storagelab.grid(means, "throughput", "release").sizes == {"release": 2}
    opened = StoragelabBackend().open_dataset("dataset.nc")
    assert set(opened["mount_options"].values) == {"noatime,flock"}
    plan = cli("plan", "dataset.nc", "throughput", "--where", "release=A", "--by", "nodes", "--by", "operation",
               "--by", "processes_per_node")  # fmt: skip
    assert (plan.code, "runs a side and cell" in plan.out) == (0, True)
    assert cli("trace", "dataset.nc", "0").code == 1, "the logs are elsewhere"
    assert cli("trace", "dataset.nc", "0", "--raw", tmp_path).out.count("release") == 1


def test_keys_lists_those_of_a_study_with_their_levels(scratch: Path, cli: Cli) -> None:
    ingested(scratch, IOR_STUDY, cli)
    told = {one["key"]: one for one in json.loads(cli("keys", "dataset.nc", "--json").out)["rows"]}
    assert told["release"]["levels"] == [{"level": "A", "count": 60}, {"level": "B", "count": 60}]
    assert (told["release"]["own"], told["nodes"]["own"]) == (True, False)
    assert told["mount_options"]["means"] == "mount options: as mount prints them"
    by_sidecars = cli("keys", scratch).out
    assert "logs, by the sidecars alone" in by_sidecars
    assert any(
        line.split()[:2] == ["release", "text"] and "A (30), B (30)" in line for line in by_sidecars.splitlines()
    )
    assert "kernel" not in cli("keys").out.split()


def test_keys_lists_no_level_that_is_missing(tmp_path: Path, cli: Cli) -> None:
    rows = [
        {"run_id": "r1", "layout": "replicate", "stripe_count": 4.0, "nodes": np.nan, "throughput": 1e6},
        {"run_id": "r2", "layout": "", "stripe_count": np.nan, "nodes": np.nan, "throughput": 1e6},
    ]
    runs = dataset.from_rows(rows, origin="measured", study="s")
    logs = dataset.from_rows([{"log_id": 0, "log": "a.log", "complete": 1.0}], origin="measured", study="s")
    about = {"study": "s", "title": "S", "origin": "measured"}
    dataset.save(dataset.tree({"runs": runs, "logs": logs}, about), tmp_path / "x.nc")
    told = {one["key"]: one["levels"] for one in json.loads(cli("keys", tmp_path / "x.nc", "--json").out)["rows"]}
    assert told["layout"] == [{"level": "replicate", "count": 1}]
    assert told["stripe_count"] == [{"level": 4.0, "count": 1}]
    assert "nodes" not in told


def test_keys_of_a_dataset_without_runs_are_none(tmp_path: Path, cli: Cli) -> None:
    logs = dataset.from_rows([{"log_id": 0, "log": "a.log", "complete": 1.0}], origin="measured", study="s")
    about = {"study": "s", "title": "S", "origin": "measured"}
    dataset.save(dataset.tree({"logs": logs}, about), tmp_path / "x.nc")
    said = cli("keys", tmp_path / "x.nc", "--json")
    assert (said.code, json.loads(said.out)["rows"]) == (0, [])


def test_from_12_runs_of_fio_to_a_comparison(disk: Path, cli: Cli) -> None:
    assert cli("parse", disk).out.startswith("12 logs read, 0 of them incomplete, 0 not read; 12 rows\n")
    runs = ingested(disk, FIO_STUDY, cli)["runs"].to_dataset()
    found = runs.storage.compare("throughput", "scheduler", "none", "mq-deadline", margin=0.1)
    assert found.sizes["obs"] == 2
    assert set(found["verdict"].values) == {"equivalent"}
    again = shutil.copytree(disk, disk.parent / "again" / disk.name)
    assert cli("compare", disk, again, "--variable", "throughput", "--margin", "0.1").code == 0


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "nc", "parquet", "json"])
def test_the_suffix_says_what_is_written(suffix: str, scratch: Path, cli: Cli) -> None:
    output = scratch.parent / f"all.{suffix}"
    assert cli("parse", scratch, "-o", output).code == 0
    if suffix == "nc":
        assert dataset.load(output)["runs"].sizes["obs"] == 120
    elif suffix == "json":
        assert json.loads(output.read_text())["measurements"] == 120
    elif suffix == "jsonl":
        assert sum(json.loads(line)["node"] == "runs" for line in output.read_text().splitlines()) == 120
    else:
        rows = pd.read_csv(output) if suffix == "csv" else pd.read_parquet(output)
        assert len(rows) == 120
        assert rows["throughput"].min() > 0
