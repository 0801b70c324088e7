"""Logs on disk that no sidecar describes: found below folders, and read into a study of their own."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from storagelab import dataset
from storagelab.errors import ParseError, StoragelabError, UnknownNameError, all_of
from storagelab.ingest.log_file import Log, read_log
from storagelab.ingest.study_dataset import ingest, tidy
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
            continue
        found = _below(path)
        first = next(found, None)
        if first is None:
            raise StoragelabError(f"{path}: a folder without logs{_links_to_folders(path)}")
        yield from chain([first], found)


def _links_to_folders(folder: Path) -> str:
    """Say that links to folders are not followed, where a folder has such."""
    links = sum(path.is_symlink() and path.is_dir() for path in folder.iterdir())
    return f"; links to folders are not followed, and it has {links}" if links else ""


def _below(folder: Path) -> Iterator[Path]:
    """Files below a folder, sorted, and the folders that cannot be looked into: whoever reads them is told why.

    There may be a million: only names are held, of the folders on the way.
    """
    waiting: list[Iterator[tuple[Path, bool]]] = [iter([(folder, True)])]
    while waiting:
        for path, is_folder in waiting[-1]:
            names = _names(path) if is_folder else None
            if names is None:
                yield path
            else:
                waiting.append(_paths(path, names))
                break
        else:
            waiting.pop()


def _paths(folder: Path, names: Iterable[tuple[str, bool]]) -> Iterator[tuple[Path, bool]]:
    return ((folder / name, is_folder) for name, is_folder in names)


def _names(folder: Path) -> list[tuple[str, bool]] | None:
    """Names in a folder, sorted, each with whether it is a folder; None where it cannot be looked into."""
    try:
        with os.scandir(folder) as entries:
            return sorted((entry.name, entry.is_dir()) for entry in entries if _is_wanted(entry))
    except OSError:
        return None


def _is_wanted(entry: os.DirEntry[str]) -> bool:
    """Whether an entry of a folder may be a log, or a folder to look into; what kind it is costs no further look."""
    if entry.name.startswith("."):
        return False
    if entry.is_dir(follow_symlinks=False):
        return True
    if is_sidecar(entry.name):
        return False
    return entry.is_file(follow_symlinks=False) or (entry.is_symlink() and _leads_to_a_file_or_nowhere(entry))


def _leads_to_a_file_or_nowhere(link: os.DirEntry[str]) -> bool:
    """Whether a link is to be read as a log: where it leads nowhere, reading it says so."""
    try:
        return stat.S_ISREG(link.stat().st_mode)
    except OSError:
        return True


def open_logs(*paths: Path | str, format: str = "", errors: Literal["raise", "skip"] = "raise") -> xr.DataTree:
    """Read logs, or all logs below a folder, into one study: what they say of themselves is all it knows.

    Parameters
    ----------
    *paths : Path or str
        Logs, or folders of logs.
    format : str, optional
        Name of their format; recognised by content otherwise.
    errors : {"raise", "skip"}
        Whether a log that cannot be read is an error, or is left out.

    Returns
    -------
    xarray.DataTree
        Nodes ``runs``, ``clients``, ``series`` and ``logs``, as far as the logs have any. With "skip",
        ``storagelab.dataset.about(tree)["skipped"]`` lists what was left out, each with its reason.

    Raises
    ------
    ParseError
        If a log cannot be read; names file and line.
    StoragelabError
        If no log is named, a folder holds no file, or none of the logs could be read.

    Examples
    --------
    >>> storagelab.open_logs("results", errors="skip")["runs"].storage.summarise("throughput")  # doctest: +SKIP
    """
    if not paths:
        raise StoragelabError("no log or folder of logs is named")
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise StoragelabError(f"expected paths of logs or folders, each an argument of its own, got {path!r}")
    if errors not in ("raise", "skip"):
        raise UnknownNameError("way with errors", errors, ("raise", "skip"))
    found = find_logs(map(Path, paths))
    if errors == "raise":
        return tidy(read_log(path, format=format) for path in found)
    skipped: list[str] = []
    tree = tidy(_readable(found, format, skipped))
    if not tree.children:
        raise all_of([StoragelabError(f"none of {len(skipped)} logs could be read"), *map(StoragelabError, skipped)])
    tree.attrs["skipped"] = json.dumps(skipped)
    return tree


def open_any(path: Path | str, format: str = "") -> xr.DataTree:
    """Open what lies there: a dataset, a study with what its sidecars say, or logs that know only themselves.

    Parameters
    ----------
    path : Path or str
        A file named ``.nc``, a folder with a study.yaml, a log, or a folder of logs.
    format : str, optional
        Format of the logs; where it is named, no sidecar is looked at.

    Raises
    ------
    StoragelabError
        If it cannot be read, as `storagelab.dataset.load`, `storagelab.ingest.ingest` or `open_logs`.
    """
    path = Path(path)
    if path.suffix == ".nc":
        return dataset.load(path)
    return ingest(path) if (path / "study.yaml").is_file() and not format else open_logs(path, format=format)


def _readable(paths: Iterable[Path], format: str, skipped: list[str]) -> Iterator[Log]:
    """Read logs; of those that cannot be read, `skipped` gets the reasons."""
    for path in paths:
        try:
            yield read_log(path, format=format)
        except StoragelabError as error:
            skipped.append(str(error) if isinstance(error, ParseError) else f"{path}: {error}")
        except OSError as error:
            skipped.append(f"{path}: {error.strerror or error}")
