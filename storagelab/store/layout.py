"""What lies where in the folder of a store.

- ``storagelab-store.json`` says that it is one;
- ``chunks/<id>/<node>.parquet`` are the rows of some thousand logs, a file a node (``runs``, ``clients``, ``series``,
  ``events``, ``logs``), and in ``unread.parquet`` the logs that could not be read, with the reasons. The id is made of
  the SHA-256 of the logs, so that the same logs make the same chunk. A chunk appears whole, and is never changed;
- ``pending/<plan>/<id>.json`` lists the logs of a chunk that is still to be made. It goes when the chunk is there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storagelab import writing
from storagelab.errors import StoragelabError

MARKER = "storagelab-store.json"
VERSION = 1
CHUNKS, PENDING = "chunks", "pending"
UNREAD = "unread"


def is_store(path: Path | str) -> bool:
    """Whether a folder is a store.

    Parameters
    ----------
    path : Path or str
        A folder.

    Returns
    -------
    bool
        True where it holds what ``storagelab store`` lays down.
    """
    return Path(path, MARKER).is_file()


def require(folder: Path) -> None:
    """Refuse a folder that is no store, or one of another version.

    Raises
    ------
    StoragelabError
        Names the folder, or the file that says so.
    """
    if not is_store(folder):
        raise StoragelabError(f"{folder}: expected a store of logs, found no {MARKER}: `storagelab store` makes one")
    path = folder / MARKER
    try:
        version = json.loads(path.read_text(encoding="utf-8"))["storagelab_store"]
    except (ValueError, KeyError, TypeError):
        raise StoragelabError(f"{path}: expected the version of a store, found none") from None
    if version != VERSION:
        raise StoragelabError(f"{path}: expected a store of version {VERSION}, found {version!r}")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Name a file of a chunk that is damaged: Arrow says what is wrong, and not where.

    Raises
    ------
    StoragelabError
        Says how the chunk comes back.
    OSError
        If the system refuses to read.
    """
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowInvalid, OSError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        remedy = f"remove {path.parent}, and store its logs again"
        raise StoragelabError(f"{path}: a damaged file of a store: {remedy} ({str(error).splitlines()[0]})") from None


def make(folder: Path) -> None:
    """Make a folder a store, if it is none yet.

    Raises
    ------
    StoragelabError
        If it holds something else.
    """
    if is_store(folder):
        require(folder)
        return
    writing.ready(folder)
    if other := next((path for path in sorted(folder.iterdir()) if not path.name.startswith(writing.OURS)), None):
        raise StoragelabError(f"{folder}: expected a store of logs or an empty folder, found {other.name}")
    writing.write_text(folder / MARKER, json.dumps({"storagelab_store": VERSION}) + "\n")


def chunks(folder: Path) -> list[Path]:
    """Folders of all chunks, in the order of their ids."""
    return _below(folder / CHUNKS)


def pending(folder: Path) -> list[Path]:
    """Lists of logs of all chunks that are still to be made, in the order of their plans."""
    return [path for plan in _below(folder / PENDING) for path in _below(plan)]


def clear(folder: Path) -> None:
    """Remove what killed writers left: folders of their own, and plans of which every chunk is made."""
    writing.sweep(folder / CHUNKS)
    writing.sweep(folder / PENDING)
    for plan in _below(folder / PENDING):
        writing.sweep(plan)
        writing.remove_empty(plan)


def _below(folder: Path) -> list[Path]:
    """What is in a folder, but what writers make for themselves; nothing where it is gone."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith(writing.OURS))
    except (FileNotFoundError, NotADirectoryError):
        return []
