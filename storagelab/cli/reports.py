"""``storagelab reports``: bring every dataset and paper up to date, independent stages side by side."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from storagelab import pinned_environment, project, writing
from storagelab.cli.command_processes import Ended, Workers
from storagelab.cli.console import tell, undrawn
from storagelab.cli.stages import Pipeline, pipeline, some_output_is_missing
from storagelab.escaping.characters import shown

TICK = 0.25
"""Seconds between two looks at the clock."""


def at_once() -> int:
    """Return how many commands run at once: while one waits for its kernel, or for the disk, no core stands idle."""
    return pinned_environment.cores() + 1


class Display(Protocol):
    """What a person sees of the stages."""

    def told(self, text: str) -> None:
        """Print lines that stay."""

    def state(self, done: int, total: int, running: Mapping[str, object]) -> None:
        """Show how far it is."""


def reports(jobs: int) -> int:
    """Run what is out of date; return the exit status, that of the first command that failed.

    Where a command fails no further one is started; those that run are waited for, and what they made is kept.

    Parameters
    ----------
    jobs : int
        How many commands may run at once.

    Lists of studies in dvc.yaml and catalogs are brought up to date first.

    Raises
    ------
    StoragelabError
        If such a list is none, dvc cannot read the pipeline, another dvc holds its lock, or a command did not make its
        outputs.
    """
    if not sys.stdout.isatty():  # there a bar is drawn at once
        tell("reading the pipeline")
    project.renew(Path())
    with (
        display() as shown,
        writing.scratch() as scratch,
        Workers(scratch, at_once=some_output_is_missing(Path())) as workers,  # imports while the pipeline is read
        pipeline(Path()) as stages,
    ):
        return _Run(stages, workers, jobs, shown).run()


class _Run:
    """One call: which stages wait, and how it went."""

    def __init__(self, stages: Pipeline, workers: Workers, jobs: int, shown: Display) -> None:
        self.stages, self.workers, self.jobs, self.shown = stages, workers, jobs, shown
        self.waiting = stages.waiting
        self.order = stages.order()
        self.total = len(self.waiting)
        self.ran = 0
        self.status = 0

    def run(self) -> int:
        self.stages.look_ahead()
        while self._started() or self.workers.running:
            self._show()
            for ended in self.workers.ended(TICK):
                if not ended.status:
                    self._started()  # what can be: no core waits until the files that were made are hashed
                self._end(ended)
        if not self.status:
            self.shown.told(f"{self.ran} of {self.total} stages ran, the others were up to date")
        return self.status

    def _started(self) -> bool:
        """Start what can be started; return whether anything was, or was found up to date."""
        before = len(self.waiting)
        while not self.status and len(self.workers.running) < self.jobs and (name := self._next()):
            del self.waiting[name]
            if self.stages.begin(name):
                self.workers.start(name, self.stages.command(name), self.stages.folder(name))
            else:
                self._release(name)
        return len(self.waiting) < before

    def _next(self) -> str:
        ready = [name for name, before in self.waiting.items() if not before]
        return min(ready, key=lambda name: (self.order[name], name), default="")

    def _release(self, name: str) -> None:
        for before in self.waiting.values():
            before.discard(name)

    def _end(self, ended: Ended) -> None:
        heading = f"{ended.name}: {self.stages.command(ended.name)}"
        if ended.status:
            self.status = self.status or ended.status
            self.shown.told(f"{heading}: failed with exit status {ended.status}\n{ended.said}".rstrip())
            return
        self.stages.end(ended.name)
        self._release(ended.name)
        self.ran += 1
        self.shown.told(f"{heading} ({ended.seconds:.1f} s)\n{ended.said}".rstrip())

    def _show(self) -> None:
        done = self.total - len(self.waiting) - len(self.workers.running)
        self.shown.state(done, self.total, self.workers.running)


class _Lines:
    """Plain lines, each stage's together."""

    def told(self, text: str) -> None:
        print(text, flush=True)

    def state(self, done: int, total: int, running: Mapping[str, object]) -> None:
        """Lines do not move."""


@contextmanager
def display() -> Iterator[Display]:
    """Show one bar on a terminal, and plain lines elsewhere."""
    if not sys.stdout.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(bar_width=20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(file=undrawn(sys.stdout)), transient=True) as bar:
        task = bar.add_task("")

        class Bar:
            def told(self, text: str) -> None:
                bar.console.print(shown(text), markup=False, highlight=False, emoji=False)

            def state(self, done: int, total: int, running: Mapping[str, object]) -> None:
                bar.update(task, completed=done, total=total, description=", ".join(running))

        yield Bar()
