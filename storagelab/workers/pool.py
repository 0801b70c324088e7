"""Work side by side, on all cores or on many machines, results in the order of the tasks: the same whoever does it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

from storagelab.pinned_environment import cores
from storagelab.workers.worker import Worker, named

if TYPE_CHECKING:
    from storagelab.workers.cluster import Session

Task = TypeVar("Task")
Workers = int | str
"""How many processes of this machine work, or the address of a scheduler of dask, whose workers do."""

PAYS = 2**21
"""Bytes of logs for each worker below which it costs more to start it (the imports of a second) than it saves."""
BATCH = 2**18
"""Bytes of logs that a worker gets at once: some tens of milliseconds."""
MOST = 256
"""Tasks that a worker gets at once, however small they are."""
AHEAD = 2
"""Batches that a worker has before it: one that it works on, and one that waits."""


def workers_for(sizes: Iterable[int], wanted: Workers) -> Workers:
    """How many workers are worth their start: those that are wanted, or, for 0, as there are cores and work for them.

    Parameters
    ----------
    sizes : iterable of int
        Bytes of the logs to read.
    wanted : int or str
        0 leaves it to the size of the work; an address stays what it is.
    """
    return wanted or max(1, min(cores(), sum(sizes) // PAYS))


def batches(tasks: Iterable[tuple[Task, int]]) -> Iterator[list[Task]]:
    """Put tasks together, in their order, until they are as large as `BATCH`."""
    batch: list[Task] = []
    full = 0
    for task, size in tasks:
        batch.append(task)
        full += size
        if full >= BATCH or len(batch) == MOST:
            yield batch
            batch, full = [], 0
    if batch:
        yield batch


def results(function: str, tasks: Iterable[tuple[Task, int]], workers: Workers, *shared: Any) -> Iterator[Any]:
    """Call a function with each task, and yield what it returns, in the order of the tasks.

    Parameters
    ----------
    function : str
        ``module:name``; called as ``name(task, *shared)``. What it is given and what it returns is pickled; it returns
        what went wrong rather than to raise.
    tasks : iterable of (task, int)
        Each with its size in bytes, by which batches are made.
    workers : int or str
        1 calls the function here; the address of a scheduler of dask has its workers do it.

    Raises
    ------
    ChildProcessError
        If a worker ended before its work was done: the system may have killed it for want of memory.
    StoragelabError
        If a scheduler does not answer, or its workers cannot do the work.
    """
    with Crew() as crew:
        yield from crew.results(function, tasks, workers, *shared)


class Crew(ExitStack):
    """Processes that are started when there is work, and kept for what comes next; a context that ends them."""

    def __init__(self) -> None:
        super().__init__()
        self._started: list[Worker] = []
        self._sessions: dict[str, Session] = {}

    def results(
        self, function: str, tasks: Iterable[tuple[Task, int]], workers: Workers, *shared: Any
    ) -> Iterator[Any]:
        """Call a function with each task, as the function `results` does; one call has to end before the next."""
        if isinstance(workers, str):
            yield from self._session(workers).results(function, batches(tasks), *shared)
        elif workers < 2:
            call = named(function)
            for task, _ in tasks:
                yield call(task, *shared)
        else:
            yield from self._side_by_side(function, batches(tasks), workers, *shared)

    def _session(self, address: str) -> Session:
        from storagelab.workers import cluster

        if address not in self._sessions:
            self._sessions[address] = self.enter_context(cluster.Session(address))
        return self._sessions[address]

    def _side_by_side(self, function: str, batches: Iterable[list[Any]], workers: int, *shared: Any) -> Iterator[Any]:
        for worker in self._started:
            worker.turn_to(function, shared)
        waiting: deque[Worker] = deque()
        for turn, batch in enumerate(batches):
            number = turn % workers
            if number == len(self._started):
                self._started.append(self.enter_context(Worker(function, shared)))
            self._started[number].send(batch)
            waiting.append(self._started[number])
            if len(waiting) >= workers * AHEAD:
                yield from waiting.popleft().receive()
        while waiting:
            yield from waiting.popleft().receive()
