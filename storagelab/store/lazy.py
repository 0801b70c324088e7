"""A store as it is read: rows are chosen before they are loaded, and chunks come one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from storagelab import dataset, schema
from storagelab.errors import StoragelabError, UnknownNameError
from storagelab.store import layout
from storagelab.store.filters import row_filter, words_of
from storagelab.store.tables import column_types, labelled

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow
    import pyarrow.dataset
    import pyarrow.parquet
    import xarray as xr

NAMES = ("runs", "clients", "series", "events", "logs")


def open_store(folder: Path | str) -> Store:
    """Open a store of logs; nothing is loaded.

    Parameters
    ----------
    folder : Path or str
        Folder that ``storagelab store`` wrote.

    Returns
    -------
    Store
        What was read of the logs, chunk by chunk.

    Raises
    ------
    StoragelabError
        If the folder is no store.

    Examples
    --------
    >>> store = storagelab.open_store("census.store")  # doctest: +SKIP
    >>> store.select(operation="write").summarise("throughput", ["filesystem", "clients"])  # doctest: +SKIP
    """
    layout.require(Path(folder))
    return Store(Path(folder))


@dataclass(frozen=True)
class Store:
    """A store of logs, or what was selected of it.

    Attributes
    ----------
    folder : Path
    wanted : mapping of str to list
        Levels of each key by which rows were selected.
    """

    folder: Path
    wanted: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def select(self, **keys: Any) -> Store:
        """Choose rows whose keys equal a value, or one of several values, in SI; nothing is loaded.

        Parameters
        ----------
        **keys : value or list of values
            What rows must have, by the name of the key.

        Returns
        -------
        Store
            The same store, of which later calls see these rows alone. Those that read them refuse a value that no row
            of the store has.

        Raises
        ------
        UnknownNameError
            If a name is not the contract's, or an earlier selection left no row with one of the values.
        """
        chosen = {name: _listed(value) for name, value in keys.items() if schema.field(name)}
        for name, levels in self.wanted.items():
            _require_levels(name, chosen.get(name, []), levels)
        return Store(self.folder, {**self.wanted, **chosen})

    def files(self, node: str = "runs") -> list[Path]:
        """Return the files of parquet of a node, a chunk each, for DuckDB, Polars and Spark.

        Parameters
        ----------
        node : str, optional
            A node of the store.

        Returns
        -------
        list of Path
            In the order of the chunks.

        Raises
        ------
        UnknownNameError
            If there is no such node.
        """
        if node not in (*NAMES, layout.UNREAD):
            raise UnknownNameError("node", node, (*NAMES, layout.UNREAD))
        paths = (chunk / f"{node}.parquet" for chunk in layout.chunks(self.folder))
        return [path for path in paths if path.exists()]

    def counts(self) -> dict[str, int]:
        """Return how many rows each node has, selected or not, and how many logs could not be read.

        Returns
        -------
        dict of str to int
            Rows by node, and ``unread``.
        """
        rows = {node: sum(_metadata(path).num_rows for path in self.files(node)) for node in (*NAMES, layout.UNREAD)}
        return {node: count for node, count in rows.items() if count}

    def columns(self, node: str = "runs") -> list[str]:
        """Return the names of the columns of a node, in the order of the contract.

        Parameters
        ----------
        node : str, optional
            A node of the store.

        Returns
        -------
        list of str
            Names of the contract.
        """
        found = {name for path in self.files(node) for name in _metadata(path).schema.names}
        return [name for name in schema.FIELDS if name in found]

    def scan(self, node: str = "runs") -> pyarrow.dataset.Dataset:
        """Return a node as a dataset of Arrow, which is lazy too; what was selected is a filter of it.

        Parameters
        ----------
        node : str, optional
            A node of the store.

        Returns
        -------
        pyarrow.dataset.Dataset
            The node, not loaded.
        """
        import pyarrow.dataset as arrow

        types = column_types(self.columns(node))
        whole = arrow.dataset([str(path) for path in self.files(node)], schema=types, format="parquet")
        return whole.filter(row_filter(self.wanted)) if self.wanted else whole

    def parts(self, node: str = "runs", names: Iterable[str] = ()) -> Iterator[xr.Dataset]:
        """Go through the rows that were selected, a dataset a chunk; a log lies in one chunk.

        Parameters
        ----------
        node : str
        names : iterable of str
            Columns to load; all of the chunk where none is named. What a chunk lacks is missing in all of its rows.

        Yields
        ------
        Dataset, dimension obs
            The rows of a chunk.

        Raises
        ------
        UnknownNameError
            If rows were selected by a value that none has; names the nearest there is.
        """
        wanted = list(names)
        self._require_selected(node)
        for path in self.files(node):
            made = self._part(path, wanted)
            if made.sizes["obs"]:
                yield made

    def _require_selected(self, node: str) -> None:
        """Refuse to select by a level that no row of a node has."""
        import pyarrow.compute as compute

        whole = Store(self.folder)
        for name in self.wanted.keys() & set(self.columns(node)):
            levels = compute.unique(whole.scan(node).to_table(columns=[name])[name]).to_pylist()
            _require_levels(name, self.wanted[name], [level for level in levels if level is not None])

    def _part(self, path: Path, names: Sequence[str]) -> xr.Dataset:
        import pyarrow.dataset as arrow

        there = _metadata(path).schema.names
        loaded = names or there
        types = column_types([*loaded, *(name for name in self.wanted if name not in loaded)])
        scanned = arrow.dataset(str(path), schema=types, format="parquet")
        chosen = row_filter(self.wanted) if self.wanted else None
        with layout.reading(path):
            return labelled(scanned.to_table(columns=list(loaded), filter=chosen, use_threads=False))

    def dataset(self, node: str = "runs", names: Iterable[str] = ()) -> xr.Dataset:
        """Load the rows that were selected, as `storagelab.open_logs` gives them.

        Parameters
        ----------
        node : str, optional
            A node of the store.
        names : iterable of str, optional
            Columns to load; all where none is named.

        Returns
        -------
        Dataset, dimension obs
            All rows that were selected, along obs.

        Raises
        ------
        StoragelabError
            If no row was selected.
        """
        import xarray as xr

        wanted = list(names) or self.columns(node)
        found = list(self.parts(node, wanted))
        if not found:
            raise StoragelabError(f"{self.folder}: has no {node}{words_of(self.wanted)}")
        return xr.concat(found, "obs", combine_attrs="override", join="override") if len(found) > 1 else found[0]

    def frame(self, node: str = "runs", names: Iterable[str] = ()) -> pd.DataFrame:
        """Load the rows that were selected as a frame of pandas.

        Parameters
        ----------
        node : str, optional
            A node of the store.
        names : iterable of str, optional
            Columns to load; all where none is named.

        Returns
        -------
        DataFrame
            A row an observation.
        """
        return dataset.frame(self.dataset(node, names))

    def unread(self) -> pd.DataFrame:
        """List the logs that could not be read: columns log, log_sha256, and notes, which say why.

        Returns
        -------
        DataFrame
            A row a log.
        """
        return Store(self.folder).frame(layout.UNREAD) if self.files(layout.UNREAD) else _no_logs()

    def levels(self, *keys: str, node: str = "runs") -> pd.DataFrame:
        """Count the rows of each combination of levels of some keys: columns `keys`, and rows.

        Parameters
        ----------
        *keys : str
            Names of keys.
        node : str, optional
            A node of the store.

        Returns
        -------
        DataFrame
            A row a combination that occurs.
        """
        from storagelab.store import reduce

        return reduce.levels(self.parts(node, keys), keys)

    def summarise(
        self, variable: str, by: str | Sequence[str], *, over: Sequence[str] = (), statistic: str = "single"
    ) -> xr.Dataset:
        """Average the runs of each cell, chunk by chunk; see `storagelab.store.reduce.summarise`.

        Parameters
        ----------
        variable : str
            What to average.
        by : str or sequence of str
            Keys that make the cells.
        over : sequence of str, optional
            Other keys that may differ inside a cell; runs that differ in them are runs of it.
        statistic : str, optional
            Which rows count, by the statistic that the log states.

        Returns
        -------
        Dataset, dimension obs
            A row a cell.
        """
        from storagelab.store import reduce

        return reduce.summarise(self._measured(variable), variable, _names(by), over=over, statistic=statistic)

    def compare(
        self, variable: str, factor: str, base: str | float, other: str | float, by: str | Sequence[str] = (),
        *, over: Sequence[str] = (), statistic: str = "single", margin: float | None = None,
    ) -> xr.Dataset:  # fmt: skip
        """Ratio other / base in each cell, chunk by chunk; see `storagelab.store.reduce.compare`.

        Parameters
        ----------
        variable : str
            What to compare.
        factor : str
            The key whose levels are compared.
        base : str or float
            The level that is divided by.
        other : str or float
            The level that is divided.
        by : str or sequence of str
            Keys that make the cells.
        over : sequence of str, optional
            Other keys that may differ inside a cell; runs that differ in them are runs of it.
        statistic : str, optional
            Which rows count, by the statistic that the log states.
        margin : float, optional
            Smallest change that matters, for a test of equivalence.

        Returns
        -------
        Dataset, dimension obs
            A row a cell.
        """
        from storagelab.store import reduce

        sides = self.select(**{factor: [base, other]})
        return reduce.compare(
            sides._measured(variable), variable, factor, base, other, _names(by), over=over, statistic=statistic,
            margin=margin,
        )  # fmt: skip

    def runs(self) -> xr.Dataset:
        """Load all that was measured of the runs, with the keys that tell them apart, for an analysis that wants it.

        Returns
        -------
        Dataset, dimension obs
            Rows of the node runs, along obs.
        """
        return self.dataset("runs", [name for name in self.columns() if _tells(name) or not _is_trace(name)])

    def _measured(self, variable: str) -> Iterator[xr.Dataset]:
        """Go through the runs with the keys that may tell them apart, and one variable.

        Raises
        ------
        UnknownNameError
            If no chunk has the variable.
        """
        there = self.columns()
        if variable not in there:
            raise UnknownNameError("variable of this store", variable, there)
        return self.parts(names=[name for name in there if name == variable or _tells(name)])


_OF_A_LOG = frozenset(one.name for one in schema.LOG_FIELDS)


def _tells(name: str) -> bool:
    """Whether a column tells runs apart."""
    return schema.field(name).kind == "key" and name not in _OF_A_LOG


def _is_trace(name: str) -> bool:
    return schema.field(name).kind == "trace" or name in _OF_A_LOG


def _names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _metadata(path: Path) -> pyarrow.parquet.FileMetaData:
    import pyarrow.parquet as parquet

    with layout.reading(path):
        return parquet.read_metadata(path)


def _listed(value: Any) -> list[Any]:
    return list(value) if np.iterable(value) and not isinstance(value, str) else [value]


def _require_levels(name: str, wanted: Sequence[Any], known: Sequence[Any]) -> None:
    """Refuse a level that is not known; "" and NaN ask for rows that have none."""
    for level in wanted:
        if level != "" and level == level and level not in known:
            raise UnknownNameError(f"value of {name}", str(level), sorted(map(str, known)))


def _no_logs() -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({"log": [], "log_sha256": [], "notes": []}, dtype=object)
