"""Thin intake drivers, so that ``catalogs/storagelab.yml`` can name raw logs, datasets and papers.

They open what the library opens and add nothing; parameters and their allowed values stand in the catalog.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intake.source.base import DataSource, Schema

import storagelab.interactive  # noqa: F401  what the drivers open has the accessor
from storagelab import __version__, dataset
from storagelab.errors import StoragelabError, UnknownNameError
from storagelab.ingest.files import open_logs

# intake warns of a shell command whenever a parameter is text, though there is none.
warnings.filterwarnings("ignore", "Shell command not executed", UserWarning, "intake.catalog.utils")

if TYPE_CHECKING:
    import xarray as xr


class _Source(DataSource):
    """What the drivers share: one file or folder, read at once."""

    version: Any = __version__
    partition_access = False

    def __init__(self, path: str, metadata: dict[str, Any] | None = None) -> None:
        super().__init__(metadata=metadata)  # type: ignore[no-untyped-call]
        self.path = Path(os.path.normpath(path))

    def _get_schema(self) -> Schema:
        return Schema(datashape=None, dtype=None, shape=None, npartitions=1, extra_metadata={})

    def _close(self) -> None:
        """Nothing stays open."""


class LogSource(_Source):
    """Raw logs, read into a study that knows what they say of themselves.

    Parameters
    ----------
    path : str
        A log, or a folder of logs.
    format : str, optional
        Name of their format; recognised by content otherwise.
    metadata : dict, optional
        What the catalog says of them.
    """

    name: Any = "storagelab_log"
    container: Any = "xarray"

    def __init__(self, path: str, format: str = "", metadata: dict[str, Any] | None = None) -> None:
        super().__init__(path, metadata)
        self.format = format

    def read(self) -> xr.DataTree:
        """Read the logs.

        Raises
        ------
        ParseError
            If one cannot be read; names file and line.
        StoragelabError
            If there is no such file or folder.
        """
        return open_logs(_existing(self.path, "dvc pull, if the campaign is kept on a remote"), format=self.format)


class DatasetSource(_Source):
    """The tidy dataset of a study, or one node of it.

    Parameters
    ----------
    path : str
        dataset.nc of the study.
    node : str, optional
        runs, clients, series or logs; the whole study otherwise.
    metadata : dict, optional
        What the catalog says of it.
    """

    name: Any = "storagelab_dataset"
    container: Any = "xarray"

    def __init__(self, path: str, node: str = "", metadata: dict[str, Any] | None = None) -> None:
        super().__init__(path, metadata)
        self.node = node

    def read(self) -> xr.DataTree | xr.Dataset:
        """Read the study into memory.

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

        Raises
        ------
        StoragelabError
            If the paper was not made yet.
        """
        return _existing(self.path, "make reports").read_text(encoding="utf-8")


def _existing(path: Path, remedy: str) -> Path:
    if not path.exists():
        raise StoragelabError(f"{path} is not there: {remedy}")
    return path
