"""A paper says what its validity report found, or is not built."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
import xarray as xr

from storagelab import paper
from storagelab.paper import validity_facts
from storagelab.paper.published_items import Registry
from storagelab.study.study_yaml import Expected
from tests.conftest import ROOT

OPEN = {"copies": "v_copies", "memory": "v_memory"}
PAPERS = sorted(path for path in ROOT.glob("notebooks/*_20*.ipynb") if not path.name.endswith(".failed.ipynb"))


def notebook(*cells: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(cell) for cell in cells])


def silence(*cells: str, open_findings: dict[str, str] | None = None) -> list[str]:
    registry = Registry(open_findings=OPEN if open_findings is None else open_findings)
    return list(validity_facts.hidden(notebook(*cells), registry))


@pytest.mark.parametrize(
    "cells",
    [
        ("# T\n\n## Abstract\n\nAll is well.", "## Results\n\n{{v_open}} findings."),
        ("## Abstract\n\nWe found {{v_copies}} copies.",),
        ("## Abstract\n\nAll is well.", "## What we would conclude today\n\nNothing.", "## Validity\n\n{{v_open}}"),
        ("## Abstract\n\nWe found {{v_known}}.",),
    ],
)
def test_a_paper_that_hides_its_findings_is_refused(cells: tuple[str, ...]) -> None:
    (said,) = silence(*cells)
    assert said.startswith("the validity report found ")
    assert said.endswith("keep silent: quote {{v_open}}, or what each check found")


@pytest.mark.parametrize(
    "cells",
    [
        ("## Abstract\n\nThere are {{v_open}} findings.",),
        ("## Abstract\n\nGood.", "## Conclusions\n\nAnswers.", "More: {{ v_found }}.", "## Validity\n\nx"),
        ("## What we would conclude today\n\n### Data\n\n{{v_copies}} copies, {{v_memory}} in memory.",),
    ],
)
def test_a_paper_that_quotes_them_is_built(cells: tuple[str, ...]) -> None:
    assert silence(*cells) == []


def test_a_paper_without_open_findings_need_not_quote_any() -> None:
    assert silence("## Abstract\n\nAll is well.", open_findings={}) == []


def records(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    monkeypatch.setattr(validity_facts, "fact", lambda name, value, **_: facts.update({name: value}))
    monkeypatch.setattr(validity_facts, "state_findings", lambda checks: facts.update({"open": dict(checks)}))
    return facts


def report(*rows: tuple[str, str, str]) -> tuple[xr.Dataset, xr.Dataset]:
    """A report with findings: check, rank, cause."""
    checks = list(dict.fromkeys(check for check, _, _ in rows)) or ["drift"]
    counts = [float(sum(row[0] == check for row in rows)) for check in checks]
    asked = xr.Dataset({"findings": ("obs", counts)}, coords={"check": ("obs", checks)})
    names = ("check", "finding_rank", "cause")
    listed = xr.Dataset(
        {"log_id": ("obs", [0.0] * len(rows))},
        coords={name: ("obs", [row[place] for row in rows]) for place, name in enumerate(names)},
    )
    return asked, listed


def test_findings_are_counted_by_who_answers_for_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = records(capsys, monkeypatch)
    rows = [("copies", "known", "rounded"), ("copies", "note", ""), ("rate and time", "known", "whole seconds")]
    monkeypatch.setattr(validity_facts.analysis, "validity_report", lambda study: report(*rows))
    expected = [{"check": "copies", "why": "rounded", "by": "construction"}, {"check": "x", "why": "whole seconds"}]
    paper.validity(xr.DataTree(xr.Dataset(attrs={"expected": json.dumps(expected)})))
    assert facts == {
        "v_found": 3, "v_known": 2, "v_open": 1, "v_construction": 1, "v_copies": 2, "v_rate_and_time": 1,
        "open": {"copies": "v_copies"},
    }  # fmt: skip


def test_where_nothing_is_found_nothing_is_open(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = records(capsys, monkeypatch)
    monkeypatch.setattr(validity_facts.analysis, "validity_report", lambda study: report())
    paper.validity(xr.DataTree(xr.Dataset(attrs={})))
    assert facts == {"v_found": 0, "v_known": 0, "v_open": 0, "v_construction": 0, "open": {}}


@pytest.mark.parametrize("path", PAPERS, ids=lambda path: path.stem)
def test_every_paper_asks_for_its_findings(path: Path) -> None:
    source = "".join("".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])
    assert "paper.validity(tree)" in source
    assert "analysis.validity(" not in source


def test_only_construction_is_told_apart() -> None:
    assert Expected(check="copies", why="so").by == ""
    with pytest.raises(ValueError, match="Input should be '' or 'construction'"):
        Expected.model_validate({"check": "copies", "why": "so", "by": "chance"})
