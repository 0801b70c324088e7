"""`storagelab reports` that is killed, or whose disk is full, at each of its own steps: the next run makes all good.

What its stages write is their commands' own, and disturbed in `tests.test_writing`.
"""

from __future__ import annotations

import subprocess
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from storagelab.cli import command_processes, reports, stages
from tests.cli.test_reports import repository, stage
from tests.faults import steps
from tests.faults.states import contents

pytestmark = [
    pytest.mark.forks,
    pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning"),  # dvc's, of a library of its own
]

STAGES = {
    "first": stage("cat source > first", "first", deps=("source",)),
    "second": stage("cat first first > second", "second", deps=("first",)),
}
OWN = (".git", ".dvc", "said")
"""What git and dvc keep for themselves, and what the disturbed command said."""


def in_place(patch: pytest.MonkeyPatch, counted: steps.Steps) -> None:
    """Stand between the command and the system, which writes dvc.lock too, and between it and dvc."""
    counted.in_place(patch)
    for name in ("begin", "end", "record"):
        patch.setattr(stages.Pipeline, name, counted.step(name, getattr(stages.Pipeline, name)))
    patch.setattr(command_processes.Workers, "start", counted.step("start", command_processes.Workers.start))


OF_DVC = (
    *("networkx", "psutil", "scmrepo.git", "dvc.data_cloud", "dvc.dvcfile", "dvc.lock", "dvc.rwlock", "dvc.scm"),
    *("dvc.repo.artifacts", "dvc.repo.datasets", "dvc.repo.graph", "dvc.repo.index", "dvc.repo.metrics"),
    *("dvc.repo.params", "dvc.repo.plots", "dvc.repo.reproduce", "dvc.repo.stage", "dvc.stage.serialize"),
    *("dvc.utils.strictyaml", "fsspec.implementations.memory"),
)
"""What the command imports when it needs it: here once, before a hundred processes are forked that would each do so."""


def run(folder: Path, said: Path, counted: steps.Steps | None = None) -> steps.Ended:
    """Run the command in a process of its own, in a folder, disturbed or not."""
    patch = pytest.MonkeyPatch()

    def first() -> None:
        patch.chdir(folder)
        patch.setattr(command_processes, "IMPORTED", ("storagelab.cli.console",) * 2)
        if counted:
            in_place(patch, counted)

    return steps.in_a_process(partial(reported, counted), said, first=first)


def reported(counted: steps.Steps | None) -> None:
    status = reports.reports(1)
    if counted:
        Path("said").write_text("\n".join(counted.names))
    raise SystemExit(status)


def made(folder: Path) -> dict[str, Any]:
    """Everything in a repository but what git and dvc keep for themselves."""
    return {name: found for name, found in contents(folder).items() if name not in OWN}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose source changed since all was made: what a disturbed run begins with."""
    for name in OF_DVC:
        with suppress(ModuleNotFoundError):  # another dvc may have it elsewhere, which only costs time
            import_module(name)
    root = repository(tmp_path_factory.mktemp("disturbed") / "before", STAGES)
    assert run(root, root / "said").status == 0
    (root / "source").write_text("another source\n")
    return root


@pytest.fixture(scope="module")
def undisturbed(before: Path) -> tuple[list[str], dict[str, Any]]:
    """The steps of a run that nobody disturbs, and what it leaves."""
    root = copied(before, "undisturbed")
    ended = run(root, root.parent / "said", steps.Steps())
    assert ended == (0, "storagelab: reading the pipeline\n")
    assert yaml.safe_load((root / "dvc.lock").read_text())["stages"].keys() == STAGES.keys()
    return (root / "said").read_text().split("\n"), made(root)


def copied(root: Path, name: str) -> Path:
    """Copy a repository with its times: dvc trusts those of files."""
    subprocess.run(["cp", "-a", root, root.parent / name], check=True)
    return root.parent / name


@pytest.mark.slow
@pytest.mark.parametrize("kill", [True, False])
def test_reports_that_are_disturbed_at_any_step_are_made_good_by_the_next(
    kill: bool, before: Path, undisturbed: tuple[list[str], dict[str, Any]], tmp_path: Path
) -> None:
    taken, left = undisturbed
    assert {"begin", "start", "end", "record", "write", "replace"} <= set(taken)
    wrong = []
    for at, step in enumerate(taken):
        root = copied(before, f"{kill}-{at}")
        ended = run(root, tmp_path / "said", steps.Steps(at, kill=kill))
        if kill and ended.status != steps.KILLED:
            wrong.append(f"step {at} ({step}): ended with {ended}")
        if not kill and ended.status == 0 and step != "remove" and made(root) != left:  # who tidies up comes later
            wrong.append(f"step {at} ({step}): ended well and left {sorted(made(root))}")
        again = run(root, tmp_path / "said")
        if again.status or made(root) != left:
            wrong.append(f"step {at} ({step}): the next run ended with {again} and left {sorted(made(root))}")
    assert wrong == []
