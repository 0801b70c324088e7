"""`storagelab reports` that is killed, or whose disk is full, at each of its own steps: the next run makes all good.

What its stages write is their commands' own, and disturbed in `tests.test_writing`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from storagelab.cli import command_processes, fork_server, reports, stages
from tests.cli.test_reports import repository, stage
from tests.faults import states, steps
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
NAME_THEIR_PROCESS = (".dvc/tmp/lock", ".dvc/tmp/rwlock.lock", "said")
"""Files that are not the same where all else is: dvc's locks, and what it imported."""


def in_place(patch: pytest.MonkeyPatch, counted: steps.Steps) -> None:
    """Stand between the command and the system, which writes dvc.lock too, and between it and dvc."""
    counted.in_place(patch)
    for name in ("begin", "end", "record"):
        patch.setattr(stages.Pipeline, name, counted.step(name, getattr(stages.Pipeline, name)))
    patch.setattr(command_processes.Workers, "start", counted.step("start", command_processes.Workers.start))


class Forked:
    """The process of the servers, forked from this one, which has imported what a new one would; nobody disturbs it."""

    def __init__(self, disturbing: pytest.MonkeyPatch, command: list[str], *, pass_fds: list[int]) -> None:
        self.pid = os.fork()
        if self.pid == 0:
            try:
                disturbing.undo()
                for handle in [int(path.name) for path in Path("/proc/self/fd").iterdir()]:
                    if handle > 2 and handle not in pass_fds:
                        with suppress(OSError):  # the one by which the others were listed
                            os.close(handle)
                fork_server.serve(pass_fds, json.loads(command[-1])[-1])
            finally:
                os._exit(0)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        os.waitpid(self.pid, 0)


def run(folder: Path, said: Path, counted: steps.Steps | None = None) -> steps.Ended:
    """Run the command in a process of its own, in a folder, disturbed or not."""
    disturbing = pytest.MonkeyPatch()

    def first() -> None:
        begun(folder, disturbing)
        if counted:
            in_place(disturbing, counted)

    return steps.in_a_process(partial(reported, counted), said, first=first)


def begun(folder: Path, disturbing: pytest.MonkeyPatch) -> None:
    patch = pytest.MonkeyPatch()
    patch.chdir(folder)
    patch.setattr(command_processes, "IMPORTED", ("storagelab.cli.console",) * 2)
    patch.setattr(command_processes, "subprocess", SimpleNamespace(Popen=partial(Forked, disturbing)))


def reported(counted: steps.Steps | None) -> None:
    status = reports.reports(1)
    if counted:
        Path("said").write_text("\n".join(counted.names))
    raise SystemExit(status)


def succeeds() -> None:
    assert reports.reports(1) == 0


def imported(folder: Path) -> list[str]:
    """Make all that a repository describes, and name the modules that the command imports when it needs them."""

    def named() -> None:
        succeeds()
        Path("said").write_text("\n".join(sys.modules))

    ended = steps.in_a_process(named, folder.parent / "said", first=partial(begun, folder, pytest.MonkeyPatch()))
    assert ended.status == 0, ended.said
    return [name for name in (folder / "said").read_text().split("\n") if name not in sys.modules]


def made(folder: Path) -> dict[str, Any]:
    """Everything in a repository but what git and dvc keep for themselves."""
    return {name: found for name, found in contents(folder).items() if name not in OWN}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose source changed since all was made: what a disturbed run begins with."""
    root = repository(tmp_path_factory.mktemp("disturbed") / "before", STAGES)
    for name in imported(root):
        with suppress(ImportError):  # what stands there by another name is imported in each process
            import_module(name)
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
    return states.copied(root, root.parent / name)


def made_good(root: Path, left: dict[str, Any]) -> str:
    """Run the command once more; say what is wrong then."""
    again = run(root, root.parent / "said")
    return "" if not again.status and made(root) == left else f"the next run: {again}, and left {sorted(made(root))}"


@pytest.mark.slow
def test_reports_that_are_killed_at_any_step_are_made_good_by_the_next(
    before: Path, undisturbed: tuple[list[str], dict[str, Any]], tmp_path: Path
) -> None:
    """The servers are gone with it: one that is really killed leaves what is seen of one that goes on."""
    taken, left = undisturbed
    assert {"begin", "start", "end", "record", "write", "replace"} <= set(taken)
    root, disturbing = copied(before, "watched"), pytest.MonkeyPatch()
    found = states.left_by_kills(
        succeeds,
        root,
        tmp_path / "states",
        first=partial(begun, root, disturbing),
        in_place=partial(in_place, disturbing),
    )
    at = taken.index("end")
    really = copied(before, "killed")
    assert run(really, tmp_path / "said", steps.Steps(at, kill=True)).status == steps.KILLED
    [state] = [state for state in found if f"{at} (end)" in state.steps]
    assert made(really) == made(state.root)
    roots = {"really": really, **{", ".join(state.steps): state.root for state in found}}
    assert {name: wrong for name, root in roots.items() if (wrong := made_good(root, left))} == {}


@pytest.mark.slow
def test_reports_whose_disk_is_full_at_any_step_are_made_good_by_the_next(
    before: Path, undisturbed: tuple[list[str], dict[str, Any]], tmp_path: Path
) -> None:
    taken, left = undisturbed
    wrong, roots = {}, dict[str, Path]()
    for at, step in enumerate(taken):
        root = copied(before, f"full-{at}")
        ended = run(root, tmp_path / "said", steps.Steps(at))
        if ended.status == 0 and step != "remove" and made(root) != left:  # who tidies up comes later
            wrong[f"{at} ({step})"] = f"ended well and left {sorted(made(root))}"
        roots.setdefault(states.identity(root, NAME_THEIR_PROCESS), root)
    wrong |= {root.name: said for root in roots.values() if (said := made_good(root, left))}
    assert wrong == {}
