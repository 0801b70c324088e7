"""Commands side by side, each in a process forked from one that has imported what it needs.

The servers live as long as one call of ``storagelab reports``, so that they never serve code that has changed since.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from storagelab.cli.fork_server import Order, send
from storagelab.errors import StoragelabError

IMPORTED = ("storagelab.cli.preload_logs", "storagelab.cli.preload")
"""What the servers import, one after the other."""
OF_LOGS = ("storagelab ingest ", "storagelab reconstruct ")
"""Commands that need no more than the first of them."""
SERVE = """
import json, sys

sys.path[:], *given = json.loads(sys.argv[1])
from storagelab.cli.fork_server import serve

serve(*given)
"""
PATIENCE = 10.0
"""Seconds that a command gets to leave after it was interrupted."""
GONE = "its process was killed, or crashed"


class Ended(NamedTuple):
    """A command that ended: its name, its exit status, all that it said, and how many seconds it took."""

    name: str
    status: int
    said: str
    seconds: float


class _Running:
    """A command that was ordered: its process tells its id, and then its exit status."""

    def __init__(self, result: int) -> None:
        self.since = time.monotonic()
        self._result = result
        self._told = b""
        self._gone = False

    def fileno(self) -> int:
        """Return what there is to wait for."""
        return self._result

    def hear(self) -> None:
        """Take in what the process tells; there is no more once it is gone."""
        told = os.read(self._result, 64)
        self._told += told
        self._gone = not told

    def pid(self) -> int | None:
        """Return the process, once there is one."""
        return int(lines[0]) if (lines := self._told.splitlines()) else None

    def status(self) -> int | None:
        """Return the exit status, once it is told."""
        return int(lines[1]) if len(lines := self._told.splitlines()) > 1 else None

    def has_ended(self) -> bool:
        """Whether there is nothing to wait for."""
        return self._gone or self.status() is not None

    def interrupt(self) -> None:
        """Interrupt the command and all that it started, as Ctrl-C does, once it has begun."""
        self._wait_for(self.pid)
        if not self.has_ended():
            self.signal(signal.SIGINT)

    def end(self) -> None:
        """Wait until it has cleaned up, or kill it."""
        self._wait_for(self.status)
        self.close()

    def close(self) -> None:
        """Hear no more; what a process that was killed has left behind goes too."""
        os.close(self._result)
        if self.status() is None:
            self.signal(signal.SIGKILL)

    def signal(self, number: int) -> None:
        """Send the command and all that it started a signal, once it has begun."""
        if pid := self.pid():
            with suppress(ProcessLookupError):
                os.killpg(pid, number)

    def _wait_for(self, known: Callable[[], int | None]) -> None:
        until = time.monotonic() + PATIENCE
        while known() is None and not self._gone and select.select([self], [], [], max(0, until - time.monotonic()))[0]:
            self.hear()


class Workers:
    """Runs commands; a context that leaves none of them behind, nor running while Ctrl-Z holds this process.

    Parameters
    ----------
    folder : Path
        Where the outputs of commands are collected.
    at_once : bool
        Whether the servers start to import with the context, and not with the first command: then they have imported
        when that comes, in vain where none does.
    """

    def __init__(self, folder: Path, *, at_once: bool = True) -> None:
        self.folder, self.at_once = folder, at_once
        self.running: dict[str, _Running] = {}
        self._servers: list[socket.socket] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._asked = self._to_suspend = False

    def __enter__(self) -> Workers:
        self._before = signal.signal(signal.SIGTSTP, self._ask_to_suspend)
        if self.at_once:
            self._begin()
        return self

    def _ask_to_suspend(self, *_: object) -> None:
        """Leave it to `ended`: a signal may come amid anything."""
        self._to_suspend = True

    def _suspend(self) -> None:
        """Stop, and go on, with all commands: each leads a group of its own, of which a terminal does not know."""
        self._to_suspend = False
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for command in self.running.values():
                command.signal(number)
            os.kill(os.getpid(), number)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGTSTP, self._before)
        self.stop()
        for server in self._servers:
            server.close()
        if self._process:
            if not self._asked:
                self._process.kill()  # nobody waits for imports that nothing needs
            self._process.wait()

    def _begin(self) -> None:
        """Start the servers."""
        pairs = [socket.socketpair() for _ in IMPORTED]
        theirs = [their.fileno() for _, their in pairs]
        given = json.dumps([sys.path, theirs, IMPORTED])
        self._process = subprocess.Popen([sys.executable, "-P", "-c", SERVE, given], pass_fds=theirs)
        self._servers = [ours for ours, _ in pairs]
        for _, their in pairs:
            their.close()

    def start(self, name: str, command: str, folder: str) -> None:
        """Start a command in a folder.

        Raises
        ------
        StoragelabError
            If the servers are gone; why, Python said on standard error.
        """
        if not self._servers:
            self._begin()
        self._asked = True
        server = self._servers[0 if command.startswith(OF_LOGS) else -1]
        ours, theirs = os.pipe()
        try:
            send(Order(command, folder, str(self._file(name))), theirs, server)
        except BrokenPipeError:
            raise StoragelabError(f"{name}: cannot be started: what commands are started from has failed") from None
        finally:
            os.close(theirs)
        self.running[name] = _Running(ours)

    def ended(self, patience: float) -> Iterator[Ended]:
        """Wait until something is told, or for some seconds; yield what ended."""
        told, _, _ = select.select(list(self.running.values()), [], [], patience if self.running else 0)
        for name, command in list(self.running.items()):
            if command in told:
                command.hear()
            if command.has_ended():
                del self.running[name]
                command.close()
                yield self._ended(name, command)
        if self._to_suspend:
            self._suspend()

    def stop(self) -> None:
        """Interrupt what still runs, as Ctrl-C does, and wait until it has cleaned up."""
        for command in self.running.values():
            command.interrupt()
        for command in self.running.values():
            command.end()
        self.running = {}

    def _ended(self, name: str, command: _Running) -> Ended:
        place = self._file(name)
        said = place.read_text(encoding="utf-8", errors="replace") if place.exists() else ""
        if (status := command.status()) is None:
            status, said = 1, said + GONE
        return Ended(name, status, said, time.monotonic() - command.since)

    def _file(self, name: str) -> Path:
        return self.folder / name.replace("/", "_")
