"""Mutants tried in processes that are forked, each with a bound of CPU and of memory for one mutant.

An alarm of CPU time ends what runs in Python. What runs in a library and hears no alarm is ended by the system a little
later, with its process; the next process goes on behind that mutant.
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import signal
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

SECONDS = 2.0
MEGABYTES = 200
LATER = 8
"""Seconds of CPU after which the system ends a process whose alarm was not heard."""
PAGE = resource.getpagesize()
MILLION = 2**20

Try = Callable[[int], list[str]]
"""What is done with one number; says what is wrong."""


class Fault(NamedTuple):
    """The number of a mutant and what is wrong with what became of it."""

    seed: int
    said: str


class Share(NamedTuple):
    """Numbers from `start` to before `end`, and what was found among them."""

    start: int
    end: int
    faults: list[Fault]


class _OutOfTimeError(BaseException):
    """The alarm went off; nothing that catches exceptions of parsers catches it."""


def bounded(attempt: Try, seed: int, seconds: float = SECONDS, megabytes: int = MEGABYTES) -> list[str]:
    """Try one number within its bounds of CPU and memory; what goes beyond is said like any other fault."""
    try:
        with _within(seconds, megabytes):
            return attempt(seed)
    except _OutOfTimeError:
        return [f"took more than {seconds:g} s of CPU"]
    except MemoryError:
        return [f"took more than {megabytes} MB"]


@contextmanager
def _within(seconds: float, megabytes: int) -> Iterator[None]:
    """Bound what runs inside. Memory is address space beyond what the process has, as for ``--max-memory``."""

    def late(number: int, frame: FrameType | None) -> None:
        raise _OutOfTimeError

    memory, cpu = resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_CPU)
    handler = signal.signal(signal.SIGPROF, late)
    own = int(Path("/proc/self/statm").read_text().split()[0]) * PAGE
    resource.setrlimit(resource.RLIMIT_AS, (own + megabytes * MILLION, memory[1]))
    resource.setrlimit(resource.RLIMIT_CPU, (int(_cpu() + seconds + LATER), cpu[1]))
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_CPU, cpu)
        resource.setrlimit(resource.RLIMIT_AS, memory)
        signal.signal(signal.SIGPROF, handler)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def shares(attempt: Try, waiting: Iterator[range], jobs: int) -> Iterator[Share]:
    """Try shares of numbers in so many processes at once, and yield each as soon as it is done."""
    running: dict[int, _Worker] = {}
    try:
        while True:
            while len(running) < jobs and (numbers := next(waiting, None)):
                worker = _Worker(attempt, numbers)
                running[worker.pid] = worker
            if not running:
                return
            pid, status = os.waitpid(-1, 0)
            if pid not in running:  # who started it has ended before it
                continue
            share, rest = running.pop(pid).ended(status)
            yield share
            if rest:
                worker = _Worker(attempt, rest)
                running[worker.pid] = worker
    finally:
        for pid in running:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


class _Worker:
    """A process that tries numbers one after the other, and writes down at which it is."""

    def __init__(self, attempt: Try, numbers: range) -> None:
        self._numbers = numbers
        self._at = mmap.mmap(-1, 8)
        self._said = os.memfd_create("faults")
        self.pid = os.fork()
        if self.pid == 0:
            self._run(attempt)

    def _run(self, attempt: Try) -> None:
        try:
            os.nice(15)
            for seed in self._numbers:
                self._at[:] = struct.pack("q", seed)
                for said in bounded(attempt, seed):
                    os.write(self._said, json.dumps([seed, said]).encode() + b"\n")
            self._at[:] = struct.pack("q", self._numbers.stop)
        finally:
            os._exit(0)

    def ended(self, status: int) -> tuple[Share, range]:
        """Return what was tried and found, and what is left where the process did not come to its end."""
        os.lseek(self._said, 0, os.SEEK_SET)
        with os.fdopen(self._said, "rb") as file:
            faults = [Fault(*json.loads(line)) for line in file]
        at = struct.unpack("q", self._at[:])[0]
        if at < self._numbers.stop:
            faults.append(Fault(at, f"ended the process: {_how(status)}"))
            at += 1
        return Share(self._numbers.start, at, faults), range(at, self._numbers.stop)


def _how(status: int) -> str:
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"status {status}"
