"""Work on many machines, by the address of a scheduler of dask.distributed (https://distributed.dask.org).

Each thread of a worker of dask has a process of ours beside it, which does the work in its main thread: there a log
can be given up that takes too long, and what one log does to its process hurts no other. The process works in the
folder of whoever asked, so that names of files mean the same: all machines must see the same files there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

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
    with _client(address) as client:
        processes = client.submit(Processes, function, shared, str(Path.cwd()), __version__, pure=False)
        waiting: deque[Future[list[Any]]] = deque()
        for batch in batches:
            waiting.append(client.submit(_do, processes, batch, pure=False, retries=RETRIES))
            if len(waiting) >= AHEAD * max(1, sum(client.nthreads().values())):
                yield from _result(waiting.popleft(), address)
        while waiting:
            yield from _result(waiting.popleft(), address)


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


class Processes:
    """The processes of ours beside a worker of dask: one for each batch that it works on at once.

    dask copies this to each worker that needs it, where it begins without processes. It lets go of it when the work is
    done, or when whoever asked is gone; then the processes end.

    Parameters
    ----------
    function : str
    shared : sequence
    folder : str
        Where they work.
    version : str
        Of the storagelab that asks.
    """

    def __init__(self, function: str, shared: Sequence[Any], folder: str, version: str) -> None:
        self.given = function, shared, folder, version
        self.started: list[Worker] = []
        self.free: SimpleQueue[Worker] = SimpleQueue()

    def __reduce__(self) -> tuple[type[Processes], tuple[Any, ...]]:
        return Processes, self.given

    def __del__(self) -> None:
        while self.started:
            self.started.pop().__exit__()

    def do(self, batch: list[Any]) -> list[Any]:
        """Have a process that is free do a batch."""
        process = self._free()
        process.send(batch)
        found = process.receive()
        self.free.put(process)
        return found

    def _free(self) -> Worker:
        with suppress(Empty):
            return self.free.get_nowait()
        function, shared, folder, version = self.given
        if version != __version__:
            raise StoragelabError(f"{get_worker().address}: expected storagelab {version}, found {__version__}")
        if not Path(folder).is_dir():
            raise StoragelabError(f"{get_worker().address}: expected to see the folder {folder}, and does not")
        self.started.append(Worker(function, shared, folder))
        return self.started[-1]


def _do(processes: Processes, batch: list[Any]) -> list[Any]:
    return processes.do(batch)
