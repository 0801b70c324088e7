"""What the paper over all studies is built from: it takes what `make reports` made of each of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from storagelab.claims.extracts import read_extracts
from tests.conftest import ROOT
from tests.notebooks.papers import report_of

SYNTHESIS = "synthesis"
STUDIES = read_extracts(ROOT / "raw" / SYNTHESIS).studies()
MADE = [ROOT / "reports" / SYNTHESIS / name for name in ("dataset.nc", "claims.json")]
MADE += [ROOT / "reports" / study / "claims.json" for study in STUDIES if not study.endswith("-2026")]

NEEDS_ALL_STUDIES = pytest.mark.skipif(
    not all(path.exists() for path in MADE), reason="needs what `make reports` makes of all studies"
)


def laid_out(root: Path) -> Path:
    """Lay out what the paper is built from: the notebook, its references, its dataset, the records of all studies."""
    (root / "notebooks").mkdir()
    for name in (f"{SYNTHESIS}.ipynb", "references.bib"):
        shutil.copy(ROOT / "notebooks" / name, root / "notebooks")
    for path in MADE:
        place = root / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    return root


def synthesis_report() -> Path:
    """Return the report over all studies; not to be changed."""
    return report_of(SYNTHESIS, laid_out)
