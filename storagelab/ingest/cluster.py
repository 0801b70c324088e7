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
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple
from uuid import uuid4

from storagelab import __version__, extras
from storagelab.errors import StoragelabError
from storagelab.ingest.worker import Worker

extras.require("cluster", "work on many machines")

from distributed import Client, Future, KilledWorker, get_worker  # noqa: E402
from distributed.client import FutureCancelledError  # noqa: E402
from distributed.comm.addressing import get_address_host_port  # noqa: E402

PATIENCE = 10
"""Seconds that a scheduler gets to answer."""
AHEAD = 2
"""Batches for each thread of a worker: one that it works on, and one that waits."""
RETRIES = 3
"""How often a batch is tried again whose process ended: as often as dask tries one whose worker died."""


def results(function: str, batches: Iterable[list[Any]], address: str, *shared: Any) -> Iterator[Any]:
    """Call a function with each task of some batches, and yield what it returns, in the order of the tasks.

    A scheduler without workers is waited for: they may still be in the queue of a batch system. Where a worker dies,
    or the process of ours beside it, others do its batches.

    Parameters
    ----------
    function : str
        ``module:name``; called as ``name(task, *shared)``.
    batches : iterable of list
    address : str
        Of the scheduler: ``tcp://login1:8786``.

    Raises
    ------
    ChildProcessError
        If processes beside workers end again and again before the same batch is done.
    StoragelabError
        If the scheduler does not answer; if a worker has another version of storagelab, does not see the folder, or
        dies again and again with the same logs.
    """
    job = Job(uuid4().hex, function, shared, str(Path.cwd()), __version__)
    with _client(address) as client:
        waiting: deque[Future[list[Any]]] = deque()
        for batch in batches:
            waiting.append(client.submit(_do, job, batch, pure=False, retries=RETRIES))
            if len(waiting) >= AHEAD * max(1, sum(client.nthreads().values())):
                yield from _result(waiting.popleft(), address)
        while waiting:
            yield from _result(waiting.popleft(), address)
        with suppress(OSError):  # the scheduler is gone, and the work is done
            client.run(_end, job.name, on_error="ignore")


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
    name : str
        That of no other job.
    function : str
    shared : sequence
    folder : str
        Where they work.
    version : str
        Of the storagelab that asks.
    idle : float
        Seconds without work after which a process ends: whoever asked may be gone.
    """

    name: str
    function: str
    shared: Sequence[Any]
    folder: str
    version: str
    idle: float = 60.0


class Processes:
    """The processes of ours beside a worker of dask: one for each batch of a job that it works on at once.

    They are no data of dask, which drops its copies of those every few seconds.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.free: SimpleQueue[Worker] = SimpleQueue()
        self.idle = threading.Timer(0, self.end)

    def do(self, batch: list[Any]) -> list[Any]:
        """Have a process that is free do a batch."""
        self.idle.cancel()
        process = self._free()
        try:
            process.send(batch)
            found = process.receive()
        except BaseException:
            process.__exit__()
            raise
        self.free.put(process)
        self.idle = threading.Timer(self.job.idle, self.end)
        self.idle.daemon = True
        self.idle.start()
        return found

    def end(self) -> None:
        """End those that are free."""
        with suppress(Empty):
            while True:
                self.free.get_nowait().__exit__()

    def _free(self) -> Worker:
        with suppress(Empty):
            return self.free.get_nowait()
        if self.job.version != __version__:
            raise StoragelabError(
                f"{get_worker().address}: expected storagelab {self.job.version}, found {__version__}"
            )
        if not Path(self.job.folder).is_dir():
            raise StoragelabError(f"{get_worker().address}: expected to see the folder {self.job.folder}, and does not")
        return Worker(self.job.function, self.job.shared, self.job.folder)


_BESIDE: dict[str, Processes] = {}
"""In a worker of dask: name of a job -> its processes."""


def _do(job: Job, batch: list[Any]) -> list[Any]:
    return _BESIDE.setdefault(job.name, Processes(job)).do(batch)


def _end(name: str) -> None:
    if processes := _BESIDE.pop(name, None):
        processes.end()
