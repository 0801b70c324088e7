"""Which files belong to a study: all below its folder but the hidden ones.

A snapshot of a file system, the folder of a version control and what an editor leaves are hidden. Copies of logs in
them would double every run.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from storagelab import writing


def files_below(folder: Path, *, hidden: bool = False, named: str = "") -> list[Path]:
    """Files below a folder, sorted; hidden ones, and those in hidden folders, only if they are asked for.

    With a name, only files of that name are looked at.

    A link to a file is one; a link to a folder is not followed, and one that leads nowhere is no file.

    Raises
    ------
    OSError
        If a folder cannot be looked into, or a file not at: without it there would be fewer runs, and nobody knew.
    """
    found: list[Path] = []
    for parent, folders, names in os.walk(folder, onerror=_unless_it_is_gone):
        folders[:] = [name for name in folders if hidden or not name.startswith(".")]
        asked = (name for name in names if name == named) if named else names
        found += (Path(parent, name) for name in asked if hidden or not name.startswith("."))
    return sorted(path for path in found if is_file(path))


def folders_with(name: str, folder: Path) -> list[Path]:
    """Folders in a folder that hold a file of a name, sorted; hidden ones are none.

    Raises
    ------
    OSError
        If one of them cannot be looked at: `Path.glob` would leave it out in silence.
    """
    return [path for path in visible(folder) if is_file(path / name)]


def visible(folder: Path) -> list[Path]:
    """What is in a folder, sorted, but what is hidden; nothing where there is no folder.

    Raises
    ------
    OSError
        If it cannot be looked into.
    """
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except FileNotFoundError:
        return []


def _unless_it_is_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def is_file(path: Path) -> bool:
    """Whether a path is a file; unlike `Path.is_file`, refuse to say so of one that cannot be looked at.

    Raises
    ------
    OSError
        If it cannot.
    """
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def hidden_below(folder: Path) -> list[str]:
    """Paths of the hidden files and folders below a folder, sorted; of what is in a hidden folder the folder alone.

    What a writer of storagelab that was killed left is none of them: the next one removes it.
    """
    hidden = (path for path in folder.rglob(".*") if not _hidden(folder, path.parent) and not _ours(path))
    return sorted(path.relative_to(folder).as_posix() + "/" * path.is_dir() for path in hidden)


def _ours(path: Path) -> bool:
    return path.name.startswith(writing.OURS)


def _hidden(folder: Path, path: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)
