"""Files that are replaced in one step, and lines that are added to one."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from storagelab.writing.disk import naming, sync
from storagelab.writing.own_folders import own_folder, ready


def write_text(path: Path, text: str) -> None:
    """Write a file of text in UTF-8, line ends as they are."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file."""
    with new_file(path) as beside:
        put(beside, data)


def put(path: Path, data: bytes) -> None:
    """Write a file, and the folders above it, into a folder that is itself new: nobody reads there yet."""
    with naming(path):
        os.makedirs(path.parent, exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def make(folder: Path) -> None:
    """Make a folder in one that is itself new."""
    with naming(folder):
        os.mkdir(folder)


def append_to(path: Path) -> None:
    """Write a little more to a file that a library gave up on without a reason: the system may say one."""
    with open(path, "ab") as file:
        file.write(bytes(2**16))
        file.flush()
        os.fsync(file.fileno())


def output(path: Path) -> int:
    """Open a file in a scratch folder for what a command says, and return its descriptor."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)


def nowhere(flags: int) -> TextIO:
    """Open the null device as a stream at the lowest descriptor that is free; read-only, it refuses what is written."""
    return open(os.open(os.devnull, flags), "w", encoding="utf-8", errors="backslashreplace")


@contextmanager
def new_text(path: Path) -> Iterator[TextIO]:
    """Open a file of text to write to; a pipe or a device, which cannot be replaced, is written to as it is."""
    if path.exists() and not path.is_file():
        with naming(path), open(path, "w", encoding="utf-8") as pipe:
            yield pipe
        return
    with new_file(path) as beside, open(beside, "w", encoding="utf-8", newline="") as file:
        yield file


@contextmanager
def new_compressed_text(path: Path) -> Iterator[TextIO]:
    """Open a file of text that is compressed by gzip, without a name and a time in it: same text, same bytes."""
    with (
        new_file(path) as beside,
        open(beside, "wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed,
        io.TextIOWrapper(compressed, encoding="utf-8", newline="") as text,
    ):
        yield text


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Say where to write a file that then takes its place; if anything fails, what was there stays.

    Raises
    ------
    OSError
        If it cannot be written; names `path`.
    """
    place = Path(os.path.realpath(path))
    with naming(path), own_folder(place.parent) as own:
        yield own / place.name
        keep_permissions(place, own / place.name)
        sync(own / place.name)
        os.replace(own / place.name, place)
        sync(place.parent)


def keep_permissions(old: Path, new: Path) -> None:
    """Let the same people read what is new as could read what it replaces."""
    if old.exists():
        shutil.copymode(old, new)


def link(paths: Iterable[Path], folder: Path) -> None:
    """Have files and folders, those that are there, in a folder that is itself new, by symbolic links."""
    for path in paths:
        if path.exists():
            with naming(folder / path.name):
                os.makedirs(folder, exist_ok=True)
                os.symlink(os.path.realpath(path), folder / path.name)


def remove(*paths: Path) -> None:
    """Remove files, those that are there."""
    for path in paths:
        with naming(path), contextlib.suppress(FileNotFoundError):
            os.remove(path)


def append_line(path: Path, text: str) -> None:
    """Add a line to a file and bring it to the disk; one that was cut off before stays a line of its own."""
    with naming(path):
        ready(path.parent)
        with open(path, "ab+") as file:
            whole = file.seek(0, os.SEEK_END) == 0 or (file.seek(-1, os.SEEK_END), file.read())[1] == b"\n"
            file.write(b"" if whole else b"\n")
            file.write(text.encode("utf-8") + b"\n")
            file.flush()
            os.fsync(file.fileno())
        sync(path.parent)
