"""Which files belong to a study: all below its folder but the hidden ones.

A snapshot of a file system, the folder of a version control and what an editor leaves are hidden. Copies of logs in
them would double every run.
"""

from __future__ import annotations

from pathlib import Path

from storagelab import writing


def files_below(folder: Path) -> list[Path]:
    """Files below a folder, sorted; hidden ones, and those in hidden folders, are none."""
    return sorted(path for path in folder.rglob("*") if not _hidden(folder, path) and path.is_file())


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
