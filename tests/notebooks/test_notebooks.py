"""Rules that every notebook keeps: thin, public calls only, nothing left behind, no measured number by hand."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

NOTEBOOKS = sorted(path for path in ROOT.glob("notebooks/*.ipynb") if not path.name.endswith(".failed.ipynb"))
PAPERS = [path for path in NOTEBOOKS if path.stem != "tutorial"]
PUBLIC = {"storagelab", "storagelab.dataset", "pandas", "numpy", "pathlib"}
LONGEST = 15
"""Lines of a cell."""
TYPED = re.compile(r"(?<![\w.{])\d[\d.,]*\s?(?:[kMGT]i?B(?:/s)?|Mbit/s|B/s|[kM]?ops/s|[mµn]?s\b|%)")
"""A number with a unit, as a measurement has it."""
LEVELS = ("95 %", "5 %")
"""Of confidence and of significance: chosen, not measured."""

by_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)


def cells(notebook: Path, kind: str) -> list[dict[str, Any]]:
    found = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [{**cell, "source": "".join(cell["source"])} for cell in found if cell["cell_type"] == kind]


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@by_notebook
def test_cells_are_calls(notebook: Path) -> None:
    for cell in cells(notebook, "code"):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
        assert not [node for node in ast.walk(ast.parse(cell["source"])) if isinstance(node, kinds)], cell["id"]


@by_notebook
def test_cells_are_short(notebook: Path) -> None:
    long = {cell["id"]: cell["source"].count("\n") + 1 for cell in cells(notebook, "code")}
    assert {id: lines for id, lines in long.items() if lines > LONGEST} == {}


@by_notebook
def test_only_the_public_api_is_imported(notebook: Path) -> None:
    names = set()
    for cell in cells(notebook, "code"):
        for node in ast.walk(ast.parse(cell["source"])):
            names |= {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            names |= {str(node.module)} if isinstance(node, ast.ImportFrom) else set()
            assert not (isinstance(node, ast.Attribute) and node.attr.startswith("_")), cell["id"]
    assert names <= PUBLIC


@by_notebook
def test_nothing_is_left_from_a_run(notebook: Path) -> None:
    assert [cell["id"] for cell in cells(notebook, "code") if cell["outputs"] or cell["execution_count"]] == []


@by_notebook
def test_ids_are_names_and_stand_once(notebook: Path) -> None:
    ids = [cell["id"] for kind in ("markdown", "code") for cell in cells(notebook, kind)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("notebook", PAPERS, ids=lambda path: path.stem)
def test_parameters_are_those_that_the_paper_is_built_with(notebook: Path) -> None:
    (tagged,) = [cell for cell in cells(notebook, "code") if "parameters" in cell["metadata"].get("tags", [])]
    assert [line.partition(" = ")[0] for line in tagged["source"].splitlines()] == ["study", "dataset"]


@by_notebook
def test_no_measured_number_is_typed_into_prose(notebook: Path) -> None:
    for cell in cells(notebook, "markdown"):
        typed = [match for match in TYPED.findall(cell["source"]) if match not in LEVELS]
        assert not typed, cell["id"]
