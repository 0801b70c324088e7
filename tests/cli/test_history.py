"""`storagelab history`: releases in their order, with the exit status of `compare`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from storagelab import dataset
from storagelab.analysis.comparison.history import History, LeftOut, LevelHistory, Release
from storagelab.analysis.runs import Best
from storagelab.cli.history import sentence, text
from tests.analysis.comparison.test_history import nothing, release, slower_from
from tests.cli.conftest import Cli


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Six datasets, of which the last is slower on one file system."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    names = [f"v{number}.nc" for number in range(6)]
    for number, name in enumerate(names):
        runs = release(number, rng, slower_from(5, 0.8), runs=4, cv=0.02)
        logs = dataset.from_rows([{"log_id": 0, "log": "a.log", "complete": 1.0}], origin="measured", study="s")
        about = {"study": "s", "title": "S", "origin": "measured"}
        dataset.save(dataset.tree({"runs": runs, "logs": logs}, about), Path(name))
    return names


def test_a_slower_release_is_named_with_exit_status_1(releases: list[str], cli: Cli) -> None:
    done = cli("history", *releases)
    assert done.code == 1
    first, _, change, *_ = done.out.splitlines()
    assert first == "v0.nc to v5.nc: slower. throughput (higher is better), 6 releases, 2 levels: 1 change."
    assert change.startswith("slower since v5.nc: xfs: 0.8")
    assert "Bai and Perron 1998" in done.out
    assert cli("history", *releases[:5]).code == 0


def test_json_holds_every_release_and_change(releases: list[str], cli: Cli) -> None:
    assert cli("history", *releases, "--to", "json", "-o", "h.json").code == 1
    found = json.loads(Path("h.json").read_text())
    assert found["answer"] == "slower"
    assert [one["name"] for one in found["rows"][0]["releases"]] == releases
    assert [change["release"] for level in found["rows"] for change in level["changes"]] == ["v5.nc"]


def test_what_speaks_against_the_runs_is_told(releases: list[str], cli: Cli) -> None:
    tree = dataset.load(Path(releases[1]))
    runs = tree["runs"].to_dataset()
    cut = runs.assign(complete=("obs", [0.0] + [1.0] * (runs.sizes["obs"] - 1), {"units": "1"}))
    dataset.save(dataset.tree({"runs": cut, "logs": tree["logs"].to_dataset()}, dataset.about(tree)), Path("cut.nc"))
    done = cli("history", releases[0], "cut.nc")
    said = f"cut.nc: 1 of {runs.sizes['obs']} rows"
    assert done.err.startswith(f"storagelab: {said}")
    assert json.loads(cli("history", releases[0], "cut.nc", "--json").out)["said"][0].startswith(said)
    assert cli("history", *releases[:2]).err == ""


@pytest.mark.parametrize(("arguments", "said"), [
    (["v0.nc", "v0.nc"], "v0.nc is named twice: each release has one place in the order"),
    (["v0.nc"], "a history has two releases or more, found 1"),
    (["v0.nc", "v9.nc"], "v9.nc: found no such file, folder or study; a revision of git is written REVISION:PATH"),
    (["v0.nc", "v1.nc", "--margin", "2"], "a margin lies between 0 and 1, not at 2: 0.05 is 5 %"),
])  # fmt: skip
def test_what_is_no_history_ends_with_2(arguments: list[str], said: str, releases: list[str], cli: Cli) -> None:
    assert cli("history", *arguments) == (2, "", f"storagelab: {said}\n")


def test_too_few_runs_end_with_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    for name in ("a.nc", "b.nc"):
        runs = release(0, rng, nothing, runs=2, cv=0.3)
        about = {"study": "s", "title": "S", "origin": "measured"}
        logs = dataset.from_rows([{"log_id": 0, "log": "a.log", "complete": 1.0}], origin="measured", study="s")
        dataset.save(dataset.tree({"runs": runs, "logs": logs}, about), Path(name))
    assert cli("history", "a.nc", "b.nc").code == 3


def test_what_is_left_out_is_named() -> None:
    levels = [LevelHistory({}, [Release(name, 1.0, 0.9, 1.1, 3) for name in ("v1", "v2", "v3")], [], "fine")]
    cells = [LeftOut({"tool": "fio", "clients": float(n)}, ["v1", "v3"][n % 2 :]) for n in range(12)]
    lines = text(History(levels, "throughput", 0.05, "highest", cells)).splitlines()
    assert lines[0].endswith("0 changes. Cells that not all releases have, and that are left out: 12.")
    assert lines[2:4] == [
        "left out: fio, clients 0: not in v1 and 1 more",
        "left out: fio, clients 1: not in v3",
    ]
    assert lines[12] == "left out: 2 more cells; --json names all"


@pytest.mark.parametrize(("best", "said"), [("highest", "higher"), ("lowest", "lower")])
def test_the_answer_says_which_end_is_better(best: Best, said: str) -> None:
    levels = [LevelHistory({}, [Release(name, 1.0, 0.9, 1.1, 3) for name in ("v1", "v2")], [], "fine")]
    assert f"elapsed ({said} is better), 2 releases, 1 levels: 0 changes." in sentence(
        History(levels, "elapsed", 0.05, best, [])
    )
