"""The page on analyses and figures names nothing that is not, and its first example runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from storagelab import analysis, dataset, figures
from tests.analysis.tables import cluster, shares
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8")
CALLED = sorted(set(re.findall(r"\b(analysis|figures)\.(\w+)\(", PAGE)))


@pytest.mark.parametrize(("room", "name"), CALLED)
def test_every_function_on_the_page_exists(room: str, name: str) -> None:
    assert hasattr({"analysis": analysis, "figures": figures}[room], name)


def test_the_first_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = cluster().assign_coords(tool=("obs", ["iozone"] * cluster().sizes["obs"]))
    study = dataset.tree({"runs": runs, "clients": shares()}, {"study": "test-2026"})
    dataset.save(study, tmp_path / "reports/cluster-2026/dataset.nc")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], "docs/analysis.md", "exec"), names)
    assert names["drawn"].alt.startswith("Line plot of throughput against clients.")
    assert names["effect"]["ratio"].min() < 0.4
