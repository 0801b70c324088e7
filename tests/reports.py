"""What `make reports` has made, for tests that look at it: taken from there only where it is what the sources give."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.conftest import ROOT
from tests.once import made_once

NOTHING_CHANGED = "{}"


@cache
def up_to_date() -> bool:
    """Whether DVC finds no source and no output of any stage changed since `make reports`; asked once in a run."""

    def ask(place: Path) -> None:
        place.write_text(changed_stages(ROOT))

    return made_once("changed-stages", ask).read_text() == NOTHING_CHANGED


def changed_stages(root: Path) -> str:
    """Return what DVC says is changed, as JSON; nothing but its complaint where it cannot tell."""
    command = [sys.executable, "-m", "dvc", "status", "--json"]
    environment = {**os.environ, "DVC_NO_ANALYTICS": "1"}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else done.stderr


def report_or(study: str, build: Callable[[], Path]) -> Path:
    """Return the folder of a paper: that in reports/, or where that is stale or missing, one below a root built now."""
    root = ROOT if up_to_date() else build()
    return root / "reports" / study


def dataset_or(study: str, make: Callable[[Path], object]) -> Path:
    """Return the dataset of a study: that in reports/, or where that is stale or missing, one made once in this run."""
    if up_to_date():
        return ROOT / "reports" / study / "dataset.nc"
    return made_once(study, make)
