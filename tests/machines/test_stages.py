"""The stages of dvc.yaml without DVC."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.machines.pipeline import Stage, given, stages, wanted

TEXT = """
vars:
  - studies: {b: B, a: A}
stages:
  index: {cmd: make index, deps: [reports/a/paper, reports/b/paper], outs: [{reports/index.html: {cache: false}}]}
  paper:
    foreach: ${studies}
    do:
      cmd: make paper ${key} ${item}
      deps: ["reports/${key}/dataset", reports/b/dataset]
      outs: ["reports/${key}/paper"]
      metrics: [{"reports/${key}/metrics": {cache: false}}]
  ingest:
    foreach: ${studies}
    do: {cmd: "make ${key}", deps: ["raw/${key}"], outs: ["reports/${key}/dataset"]}
"""


def test_every_stage_comes_after_those_that_make_what_it_needs() -> None:
    found = stages(TEXT)
    names = [stage.name for stage in found]
    assert sorted(names) == ["index", "ingest@a", "ingest@b", "paper@a", "paper@b"]
    assert names[-1] == "index"
    assert names.index("ingest@b") < names.index("paper@a") > names.index("ingest@a")
    paper = next(stage for stage in found if stage.name == "paper@a")
    made = ("reports/a/paper", "reports/a/metrics")
    assert paper == Stage("paper@a", "make paper a A", ("reports/a/dataset", "reports/b/dataset"), made)


def test_stages_of_a_study_and_what_they_take_from_others() -> None:
    found = stages(TEXT)
    assert wanted(found, []) == found
    chosen = wanted(found, ["a"])
    assert {stage.name for stage in chosen} == {"ingest@a", "paper@a"}
    assert given(found, chosen) == ["reports/b/dataset"]
    assert given(found, found) == []
    with pytest.raises(ValueError, match=r"no study c: dvc\.yaml has a, b"):
        wanted(found, ["a", "c"])


@pytest.mark.slow
def test_the_order_is_that_of_dvc() -> None:
    """DVC's own reading of dvc.yaml: the same commands, dependencies and outputs."""
    code = """
import json
from dvc.repo import Repo
found = {s.addressing: [s.cmd, [d.def_path for d in s.deps], [o.def_path for o in s.outs]] for s in Repo().index.stages}
print(json.dumps(found))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    theirs = json.loads(done.stdout)
    ours = stages((ROOT / "dvc.yaml").read_text(encoding="utf-8"))
    assert {stage.name: [stage.command, sorted(stage.needs), sorted(stage.makes)] for stage in ours} == {
        name: [command, sorted(needs), sorted(makes)] for name, (command, needs, makes) in theirs.items()
    }
    made: set[str] = set()
    later = {path for stage in ours for path in stage.makes}
    for stage in ours:
        assert not [need for need in stage.needs if need in later - made], stage.name
        made |= set(stage.makes)


def test_every_output_of_the_repository_is_of_a_study_but_the_index() -> None:
    ours = stages((ROOT / "dvc.yaml").read_text(encoding="utf-8"))
    assert [stage.name for stage in ours if not stage.study] == ["index"]
