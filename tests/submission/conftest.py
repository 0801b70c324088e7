"""A project with one study, its logs and its paper, built once for all workers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from storagelab import dataset, ingest, pinned_environment, project, schema
from storagelab.ingest import checksums
from storagelab.paper import notebooks
from tests import first_hour, warm
from tests.cli.conftest import Result, cli
from tests.cli.test_first_hour import FIO_STUDY
from tests.once import made_once

__all__ = ["STUDY", "built", "cli", "handed_in"]
STUDY = "disk-2026"
FRONT = {
    "authors": [
        {"name": "Ada Example", "orcid": "0000-0002-1825-0097", "affiliation": "Institute of R&D"},
        {"name": "The {disk} group", "type": "organization"},
    ],
    "date": "2026-11-20", "version": "1.1", "license": "CC-BY-4.0", "doi": "10.5281/zenodo.123_4",
    "repository": "https://example.org/disks?a=1&b=2",
}  # fmt: skip
MORE = (
    "asks: [Which scheduler is faster?]\nlimits: [One disk at 100 % & no other_one.]\ntestbed: {host: {cpu: 2 cores}}\n"
)


def built(*arguments: object, root: Path | None = None) -> Result:
    """Run a command that builds a paper: its kernel is forked from what has imported all that it needs."""
    command = [*warm.command(), *map(str, arguments)]
    pinned = pinned_environment.pinned(os.environ)
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, env=pinned, check=False)
    return Result(done.returncode, done.stdout, done.stderr)


def make_project(root: Path) -> None:
    project.make(root, STUDY)
    folder = root / "raw" / STUDY
    first_hour.write_fio_logs(folder)
    (folder / "study.yaml").write_text(FIO_STUDY + MORE)
    checksums.write(folder)
    path = root / notebooks.file_of(STUDY)
    notebook = json.loads(path.read_text())
    notebook["metadata"] |= FRONT
    path.write_text(json.dumps(notebook))
    dataset.save(ingest.ingest(folder), root / "reports" / STUDY / "dataset.nc")
    (root / "reports" / STUDY / "notebook.ipynb").write_text(notebooks.stripped(path))
    assert built("paper", STUDY, root=root).code == 0
    schema.OWN.forget()


@pytest.fixture
def handed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Root of a project of one's own, a copy that a test may change, and the working folder."""
    made = made_once("handed-in", make_project)
    root = tmp_path / "project"
    shutil.copytree(made, root, copy_function=os.link)
    monkeypatch.chdir(root)
    return root
