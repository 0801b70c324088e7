"""Logs, folders of logs, studies and their datasets under ``xarray.open_dataset(log, engine="storagelab")``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import xarray as xr
from xarray.backends import BackendEntrypoint

from storagelab import dataset
from storagelab.errors import UnknownNameError
from storagelab.ingest.logs_without_study import open_any


class StoragelabBackend(BackendEntrypoint):
    """Opens what `storagelab.open_logs`, `storagelab.ingest` and `storagelab.open_study` open, as xarray does.

    xarray asks it only where ``engine="storagelab"`` is named: whether a text file is a log is no question for every
    file that somebody opens.

    Examples
    --------
    >>> xarray.open_dataset("ior.out", engine="storagelab")  # doctest: +SKIP
    >>> xarray.open_dataset("campaign/", engine="storagelab", node="clients")  # doctest: +SKIP
    >>> xarray.open_datatree("raw/cluster-2026", engine="storagelab")  # doctest: +SKIP
    >>> xarray.open_datatree("reports/cluster-2026/dataset.nc", engine="storagelab")  # doctest: +SKIP
    """

    description = "Logs of storage benchmarks, folders of them, studies and their datasets"
    url = "https://docs.xarray.dev/en/stable/internals/how-to-add-new-backend.html"
    open_dataset_parameters = ("filename_or_obj", "drop_variables", "node", "format")
    supports_groups = True

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        node: str = "runs",
        format: str = "",
    ) -> xr.Dataset:
        """Open one node.

        Parameters
        ----------
        filename_or_obj : str or path
            A log, a folder of logs, a folder of a study (whose study.yaml says keys of its logs), or a dataset that
            storagelab wrote.
        drop_variables : str or iterable of str, optional
            Variables and coordinates to leave out.
        node : str
            ``runs``, ``clients``, ``series``, ``events``, ``logs`` or ``conditions``.
        format : str, optional
            Format of the logs, as ``storagelab formats`` prints it; recognised by content otherwise.

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        UnknownNameError
            If there is no such node; names those there are.
        ParseError
            If a log cannot be read; names file and line.
        """
        tree = _tree(filename_or_obj, format)
        if node not in tree.children:
            raise UnknownNameError(f"node of {os.fspath(filename_or_obj)}", node, map(str, tree.children))
        return _without(tree[node].to_dataset().assign_attrs({**tree.attrs, **tree[node].attrs}), drop_variables)

    def open_datatree(
        self, filename_or_obj: Any, *, drop_variables: str | Iterable[str] | None = None, format: str = "", **_: Any
    ) -> xr.DataTree:
        """Open all nodes; parameters as for `open_dataset`.

        Returns
        -------
        DataTree
            Nodes ``runs``, ``clients``, ``series``, ``events``, ``logs`` and ``conditions``, as far as there are any.
        """
        tree = _tree(filename_or_obj, format)
        nodes = {name: _without(node.to_dataset(), drop_variables) for name, node in tree.children.items()}
        return dataset.tree(nodes, {str(name): value for name, value in tree.attrs.items()})

    def open_groups_as_dict(self, filename_or_obj: Any, **given: Any) -> dict[str, xr.Dataset]:
        """Open all nodes as a dictionary, by their paths."""
        return {node.path: node.to_dataset() for node in self.open_datatree(filename_or_obj, **given).subtree}


def _tree(path: Any, format: str) -> xr.DataTree:
    return open_any(os.fspath(path), format)


def _without(ds: xr.Dataset, names: str | Iterable[str] | None) -> xr.Dataset:
    return ds.drop_vars(list(_listed(names)), errors="ignore")


def _listed(names: str | Iterable[str] | None) -> Iterator[str]:
    yield from [names] if isinstance(names, str) else names or ()
