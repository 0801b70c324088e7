"""The pipeline, the pins and the notebooks fit what is in the repository."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from storagelab import __version__, optional_packages
from storagelab.claims.extracts import read_extracts
from storagelab.paper.notebooks import stripped
from tests.conftest import ROOT

PIPELINE = yaml.safe_load((ROOT / "dvc.yaml").read_text())
MEASURED: dict[str, str] = PIPELINE["vars"][0]["studies"]
PUBLISHED: dict[str, str] = PIPELINE["vars"][1]["published"]
STUDIES = MEASURED | PUBLISHED
STAGES = PIPELINE["stages"]
SYNTHESIS = "synthesis"
NOTEBOOKS = sorted(ROOT.glob("notebooks/*.ipynb"))
TUTORIAL = ROOT / "notebooks" / "tutorial.ipynb"
"""The one that has its outputs, for those who read it on a code host; a test of its own holds them to a run."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def dependencies(stage: str) -> list[str]:
    return [str(dep) for dep in STAGES[stage].get("do", STAGES[stage])["deps"]]


def test_every_study_is_in_the_pipeline_under_the_name_of_its_notebook() -> None:
    assert sorted(STUDIES) == sorted(path.parent.name for path in ROOT.glob("raw/*/study.yaml"))
    assert {study: study.replace("-", "_") for study in STUDIES} == STUDIES
    papers = sorted([*STUDIES, SYNTHESIS])
    assert set(dependencies("index")) >= {f"reports/{paper}/summary.json" for paper in papers}
    assert sorted(PIPELINE["plots"]) == [f"reports/{paper}/figures" for paper in papers]


def test_the_synthesis_depends_on_every_study_that_it_takes_numbers_from() -> None:
    named = read_extracts(ROOT / "raw" / SYNTHESIS).studies()
    assert sorted(named) == sorted(STUDIES)
    assert set(dependencies("synthesis")) >= {f"reports/{study}/dataset.nc" for study in named}
    assert set(dependencies("synthesis")) >= {
        f"raw/{study}/{name}.yaml" for study in PUBLISHED for name in ("published", "testbed")
    }
    assert set(dependencies("paper-synthesis")) >= {f"reports/{study}/claims.json" for study in PUBLISHED}


def test_who_quotes_depends_on_what_the_sources_say() -> None:
    nodes = read_extracts(ROOT / "raw" / SYNTHESIS).nodes.values()
    quoted = {extract.study for node in nodes for extract in node.extracts if extract.fact}
    assert quoted == {"xrootd-2026", "loopback-2026", "cluster-2026"}
    assert set(dependencies("synthesis")) >= {f"reports/{study}/facts.json" for study in quoted}
    assert "raw/synthesis/sources.yaml" in dependencies("claims")


@pytest.mark.parametrize("stage", STAGES)
def test_what_a_stage_depends_on_is_there(stage: str) -> None:
    of_published = "published" in STAGES[stage].get("foreach", "")
    for study, notebook in (PUBLISHED if of_published else MEASURED).items():
        for dep in dependencies(stage):
            path = dep.replace("${key}", study).replace("${item}", notebook)
            made = path.startswith("reports/") or path.endswith("/logs")
            assert made or (ROOT / path).exists(), path


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "entry"), [
    ("ingest", "ingest"), ("ingest-published", "ingest"), ("reconstruct", "reconstruct"), ("claims", "claims"),
    ("paper", "paper"), ("paper-published", "paper"), ("synthesis", "claims"), ("paper-synthesis", "paper"),
])  # fmt: skip
def test_a_stage_depends_on_every_module_it_imports(stage: str, entry: str) -> None:
    """Follow the imports from the layer a stage runs; `study` and `parsers` reach a paper only through its dataset."""
    listed = {dep.removeprefix("storagelab/").removesuffix(".py") for dep in dependencies(stage)}
    reached, todo = set(), {entry}
    while todo:
        layer = todo.pop()
        reached.add(layer)
        todo |= imports_of(layer) - reached
    assert reached <= listed | {"__init__"}


@cache
def imports_of(layer: str) -> set[str]:
    home = ROOT / "storagelab" / layer
    files = list(home.rglob("*.py")) if home.is_dir() else [home.with_suffix(".py")]
    return {name for file in files for name in _imported(file)}


def _imported(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "storagelab":
            found |= {alias.name for alias in node.names if not alias.name.startswith("__")}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("storagelab."):
            found.add(str(node.module).split(".")[1])
    return found


@pytest.mark.parametrize("notebook", [one for one in NOTEBOOKS if one != TUTORIAL], ids=lambda path: path.stem)
def test_notebooks_are_committed_without_outputs(notebook: Path) -> None:
    cells = json.loads(notebook.read_text())["cells"]
    kept = json.loads(stripped(notebook))["cells"]
    assert [cell.get("outputs") for cell in cells] == [cell.get("outputs") for cell in kept]
    assert [cell.get("execution_count") for cell in cells] == [cell.get("execution_count") for cell in kept]


@pytest.mark.parametrize("pins", ["reports", "test"])
def test_pins_have_hashes_and_name_no_index_and_no_machine(pins: str) -> None:
    text = (ROOT / "requirements" / f"{pins}.txt").read_text()
    assert not re.search(r"https?://|file:|--(?:extra-)?index|--find-links|/(?:home|root|tmp|opt)\b", text)
    entries = re.split(r"\n(?=\S)", text.strip())
    assert all("--hash=sha256:" in entry and "==" in entry for entry in entries)


def pinned(pins: str) -> dict[str, str]:
    found: list[tuple[str, str]] = re.findall(
        r"^([\w.-]+)==([^\s;]+)", (ROOT / "requirements" / f"{pins}.txt").read_text(), re.MULTILINE
    )
    return dict(found)


def test_pins_cover_what_the_project_asks_for_and_agree() -> None:
    def names(requirements: list[str]) -> set[str]:
        return {re.split(r"[<>=\[ ;]", text)[0].lower().replace("_", "-") for text in requirements}

    project: dict[str, Any] = PROJECT["project"]
    optional = project["optional-dependencies"]
    own = {
        extra: [one for one in optional[extra] if not one.startswith("storagelab[")]
        for extra in optional_packages.EXTRAS
    }
    of_machines = names(own.pop("cluster"))  # the scheduler that many machines share, which no report needs
    layers = [one for extra in own.values() for one in extra]
    asked = names([*project["dependencies"], *layers]) | names(PROJECT["build-system"]["requires"])
    assert asked <= set(pinned("reports"))
    assert of_machines <= set(pinned("test"))
    assert names(project["optional-dependencies"]["test"]) <= set(pinned("test"))
    assert pinned("reports").items() <= pinned("test").items()


def test_there_is_one_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert PROJECT["project"]["version"] == __version__ == citation["version"]


def test_dvc_keeps_what_a_stage_made_until_the_stage_replaces_it() -> None:
    made = [
        out for stage in STAGES.values() for kind in ("outs", "metrics") for out in stage.get("do", stage).get(kind, ())
    ]
    assert [out for out in made if not all(options.get("persist") for options in out.values())] == []


def test_the_pipeline_ingests_a_study_anew_whatever_changed_in_it() -> None:
    assert "raw/${key}" in dependencies("ingest")


@pytest.mark.parametrize(
    "target", ["reports", "check", "test", "quick", "pythons", "random", "benchmarks", "lock", "clean"]
)
def test_make_knows_its_targets(target: str) -> None:
    done = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout


def make_python(tmp_path: Path, candidates: str, path: str = "") -> str:
    command = ["make", "VENV=none", f"RUN={tmp_path}/python", f"PYTHON={candidates}", f"{tmp_path}/python"]
    script = f'PATH="{path}" exec {"/usr/bin/make" if path else "make"} "$@"' if path else 'exec "$@"'
    arguments = command[1:] if path else command
    done = subprocess.run(
        ["/bin/sh", "-c", script, "sh", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    return done.stderr


def interpreter(tmp_path: Path, name: str, code: str) -> str:
    script = tmp_path / name
    script.write_text(f"#!/bin/sh\n{code}\n")
    script.chmod(0o755)
    return str(script)


@pytest.mark.parametrize("version", [(3, 10, 18), (3, 14, 0)])
def test_make_says_that_no_python_is_one_of_those_that_packages_are_made_for(
    version: tuple[int, ...], tmp_path: Path
) -> None:
    other = interpreter(tmp_path, "other", f'exec {sys.executable} -c "import sys; sys.version_info = {version}; $2"')
    assert "found no Python 3.11, 3.12 or 3.13 (tried: nonsense " in make_python(tmp_path, f"nonsense {other}")


def test_make_says_that_venv_is_missing(tmp_path: Path) -> None:
    bare = interpreter(tmp_path, "bare", 'case "$2" in *ensurepip*) exit 1;; esac')
    assert "has no venv module (on Debian and Ubuntu: apt install python3-venv)" in make_python(tmp_path, bare)


def test_make_says_that_git_is_missing(tmp_path: Path) -> None:
    assert "git is missing" in make_python(tmp_path, "python3", path=str(tmp_path))
