"""Logs into a store: what is new is planned once, and made by as many processes as there are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path

from storagelab.errors import StoragelabError
from storagelab.ingest.cost_bounds import Bounds
from storagelab.ingest.logs_without_study import find_logs
from storagelab.store import layout
from storagelab.store.chunk import BUSY, UNSEEN, Made, make
from storagelab.store.chunk_plan import Found, logs_of, look, plan
from storagelab.workers import pool

Progress = Callable[[int, int], None]
"""Called with chunks done and chunks in all."""


@dataclass(slots=True)
class Appended:
    """What came of adding logs to a store.

    Attributes
    ----------
    new, known : int
        Logs that the store had not, and that it had, by their SHA-256.
    changed : int
        Those of the new ones under whose name the store has a log with other bytes: the rows of both count.
    stored, incomplete : int
        Logs whose rows were written here, and how many of them are cut.
    unread : list of (str, str)
        Logs that could not be read, with the reason.
    """

    new: int = 0
    known: int = 0
    changed: int = 0
    stored: int = 0
    incomplete: int = 0
    unread: list[tuple[str, str]] = field(default_factory=list)


def append(
    folder: Path | str,
    *paths: Path | str,
    workers: pool.Workers = 0,
    retry: bool = False,
    bounds: Bounds | None = None,
    progress: Progress | None = None,
) -> Appended:
    """Add logs to a store, and finish what others began there.

    A log that is there already, by its SHA-256, is skipped. What was killed the next call finishes, before it looks
    at any log, and leaves the same bytes. Several processes may add to one store at once: those that get the same logs
    share them.

    Parameters
    ----------
    folder : Path or str
        The store; made where there is none.
    *paths : Path or str
        Logs, or folders of logs; none only finishes what is planned.
    workers : int or str
        Processes; 0 is as many as there are cores and work for them. Or the address of a scheduler of dask, whose
        workers must see the store and the logs at the same place.
    retry : bool
        Whether to try logs again that could not be read before.
    bounds : Bounds, optional
        What each log may cost.
    progress : callable, optional

    Returns
    -------
    Appended

    Raises
    ------
    StoragelabError
        If the folder is no store and not empty, or a folder of logs holds none; if a scheduler does not answer, or
        its workers do not see the store.
    OSError
        If the store cannot be written.
    """
    store = Path(folder)
    layout.make(store)
    layout.clear(store)
    result = Appended()
    with pool.Crew() as crew:
        chunks = partial(_made, store, workers, crew, bounds or Bounds(), progress)
        _count(result, chunks())  # first of all, as it takes long to look at all logs again: each call gets further
        found = map(str, find_logs(map(Path, paths)))
        planned = plan(store, _outside(store, look(found, workers, crew)), retry=retry)
        result.new, result.known, result.changed = planned.new, planned.known, planned.changed
        result.unread += ((log.path, log.error) for log in planned.closed)
        _count(result, chunks())
    return result


def _count(result: Appended, chunks: Iterable[Made]) -> None:
    for made in chunks:
        result.stored += made.logs
        result.incomplete += made.incomplete
        result.unread += made.unread


def _outside(store: Path, logs: Iterable[Found]) -> Iterator[Found]:
    """Refuse logs that lie in the store: it would be fed with itself."""
    inside = f"{os.path.realpath(store)}{os.sep}"
    real = lru_cache(os.path.realpath)  # logs of a folder come one after the other
    for log in logs:
        folder, name = os.path.split(log.path)
        place = real(log.path) if log.is_link else f"{real(folder)}{os.sep}{name}"
        if place.startswith(inside):
            raise StoragelabError(f"{log.path}: lies in the store {store}, and is no log")
        yield log


def _made(
    store: Path, workers: pool.Workers, crew: pool.Crew, bounds: Bounds, progress: Progress | None
) -> Iterator[Made]:
    """Make all chunks that are planned, side by side; at last those that others were at, in case they ended."""
    waiting = layout.pending(store)
    sizes = [_size(path) for path in waiting]
    tasks = [(str(path), size) for path, size in zip(waiting, sizes, strict=True)]
    busy: list[str] = []
    found = crew.results("storagelab.store.chunk:make", tasks, pool.workers_for(sizes, workers), str(store), bounds)
    for done, ((path, _), made) in enumerate(zip(tasks, found, strict=True), start=1):
        if made.state == UNSEEN:
            raise StoragelabError(
                f"{store}: expected a folder that all machines share; workers of {workers} see no store"
            )
        if made.state == BUSY:
            busy.append(path)
        yield made
        if progress:
            progress(done - len(busy), len(tasks))
    yield from (make(path, str(store), bounds, wait=True) for path in busy)


def _size(pending: Path) -> int:
    """What the logs of a chunk may cost, in bytes: a chunk is a batch of its own."""
    return max(pool.BATCH, 2**11 * len(logs_of(pending)))
