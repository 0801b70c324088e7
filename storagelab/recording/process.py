"""A command, run with what it prints shown and kept at once, whatever ends it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

Show = Callable[[bytes], object]
PIECE = 2**16
NOT_FOUND, NOT_RUN = 127, 126
"""What shells say of a command that is not there, and of one that cannot be started."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit status as shells count it, and the signals that were passed on to it."""

    status: int
    passed: Sequence[str]


def run(command: Sequence[str], keep: Show, out: Show, err: Show, told: Callable[[int], object] | None = None) -> Ended:
    """Run a command; SIGINT and SIGTERM go to it and all that it started, and it is waited for.

    Parameters
    ----------
    command : sequence of str
    keep : callable
        Gets all that is printed, in the order in which it came; no line of one stream stands inside one of the other.
    out, err : callable
        Get what is printed to standard output and to standard error.
    told : callable, optional
        Gets the id of the process once it runs.

    Raises
    ------
    FileNotFoundError
        If there is no such command.
    OSError
        If it cannot be started.
    """
    passed: list[str] = []
    with _passing_on(passed) as started:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0, bufsize=0,
            stdin=subprocess.DEVNULL if sys.stdin is None or sys.stdin.isatty() else None, preexec_fn=end_with_us,
        )  # fmt: skip
        started(process)
        if told:
            told(process.pid)
        with process:
            _read(process, Whole(keep), out, err)
            code = process.wait()
    return Ended(128 - code if code < 0 else code, passed)


def end_with_us() -> None:
    """Ask Linux to end the command if we are killed: see PR_SET_PDEATHSIG in prctl(2). Others know nothing like it."""
    if _PRCTL is not None:
        _PRCTL(1, signal.SIGTERM)


_PRCTL = getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None


@contextmanager
def _passing_on(passed: list[str]) -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Hand signals on to the group of the command, once it has started, instead of ending."""
    group: list[subprocess.Popen[bytes]] = []

    def send(number: int) -> None:
        for process in group:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)

    def pass_on(number: int, frame: object) -> None:
        passed.append(signal.Signals(number).name)
        send(number)

    def started(process: subprocess.Popen[bytes]) -> None:
        group.append(process)
        for name in passed:  # came before there was a command
            send(signal.Signals[name])

    if threading.current_thread() is not threading.main_thread():
        yield started
        return
    before = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield started
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _read(process: subprocess.Popen[bytes], whole: Whole, out: Show, err: Show) -> None:
    """Read both streams until both are closed."""
    with selectors.DefaultSelector() as waiting:
        for stream, show, keep in ((process.stdout, out, whole.out), (process.stderr, err, whole.err)):
            waiting.register(_there(stream), selectors.EVENT_READ, (show, keep))
        while waiting.get_map():
            for key, _ in waiting.select():
                show, keep = key.data
                if data := os.read(key.fd, PIECE):
                    show(data)
                    keep(data)
                else:
                    waiting.unregister(key.fileobj)
    whole.end()


def _there(stream: IO[bytes] | None) -> Any:
    assert stream is not None
    return stream


class Whole:
    """Two streams as one, in which lines of the second do not fall into lines of the first."""

    def __init__(self, keep: Show) -> None:
        self._keep = keep
        self._at_start = True
        self._errors = b""

    def out(self, data: bytes) -> None:
        """Take what came on standard output."""
        self._keep(data)
        self._at_start = data.endswith(b"\n")
        self._told()

    def err(self, data: bytes) -> None:
        """Take what came on standard error."""
        self._errors += data
        self._told()

    def _told(self) -> None:
        """Keep whole lines of standard error, where standard output is not in the middle of one."""
        lines, newline, rest = self._errors.rpartition(b"\n")
        if self._at_start and newline:
            self._keep(lines + newline)
            self._errors = rest

    def end(self) -> None:
        """Keep what is left of a line."""
        if self._errors:
            self._keep((b"" if self._at_start else b"\n") + self._errors)
