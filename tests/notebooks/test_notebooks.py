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

STATISTICS = {
    "agg", "aggregate", "apply", "argmax", "argmin", "argsort", "average", "bootstrap", "corr", "count", "cov",
    "cumsum", "describe", "diff", "div", "eval", "expanding", "groupby", "idxmax", "idxmin", "kurt", "max", "mean",
    "median", "min", "mode", "mul", "nlargest", "nsmallest", "nunique", "pct_change", "percentile", "pipe", "pow",
    "prod", "ptp", "quantile", "query", "rank", "reduce", "resample", "rolling", "round", "sem", "skew", "std",
    "sub", "sum", "transform", "value_counts", "var",
}  # fmt: skip
"""What arrays and frames can compute, and `eval` and `query`, which hide it in a string."""
BUILTINS = {"abs", "divmod", "eval", "len", "map", "max", "min", "pow", "round", "sorted", "sum"}
LIBRARIES = {"math", "np", "numpy", "scipy", "statistics", "stats"}
LOGIC = (ast.BitAnd, ast.BitOr, ast.BitXor)

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


def computed(source: str) -> list[str]:
    """What a cell computes by itself: statistics, and arithmetic on anything but constants and words."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = node.func
            own = (
                isinstance(called, ast.Attribute)
                and isinstance(called.value, ast.Name)
                and called.value.id == "analysis"
            )
            method = isinstance(called, ast.Attribute) and called.attr in STATISTICS and not own
            builtin = isinstance(called, ast.Name) and called.id in BUILTINS
            found += [ast.unparse(node)] if method or builtin else []
        arithmetic = isinstance(node, (ast.BinOp, ast.AugAssign)) and not isinstance(node.op, LOGIC)
        negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        if (arithmetic or negated) and not _of_constants(node) and not _of_words(node):
            found.append(ast.unparse(node))
        found += [ast.unparse(node)] if isinstance(node, ast.Name) and node.id in LIBRARIES else []
    return found


def _of_constants(node: ast.AST) -> bool:
    """64 * 2.0**10."""
    leaves = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
    return all(isinstance(part, leaves) for part in ast.walk(node))


def _of_words(node: ast.AST) -> bool:
    """A caption put together: ``"External clients. " + drawn.caption``."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return False
    sides = (node.left, node.right)
    return any(
        isinstance(x, ast.JoinedStr) or (isinstance(x, ast.Constant) and isinstance(x.value, str)) for x in sides
    ) or any(_of_words(x) for x in sides)


@pytest.mark.parametrize("notebook", PAPERS, ids=lambda path: path.stem)
def test_no_statistic_is_computed_in_a_paper(notebook: Path) -> None:
    found = {cell["id"]: computed(cell["source"]) for cell in cells(notebook, "code")}
    assert {id: what for id, what in found.items() if what} == {}


@pytest.mark.parametrize(
    "source",
    [
        "runs['throughput'].mean()", "max(rates)", "a['x'] / b['x']", "1 - share", "-gap", "total += part", "np.log(x)",
        "rows.query('a > b')", "abs(ratio - 1) < 0.1", "frame.groupby('layout').agg('mean')", "size // 2", "2 * file",
    ],
)  # fmt: skip
def test_a_statistic_in_a_cell_is_seen(source: str) -> None:
    assert computed(source)


@pytest.mark.parametrize(
    "source",
    [
        "paper.fact('shown', 64 * 2.0**10, 'B')", "'External clients. ' + drawn.caption", "analysis.count(runs)",
        "analysis.assert_claim((a['x'] > 2) & (b['y'] == 'lower'), 'so')", "f'{name} of ' + drawn.caption + ' More.'",
        "int(analysis.stated(asked, 'findings')['value'])", "analysis.within(rows, 'ratio', -0.02, 0.02)",
    ],
)  # fmt: skip
def test_calls_are_no_statistics(source: str) -> None:
    assert computed(source) == []


@pytest.mark.parametrize("notebook", PAPERS, ids=lambda path: path.stem)
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
