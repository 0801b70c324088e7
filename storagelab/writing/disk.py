"""Bringing files and folders to the disk, and errors that name the file that was asked for."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OURS = ".storagelab-"
"""How the name of a folder begins that a writer makes for itself: ``.storagelab-HOST-PID-STARTED-NUMBER``."""

UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP)
"""What a file system says that does not know a request at all."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Have errors of the system name the file that was to be written, not the folder of ours in which it was made."""
    try:
        yield
    except OSError as error:
        name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
        if error.errno is None or (name and (OURS not in name or OURS in str(path))):
            raise
        made = iter(Path(name).parts)
        next((part for part in made if part.startswith(OURS)), None)
        raise OSError(error.errno, error.strerror, str(Path(path, *list(made)[1:]))) from error


def sync(path: Path) -> None:
    """Bring a file or a folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
    finally:
        os.close(handle)


def sync_all(folder: Path) -> None:
    """Bring a folder to the disk with all below it."""
    for parent, _, names in os.walk(folder, onerror=_raise):
        for path in (Path(parent, name) for name in names):
            if path.is_file() and not path.is_symlink():
                sync(path)
        sync(Path(parent))


def _raise(error: OSError) -> None:
    raise error
