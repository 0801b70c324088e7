"""What reading one log may cost: seconds, and bytes of memory. A log beyond is refused, and hides no other.

The seconds are those of a clock, so that a pipe to which nobody writes is given up too; an alarm of the system ends
whatever runs. The bytes are address space beyond what the process has when it begins to read a log
(setrlimit(2), RLIMIT_AS). Both are of Unix and of the main thread: elsewhere a log may cost what it likes, and where a
program has an alarm of its own, it keeps it.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from storagelab import units
from storagelab.errors import ParseError, StoragelabError

SECONDS = 600.0
MEMORY = "8G"
"""What a log may cost unless somebody says otherwise: the largest of our studies takes a hundredth of either."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What reading one log may cost; infinity is no bound."""

    seconds: float = float("inf")
    memory: float = float("inf")


_NO_BOUNDS = Bounds()
_OF_EACH_LOG: ContextVar[Bounds] = ContextVar("bounds of each log", default=_NO_BOUNDS)


def bounds(max_time: float, max_memory: str) -> Bounds:
    """Make bounds of what a user said: seconds, and a size such as ``8G``; 0 is no bound.

    Raises
    ------
    StoragelabError
        If one of them is none.
    """
    try:
        memory = units.binary_size(max_memory)
    except StoragelabError as error:
        raise StoragelabError(f"--max-memory: {error}") from None
    if not max_time >= 0:
        raise StoragelabError(f"--max-time: expected seconds, found {max_time:g}")
    return Bounds(max_time or float("inf"), memory or float("inf"))


@contextmanager
def of_each_log(wanted: Bounds) -> Iterator[None]:
    """Bound each log that is read inside."""
    token = _OF_EACH_LOG.set(wanted)
    try:
        yield
    finally:
        _OF_EACH_LOG.reset(token)


def of_now() -> Bounds:
    """Return the bounds of each log that is read here and now, for another process to keep."""
    return _OF_EACH_LOG.get()


class _OutOfTimeError(BaseException):
    """The alarm went off; nothing that catches exceptions of parsers catches it."""


@contextmanager
def bounded() -> Iterator[None]:
    """Read one log inside.

    Raises
    ------
    ParseError
        If it costs more than the bounds allow; names the bound.
    """
    wanted = _OF_EACH_LOG.get()
    try:
        if wanted is _NO_BOUNDS:
            yield
        else:
            with _within(wanted):
                yield
    except _OutOfTimeError:
        limit = f"a log that is read in {wanted.seconds:g} seconds (--max-time)"
        raise ParseError(limit, "one that takes longer") from None
    except MemoryError:
        if wanted.memory == float("inf"):
            raise ParseError("a log that fits into memory", "one that needs more than there is") from None
        limit = f"a log that is read in {wanted.memory / units.MIB:g} MiB of memory (--max-memory)"
        raise ParseError(limit, "one that needs more") from None


@contextmanager
def _within(wanted: Bounds) -> Iterator[None]:
    with _seconds(wanted.seconds), _memory(wanted.memory):
        yield


@contextmanager
def _seconds(limit: float) -> Iterator[None]:
    in_use = threading.current_thread() is threading.main_thread() and signal.getitimer(signal.ITIMER_REAL)[0]
    if limit == float("inf") or in_use or threading.current_thread() is not threading.main_thread():
        yield
        return

    def too_late(number: int, frame: FrameType | None) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, min(limit, threading.TIMEOUT_MAX))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _memory(limit: float) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = int(_address_space() + limit) if limit < float("inf") else 0
    ends = [end for end in (soft, hard) if end != resource.RLIM_INFINITY]
    if not allowed or sys.platform != "linux" or allowed >= min(ends, default=sys.maxsize):
        yield
        return
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _address_space() -> int:
    """Bytes of address space of this process, proc_pid_statm(5); asked for each log, so with the fewest calls."""
    if not _HAS_PROC:
        return 0
    file = os.open(_STATM, os.O_RDONLY)
    try:
        return int(os.read(file, 128).split()[0]) * resource.getpagesize()
    finally:
        os.close(file)


_STATM = "/proc/self/statm"
_HAS_PROC = Path(_STATM).exists()
