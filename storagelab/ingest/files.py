"""Logs on disk that no sidecar describes: found below folders, and read into a study of their own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from storagelab.errors import StoragelabError
from storagelab.ingest.build import tidy
from storagelab.ingest.logs import read_log
from storagelab.study import is_sidecar

if TYPE_CHECKING:
    import xarray as xr


def find_logs(paths: Iterable[Path]) -> Iterator[Path]:
    """Go through files and folders; of a folder all files below it but the hidden ones and the sidecars, sorted.

    A pipe is read where it is named, but not where a folder holds it: nobody may ever write to it.

    Raises
    ------
    StoragelabError
        If a folder holds no file.
    """
    for path in dict.fromkeys(paths):
        if not path.is_dir():
            yield path
        elif found := sorted(_below(path)):
            yield from found
        else:
            raise StoragelabError(f"{path}: a folder without logs")


def _below(folder: Path) -> Iterator[Path]:
    """Files below a folder, and the folders that cannot be looked into: whoever reads them is told why."""
    closed: list[OSError] = []
    for parent, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(parent, name)
            if not name.startswith(".") and not is_sidecar(name) and (path.is_file() or not path.exists()):
                yield path
    yield from (Path(error.filename) for error in closed)


def open_logs(*paths: Path | str, format: str = "") -> xr.DataTree:
    """Read logs, or all logs below a folder, into one study: what they say of themselves is all it knows.

    Parameters
    ----------
    *paths : Path or str
        Logs, or folders of logs.
    format : str, optional
        Name of their format; recognised by content otherwise.

    Returns
    -------
    xarray.DataTree
        Nodes ``runs``, ``clients``, ``series`` and ``logs``, as far as the logs have any.

    Raises
    ------
    ParseError
        If a log cannot be read; names file and line.
    StoragelabError
        If no log is named, or a folder holds no file.
    """
    if not paths:
        raise StoragelabError("no log or folder of logs is named")
    return tidy(read_log(path, format=format) for path in find_logs(map(Path, paths)))
