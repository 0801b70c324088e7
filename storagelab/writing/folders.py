"""Folders that are replaced, or renewed in part, in one step."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from storagelab.writing.disk import OURS, UNSUPPORTED, naming, sync, sync_all
from storagelab.writing.files import keep_permissions
from storagelab.writing.own_folders import OLD, names_in, own_folder


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder to fill that then takes the place of `path`; if anything fails, what was there stays.

    Raises
    ------
    OSError
        If it cannot be written; names `path`, or the file below it.
    """
    place = Path(os.path.realpath(path))
    with naming(path), own_folder(place.parent) as own:
        new = own / place.name
        os.mkdir(new)
        yield new
        keep_permissions(place, new)
        sync_all(new)
        _put_in_place(new, place)
        sync(place.parent)


@contextmanager
def renewed_folder(path: Path, renewed: Collection[str]) -> Iterator[Path]:
    """Give an empty folder to fill with what is renewed in `path`; all else stays, and all changes in one step.

    Parameters
    ----------
    path : Path
        A folder that is there.
    renewed : collection of str
        Names of what is made anew: of these nothing old stays.
    """
    place = Path(os.path.realpath(path))
    with naming(path), own_folder(place.parent) as own:
        new = own / place.name
        os.mkdir(new)
        yield new
        for name in os.listdir(place):
            if name not in renewed and not name.startswith(OURS):
                _keep(place / name, new / name)
        keep_permissions(place, new)
        sync_all(new)
        _take_over(_put_in_place(new, place), place, renewed)
        sync(place.parent)


def remove_empty(folder: Path) -> None:
    """Remove a folder if nothing is in it."""
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def _take_over(old: Path, place: Path, renewed: Collection[str]) -> None:
    """Move to the new folder what other processes wrote into the old one just before the step, or still write."""
    for name in names_in(old):
        there, here = old / name, place / name
        if name not in renewed and not (os.path.lexists(here) and (there.is_dir() or _is_one(there, here))):
            os.replace(there, here)


def _is_one(one: Path, other: Path) -> bool:
    return os.path.samestat(os.lstat(one), os.lstat(other))


def _keep(there: Path, here: Path) -> None:
    """Have a file, a link or a folder in a second place as well, without a copy of its bytes where that is possible."""
    if there.is_dir() and not there.is_symlink():
        shutil.copytree(there, here, symlinks=True, copy_function=_keep_file)
    else:
        _keep_file(str(there), str(here))


def _keep_file(there: str, here: str) -> None:
    try:
        os.link(there, here, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EMLINK, errno.EXDEV, *UNSUPPORTED):
            raise
        shutil.copy2(there, here, follow_symlinks=False)


def _put_in_place(new: Path, path: Path) -> Path:
    """Rename a folder to where another may be, and return where that one is then: in our own folder."""
    if not os.path.lexists(path):
        os.rename(new, path)
    elif not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    elif not _exchange(new, path):
        old = new.with_name(OLD) / path.name
        os.mkdir(old.parent)
        _move(path, old)
        os.rename(new, path)
        return old
    return new


def _move(folder: Path, place: Path) -> None:
    try:
        os.rename(folder, place)
    except OSError as error:
        if error.errno != errno.EXDEV:  # what an overlay says of a folder of its lower layer
            raise
        shutil.move(folder, place)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system or the file system cannot: see renameat2(2) of Linux."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    if rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0:
        return True
    if (number := ctypes.get_errno()) in (errno.ENOSYS, errno.EXDEV, *UNSUPPORTED):
        return False
    raise OSError(number, os.strerror(number), str(other))
