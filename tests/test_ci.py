"""`.ci/run` tells all that is wrong in one run, and is only green when nothing is."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

MAKE = """#!/bin/sh
echo "made $1"
test "$1" != reports || cp "$NEW_LOCK" dvc.lock
test "$1" != test || echo "=== 3 passed in 1.00s ==="
test "$1" != "$FAILING"
"""
PYTHON = '#!/bin/sh\necho "python $*"\ncase "$*" in *"$FAILING"*) exit 1;; esac\n'
STEPS = ["made .venv/reports.stamp", "made .venv/test.stamp", "made reports", "made check", "made test"]
MACHINES = "python -m tests.machines --jobs"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of little more than its pipeline's lock, with programs that only say that they were called."""
    root = tmp_path / "clone"
    (root / ".ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci" / "run", root / ".ci")
    (root / "dvc.lock").write_text("as committed\n")
    programs = {"make": MAKE, "chromium": "#!/bin/sh\n", "npm": "#!/bin/sh\n", "qemu-x86_64": "#!/bin/sh\n"}
    for place, text in {**{root / "bin" / name: text for name, text in programs.items()},
                        root / ".venv" / "bin" / "python": PYTHON}.items():  # fmt: skip
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(0o755)
    for command in (["init", "--quiet"], ["add", "dvc.lock"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    mail = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", *mail, "commit", "--quiet", "--message", "committed"], cwd=root, check=True)
    return root


def run(clone: Path, failing: str = "nothing", lock: str = "as committed\n") -> tuple[int, list[str]]:
    (clone.parent / "lock").write_text(lock)
    env = {**os.environ, "PATH": f"{clone / 'bin'}{os.pathsep}{os.environ['PATH']}", "FAILING": failing}
    env["NEW_LOCK"] = str(clone.parent / "lock")
    done = subprocess.run([".ci/run"], cwd=clone, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def test_papers_come_first_and_the_last_line_is_pytests(clone: Path) -> None:
    status, said = run(clone)
    assert status == 0
    assert [line for line in said if line.startswith("made")] == STEPS
    assert said[-2].startswith(MACHINES)
    assert said[-1] == "=== 3 passed in 1.00s ==="


@pytest.mark.parametrize(("failing", "rebuilt"), [("reports", False), ("check", False), ("test", True)])
def test_what_fails_stops_only_the_simulated_machines_and_tests_not_even_these(
    clone: Path, failing: str, rebuilt: bool
) -> None:
    status, said = run(clone, failing)
    assert status == 1
    assert [line for line in said if line.startswith("made")] == STEPS
    assert any(line.startswith(MACHINES) for line in said) is rebuilt


def test_other_bytes_are_told_and_fail(clone: Path) -> None:
    status, said = run(clone, lock="another\n")
    assert status == 1
    assert "the reports are not those that were committed:" in said
    assert " M dvc.lock" in said
    assert "python -m tests.machines.committed" in said
    assert [line for line in said if line.startswith("made")] == STEPS


def test_a_machine_that_makes_other_bytes_fails(clone: Path) -> None:
    status, said = run(clone, "tests.machines --jobs")
    assert status == 1
    assert said[-1] == "=== 3 passed in 1.00s ==="
