"""The one way in which statistics walk over cells: columns as arrays, keys as integer codes, cells as slices.

A key is factorised once and its codes are kept: selections and cells share them. Means, sums and extremes of all cells
come from one pass (`Cells.mean`); an estimator that needs the values of a cell gets slices of an array
(`Cells.slices`), never a frame. Sums are numpy's, in the order of the rows: neither BLAS nor threads reorder them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from storagelab import schema
from storagelab.analysis.inference.intervals import LEAST, ROUNDING
from storagelab.analysis.key_codes import Array, Coded, Places, array, coded, joined_codes, vary
from storagelab.errors import AnalysisError, nearest

_PLACES = {name: place for place, name in enumerate(schema.FIELDS)}

Floats = NDArray[np.float64]
Cell = dict[str, Any]


class Rows:
    """Columns of one length; a column is made when it is first asked for.

    Parameters
    ----------
    columns : mapping of str to array or callable
        Each column, or what makes it.
    length : int
    """

    def __init__(self, columns: Mapping[str, Array | Callable[[], Array]], length: int) -> None:
        self._columns = dict(columns)
        self._coded: dict[str, Coded] = {}
        self._length = length
        self._names: Mapping[str, None] = dict.fromkeys(columns)
        self._of: tuple[Rows, Array | slice] | None = None

    @classmethod
    def of(cls, ds: xr.Dataset) -> Rows:
        """Rows of a dataset with the one dimension obs; columns are in the order of the contract."""
        names = sorted(map(str, ds.variables), key=lambda name: _PLACES.get(name, len(_PLACES)))
        return cls({name: _reader(ds.variables[name]) for name in names}, ds.sizes["obs"])

    @classmethod
    def of_cells(cls, cells: Sequence[Mapping[str, Any]]) -> Rows:
        """Rows given one by one; what one of them lacks is missing there."""
        names = dict.fromkeys(name for cell in cells for name in cell)
        return cls({name: array([cell.get(name, np.nan) for cell in cells]) for name in names}, len(cells))

    @classmethod
    def stacked(cls, parts: Sequence[Rows]) -> Rows:
        """Rows of several below each other; what some of them lack is missing there."""
        names = dict.fromkeys(name for part in parts for name in part)
        whole = {name: np.concatenate([part.get(name, np.nan) for part in parts]) for name in names}
        return cls(whole, sum(map(len, parts)))

    @classmethod
    def of_frame(cls, frame: pd.DataFrame) -> Rows:
        """Rows of a frame."""
        return cls({str(name): _column(frame[name]) for name in frame}, len(frame))

    def __len__(self) -> int:
        return self._length

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __getitem__(self, name: str) -> Array:
        found = self._columns.get(name)
        if found is None:
            whole, places = self._source(name)
            found = self._columns[name] = whole[name][places]
        elif callable(found):
            found = self._columns[name] = found()
        return found

    def get(self, name: str, otherwise: Any) -> Array:
        """Return a column, or one that is the same in all rows where there is none of this name."""
        return self[name] if name in self else np.full(self._length, otherwise)

    def coded(self, name: str) -> Coded:
        """Return a column as codes of its levels; rows that were taken from others share theirs."""
        if name not in self._coded:
            if self._of is None:
                self._coded[name] = coded(self[name])
            else:
                whole, places = self._source(name)
                self._coded[name] = whole.coded(name).take(places)
        return self._coded[name]

    def _source(self, name: str) -> tuple[Rows, Array | slice]:
        if self._of is None or name not in self._names:
            raise AnalysisError(f"of what is compared no {name!r} is known{nearest(name, self)}")
        return self._of

    def take(self, places: Array | slice) -> Rows:
        """Return some rows, by their places, by a mask or as a slice; what was factorised need not be again."""
        if isinstance(places, np.ndarray) and places.dtype == bool:
            places = np.flatnonzero(places)
        length = len(range(self._length)[places]) if isinstance(places, slice) else len(places)
        rows = Rows({}, length)
        rows._names, rows._of = self._names, (self, places)
        return rows

    def assign(self, **columns: Any) -> Rows:
        """Return the rows with columns added or replaced; one value stands in every row."""
        added = {name: _full(array(values), self._length) for name, values in columns.items()}
        rows = Rows({**{name: _lazily(self, name) for name in self._names}, **added}, self._length)
        rows._coded = {name: codes for name, codes in self._coded.items() if name not in columns}
        return rows

    def only(self, names: Iterable[str]) -> Rows:
        """Return the rows with some columns, in this order."""
        return Rows({name: _lazily(self, name) for name in names}, self._length)

    def renamed(self, **names: str) -> Rows:
        """Return the rows with columns under other names: ``renamed(old="new")``."""
        return Rows({names.get(name, name): _lazily(self, name) for name in self._names}, self._length)

    def where(self, name: str, level: Any) -> Rows:
        """Return the rows in which a key has a level."""
        return self.take(self[name] == level)

    def sorted(self, *by: str) -> Rows:
        """Return the rows in the order of keys; rows that are equal in them keep theirs."""
        return self.take(np.lexsort([self.coded(name).codes for name in reversed(by)]) if by else np.arange(len(self)))

    def varies(self, name: str) -> bool:
        """Whether rows differ in a column; missing values are all the same."""
        return bool(self._length) and vary(self[name])

    def levels(self, name: str) -> list[Any]:
        """List what occurs in a column, in rising order."""
        found = self.coded(name)
        return list(found.levels[np.unique(found.codes)].tolist())

    def matching(self, others: Rows, keys: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each row has the keys of one of the others."""
        both = Rows({key: np.concatenate([self[key], others[key]]) for key in keys}, len(self) + len(others))
        cells = both.assign(wanted=np.repeat([0.0, 1.0], [len(self), len(others)])).cells(keys)
        return np.asarray(cells.broadcast(cells.max("wanted"))[: len(self)] == 1)

    def looked_up(self, others: Rows, keys: Sequence[str], names: Iterable[str]) -> dict[str, Array]:
        """Look columns of other rows up by keys: of several rows with the same keys the first counts.

        Numbers are NaN, and texts empty, where no row has the keys.
        """
        both = Rows({key: np.concatenate([others[key], self[key]]) for key in keys}, len(others) + len(self))
        cells = both.cells(keys)
        first = cells.broadcast(cells.order[cells.starts])[len(others) :] if len(cells) else np.zeros(0, dtype=np.intp)
        places = np.minimum(first, len(others))
        return {name: np.append(others[name], _missing(others[name]))[places] for name in names}

    def records(self) -> Iterator[Cell]:
        """Go through the rows one by one."""
        names = list(self)
        columns = [self[name].tolist() for name in names]
        return (dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True))

    def cells(self, by: Sequence[str]) -> Cells:
        """Group the rows by keys; without a key all rows are one cell."""
        return Cells(self, by)

    def grid(self, variable: str, down: str, along: str) -> tuple[Array, Array, Floats]:
        """Spread means over two keys: the levels of both, and a table of the means, NaN where there is no row."""
        cells = self.cells([down, along])
        lines, line = np.unique(cells.first(down), return_inverse=True)
        columns, column = np.unique(cells.first(along), return_inverse=True)
        means = np.full((len(lines), len(columns)), np.nan)
        means[line, column] = cells.mean(variable)
        return lines, columns, means

    def frame(self) -> pd.DataFrame:
        """Lay the rows out as a frame."""
        return pd.DataFrame({name: self[name] for name in self})


class Cells:
    """Rows grouped by keys, cells in rising order of their keys; missing keys make cells of their own.

    Attributes
    ----------
    by : sequence of str
    rows : Rows
        The rows, those of a cell side by side, in the order in which they came.
    starts, stops : ndarray of int
        Where each cell begins and ends in `rows`.
    of_row : ndarray of int
        For each row, as they came, its cell.
    """

    def __init__(self, rows: Rows, by: Sequence[str]) -> None:
        self.by = list(by)
        self._unsorted = rows
        codes = joined_codes([rows.coded(key) for key in self.by], len(rows))
        self.order = np.argsort(codes, kind="stable")
        along = codes[self.order]
        self.starts = np.flatnonzero(np.r_[True, along[1:] != along[:-1]]) if len(rows) else np.zeros(0, dtype=np.intp)
        self.stops = np.r_[self.starts[1:], len(rows)] if len(rows) else self.starts
        self.of_row = np.empty(len(rows), dtype=np.intp)
        self.of_row[self.order] = np.repeat(np.arange(len(self.starts)), self.size)

    @cached_property
    def rows(self) -> Rows:
        """The rows, those of a cell side by side."""
        return self._unsorted.take(self.order)

    @property
    def size(self) -> Places:
        """How many rows each cell has."""
        return np.asarray(self.stops - self.starts, dtype=np.intp)

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[tuple[Cell, Rows]]:
        """Go through the cells: the keys of each, and its rows."""
        for place, cell in enumerate(self.names()):
            yield cell, self.part(place)

    def part(self, place: int) -> Rows:
        """Rows of one cell."""
        return self.rows.take(slice(self.starts[place], self.stops[place]))

    def places(self) -> Iterator[tuple[Cell, Places]]:
        """Go through the cells: the keys of each, and the places of its rows, as they came."""
        of_cells = (self.order[start:stop] for start, stop in zip(self.starts, self.stops, strict=True))
        return zip(self.names(), of_cells, strict=True)

    def keys(self) -> dict[str, Array]:
        """Keys of the cells, a column each."""
        return {key: self.first(key) for key in self.by}

    def names(self) -> list[Cell]:
        """Keys of the cells, a dictionary each; what is missing is the one NaN that finds the cell in other rows."""
        columns = [_findable(column) for column in self.keys().values()]
        if twice := next((key for key in self.by if self.by.count(key) > 1), ""):
            raise AnalysisError(f"{twice} plays two parts in this question: a key plays one")
        return (
            [dict(zip(self.by, values, strict=True)) for values in zip(*columns, strict=True)]
            if columns
            else [{} for _ in self.starts]
        )

    def first(self, name: str) -> Array:
        """Value of the first row of each cell."""
        return self._unsorted[name][self.order[self.starts]]

    def slices(self, name: str) -> list[Array]:
        """Values of each cell."""
        values = self.rows[name]
        return [values[start:stop] for start, stop in zip(self.starts, self.stops, strict=True)]

    def of_one_size(self) -> Iterator[Places]:
        """Go through the sizes of cells: the places in `rows` of all cells of one size, a line a cell."""
        for n in np.unique(self.size):
            yield self.starts[self.size == n, np.newaxis] + np.arange(n)

    def at_levels(self, name: str, key: str, levels: Sequence[Any]) -> Iterator[tuple[Cell, list[Array]]]:
        """Go through the cells: the keys of each, and its values at some levels of another key."""
        slices = zip(self.names(), self.slices(name), self.slices(key), strict=True)
        return ((cell, [values[found == level] for level in levels]) for cell, values, found in slices)

    def sum(self, name: str) -> Floats:
        """Sum of each cell."""
        return self.sum_of(self.rows[name])

    def sum_of(self, values: Array) -> Floats:
        """Sum over each cell of values that stand in the order of `rows`."""
        return np.asarray(self._reduced(np.add, values.astype(np.float64)))

    def min(self, name: str) -> Floats:
        """Lowest value of each cell; NaN where one is missing."""
        return np.asarray(self._reduced(np.minimum, self.rows[name]))

    def max(self, name: str) -> Floats:
        """Highest value of each cell; NaN where one is missing."""
        return np.asarray(self._reduced(np.maximum, self.rows[name]))

    def mean(self, name: str) -> Floats:
        """Arithmetic mean of each cell."""
        return self.mean_of(self.rows[name])

    def mean_of(self, values: Array) -> Floats:
        """Arithmetic mean over each cell of values that stand in the order of `rows`."""
        return self.sum_of(values) / self.size

    def std(self, name: str) -> Floats:
        """Standard deviation of each cell, over n - 1; NaN where there is one value."""
        return self.std_of(self.rows[name])

    def std_of(self, values: Array) -> Floats:
        """Standard deviation over each cell of values that stand in the order of `rows`."""
        squares = self.sum_of((values - np.repeat(self.mean_of(values), self.size)) ** 2)
        return np.sqrt(np.where(self.size > 1, squares, np.nan) / np.maximum(self.size - 1, 1))

    def spreadless(self, values: Array) -> NDArray[np.bool_]:
        """Whether values, in the order of `rows`, do not differ inside each cell but for what rounding leaves."""
        gap = self._reduced(np.maximum, values) - self._reduced(np.minimum, values)
        return np.asarray(gap <= ROUNDING * self._reduced(np.maximum, np.abs(values)) + LEAST)

    def median_of(self, values: Array) -> Floats:
        """Median over each cell of values that stand in the order of `rows`."""
        found = np.empty(len(self))
        for places in self.of_one_size():
            found[self.size == places.shape[1]] = np.median(values[places], axis=1)
        return found

    def harmonic_mean(self, name: str) -> Floats:
        """Harmonic mean of each cell of rates: 0 where one is 0, the arithmetic mean where one is below."""
        values = self.rows[name]
        with np.errstate(divide="ignore"):
            harmonic = self.size / self._reduced(np.add, 1 / values)
        low = self.min(name)
        return np.where(low >= 0, harmonic, self.mean(name))

    def transformed(self, name: str, estimator: Callable[[Array], Array]) -> Array:
        """Give each row, as they came, what an estimator makes of its value among those of its cell."""
        made = np.concatenate([estimator(values) for values in self.slices(name)])
        found = np.empty_like(made)
        found[self.order] = made
        return found

    def distinct(self, name: str) -> Places:
        """How many levels of a key each cell has."""
        codes = self._unsorted.coded(name).codes.astype(np.int64)
        beyond = int(codes.max(initial=0)) + 1
        pairs = np.unique(self.of_row.astype(np.int64) * beyond + codes)
        return np.bincount(pairs // beyond, minlength=len(self))

    def differ(self, name: str) -> NDArray[np.bool_]:
        """Whether the rows of each cell differ in a key."""
        codes = self._unsorted.coded(name).codes[self.order]
        return np.asarray(self._reduced(np.minimum, codes) != self._reduced(np.maximum, codes))

    def results(self, **columns: Any) -> Rows:
        """Return a row a cell: its keys, and what was found of it."""
        return Rows(self.keys(), len(self)).assign(**columns)

    def broadcast(self, of_cells: Array) -> Array:
        """Give each row, as they came, the value of its cell."""
        return np.asarray(of_cells)[self.of_row]

    def _reduced(self, ufunc: np.ufunc, values: Array) -> Any:
        return ufunc.reduceat(values, self.starts) if len(self) else values[:0]


def _findable(values: Array) -> list[Any]:
    """Levels of a key, with one NaN for all: NaN is unlike itself, and dictionaries find it by its identity alone."""
    levels = values.tolist()
    return [math.nan if level != level else level for level in levels] if values.dtype.kind == "f" else levels


def _full(values: Array, length: int) -> Array:
    return np.full(length, values.item(), dtype=values.dtype) if values.ndim == 0 else values


def _reader(variable: xr.Variable) -> Callable[[], Array]:
    return lambda: array(variable.to_numpy())


def _column(values: pd.Series) -> Callable[[], Array]:
    return lambda: array(values)


def _lazily(rows: Rows, name: str) -> Callable[[], Array]:
    return lambda: rows[name]


def _missing(values: Array) -> Any:
    return np.nan if values.dtype.kind == "f" else ""
