"""Thin intake drivers, so that ``catalogs/storagelab.yml`` can name raw logs, datasets and papers.

They open what the library opens and add nothing; parameters and their allowed values stand in the catalog. No template
engine sees what a user gives: intake would render it, and with it run code that somebody put there. It is held against
the catalog here, and a path may not leave its study.
"""

from __future__ import annotations

from storagelab import optional_packages

optional_packages.require("pipeline", "storagelab.catalog")

import os
import warnings
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from intake.source.base import DataSource, Schema

import storagelab.interactive  # noqa: F401  what the drivers open has the accessor
from storagelab import __version__, dataset
from storagelab.errors import StoragelabError, UnknownNameError
from storagelab.ingest.logs_without_study import open_logs

# intake says that it runs no shell command whenever the catalog gives a parameter a default that is text.
warnings.filterwarnings("ignore", "Shell command not executed", UserWarning, "intake.catalog.utils")

if TYPE_CHECKING:
    import xarray as xr


class _Source(DataSource):
    """What the drivers share: one file or folder of a study, read at once.

    Parameters
    ----------
    root : str
        Folder that holds a folder for each study.
    study : str
        Name of the study.
    metadata : dict, optional
        What the catalog says of it.
    """

    version: Any = __version__
    partition_access = False

    def __init__(self, root: str, study: str, metadata: dict[str, Any] | None = None) -> None:
        super().__init__(metadata=metadata)  # type: ignore[no-untyped-call]
        if "://" in root:
            raise StoragelabError(
                f"{root}: expected a folder: what a catalog names is read where it lies, by no address"
            )
        self.folder = Path(os.path.normpath(root)) / inside(study, "study")

    def configure_new(self, **given: Any) -> Any:
        """Open the same with other parameters, which the catalog must know and allow.

        Raises
        ------
        TypeError
            If the catalog has no such parameter.
        ValueError
            If a value is not one of those that it allows.
        """
        parameters: list[Any] = self._entry._user_parameters if self._entry else []
        for parameter in parameters:
            if parameter.name in given:
                parameter.validate(given[parameter.name])
        source: Any = type(self)(**{**self._captured_init_kwargs, **given})
        source._entry, source._passed_kwargs = self._entry, list(given)
        return source

    __call__ = get = configure_new

    def _get_schema(self) -> Schema:
        return Schema(datashape=None, dtype=None, shape=None, npartitions=1, extra_metadata={})

    def _close(self) -> None:
        """Nothing stays open."""


LONGEST_PATH, LONGEST_NAME = 4095, 255
"""Bytes that Linux takes of a path and of a name in it."""


def inside(path: str, parameter: str = "path") -> PurePosixPath:
    """Return a path that stays in its folder.

    Parameters
    ----------
    path : str
        A path as a catalog gives it.
    parameter : str, optional
        What the catalog calls it.

    Returns
    -------
    PurePosixPath
        The path, without what leads nowhere.

    Raises
    ------
    StoragelabError
        If it does not, or no file can be called so.

    Examples
    --------
    >>> str(inside("gluster/./dist"))
    'gluster/dist'
    """
    found = PurePosixPath(path)
    if found.is_absolute() or ".." in found.parts or "\0" in path:
        raise StoragelabError(f"{parameter} {path!r:.200}: expected one below the folder of the study, without `..`")
    size, longest = len(os.fsencode(path)), max(map(len, map(os.fsencode, found.parts)), default=0)
    if size > LONGEST_PATH or longest > LONGEST_NAME:
        raise StoragelabError(
            f"{parameter} {path[:60]!r}...: expected at most {LONGEST_PATH:,} bytes, and {LONGEST_NAME} in each name, "
            f"found {size:,} and {longest:,}"
        )
    return found


class LogSource(_Source):
    """Raw logs, read into a study that knows what they say of themselves.

    Parameters
    ----------
    root, study
        Folder of all studies, and the name of one.
    path : str, optional
        A log, or a folder of logs, below the folder of the study; all of them otherwise.
    format : str, optional
        Name of their format; recognised by content otherwise.
    metadata : dict, optional
        What the catalog says of them.
    """

    name: Any = "storagelab_log"
    container: Any = "xarray"

    def __init__(
        self, root: str, study: str, path: str = ".", format: str = "", metadata: dict[str, Any] | None = None
    ) -> None:
        super().__init__(root, study, metadata)
        self.path = self.folder / inside(path)
        self.format = format

    def read(self) -> xr.DataTree:
        """Read the logs.

        Returns
        -------
        DataTree
            As `storagelab.tidy` makes it.

        Raises
        ------
        ParseError
            If one cannot be read; names file and line.
        StoragelabError
            If there is no such file or folder, or a link leads out of the study.
        """
        if self.folder.exists() and not self.path.resolve().is_relative_to(self.folder.resolve()):
            raise StoragelabError(f"{self.path} leads out of {self.folder}")
        return open_logs(_existing(self.path, "dvc pull, if the campaign is kept on a remote"), format=self.format)


class DatasetSource(_Source):
    """The tidy dataset of a study, or one node of it.

    Parameters
    ----------
    root, study
        Folder of all outputs, and the name of a study.
    node : str, optional
        runs, clients, series, events, logs or conditions; the whole study otherwise.
    metadata : dict, optional
        What the catalog says of it.
    """

    name: Any = "storagelab_dataset"
    container: Any = "xarray"

    def __init__(self, root: str, study: str, node: str = "", metadata: dict[str, Any] | None = None) -> None:
        super().__init__(root, study, metadata)
        self.path = self.folder / "dataset.nc"
        self.node = node

    def read(self) -> xr.DataTree | xr.Dataset:
        """Read the study into memory.

        Returns
        -------
        DataTree or Dataset
            The study, or the one node that the catalog names.

        Raises
        ------
        UnknownNameError
            If the study has no such node.
        StoragelabError
            If the dataset was not made yet.
        """
        study = dataset.load(_existing(self.path, "make reports"))
        if not self.node:
            return study
        if self.node not in study.children:
            raise UnknownNameError(f"node of {self.path}", self.node, map(str, study.children))
        return study[self.node].to_dataset()


class PaperSource(_Source):
    """The paper of a study, as the text of its HTML page."""

    name: Any = "storagelab_paper"
    container: Any = "python"

    def read(self) -> str:
        """Read the page.

        Returns
        -------
        str
            HTML.

        Raises
        ------
        StoragelabError
            If the paper was not made yet.
        """
        return _existing(self.folder / "paper.html", "make reports").read_text(encoding="utf-8")


def _existing(path: Path, remedy: str) -> Path:
    try:
        is_there = path.exists()
    except OSError as error:  # each part is allowed, and all together are too long
        raise StoragelabError(f"path {str(path)[:60]!r}...: {error.strerror}") from None
    if not is_there:
        raise StoragelabError(f"{path} is not there: {remedy}")
    return path
