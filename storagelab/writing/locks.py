"""How processes that change the same folder, or work on the same file, wait for each other."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storagelab.writing.disk import OURS, naming
from storagelab.writing.own_folders import ready

LOCK = f"{OURS}lock"
"""Name of the file by which processes wait for each other in a folder; it stays."""


@contextmanager
def locked(folder: Path, *, wait: bool = True, name: str = LOCK) -> Iterator[None]:
    """Be the only process that changes a folder, of all that ask so; the lock goes with the process.

    Raises
    ------
    BlockingIOError
        If another has it, and nobody wants to wait.
    """
    import fcntl  # of POSIX alone

    with naming(folder / name):
        ready(folder)
        with open(folder / name, "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield


@contextmanager
def claimed(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Be the only process that works on what a file stands for; False where it is gone, or another one has it.

    The claim goes with the process. Who waits gets it when the other one has ended.
    """
    import fcntl  # of POSIX alone

    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(open(path, "rb+"))
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (FileNotFoundError, BlockingIOError):
            yield False
            return
        yield os.path.exists(path)
