"""Files that grow while a command runs, and take their place when it has ended."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from storagelab.writing.disk import UNSUPPORTED, naming, sync
from storagelab.writing.own_folders import ready

BEGUN = ".begun"
"""How the name of a file ends that is still written to; it begins with a dot, so that it is no log of a study."""


def begun(path: Path) -> Path:
    """Where a file grows before it is whole."""
    return path.with_name(f".{path.name}{BEGUN}")


@contextmanager
def growing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that a long command fills: hidden beside its place until the end, and kept as it is if killed.

    Raises
    ------
    FileExistsError
        If it is there already, or another process is writing it, or was killed while it was.
    OSError
        If it cannot be written; names `path`.
    """
    with naming(path):
        ready(path.parent)
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        with open(begun(path), "xb", buffering=0) as file:
            yield cast(BinaryIO, file)
            os.fsync(file.fileno())
        rename_without_replacing(begun(path), path)


def move(path: Path, place: Path) -> None:
    """Move a file to where none is, and bring that to the disk.

    Raises
    ------
    FileExistsError
        If one is there.
    """
    with naming(place):
        ready(place.parent)
        rename_without_replacing(path, place)


def rename_without_replacing(path: Path, place: Path) -> None:
    """Rename a file; unlike os.rename, refuse where there is one. Some file systems know no second name of a file."""
    try:
        os.link(path, place)
        os.remove(path)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EMLINK, *UNSUPPORTED) or os.path.lexists(place):
            raise
        os.rename(path, place)
    sync(place.parent)
