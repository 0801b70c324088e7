"""Small repositories, built under variants and compared."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.machines import __main__ as command
from tests.machines import building, committed, pipeline
from tests.machines.factors import Level
from tests.machines.pipeline import Stage
from tests.machines.variants import Variant

PIPELINE = """
stages:
  ingest: {cmd: python make.py a, deps: [raw/a], outs: [reports/a/dataset]}
  other:
    cmd: python make.py b
    deps: [raw/b, reports/a/dataset]
    outs: [reports/b/dataset]
    metrics: [reports/b/metrics.json]
"""

MAKE = """
import json, os, pathlib, sys
name = sys.argv[1]
pathlib.Path("reports", name).mkdir(parents=True, exist_ok=True)
kernel = os.environ.get("OPENBLAS_CORETYPE", "")
number = 2.5 + 1e-15 * (kernel == "Prescott")
pathlib.Path("reports", name, "dataset").write_text(pathlib.Path("raw", name).read_text())
if name == "b":
    before = pathlib.Path("reports/a/dataset").read_text()
    pathlib.Path("reports/b/metrics.json").write_text(json.dumps({"facts": {"rate": number, "a": len(before)}}))
"""


def git(root: Path, *arguments: str) -> None:
    who = ["-c", "user.name=tests", "-c", "user.email=tests@localhost"]
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with its outputs, of which git has those that are numbers."""
    root = tmp_path / "repository"
    for name, text in {"dvc.yaml": PIPELINE, "make.py": MAKE, "raw/a": "1\n", "raw/b": "2\n", "tests/x": ""}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / ".gitignore").write_text("reports/*/dataset\n")
    for name in "ab":
        subprocess.run([sys.executable, "make.py", name], cwd=root, check=True)
    outs = "[{path: reports/b/dataset, md5: 1}, {path: reports/b/metrics.json, md5: 3}]"
    (root / "dvc.lock").write_text(f"stages: {{other: {{outs: {outs}}}}}\n")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "all")
    return root


def run(root: Path, scratch: Path, *chosen: Variant, reference: Path | None = None) -> int:
    asked = argparse.Namespace(jobs=2, keep=None, reference=reference or root)
    stages = pipeline.stages((root / "dvc.yaml").read_text())
    return command.compared(list(chosen), asked, stages, scratch)


@pytest.fixture(autouse=True)
def small(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "ROOT", root)


SAME = Variant("same", (Level("day", "later", surroundings={"days": 400}), Level("folder", "f", folder="x y")))
OTHER = Variant("other", (Level("OpenBLAS", "Prescott", {"OPENBLAS_CORETYPE": "Prescott"}),))


def test_outputs_that_are_the_same(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root, tmp_path / "s", SAME) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "same: 3 files, all identical"
    assert told[-1] == "machines: 1 variants, 3 files each, all identical"
    assert not list((tmp_path / "s").iterdir())


def test_a_last_digit_is_found_and_measured(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root, tmp_path / "s", SAME, OTHER) == 1
    told = capsys.readouterr().out.splitlines()
    place = told.index("other: 3 files, 1 differ")
    assert told[place + 1].startswith("  reports/b/metrics.json: 1 of 2 numbers by 3.6e-16 at most (facts.rate: ")
    assert "same: 3 files, all identical" in told
    assert told[-1] == "machines: 2 variants, 3 files each, 1 with differences"


def test_what_a_study_takes_from_others_is_not_rebuilt(root: Path, tmp_path: Path) -> None:
    stages = pipeline.stages(PIPELINE)
    (root / "reports/a/dataset").write_text("from elsewhere")
    made, outputs = building.build(Variant("b", (), ("b",)), root, root, stages, tmp_path / "s")
    assert outputs == ["reports/b/dataset", "reports/b/metrics.json"]
    assert (made / "reports/a/dataset").read_text() == "from elsewhere"
    assert not (made / "tests").exists()
    made, outputs = building.build(Variant("all", ()), root, root, stages, tmp_path / "t")
    assert (made / "reports/a/dataset").read_text() == "1\n"
    assert len(outputs) == 3


def test_a_stage_that_fails_says_why(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "raw/b").unlink()
    assert run(root, tmp_path / "s", SAME) == 1
    told = capsys.readouterr().out
    assert "other: python make.py b ended with 1" in told
    assert "FileNotFoundError" in told


def test_only_known_programs_are_run(tmp_path: Path) -> None:
    with pytest.raises(building.BuildError, match="x: make is neither storagelab nor python"):
        building.run(Stage("x", "make all", (), ()), tmp_path, sys.executable, os.environ)
    with pytest.raises(building.BuildError, match=r"x: storagelab nonsense ended with 2\n(?s:.*)No such command"):
        building.run(Stage("x", "storagelab nonsense", (), ()), tmp_path, sys.executable, os.environ)


@pytest.mark.slow
def test_commands_are_forked_from_a_process_of_the_variant(tmp_path: Path) -> None:
    good, bad = Stage("good", "storagelab index", (), ()), Stage("bad", "storagelab nonsense", (), ())
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with pytest.raises(building.BuildError, match=r"^storagelab nonsense ended with 2\n(?s:.*)No such command"):
        building.run_forked([good, bad, good], tmp_path, sys.executable, environment, tmp_path)
    assert (tmp_path / "reports" / "index.html").exists()


def test_only_our_own_commands_are_forked(tmp_path: Path) -> None:
    with pytest.raises(building.BuildError, match=r"x: python make.py a is no command of storagelab: how is it forked"):
        building.run_forked([Stage("x", "python make.py a", (), ())], tmp_path, sys.executable, os.environ, tmp_path)


def test_nothing_is_said_of_outputs_as_they_were_committed(root: Path) -> None:
    assert list(committed.changes(root)) == []


def test_outputs_that_are_not_those_committed_are_named(root: Path) -> None:
    lock = (root / "dvc.lock").read_text()
    (root / "dvc.lock").write_text(
        lock.replace("md5: 1", "md5: 2.dir").replace("md5: 3", "md5: 4").replace("]}", ", {path: new, md5: 5}]}")
    )
    metrics = root / "reports/b/metrics.json"
    metrics.write_text(metrics.read_text().replace("2.5", "2.6"))
    assert list(committed.changes(root)) == [
        "reports/b/metrics.json: 1 of 2 numbers by 3.8e-02 at most (facts.rate: 2.6 for 2.5)",
        "new: is not in the committed dvc.lock",
        "reports/b/dataset: another folder than the one committed",
    ]
    (root / "dvc.lock").write_text("stages: {}\n")
    assert "reports/b/dataset: is in the committed dvc.lock, and no longer made" in committed.changes(root)
