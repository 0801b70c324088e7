"""Work on many machines, by the address of a scheduler of dask.distributed (https://distributed.dask.org).

Each thread of a worker of dask has a process of ours beside it, which does the work in its main thread: there a log
can be given up that takes too long, and what one log does to its process hurts no other. The process works in the
folder of whoever asked, so that names of files mean the same: all machines must see the same files there.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple
from uuid import uuid4

from storagelab import __version__, optional_packages
from storagelab.errors import StoragelabError
from storagelab.workers.worker import Worker

optional_packages.require("cluster", "work on many machines")

from distributed import Client, Future, KilledWorker, get_worker  # noqa: E402
from distributed.client import FutureCancelledError  # noqa: E402
from distributed.comm.addressing import get_address_host_port  # noqa: E402

PATIENCE = 10
"""Seconds that a scheduler gets to answer."""
AHEAD = 2
"""Batches for each thread of a worker: one that it works on, and one that waits."""
RETRIES = 3
"""How often a batch is tried again whose process ended: as often as dask tries one whose worker died."""


class Session:
    """A scheduler, and processes beside its workers that are kept for what comes next; a context that ends them.

    A scheduler without workers is waited for: they may still be in the queue of a batch system. Where a worker dies,
    or the process of ours beside it, others do its batches.

    Parameters
    ----------
    address : str
        Of the scheduler: ``tcp://login1:8786``.

    Raises
    ------
    StoragelabError
        If the address is none, or no scheduler answers there.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._client = _client(address)
        self._name = uuid4().hex
        self._turns = count()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._client as client, suppress(OSError):  # the scheduler may be gone once the work is done
            if kind is None:
                client.run(_end, self._name, on_error="ignore")

    def results(self, function: str, batches: Iterable[list[Any]], *shared: Any) -> Iterator[Any]:
        """Call a function with each task of some batches, and yield what it returns, in the order of the tasks.

        Parameters
        ----------
        function : str
            ``module:name``; called as ``name(task, *shared)``.
        batches : iterable of list

        Raises
        ------
        ChildProcessError
            If processes beside workers end again and again before the same batch is done.
        StoragelabError
            If a worker has another version of storagelab, does not see the folder, or dies again and again with the
            same logs; if the scheduler is gone.
        """
        job = Job(self._name, next(self._turns), function, shared, str(Path.cwd()), __version__)
        waiting: deque[Future[list[Any]]] = deque()
        for batch in batches:
            waiting.append(self._client.submit(_do, job, batch, pure=False, retries=RETRIES))
            if len(waiting) >= AHEAD * max(1, sum(self._client.nthreads().values())):
                yield from _result(waiting.popleft(), self.address)
        while waiting:
            yield from _result(waiting.popleft(), self.address)


def _client(address: str) -> Client:
    try:
        get_address_host_port(address)
    except ValueError as error:
        like = "expected the address of a scheduler of dask, such as tcp://login1:8786"
        raise StoragelabError(f"{address}: {like}: {error}") from None
    try:
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except OSError:
        raise StoragelabError(f"{address}: expected a scheduler of dask, found none that answers") from None


def _result(future: Future[list[Any]], address: str) -> list[Any]:
    try:
        return future.result()
    except KilledWorker as error:
        raise StoragelabError(f"{address}: workers died, one after the other, with the same logs: {error}") from None
    except FutureCancelledError:
        raise StoragelabError(f"{address}: the scheduler is gone before the work was done") from None


class Job(NamedTuple):
    """What the processes beside the workers are for.

    Attributes
    ----------
    session : str
        The name of the session, which no other has.
    turn : int
        Which of its jobs this is: processes turn to its function when they come from another.
    function : str
    shared : sequence
    folder : str
        Where they work.
    version : str
        Of the storagelab that asks.
    idle : float
        Seconds without work after which a process ends: whoever asked may be gone.
    """

    session: str
    turn: int
    function: str
    shared: Sequence[Any]
    folder: str
    version: str
    idle: float = 60.0


class Processes:
    """The processes of ours beside a worker of dask: one for each batch of a session that it works on at once.

    They are no data of dask, which drops its copies of those every few seconds.
    """

    def __init__(self) -> None:
        self.free: SimpleQueue[tuple[int, Worker]] = SimpleQueue()
        self.idle = threading.Timer(0, self.end)

    def do(self, job: Job, batch: list[Any]) -> list[Any]:
        """Have a process that is free do a batch."""
        self.idle.cancel()
        process = self._free(job)
        try:
            process.send(batch)
            found = process.receive()
        except BaseException:
            process.__exit__()
            raise
        self.free.put((job.turn, process))
        self.idle = threading.Timer(job.idle, self.end)
        self.idle.daemon = True
        self.idle.start()
        return found

    def end(self) -> None:
        """End those that are free."""
        with suppress(Empty):
            while True:
                _, process = self.free.get_nowait()
                process.__exit__()

    def _free(self, job: Job) -> Worker:
        with suppress(Empty):
            turn, process = self.free.get_nowait()
            if turn != job.turn:
                process.turn_to(job.function, job.shared)
            return process
        if job.version != __version__:
            raise StoragelabError(f"{get_worker().address}: expected storagelab {job.version}, found {__version__}")
        if not Path(job.folder).is_dir():
            raise StoragelabError(f"{get_worker().address}: expected to see the folder {job.folder}, and does not")
        return Worker(job.function, job.shared, job.folder)


_BESIDE: dict[str, Processes] = {}
"""In a worker of dask: name of a session -> its processes."""


def _do(job: Job, batch: list[Any]) -> list[Any]:
    return _BESIDE.setdefault(job.session, Processes()).do(job, batch)


def _end(session: str) -> None:
    if processes := _BESIDE.pop(session, None):
        processes.end()
