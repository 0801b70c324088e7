"""Work side by side on all cores, results in the order of the tasks: the same whatever the number of workers.

A worker is a Python of its own that is told a function by its name and then one batch of tasks after the other, over a
pipe. It runs no code of the program that started it, so that scripts and notebooks need no ``if __name__ ==
"__main__"``; and when that program ends, however it ends, the pipe closes and the worker ends too.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO, TypeVar, cast

Task = TypeVar("Task")

PAYS = 2**21
"""Bytes of logs for each worker below which it costs more to start it (the imports of a second) than it saves."""
BATCH = 2**18
"""Bytes of logs that a worker gets at once: some tens of milliseconds."""
MOST = 256
"""Tasks that a worker gets at once, however small they are."""
AHEAD = 2
"""Batches that a worker has before it: one that it works on, and one that waits."""


def cores() -> int:
    """How many processors this process may use: of a job of SLURM those that it was given."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers_for(sizes: Iterable[int], wanted: int = 0) -> int:
    """How many workers are worth their start: as many as are wanted, or, for 0, as there are cores and work for them.

    Parameters
    ----------
    sizes : iterable of int
        Bytes of the logs to read.
    wanted : int
        0 leaves it to the size of the work.
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


def results(function: str, tasks: Iterable[tuple[Task, int]], workers: int, *shared: Any) -> Iterator[Any]:
    """Call a function with each task, and yield what it returns, in the order of the tasks.

    Parameters
    ----------
    function : str
        ``module:name``; called as ``name(task, *shared)``. What it is given and what it returns is pickled; it returns
        what went wrong rather than to raise.
    tasks : iterable of (task, int)
        Each with its size in bytes, by which batches are made.
    workers : int
        1 calls the function here.

    Raises
    ------
    ChildProcessError
        If a worker ended before its work was done: the system may have killed it for want of memory.
    """
    if workers < 2:
        call = _named(function)
        for task, _ in tasks:
            yield call(task, *shared)
        return
    with ExitStack() as stack:
        started: list[_Worker] = []
        waiting: deque[_Worker] = deque()
        for turn, batch in enumerate(batches(tasks)):
            if turn < workers:
                started.append(stack.enter_context(_Worker(function, shared)))
            worker = started[turn % workers]
            worker.send(batch)
            waiting.append(worker)
            if len(waiting) >= workers * AHEAD:
                yield from waiting.popleft().receive()
        while waiting:
            yield from waiting.popleft().receive()


class _Worker:
    """A process that works; a context that leaves none behind."""

    def __init__(self, function: str, shared: Sequence[Any]) -> None:
        path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import work; work()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
        self._to_send: SimpleQueue[Any] = SimpleQueue()
        threading.Thread(target=self._send, daemon=True).start()
        self.send((function, shared))

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        """End it: nobody waits for what it still does."""
        self._process.kill()
        self._process.wait()
        self.send(None)
        cast(BinaryIO, self._process.stdout).close()

    def send(self, message: Any) -> None:
        """Give it something to do; None is the end."""
        self._to_send.put(message)

    def _send(self) -> None:
        """Write to its pipe, in a thread: whoever waits for a full pipe could not read what the worker answers."""
        with suppress(OSError), cast(BinaryIO, self._process.stdin) as pipe:
            while (message := self._to_send.get()) is not None:
                _write(pipe, message)

    def receive(self) -> list[Any]:
        """Wait for what it made of a batch."""
        try:
            found: list[Any] = _read(cast(BinaryIO, self._process.stdout))
        except EOFError:
            status = self._process.wait()
            raise ChildProcessError(f"a worker ended before its work was done, with exit status {status}") from None
        return found


_LENGTH = struct.Struct("<Q")


def _write(pipe: BinaryIO, message: Any) -> None:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def _read(pipe: BinaryIO) -> Any:
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


def _named(function: str) -> Callable[..., Any]:
    module, _, name = function.partition(":")
    return cast(Callable[..., Any], getattr(import_module(module), name))


def work() -> None:
    """Do batch after batch, until the pipe closes; what is printed goes to standard error, as the pipe is taken."""
    tasks, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        function, shared = _read(tasks)
        call = _named(function)
        while True:
            _write(answers, [call(task, *shared) for task in _read(tasks)])
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        os._exit(0)
