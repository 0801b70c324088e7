"""The accessor ``storage``: a handful of verbs, each one call of the function that has the same name below.

Heavy imports wait for the verb that needs them, so that registering the accessor costs nothing beside xarray.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import xarray as xr

from storagelab import dataset
from storagelab.errors import UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

    from storagelab.figures import Drawn
    from storagelab.interactive.defaults import Asked
    from storagelab.interactive.sheet import Sheet

Level = str | float
Names = str | Sequence[str] | None


@xr.register_dataset_accessor("storage")
class NodeStorage:
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
        from storagelab.interactive.defaults import obvious_variable

        return dataset.grid(self.rows, variable or obvious_variable(self.rows), *keys)

    def summarise(self, variable: str = "", by: Names = None, **options: Any) -> xr.Dataset:
        """Mean of the runs of each cell, with its interval and n; see `storagelab.analysis.summarise`.

        Parameters
        ----------
        variable : str, optional
        by : str or sequence of str, optional
            Keys that make the cells.
        **options
            What `storagelab.analysis.summarise` takes besides: over, statistic, scale, ...

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        AnalysisError
            If the data cannot answer; says what to name or to select.

        Examples
        --------
        >>> runs.storage.summarise("operation_rate", statistic="mean")  # doctest: +SKIP
        """
        from storagelab import analysis

        asked = self._asked(variable, by, options)
        return asked.noted(analysis.summarise(self.rows, asked.variable, asked.by, **options))

    def compare(
        self,
        variable: str = "",
        factor: str = "",
        base: Level = "",
        other: Level = "",
        by: Names = None,
        **options: Any,
    ) -> xr.Dataset:
        """Ratio other / base in each cell, with its interval and verdict; see `storagelab.analysis.compare`.

        Parameters
        ----------
        variable : str, optional
        factor : str
            Key in which the two sides differ.
        base, other : str or float
            Its two levels.
        by : str or sequence of str, optional
            Keys that make the cells; by default those that differ inside a side.
        **options
            What `storagelab.analysis.compare` takes besides: pair, margin, over, statistic, ...

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        UnknownNameError
            If there is no such key or level.
        AnalysisError
            If the data cannot answer; says what to name or to select.

        Examples
        --------
        >>> runs.storage.compare("throughput", "mount", "kernel", "fuse", margin=0.1)  # doctest: +SKIP
        """
        from storagelab import analysis
        from storagelab.interactive.defaults import Asked, obvious_variable

        sides = dataset.select(self.rows, **{factor: [base, other]})
        asked = Asked.of(sides, variable or obvious_variable(sides), by, options, factor)
        return asked.noted(analysis.compare(self.rows, asked.variable, factor, base, other, asked.by, **options))

    def winners(self, variable: str = "", among: str = "", by: Names = None, **options: Any) -> xr.Dataset:
        """Who is best in each cell, and who ties; see `storagelab.analysis.winners`.

        Parameters
        ----------
        variable : str, optional
        among : str
            Key whose levels compete.
        by : str or sequence of str, optional
            Keys that make the cells; by default those in which the rows of a level differ.
        **options
            What `storagelab.analysis.winners` takes besides: best, blocks, family, over, statistic, ...

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        AnalysisError
            If the data cannot answer; says what to name or to select.

        Examples
        --------
        >>> runs.storage.winners("operation_rate", "filesystem", statistic="mean")  # doctest: +SKIP
        """
        from storagelab import analysis

        asked = self._asked(variable, by, options, among)
        return asked.noted(analysis.winners(self.rows, asked.variable, among, asked.by, **options))

    def fairness(self, variable: str = "", by: Names = None) -> xr.Dataset:
        """How evenly the clients of each run share it; see `storagelab.analysis.fairness`.

        Parameters
        ----------
        variable : str, optional
        by : str or sequence of str, optional
            Keys that make the cells.

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        AnalysisError
            If the rows are not of clients: of a study, ask its node ``clients``, or the study itself.

        Examples
        --------
        >>> study.storage.fairness("throughput", ["layout", "clients", "operation"])  # doctest: +SKIP
        """
        from storagelab import analysis
        from storagelab.interactive.defaults import Asked, obvious_variable

        rows = self.shares
        asked = Asked.of(rows, variable or obvious_variable(rows), by, {"over": ["client", "process"]})
        return asked.noted(analysis.fairness(rows, asked.variable, asked.by))

    def drift(self, variable: str = "", by: Names = None, order: str = "repeat", **options: Any) -> xr.Dataset:
        """Whether values rise or fall over the campaign; see `storagelab.analysis.drift_test`.

        Parameters
        ----------
        variable : str, optional
        by : str or sequence of str, optional
            Keys that make the cells.
        order : str
            ``repeat``, ``block``, or a time.
        **options
            What `storagelab.analysis.drift_test` takes besides: within, over, statistic.

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        AnalysisError
            If the data cannot answer; says what to name or to select.

        Examples
        --------
        >>> runs.storage.select(tool="iozone").storage.drift("throughput")  # doctest: +SKIP
        """
        from storagelab import analysis

        asked = self._asked(variable, by, options)
        return asked.noted(analysis.drift_test(self.rows, asked.variable, asked.by, order, **options))

    def scaling(self, variable: str = "", by: Names = None, x: str = "clients", **options: Any) -> xr.Dataset:
        """Where a scaling curve bends and ends, by fitted models; see `storagelab.analysis.scaling_fits`.

        Parameters
        ----------
        variable : str, optional
        by : str or sequence of str, optional
            Keys that make the cells.
        x : str
            Key along which it scales.
        **options
            What `storagelab.analysis.scaling_fits` takes besides: models, over, statistic.

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        AnalysisError
            If the data cannot answer; says what to name or to select.

        Examples
        --------
        >>> runs.storage.select(tool="iozone").storage.scaling("throughput", ["layout", "operation"])  # doctest: +SKIP
        """
        from storagelab import analysis

        asked = self._asked(variable, by, options, x)
        return asked.noted(analysis.scaling_fits(self.rows, asked.variable, asked.by, x=x, **options))

    def plan(self, variable: str = "", by: Names = None, *, effect: float = 1.1, **options: Any) -> xr.Dataset:
        """How many runs show a ratio as often as asked, with these as a pilot; see `storagelab.analysis.plan_repeats`.

        Parameters
        ----------
        variable : str, optional
        by : str or sequence of str, optional
            Keys that make the cells.
        effect : float
            Ratio that is to be shown, such as 1.1 or 0.9.
        **options
            What `storagelab.analysis.plan_repeats` takes besides: cells, margin, power, ...

        Returns
        -------
        Dataset, dimension obs

        Raises
        ------
        AnalysisError
            If the data cannot answer; says what to name or to select.

        Examples
        --------
        >>> pilot.storage.plan("throughput", effect=1.05, cells=12)  # doctest: +SKIP
        """
        from storagelab import analysis

        asked = self._asked(variable, by, options)
        return asked.noted(analysis.plan_repeats(self.rows, asked.variable, asked.by, effect=effect, **options))

    def _asked(self, variable: str, by: Names, options: dict[str, Any], factor: str = "") -> Asked:
        """Name the variable and the cells of a question that leaves them out."""
        from storagelab.interactive.defaults import Asked, obvious_variable

        return Asked.of(self.rows, variable or obvious_variable(self.rows), by, options, factor)

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
        from storagelab.interactive.drawing import draw

        return draw(self.rows, kind, variable, options)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Analyses of other packages are verbs, too; see `storagelab.interactive.installed`."""
        if name.startswith("_"):
            raise AttributeError(name)
        from storagelab.interactive.installed import verb

        return verb(name, self.rows, _verbs(type(self)))

    def __dir__(self) -> list[str]:
        from storagelab.interactive.installed import names

        return sorted({*super().__dir__(), *names()})

    def _sheet(self) -> Sheet:
        from storagelab.interactive.node import node_sheet

        return node_sheet(self.rows)

    def __repr__(self) -> str:
        from storagelab.interactive.text import text

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
        from storagelab.interactive.node import node_sheet
        from storagelab.interactive.study import study_sheet

        if self._tree.children:
            return study_sheet(self._tree)
        return node_sheet(self.rows, self._tree.name or "")
