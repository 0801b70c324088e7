"""What papers cost beside empty notebooks, in CPU seconds of one run on one machine: ``python -m benchmarks.papers``.

The yardstick is one empty notebook for each paper. *In one process each*: a Python that executes the notebook by
`papermill.execute_notebook` and makes its page by nbconvert's `HTMLExporter`; *as commands*: ``papermill`` and
``jupyter nbconvert --to html``. The ratios are to the first, the smaller. CPU seconds are those of all processes,
kernels too. Cores share caches and memory, so that two processes at once take more CPU seconds than one after the
other: the empty notebooks run as many at once as ``make reports`` runs stages.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import nbformat
from nbformat.v4 import new_notebook

from benchmarks.measure import ROOT, table
from storagelab import pinned_environment
from storagelab.cli.reports import at_once
from storagelab.pinned_environment import cores

SUBREAPER = 36
TURNS = 3
"""How often papers are measured, and empty notebooks before each."""
ONE_PROCESS = """
import papermill
from nbconvert import HTMLExporter

papermill.execute_notebook("empty.ipynb", "run.ipynb", progress_bar=False)
open("run.html", "w").write(HTMLExporter().from_filename("run.ipynb")[0])
"""
SIDE_BY_SIDE = """
import json, os, shutil, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

def run(place):
    os.mkdir(str(place))
    shutil.copy("empty.ipynb", str(place))
    for command in commands:
        subprocess.run([sys.executable, *command], cwd=str(place), check=True)

count, at_once, commands = json.loads(sys.argv[1])
with ThreadPoolExecutor(at_once) as pool:
    list(pool.map(run, range(count)))
for place in range(count):
    shutil.rmtree(str(place))
"""
COMMANDS = (
    ("-m", "papermill", "--no-progress-bar", "empty.ipynb", "run.ipynb"),
    ("-m", "nbconvert", "--to", "html", "run.ipynb"),
)
REPORTS = ("-m", "storagelab", "reports")
PARTS = {
    "imports, once": "imports",
    "starting kernels, papermill": "kernel",
    "ledgers": "ledgers",
    "notebooks: analysis": "analysis",
    "notebooks: drawing": "drawing",
    "notebooks: the rest": "rest",
    "composing pages (nbconvert)": "composing",
}


class Cost(NamedTuple):
    """What something took."""

    cpu: float
    wall: float


def cost(*arguments: str, cwd: Path, paths: Path = ROOT) -> Cost:
    """Run Python and measure it with all its descendants, orphans too (Linux hands them to this process)."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    before, start = _children(), time.perf_counter()
    env = {**os.environ, "PYTHONPATH": str(paths), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}\n{done.stdout}\n{done.stderr}")
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return Cost(_children() - before, wall)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


WAYS = {"in one process each": (("-c", ONE_PROCESS),), "as commands": COMMANDS}
"""How an empty notebook is run and shown."""


def empty(folder: Path, count: int, how: str) -> Cost:
    """Run empty notebooks, as many at once as `make reports` runs stages."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(metadata={"kernelspec": kernel}), folder / "empty.ipynb")
    return cost("-c", SIDE_BY_SIDE, json.dumps([count, at_once(), WAYS[how]]), cwd=folder)


def copy(folder: Path) -> Path:
    """Copy the repository as a newcomer has it: of reports/ only metrics.json, nothing rendered."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, files.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    shutil.copytree(ROOT / ".dvc", folder / ".dvc", ignore=shutil.ignore_patterns("tmp", "cache"), dirs_exist_ok=True)
    for command in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def forget(root: Path) -> None:
    """Remove papers and ledgers, not datasets: what is made again is what the issue counts."""
    for made in [*root.glob("reports/*/paper.html"), *root.glob("reports/*/claims.json")]:
        made.unlink()


def parts(root: Path) -> Mapping[str, float]:
    """CPU seconds of papers and ledgers by what they are spent on."""
    env = {**pinned_environment.pinned(os.environ), "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "benchmarks.parts", str(root)]
    said = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=True).stdout
    found: dict[str, float] = json.loads(said)
    return found


class Turn(NamedTuple):
    """What was measured one after the other: a machine's speed changes."""

    one_process: Cost
    commands: Cost
    everything: Cost
    papers: Cost


def papers(folder: Path) -> str:
    """Two tables: what papers cost beside empty notebooks, several times by turns, and where that goes."""
    turns = [_turn(folder / str(turn)) for turn in range(TURNS)]
    root = folder / str(TURNS - 1) / "papers"
    nothing = cost(*REPORTS, cwd=root, paths=root)
    count = _count(root)
    ones, commands, everything, made = (list(costs) for costs in zip(*turns, strict=True))
    rows = [
        _row(f"{count} empty notebooks, in one process each", ones, ones),
        _row(f"{count} empty notebooks, as commands", commands, ones),
        _row(f"{count} papers and their ledgers", made, ones),
        _row("`make reports`, from the logs", everything, ones),
        _row("`make reports`, nothing to do", [nothing] * TURNS, ones),
    ]
    shares = [100 * turn.everything.wall / turn.papers.cpu for turn in turns]
    return "\n".join(
        [
            table(["on this machine", "CPU", "to empty notebooks", "wall"], rows),
            f"The middle of {TURNS} turns, and in brackets the lowest and the highest. `make reports`, from the logs, "
            f"takes {_middle(shares, ' %', 0)} of the CPU seconds of papers and ledgers in wall time, on "
            f"{cores()} cores.\n",
            _where(parts(root), median(one.cpu for one in made)),
        ]
    )


def _turn(folder: Path) -> Turn:
    """Measure empty notebooks, everything from the logs, and papers alone."""
    root, scratch = copy(folder / "papers"), folder / "empty"
    scratch.mkdir()
    one_process, commands = (empty(scratch, _count(root), how) for how in WAYS)
    everything = cost(*REPORTS, cwd=root, paths=root)
    forget(root)
    return Turn(one_process, commands, everything, cost(*REPORTS, cwd=root, paths=root))


def _count(root: Path) -> int:
    """Count the papers of a repository."""
    return len(list(root.glob("reports/*/metrics.json")))


def _row(name: str, costs: Sequence[Cost], ones: Sequence[Cost]) -> list[str]:
    """Put what was measured beside the empty notebooks of the same turn."""
    ratios = [one.cpu / empty.cpu for one, empty in zip(costs, ones, strict=True)]
    seconds, walls = [one.cpu for one in costs], [one.wall for one in costs]
    return [name, _middle(seconds, " s"), _middle(ratios, " x"), _middle(walls, " s")]


def _middle(numbers: Sequence[float], unit: str, digits: int = 1) -> str:
    """Write the middle of some numbers, and in brackets the lowest and the highest."""
    low, middle, high = (f"{one:.{digits}f}" for one in (min(numbers), median(numbers), max(numbers)))
    return f"{middle}{unit}" if low == high else f"{middle}{unit} ({low} to {high})"


def _where(found: Mapping[str, float], whole: float) -> str:
    seconds = {name: found.get(key, 0.0) for name, key in PARTS.items()}
    seconds["dvc, and what is left"] = whole - sum(seconds.values())
    rows = [[name, f"{took:.1f} s", f"{100 * took / whole:.0f} %"] for name, took in seconds.items()]
    return table(["papers and their ledgers", "CPU", "share"], rows)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        print(papers(Path(name)))


if __name__ == "__main__":
    main()
