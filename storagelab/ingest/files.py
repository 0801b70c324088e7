"""Logs on disk that no sidecar describes: found below folders, and read into a study of their own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from storagelab.ingest.build import tidy
from storagelab.ingest.logs import read_log
from storagelab.study import SIDECARS

if TYPE_CHECKING:
    import xarray as xr


def find_logs(paths: Iterable[Path]) -> Iterator[Path]:
    """Go through files and folders; of a folder all files below it but the hidden ones and the sidecars, sorted."""
    for path in paths:
        if path.is_dir():
            yield from sorted(_below(path))
        else:
            yield path


def _below(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and name not in SIDECARS:
                yield Path(parent, name)


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
    """
    return tidy(read_log(path, format=format) for path in find_logs(map(Path, paths)))
