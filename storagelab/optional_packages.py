"""Which packages a layer needs beside the light core, and one line that names the extra where one is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec

from storagelab.errors import MissingPackageError

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "study": ("pint", "simpleeval", "pyarrow"),
    "cli": ("typer", "rich", "storagelab[study]"),
    "analysis": ("scipy", "statsmodels", "ruptures", "storagelab[study]"),
    "figures": ("matplotlib", "seaborn", "storagelab[analysis]"),
    "paper": (
        "jupyter_client", "nbformat", "nbclient", "nbconvert", "papermill", "ipykernel", "pybtex", "jinja2",
        "storagelab[figures]",
    ),
    "cluster": ("distributed", "storagelab[study]"),
    "pipeline": ("dvc", "intake", "storagelab[cli]", "storagelab[paper]"),
}  # fmt: skip
"""Packages of each extra, as pyproject.toml names them; a test holds the two together."""


def require(extra: str, what: str) -> None:
    """Refuse to go on where a package of an extra is not installed. Nothing is imported.

    Parameters
    ----------
    extra : str
        One of `EXTRAS`.
    what : str
        What needs it, for the message: ``storagelab.figures``.

    Raises
    ------
    MissingPackageError
        Names the package and the extra: ``storagelab.figures needs seaborn: pip install "storagelab[figures]"``.
    """
    for package in _packages(extra):
        if not _is_there(package):
            raise MissingPackageError(what, package, extra)


def _packages(extra: str) -> Iterator[str]:
    for package in EXTRAS[extra]:
        if package.startswith("storagelab["):
            yield from _packages(package.removeprefix("storagelab[").removesuffix("]"))
        else:
            yield package


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ImportError:
        return False
