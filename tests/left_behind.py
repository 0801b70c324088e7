"""A test fails whose processes outlive it: they take time and files from those that follow, and nobody hears of it.

Who started them may be gone, so this process adopts what its descendants leave (prctl(2), PR_SET_CHILD_SUBREAPER).
Where the system is not Linux nothing is looked for.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

SET_CHILD_SUBREAPER = 36
PATIENCE = 60.0
"""Seconds in which what a test told to end has ended, also where the machine is slow."""
SERVES_ALL = ("tests.warm", "multiprocessing")
"""Modules whose processes serve all tests of a run, whichever asks first."""


def adopt_orphans() -> None:
    """Become the parent of what descendants of this process leave behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> set[str]:
    """Processes that this one started or adopted."""
    if not _has_children():
        return set()
    return {child for thread in Path("/proc/self/task").iterdir() for child in _started_by(thread)}


def _has_children() -> bool:
    """Whether there is any: most tests start none, and the system says so at once."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return sys.platform == "linux"


def _started_by(thread: Path) -> list[str]:
    """Processes of a thread; none of one that has ended meanwhile."""
    with suppress(OSError):
        return (thread / "children").read_text().split()
    return []


def _runs(process: str) -> bool:
    """Whether a process has not ended, and serves one test alone."""
    said = command(process)
    return bool(said) and not any(module in said for module in SERVES_ALL)


def command(process: str) -> str:
    """What a process runs; "" of one that has ended."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    return ""


def outliving(before: set[str], patience: float = PATIENCE) -> Iterator[str]:
    """Wait until what was started since has ended, and name what has not."""
    until = time.monotonic() + patience
    while (left := {*filter(_runs, children() - before)}) and time.monotonic() < until:
        time.sleep(0.01)
    yield from (f"{process}: {command(process)}" for process in sorted(left, key=int))
