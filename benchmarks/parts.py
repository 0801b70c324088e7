"""Where the CPU time of papers and ledgers goes: ``python -m benchmarks.parts FOLDER`` prints seconds as JSON.

FOLDER is a copy of the repository with all its outputs made. Each notebook is run cell by cell in a forked process,
each ledger and each page is made in one, while a timer of CPU time looks every few milliseconds which layer is at work:
the innermost frame that belongs to storagelab. A look can come late, after a long call of C: all that passed since the
last one counts for it. Nothing is written but pages in a folder of their own.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

import storagelab

INTERVAL = 0.004
HOME = str(Path(storagelab.__file__).parent) + os.sep
LAYERS = {"analysis": "analysis", "claims": "analysis", "dataset": "analysis", "figures": "drawing"}


class Sampler:
    """Counts CPU time of this process by layer."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._last = 0.0

    def __enter__(self) -> Sampler:
        self._last = time.process_time()
        signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _look(self, _: int, frame: FrameType | None) -> None:
        now = time.process_time()
        self.seconds[layer(frame)] += now - self._last  # type: ignore[assignment]
        self._last = now


def layer(frame: FrameType | None) -> str:
    """Name what the innermost frame of storagelab is for; the cells' own code and what they call is the rest."""
    while frame:
        if (file := frame.f_code.co_filename).startswith(HOME):
            top, _, module = file.removeprefix(HOME).partition(os.sep)
            return "drawing" if module == "figure_files.py" else LAYERS.get(top, "rest")
        frame = frame.f_back
    return "rest"


def forked(work: Callable[[], dict[str, float]]) -> Counter[str]:
    """Do something in a process of its own, quietly, and return what it measured."""
    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.write(writing, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        found = said.read()
    os.waitpid(pid, 0)
    return Counter(json.loads(found))


def cells(root: Path, study: str) -> dict[str, float]:
    """Run the cells of a notebook: seconds by layer."""
    notebook = nbformat.read(root / "notebooks" / f"{study.replace('-', '_')}.ipynb", as_version=4)
    os.chdir(root / "notebooks")
    names: dict[str, object] = {"study": study, "dataset": f"../reports/{study}/dataset.nc", "__name__": "__main__"}
    with Sampler() as sampler:
        for cell in notebook.cells:
            if cell.cell_type == "code" and "parameters" not in cell.metadata.get("tags", []):
                exec(compile(cell.source, "<cell>", "exec"), names)
    return dict(sampler.seconds)


def ledger(root: Path, study: str) -> dict[str, float]:
    """Hold the claims of a study against its numbers, or set all studies side by side."""
    from storagelab.cli import claims, synthesis

    os.chdir(root)
    start = time.process_time()
    if study == "synthesis":
        synthesis.compared(root / "raw" / study, root / "reports")
    else:
        claims.evaluate_study(root / "raw" / study, root / "reports")
    return {"ledgers": time.process_time() - start}


def page(root: Path, study: str) -> dict[str, float]:
    """Make a paper; what it takes but for the kernel and the talk with it."""
    from storagelab.paper import build, run_notebook

    talking, run = 0.0, run_notebook.run

    def timed(*arguments: object, **options: object) -> object:
        nonlocal talking
        start = time.process_time()
        executed = run(*arguments, **options)  # type: ignore[arg-type]
        talking = time.process_time() - start
        return executed

    run_notebook.run = timed  # type: ignore[assignment]
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for folder in ("notebooks", "raw"):
            (copy / folder).symlink_to(root / folder)
        (copy / "reports").mkdir()
        for made in (root / "reports").iterdir():
            (copy / "reports" / made.name).symlink_to(made)
        (copy / "reports" / study).unlink()
        (copy / "reports" / study).mkdir()
        for made in (root / "reports" / study).iterdir():
            if made.name in ("dataset.nc", "claims.json"):
                (copy / "reports" / study / made.name).symlink_to(made)
        start = time.process_time()
        build.build_paper(study, copy)
        composing = time.process_time() - start - talking
    return {"composing": composing, "talking": talking}


def empty(root: Path, count: int) -> dict[str, float]:
    """Run a notebook of cells that do nothing: starting the kernel, and papermill's talk with it."""
    from storagelab.paper import run_notebook

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "empty.ipynb"
        cells = [
            new_code_cell("pass", metadata={"tags": ["parameters"]}),
            *(new_code_cell("pass") for _ in range(count)),
        ]
        nbformat.write(new_notebook(cells=cells), path)
        run_notebook.run(path, {}, progress=False)
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {"kernel": sum(one.ru_utime + one.ru_stime for one in used)}


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    import storagelab.cli.preload  # noqa: F401

    seconds = Counter({"imports": time.process_time()})
    for paper in sorted(path.parent.name for path in root.glob("reports/*/dataset.nc")):
        count = len(nbformat.read(root / "notebooks" / f"{paper.replace('-', '_')}.ipynb", as_version=4).cells)
        seconds += forked(lambda count=count: empty(root, count))  # type: ignore[misc]
        seconds += forked(lambda paper=paper: cells(root, paper))  # type: ignore[misc]
        seconds += forked(lambda paper=paper: page(root, paper))  # type: ignore[misc]
        if (root / "raw" / paper / "claims.yaml").exists() or paper == "synthesis":
            seconds += forked(lambda paper=paper: ledger(root, paper))  # type: ignore[misc]
    del seconds["talking"]
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
