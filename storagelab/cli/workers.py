"""Commands side by side, each in a process forked from one that has imported everything: a warm start.

The warm process is Python's own fork server. It has one thread, was started in the pinned environment, and lives as
long as one call of ``storagelab reports``, so that it never serves code that has changed since.
"""

from __future__ import annotations

import multiprocessing
import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from multiprocessing import forkserver
from multiprocessing.connection import wait
from pathlib import Path
from typing import NamedTuple

from storagelab import writing

WARM = "storagelab.cli.preload"
PATIENCE = 10.0
"""Seconds that a command gets to leave after it was interrupted."""


class Ended(NamedTuple):
    """A command that ended: its name, its exit status, all that it said, and how many seconds it took."""

    name: str
    status: int
    said: str
    seconds: float


class Workers:
    """Runs commands; a context that leaves none of them behind.

    Parameters
    ----------
    folder : Path
        Where the outputs of commands are collected.
    at_once : bool
        Whether the warm process starts with the context, and not with the first command: then it has imported
        everything when that comes, in vain where none does.
    """

    def __init__(self, folder: Path, *, at_once: bool = True) -> None:
        self.folder, self.at_once = folder, at_once
        self.running: dict[str, tuple[multiprocessing.process.BaseProcess, float]] = {}
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([WARM])

    def __enter__(self) -> Workers:
        if self.at_once:
            forkserver.ensure_running()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, name: str, command: str, folder: str) -> None:
        """Start a command in a folder."""
        said = str(self._file(name))
        process = self._context.Process(target=_run, args=(command, folder, said), daemon=False)
        process.start()
        self.running[name] = (process, time.monotonic())

    def ended(self, patience: float) -> Iterator[Ended]:
        """Wait until something ends, or for some seconds; yield what ended."""
        sentinels = {process.sentinel: name for name, (process, _) in self.running.items()}
        for sentinel in wait(list(sentinels), patience):
            name = sentinels[int(sentinel)]  # type: ignore[arg-type]
            process, since = self.running.pop(name)
            process.join()
            said = self._file(name).read_text(encoding="utf-8", errors="replace")
            yield Ended(name, process.exitcode or 0, said, time.monotonic() - since)

    def stop(self) -> None:
        """Interrupt what still runs, as Ctrl-C does, and wait until it has cleaned up."""
        for process, _ in self.running.values():
            if process.pid and process.is_alive():
                os.kill(process.pid, signal.SIGINT)
        for process, _ in self.running.values():
            process.join(PATIENCE)
            process.kill()
            process.join()
        self.running = {}

    def _file(self, name: str) -> Path:
        return self.folder / name.replace("/", "_")


def _run(command: str, folder: str, said: str) -> None:
    """Run a command line: one of ours in this process, anything else by a shell."""
    output = writing.output(Path(said))
    for stream in (1, 2):
        os.dup2(output, stream)
    os.chdir(folder)
    words = shlex.split(command)
    if words[0] != "storagelab" or set(command) & set("|&;<>()$`\n"):
        shell = os.environ.get("SHELL") or "/bin/sh"
        os.execv(shell, [shell, "-c", command])
    from storagelab.cli import main

    sys.argv = words
    main()
