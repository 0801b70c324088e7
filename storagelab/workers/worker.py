"""A Python of its own that works: it is told a function by its name, then one batch of tasks after the other.

It runs no code of the program that started it, so that scripts and notebooks need no ``if __name__ == "__main__"``; and
when that program ends, however it ends, the pipe between them closes and the worker ends too.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO, cast


class Worker:
    """A process that works; a context that leaves none behind.

    Parameters
    ----------
    function : str
        ``module:name``; called as ``name(task, *shared)``.
    shared : sequence
        What it gets with each task.
    folder : str, optional
        Where it works: names of logs are meant from there.
    """

    def __init__(self, function: str, shared: Sequence[Any], folder: str | None = None) -> None:
        path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import work; work()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
        self._to_send: SimpleQueue[Any] = SimpleQueue()
        threading.Thread(target=self._send, daemon=True).start()
        self.turn_to(function, shared)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        """End it: nobody waits for what it still does."""
        self._process.kill()
        self._process.wait()
        self.send(None)
        cast(BinaryIO, self._process.stdout).close()

    def turn_to(self, function: str, shared: Sequence[Any]) -> None:
        """Have it call another function with the tasks that follow."""
        self.send((function, shared))

    def send(self, message: Any) -> None:
        """Give it a list of tasks to do; None is the end."""
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


def named(function: str) -> Callable[..., Any]:
    """Import a function by its name, ``module:name``."""
    module, _, name = function.partition(":")
    return cast(Callable[..., Any], getattr(import_module(module), name))


def work() -> None:
    """Do batch after batch, until the pipe closes; what is printed goes to standard error, as the pipe is taken."""
    tasks, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        while True:
            message = _read(tasks)
            if isinstance(message, tuple):
                function, shared = message
                call = named(function)
            else:
                _write(answers, [call(task, *shared) for task in message])
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        os._exit(0)
