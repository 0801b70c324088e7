"""The tutorial runs from the repository and from its own folder, and states what the logs say."""

from __future__ import annotations

import json
import re
from math import exp, log
from typing import Any

import pytest

from storagelab import analysis
from storagelab.errors import AnalysisError
from tests.conftest import ROOT
from tests.notebooks import tutorial
from tests.notebooks.tutorial import NOTEBOOK

CELLS = [cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
RAW = ROOT / "raw/loopback-2026/fileop/xfs"


def executed(cells: list[dict[str, Any]]) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for cell in cells:
        exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    return names


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return executed(CELLS)


def rate(mount: str, log_name: str, repeat: int) -> float:
    """Mean rate of mkdir over 512 directories, as the log prints it in the line of its average."""
    text = (RAW / f"{mount}_loop-direct_{log_name}_c01_r{repeat}.log").read_text()
    return float(re.search(r"^A +8 +(\d+)", text, re.MULTILINE)[1])  # type: ignore[index]


def test_the_ratio_is_that_of_the_logs(names: dict[str, Any]) -> None:
    """Two logs a mount and repeat share a block and are averaged harmonically; blocks geometrically."""
    logs = {}
    for mount in ("kernel", "fuse"):
        blocks = [[rate(mount, name, repeat) for name in ("f8", "f4to8bw")] for repeat in (1, 2, 3)]
        logs[mount] = sum(log(2 / sum(1 / value for value in block)) for block in blocks) / 3
    assert names["mkdir"]["value"] == pytest.approx(exp(logs["fuse"] - logs["kernel"]))


def test_the_statement_has_all_that_defends_it(names: dict[str, Any]) -> None:
    mkdir, statement = names["mkdir"], names["statement"]
    assert f"{mkdir['value']:.2f} times" in statement
    assert f"95 % CI {mkdir['interval'][0]:.2f} to {mkdir['interval'][1]:.2f}" in statement
    assert f"n = {mkdir['n']} blocks a side): lower (corrected for 15 operations, p = 0.027)" in statement


def test_it_has_about_a_dozen_cells() -> None:
    assert 10 <= len(CELLS) <= 15


def test_it_runs_in_its_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(NOTEBOOK.parent)
    assert executed(CELLS[:1])["root"] == ROOT


def test_it_fails_when_the_data_no_longer_say_it(names: dict[str, Any]) -> None:
    guard = "".join(CELLS[-1]["source"])
    exec(guard, dict(names))
    with pytest.raises(AnalysisError, match="the data no longer say that FUSE makes mkdir on XFS slower"):
        exec(guard, {**names, "verdict": "higher"})
    swapped = names["mounts"].storage.compare("operation_rate", "mount", "fuse", "kernel", statistic="mean")
    assert analysis.value_counts(swapped)["higher"] == 6
    with pytest.raises(AnalysisError, match="no operation is faster through FUSE"):
        exec(guard, {**names, "effect": swapped})


def test_what_it_shows_is_small() -> None:
    assert NOTEBOOK.stat().st_size < 200_000


@pytest.mark.slow
def test_it_runs_in_jupyter_and_shows_sheets_and_figures() -> None:
    ran = tutorial.executed()
    stale = "what the tutorial shows is not what it gives: python -m tests.notebooks.tutorial"
    assert [[tutorial.as_shown(out) for out in done.outputs] for done in ran] == [c["outputs"] for c in CELLS], stale
    outputs = {cell["id"]: done.outputs for cell, done in zip(CELLS, ran, strict=True)}
    assert not [id for id, found in outputs.items() for out in found if out.get("name") == "stderr"]
    pages = {id: "".join(out.get("data", {}).get("text/html", "") for out in found) for id, found in outputs.items()}
    assert {id for id, page in pages.items() if "storagelab-sheet" in page} == {"open", "study", "select", "effect"}
    assert {id for id, page in pages.items() if "<figcaption>" in page} == {"points", "ratios", "backing"}
