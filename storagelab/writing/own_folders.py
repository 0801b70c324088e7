"""Folders that a writer makes for itself, and what killed writers left of theirs."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from storagelab.writing.disk import OURS

OLD = ".old"
"""Folder of our own folder that holds what went aside; if its place is empty, it goes back there."""
ENDED = "ended"
"""When a process started of which the system knows no more than that it has ended."""


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder for what nobody keeps, among the temporary files of the system; at the end it is gone."""
    with own_folder(Path(tempfile.gettempdir())) as own:
        yield own


@contextmanager
def scratch_file() -> Iterator[BinaryIO]:
    """Open a temporary file to write and read; it has no name, and goes with the process."""
    with tempfile.TemporaryFile() as file:
        yield cast(BinaryIO, file)


@contextmanager
def own_folder(parent: Path) -> Iterator[Path]:
    """Make a folder that is ours below another; at the end it is gone, with what was replaced."""
    ready(parent)
    own = _made(parent)
    try:
        yield own
    finally:
        with contextlib.suppress(OSError):  # what is left is for the next writer
            _put_back(own / OLD, parent)
            shutil.rmtree(own)


def _made(parent: Path) -> Path:
    for number in itertools.count():
        own = parent / f"{OURS}{this_host()}-{os.getpid()}-{start_of(os.getpid())}-{number}"
        with contextlib.suppress(FileExistsError):
            os.mkdir(own)
            return own
    raise AssertionError


def ready(folder: Path) -> None:
    """Make a folder and those above it, and clear it of what killed writers left.

    Raises
    ------
    NotADirectoryError
        If a file stands in the way.
    """
    sweep(folder if folder.is_dir() else folder.parent)  # the folder may be what somebody was about to replace
    if not folder.exists():
        ready(folder.parent)
        with contextlib.suppress(FileExistsError):  # somebody else may make it at the same time
            os.mkdir(folder)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def sweep(folder: Path) -> None:
    """Remove from a folder what writers left that were killed, and put back what they had taken aside.

    What processes make that still run, and what those of other hosts do, is let alone.
    """
    for name in names_in(folder):
        if name.startswith(OURS) and _is_over(name):
            with contextlib.suppress(OSError):  # who may not write there cannot sweep either
                _put_back(folder / name / OLD, folder)
                shutil.rmtree(folder / name)


def _put_back(old: Path, folder: Path) -> None:
    try:
        names = os.listdir(old)  # if nobody may look, nobody may remove what is there
    except FileNotFoundError:
        return
    for name in names:
        if not os.path.lexists(folder / name):
            os.rename(old / name, folder / name)


def _is_over(name: str) -> bool:
    """Whether the process that a folder of ours is named after has ended; False where nobody here can tell."""
    try:
        host, pid, started, _ = name.removeprefix(OURS).rsplit("-", 3)
        if host != this_host() or sys.platform == "win32":
            return False
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, ValueError, OverflowError):
        return False
    now = start_of(int(pid))
    return "" not in (now, started) and now != started


def this_host() -> str:
    """Name of this machine, as it stands in the names of our folders."""
    return platform.node().replace("/", "_")


def start_of(pid: int) -> str:
    """When a process started, in ticks since the system did: its id alone may be another's by now. "" if unknown.

    `ENDED` where nobody has taken note of its end yet, for which some containers have nobody.

    Asked of its first thread: of a process as a whole an emulator (qemu-user) tells that process another time.
    """
    try:
        state, *fields = Path(f"/proc/{pid}/task/{pid}/stat").read_text().rpartition(")")[2].split()  # proc_pid_stat(5)
    except OSError:
        return ""
    return ENDED if state in "ZX" else fields[18]


def names_in(folder: Path) -> list[str]:
    """Names in a folder, sorted; none where there is no folder, or nobody may look into it."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
