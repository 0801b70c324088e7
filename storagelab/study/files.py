"""Which files belong to a study: all below its folder but the hidden ones.

A snapshot of a file system, the folder of a version control and what an editor leaves are hidden. Copies of logs in
them would double every run.
"""

from __future__ import annotations

from pathlib import Path


def files_below(folder: Path) -> list[Path]:
    """Files below a folder, sorted; hidden ones, and those in hidden folders, are none."""
    return sorted(path for path in folder.rglob("*") if not _hidden(folder, path) and path.is_file())


def hidden_below(folder: Path) -> list[str]:
    """Paths of the hidden files and folders below a folder, sorted; of what is in a hidden folder the folder alone."""
    hidden = (path for path in folder.rglob(".*") if not _hidden(folder, path.parent))
    return sorted(path.relative_to(folder).as_posix() + "/" * path.is_dir() for path in hidden)


def _hidden(folder: Path, path: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)
