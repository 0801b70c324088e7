"""The accessor ``storage``: a handful of verbs, each one call of the function that has the same name below.

Heavy imports wait for the verb that needs them, so that registering the accessor costs nothing beside xarray.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import xarray as xr

from storagelab import dataset
from storagelab.errors import UnknownNameError
from storagelab.interactive.accessor_methods import Verbs

if TYPE_CHECKING:
    import pandas as pd

    from storagelab.figures import Drawn
    from storagelab.interactive.sheet import Sheet


@xr.register_dataset_accessor("storage")
class NodeStorage(Verbs):
    """Verbs on the observations of one dataset: a node of a study, a part of it, or the result of an analysis.

    At a prompt and in a notebook it shows what the dataset holds: keys with their levels, variables with units, origin,
    and what one should know before trusting a number.

    Where `variable` is left out it is the obvious one, and an error names the candidates where there is none. Where
    `by` is left out it is all keys in which the rows differ, so that nothing is averaged in silence; where sides are
    compared, keys that follow from others make no cells, and ``attrs["follows"]`` of the result names them. Errors are
    those of the functions that the verbs call.

    Parameters
    ----------
    ds : Dataset, dimension obs

    Examples
    --------
    >>> study = storagelab.open_study("reports/loopback-2026/dataset.nc")  # doctest: +SKIP
    >>> study["runs"].storage.select(tool="fileop", filesystem="xfs").storage.keys()  # doctest: +SKIP
    """

    def __init__(self, ds: xr.Dataset) -> None:
        self._ds = ds

    @property
    def rows(self) -> xr.Dataset:
        """The observations that the verbs speak of."""
        return self._ds

    def select(self, **keys: Any) -> xr.Dataset:
        """Rows whose keys equal a value, or one of several; see `storagelab.dataset.select`.

        Parameters
        ----------
        **keys
            Level, or list of levels, of each key, in SI.

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        UnknownNameError
            If there is no such key, or no row has the level; names the nearest there is.

        Examples
        --------
        >>> runs.storage.select(operation="write", clients=[1, 12])  # doctest: +SKIP
        """
        return dataset.select(self.rows, **keys)

    def keys(self) -> pd.Series[int]:
        """Which keys tell rows apart, and how many rows each of their levels has.

        Names of runs and times are left out: they are no levels that one would select.

        Returns
        -------
        pandas.Series
            Number of rows, indexed by key and level, both in the order of the contract and of the figures.

        Examples
        --------
        >>> runs.storage.keys()["filesystem"]  # doctest: +SKIP
        """
        from storagelab.interactive.levels import rows_of_levels

        return rows_of_levels(self.rows)

    def grid(self, variable: str = "", *keys: str) -> xr.DataArray:
        """Spread one variable over a grid of keys; see `storagelab.dataset.grid`.

        Parameters
        ----------
        variable : str, optional
            What stands in the cells.
        *keys : str
            The dimensions.

        Returns
        -------
        DataArray
            NaN where there is no row.

        Raises
        ------
        AnalysisError
            If several rows share a cell (summarise them first), or no key is named.

        Examples
        --------
        >>> means = runs.storage.summarise("throughput", ["layout", "clients"])  # doctest: +SKIP
        >>> means.storage.grid("throughput", "layout", "clients")  # doctest: +SKIP
        """
        from storagelab.interactive.default_variables import obvious_variable

        return dataset.grid(self.rows, variable or obvious_variable(self.rows), *keys)

    @property
    def shares(self) -> xr.Dataset:
        """The observations of clients."""
        return self.rows

    def plot(self, kind: str = "", variable: str = "", **options: Any) -> Drawn:
        """Draw the rows, or the result of a verb; see `storagelab.figures`.

        Parameters
        ----------
        kind : str, optional
            "points", "distribution", "scaling", "heatmap", "percentiles", "ratios" or "winners_map": the function of
            that name. By default what fits: ratios for the result of `compare`, winners_map for that of `winners`,
            scaling where a number has three levels or more, else points.
        variable : str, optional
        **options
            What the function takes. Its keys (x, category, hue, facet) are by default those in which the rows differ,
            the one with the most levels first; where there are more keys than places, the last place takes all that
            are left, told apart together (``read, release B``).

        Returns
        -------
        Drawn
            It shows itself in a notebook, with its caption.

        Raises
        ------
        UnknownNameError
            If there is no such kind.
        AnalysisError
            If all places are named and rows differ in other keys too: select, or name keys in over.

        Examples
        --------
        >>> runs.storage.plot("points", category="operation", hue="mount", statistic="mean")  # doctest: +SKIP
        """
        from storagelab.interactive.figure_kinds import draw

        return draw(self.rows, kind, variable, options)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Analyses of other packages are verbs, too; see `storagelab.interactive.installed_analyses`."""
        if name.startswith("_"):
            raise AttributeError(name)
        from storagelab.interactive.installed_analyses import verb

        return verb(name, self.rows, _verbs(type(self)))

    def __dir__(self) -> list[str]:
        from storagelab.interactive.installed_analyses import names

        return sorted({*super().__dir__(), *names()})

    def _sheet(self) -> Sheet:
        from storagelab.interactive.dataset_sheet import node_sheet

        return node_sheet(self.rows)

    def __repr__(self) -> str:
        from storagelab.interactive.plain_sheet import text

        return text(self._sheet())

    def _repr_html_(self) -> str:
        from storagelab.interactive.html import html

        return html(self._sheet())


def _verbs(accessor: type) -> list[str]:
    return [name for name in dir(accessor) if not name.startswith("_")]


@xr.register_datatree_accessor("storage")
class StudyStorage(NodeStorage):
    """The same verbs on a tree: on its own observations if it is a node, on its node ``runs`` if it is a study.

    A study shows its nodes, its origin, and how much of its design was measured.

    Parameters
    ----------
    tree : DataTree

    Examples
    --------
    >>> storagelab.open_logs("logs").storage.select(operation="write")  # doctest: +SKIP
    """

    def __init__(self, tree: xr.DataTree) -> None:
        self._tree = tree

    @property
    def rows(self) -> xr.Dataset:
        """The observations that the verbs speak of.

        Raises
        ------
        UnknownNameError
            If it is a study without runs; names the nodes there are.
        """
        return self._of("runs")

    @property
    def shares(self) -> xr.Dataset:
        """The observations of clients: the node ``clients`` of a study.

        Raises
        ------
        UnknownNameError
            If it is a study without clients; names the nodes there are.
        """
        return self._of("clients")

    def _of(self, name: str) -> xr.Dataset:
        """Observations of a node of a study; of a node alone, its own."""
        if not self._tree.children:
            return self._tree.to_dataset()
        if name not in self._tree.children:
            raise UnknownNameError("node of this study", name, map(str, self._tree.children))
        return self._tree[name].to_dataset()

    def validity(self) -> xr.Dataset:
        """Everything that speaks against believing the numbers of a study; see `storagelab.analysis.validity`.

        Returns
        -------
        Dataset, dimension obs
            One row a check: what was asked, how much of it was checked, and how many findings of each rank.

        Examples
        --------
        >>> study.storage.validity()  # doctest: +SKIP
        """
        from storagelab import analysis

        return analysis.validity(self._tree)

    def _sheet(self) -> Sheet:
        from storagelab.interactive.dataset_sheet import node_sheet
        from storagelab.interactive.study import study_sheet

        if self._tree.children:
            return study_sheet(self._tree)
        return node_sheet(self.rows, self._tree.name or "")
