"""Sidecars: what they say, and that every mistake in them names its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from storagelab import study
from storagelab.errors import SidecarError
from tests.conftest import ROOT

YAML = """\
id: tiny
title: A tiny study
origin: measured
defaults: {server_mode: bare-metal}
columns:
  link_mbit: {key: client_link, unit: Mbit/s}
  erasure: {key: erasure_code, words: {two_and_one: "2+1"}}
"""
RUNS = """\
file,filesystem,link_mbit,erasure,clients,repeat
a.log,ext4,200,two_and_one,4,1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "study.yaml").write_text(YAML)
    (tmp_path / "runs.csv").write_text(RUNS)
    (tmp_path / "a.log").write_text("log")
    return tmp_path


def problems(folder: Path) -> list[str]:
    return [str(problem).removeprefix(f"{folder}/") for problem in study.load(folder).problems]


def test_columns_become_keys_in_si(folder: Path) -> None:
    (entry,) = study.load(folder).entries
    assert entry.keys == {
        "server_mode": "bare-metal",
        "filesystem": "ext4",
        "client_link": 25e6,
        "erasure_code": "2+1",
        "clients": 4.0,
        "repeat": 1.0,
    }
    assert (entry.path, entry.line) == ("a.log", 2)


def test_rules_take_keys_from_paths(folder: Path) -> None:
    rule = r"match: [{regex: 'sub/(?P<filesystem>\w+)_c(?P<clients>\d+)\.txt', keys: {mount: nfs}}]"
    (folder / "study.yaml").write_text(YAML + rule + "\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "xfs_c12.txt").write_text("log")
    found = study.load(folder)
    assert not found.problems
    assert found.entries[1].keys == {"server_mode": "bare-metal", "mount": "nfs", "filesystem": "xfs", "clients": 12.0}


def test_a_log_that_nothing_covers(folder: Path) -> None:
    (folder / "b.log").write_text("log")
    assert problems(folder) == ["b.log: no row of runs.csv and no rule of study.yaml covers it"]


def test_a_log_can_be_set_aside_with_a_reason(folder: Path) -> None:
    (folder / "b.log").write_text("log")
    (folder / "study.yaml").write_text(YAML + "match: [{glob: b.log, ignore: a rehearsal}]\n")
    assert problems(folder) == []
    assert [entry.path for entry in study.load(folder).entries] == ["a.log"]


def test_a_rule_that_covers_nothing(folder: Path) -> None:
    (folder / "study.yaml").write_text(YAML + "match: [{glob: '*.json', keys: {mount: nfs}}]\n")
    assert problems(folder) == ["study.yaml: match rule 1 (*.json) covers no log"]


def test_a_row_without_its_log(folder: Path) -> None:
    (folder / "runs.csv").write_text(RUNS + "gone.log,ext4,200,,4,2\n")
    assert problems(folder) == ["runs.csv:3: gone.log: no such log"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a.log,ext4,fast,,4,1", "client_link: expected a number, found 'fast'"),
        ("a.log,ext4,200,,4", "the row does not have the 6 cells of the header"),
        ("a.log,ext4,200,,4,1,9", "the row does not have the 6 cells of the header"),
    ],
)
def test_a_bad_row(folder: Path, row: str, message: str) -> None:
    (folder / "runs.csv").write_text(RUNS.splitlines()[0] + "\n" + row + "\n")
    assert f"runs.csv:2: {message}" in problems(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("title: A", "titel: A"), r"study\.yaml:\d+: "),
        (
            ("origin: measured", "origin: guessed"),
            r"study\.yaml:3: origin: .*'measured', 'published' or 'reconstructed'",
        ),
        (("{server_mode:", "{server_mod:"), r"study\.yaml:4: .*unknown key 'server_mod'; did you mean 'server_mode'"),
        (("key: client_link", "key: throughput"), r"study\.yaml:6: .*unknown key 'throughput'"),
        (("{key: client_link, unit: Mbit/s}", "{}"), r"study\.yaml:6: .*either a key of the contract, or `ignore`"),
        (("columns:", "columns: ["), r"study\.yaml:\d+: not YAML: "),
        (("id: tiny", "id: tiny\ncolour: red"), r"study\.yaml:2: unknown key 'colour'"),
    ],
)
def test_a_bad_study_yaml_names_the_line(folder: Path, change: tuple[str, str], message: str) -> None:
    (folder / "study.yaml").write_text(YAML.replace(*change))
    with pytest.raises(SidecarError, match=message):
        study.load(folder)


def test_a_folder_that_is_no_study(tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match=r"study\.yaml: no such file: a study is a folder with a study\.yaml"):
        study.load(tmp_path)


def test_a_column_that_nobody_explains(folder: Path) -> None:
    (folder / "runs.csv").write_text("file,filesystm\na.log,ext4\n")
    with pytest.raises(SidecarError, match=r"runs\.csv:1: column 'filesystm' is neither .* did you mean 'filesystem'"):
        study.load(folder)


def test_a_table_without_files(folder: Path) -> None:
    (folder / "runs.csv").write_text("log,filesystem\na.log,ext4\n")
    with pytest.raises(SidecarError, match=r"runs\.csv:1: needs a column 'file', has log, filesystem"):
        study.load(folder)


def test_an_operation_that_does_not_exist(folder: Path) -> None:
    (folder / "runs.csv").write_text("file,operation\na.log,wrte\n")
    assert problems(folder)[0] == "runs.csv:2: unknown operation 'wrte'; did you mean 'write', 'pwrite', 'fwrite'?"


@pytest.mark.parametrize("name", ["loopback-2026", "cluster-2026"])
def test_the_measured_campaigns_are_covered_without_a_gap(name: str) -> None:
    found = study.load(ROOT / "raw" / name)
    assert found.problems == ()
    assert found.id == name
