"""What the tests of every paper need: a folder it is built in, its facts, and what holds for all its captions."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xarray as xr

from storagelab import claims, dataset
from storagelab.claims.claims_yaml import read_paper
from storagelab.claims.evaluation import campaigns_named
from tests import warm
from tests.conftest import ROOT
from tests.once import made_once
from tests.published import tree
from tests.reports import report_or
from tests.studies import measured


def root_with(study: str, tree: xr.DataTree, root: Path) -> Path:
    """Lay out what a paper is built from: the notebook, its references, and a dataset."""
    (root / "notebooks").mkdir(parents=True, exist_ok=True)
    for name in (f"{study.replace('-', '_')}.ipynb", "references.bib"):
        shutil.copy(ROOT / "notebooks" / name, root / "notebooks")
    dataset.save(tree, root / "reports" / study / "dataset.nc")
    return root


def built_once(study: str, lay_out: Callable[[Path], object], of: str = "all runs") -> Path:
    """Return the root below which the paper of a study was built, once for all workers; not to be changed."""

    def make(root: Path) -> None:
        root.mkdir()
        lay_out(root)
        done = built_by_command(study, root)
        assert done.returncode == 0, done.stderr

    return made_once(f"paper-{study}-of-{of}", make)


def built_by_command(study: str, root: Path) -> subprocess.CompletedProcess[str]:
    """Have the paper of a study built by its command, whose kernel is forked from what has imported all it needs."""
    return subprocess.run([*warm.command(), "paper", study], cwd=root, capture_output=True, text=True, check=False)


def report_of(study: str, lay_out: Callable[[Path], object]) -> Path:
    """Return the report of a whole study, from `make reports` or built once for all workers; not to be changed."""
    return report_or(study, lambda: built_once(study, lay_out))


def refusal(study: str, root: Path) -> str:
    """Have the paper of a study built, which must be refused; return what is said."""
    done = built_by_command(study, root)
    assert done.returncode == 1, done.stderr
    assert not (root / "reports" / study / "paper.html").exists()
    return done.stderr


def published_report(study: str) -> Path:
    """Return the report of a whole published study, with its claims held against logs; not to be changed."""

    def lay_out(root: Path) -> None:
        root_with(study, tree(study), root)
        folder = ROOT / "raw" / study
        campaigns = {name: measured(name) for name in campaigns_named(read_paper(folder))}
        claims.save(claims.evaluate(folder, tree(study), campaigns), root / "reports" / study / "claims.json")

    return report_of(study, lay_out)


def facts_of(report: Path) -> dict[str, Any]:
    """Return the facts of a paper by name."""
    found: dict[str, Any] = json.loads((report / "facts.json").read_text())["facts"]
    return found


def captions_of(report: Path) -> list[str]:
    """Return the captions of the figures of a paper; that of the key figure only names another one."""
    html = (report / "paper.html").read_text()
    captions = re.findall(r'<figcaption(?! id="key-figure")[^>]*>(.*?)</figcaption>', html, re.DOTALL)
    return [caption for caption in captions if "Figure" in caption]


def check_captions(report: Path, figures: int, counts: str = "n = ") -> None:
    """Each figure is drawn and has a caption that says its origin and its n, by the pattern `counts`."""
    of_figures = captions_of(report)
    assert len(of_figures) == len(list((report / "figures").glob("*.svg"))) == figures
    for caption in of_figures:
        assert "measured" in caption
        assert re.search(counts, caption), caption
