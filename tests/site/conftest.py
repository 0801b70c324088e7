"""The site, built once in a run."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import reports, warm
from tests.conftest import ROOT
from tests.once import made_once

DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "extensions"))


def put_datasets(workplace: Path) -> None:
    """Put what `make reports` made where the site would make the same again from the raw logs."""
    from workplace import CAMPAIGNS, PUBLISHED

    made = [f"reports/{study}/dataset.nc" for study in (*CAMPAIGNS, PUBLISHED)]
    for name in (*made, f"reports/{PUBLISHED}/claims.json"):
        (workplace / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, workplace / name)


def build(sources: Path, out: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Build as `make docs` does, in folders that are not those of the repository."""
    how = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet", "-d", str(out.with_name("made-with"))]
    command = [sys.executable, "-m", "sphinx", *how, *options, str(sources), str(out)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.fixture(scope="session")
def site() -> Path:
    def make(place: Path) -> None:
        if reports.up_to_date():
            put_datasets(place.with_name("made-with") / "workplace")
        warm.write_kernel(place.with_name("jupyter"))
        shell = f"shell_storagelab={shlex.join(warm.command())}"
        done = build(DOCS, place, "-D", shell, JUPYTER_PATH=str(place.with_name("jupyter")))
        assert done.returncode == 0, done.stderr

    return made_once("site", make)
