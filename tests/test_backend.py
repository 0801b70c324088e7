"""xarray opens logs by engine: the same datasets as `open_logs` and `open_study`."""

from __future__ import annotations

import shutil
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import xarray as xr

from storagelab import open_logs, save
from storagelab.backend import StoragelabBackend
from storagelab.errors import UnknownNameError

LOGS = sorted(Path(__file__).parent.glob("logs/ior/*.txt"))[:3]
LOG = LOGS[0]


def test_a_log_opens_as_its_runs() -> None:
    opened = xr.open_dataset(LOG, engine=StoragelabBackend)
    assert opened.equals(open_logs(LOG)["runs"].to_dataset())
    assert opened["throughput"].attrs["units"] == "B/s"
    assert opened.attrs["origin"] == "measured"


def test_another_node_and_a_folder_open_by_name(tmp_path: Path) -> None:
    for log in LOGS:
        shutil.copy(log, tmp_path)
    opened = xr.open_dataset(tmp_path, engine=StoragelabBackend, node="logs", drop_variables="notes")
    assert opened.sizes["obs"] == 3
    assert "notes" not in opened.variables


def test_a_tree_has_all_nodes_of_a_log_and_of_a_dataset(tmp_path: Path) -> None:
    tree = xr.open_datatree(LOG, engine=StoragelabBackend)
    assert set(tree.children) == set(open_logs(LOG).children)
    save(open_logs(LOG), tmp_path / "dataset.nc")
    again = xr.open_datatree(tmp_path / "dataset.nc", engine=StoragelabBackend)
    assert again["runs"].to_dataset().equals(tree["runs"].to_dataset())


def test_a_study_opens_with_what_its_sidecars_say(tmp_path: Path) -> None:
    study = tmp_path / "mine-2026"
    study.mkdir()
    shutil.copy(LOG, study / "relA_r1.txt")
    (study / "study.yaml").write_text(
        "{id: mine-2026, title: Mine, origin: measured, keys: {release: {}}, "
        "match: [{regex: '(?P<release>rel.)_r(?P<repeat>1)[.]txt'}]}"
    )
    tree = xr.open_datatree(study, engine=StoragelabBackend)
    assert set(tree["runs"]["release"].values) == {"relA"}
    runs = xr.open_dataset(study, engine=StoragelabBackend)
    assert runs.storage.select(release="relA").sizes["obs"] == runs.sizes["obs"]
    as_they_are = xr.open_dataset(study, engine=StoragelabBackend, format="ior")
    assert "release" not in as_they_are.variables


def test_an_unknown_node_names_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"node of .*'runz'.*runs"):
        xr.open_dataset(LOG, engine=StoragelabBackend, node="runz")


def test_xarray_finds_it_by_the_name_storagelab() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    module, _, name = project["entry-points"]["xarray.backends"]["storagelab"].partition(":")
    assert getattr(import_module(module), name) is StoragelabBackend


def test_it_claims_nothing_that_nobody_named() -> None:
    assert not StoragelabBackend().guess_can_open(LOG)


def test_groups_come_by_their_paths() -> None:
    groups = StoragelabBackend().open_groups_as_dict(LOG)
    assert list(groups) == ["/", *(f"/{name}" for name in open_logs(LOG).children)]
