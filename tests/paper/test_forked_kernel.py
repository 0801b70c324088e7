"""A kernel that is forked gives the paper that a kernel of its own gives, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from storagelab import pinned_environment
from storagelab.paper import forked_kernel
from storagelab.paper.forked_kernel import Process
from storagelab.pinned_environment import pinned
from tests.conftest import ROOT
from tests.paper.conftest import OPENING, PRINTS_ITSELF, STUDY, write_root

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux"),
    pytest.mark.slow,
]

ASKED = "import sys\n\nprint('forked' if 'storagelab.paper.forked_kernel' in sys.modules else 'new')"
FRONT = ("# Title", ("study = ''\ndataset = ''", "parameters"), "## Abstract\n\nAll.", (OPENING,))


def make_paper(root: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Make the paper as the command line does, in a process of its own."""
    command = [sys.executable, "-m", "storagelab", "paper", STUDY]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False, timeout=300)


def files(root: Path) -> dict[str, bytes]:
    folder = root / "reports" / STUDY
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_command_makes_the_bytes_that_a_kernel_of_its_own_makes(built: Path, tmp_path: Path) -> None:
    root = write_root(tmp_path / "root", origin="reconstructed")
    assert make_paper(root, TZ="Asia/Tokyo", OPENBLAS_NUM_THREADS="2").stderr == ""
    assert files(root) == files(built)


FORKED_COMMANDS = """
import os, sys
from importlib import import_module
from storagelab.cli import main
from storagelab.paper import build, forked_kernel

for name in forked_kernel.IMPORTED:
    import_module(name)
study, *roots = sys.argv[1:]
for root in roots:
    command = os.fork()
    if not command:
        os.chdir(root)
        os.dup2(os.open("said", os.O_WRONLY | os.O_CREAT), 2)
        sys.argv = ["storagelab", "paper", study]
        main()
    print(os.waitstatus_to_exitcode(os.waitpid(command, 0)[1]))
"""
"""Makes papers by a command each, forked from one process that imported all they need, as the pipeline does."""

ENDS = {
    "raise ValueError('broken')": "ValueError: broken",
    "import os\n\nos._exit(3)": "cell 6: Kernel died",
    f"{PRINTS_ITSELF}os._exit(3)": "cell 6: Kernel died\nstoragelab:     no memory for a buffer\n",
    "raise SystemExit(5)": "SystemExit",
}
"""Cells that fail, and what is said of them."""


def test_a_cell_that_fails_in_a_forked_kernel_is_told(tmp_path: Path) -> None:
    roots = [write_root(tmp_path / str(n), *FRONT, (ASKED,), (cell,)) for n, cell in enumerate(ENDS)]
    command = [sys.executable, "-c", FORKED_COMMANDS, STUDY, *map(str, roots)]
    env = {**pinned(os.environ), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["1"] * len(ENDS), done.stderr
    for root, said in zip(roots, ENDS.values(), strict=True):
        assert said in (root / "said").read_text()
    assert '"forked\\n"' in (roots[0] / "notebooks" / "tiny_2026.failed.ipynb").read_text()


def test_the_kernel_of_a_command_is_forked_and_that_of_this_process_is_not(tmp_path: Path) -> None:
    root = write_root(tmp_path / "root", FRONT[1], (ASKED,))
    code = "from pathlib import Path; from storagelab.paper import run_notebook\n" + (
        f"nb = run_notebook.run(Path('notebooks/tiny_2026.ipynb'), "
        f"{{'study': {STUDY!r}, 'dataset': '../reports/{STUDY}/dataset.nc'}})\n"
        "print(nb.cells[-1].outputs[0].text)"
    )
    for env, kind in ((pinned(os.environ), "forked"), (dict(os.environ, TZ="UTC", PYTHONHASHSEED="1"), "new")):
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=root, env={**env, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
        assert done.stdout.strip() == kind, done.stderr


def test_no_process_is_forked_where_that_is_not_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pinned_environment, "started_pinned", lambda: True)
    monkeypatch.setattr(forked_kernel, "safe", lambda: False)
    with forked_kernel.seat() as found:
        assert found is None


@pytest.mark.parametrize(("pinned_from_start", "threads"), [(True, 1), (False, 1), (True, 2)])
def test_a_process_is_safe_to_fork_pinned_and_with_one_thread(
    monkeypatch: pytest.MonkeyPatch, pinned_from_start: bool, threads: int
) -> None:
    monkeypatch.setattr(pinned_environment, "started_pinned", lambda: pinned_from_start)
    monkeypatch.setattr(forked_kernel.os, "listdir", lambda path: [str(thread) for thread in range(threads)])
    assert forked_kernel.safe() is (pinned_from_start and threads == 1 and sys.platform == "linux")


def test_a_process_that_nobody_needs_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "from storagelab.paper import forked_kernel\n"
        "with forked_kernel.seat() as seat:\n    print(seat.pid)\n"
        "print(forked_kernel.Process(seat.pid).poll())"
    )
    env = {**pinned(os.environ), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    pid, left = done.stdout.split()
    assert re.fullmatch(r"\d+", pid)
    assert left == "0", "it was waited for"
    assert not Path("/proc", pid).exists()


@pytest.mark.parametrize(("end", "status"), [(Process.kill, -9), (Process.terminate, -15)])
def test_a_forked_process_ends_as_it_is_told(end: Callable[[Process], None], status: int) -> None:
    started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    process = Process(started.pid)
    assert process.poll() is None
    end(process)
    assert process.wait() == status
    assert process.poll() == status
    process.send_signal(15)
    started.returncode = status
