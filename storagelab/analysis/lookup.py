"""What a sentence picks out of a result or a design: an extreme, the middle, a count, levels, the names of the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.significant_digits import first_extreme
from storagelab.dataset import select, take
from storagelab.errors import AnalysisError
from storagelab.lineage import quote

End = Literal["lowest", "highest"]


def extreme(result: xr.Dataset, variable: str, end: End) -> xr.Dataset:
    """Return the row of a result in which a variable is lowest or highest (the first of equals).

    Parameters
    ----------
    result : Dataset, dimension obs
    variable : str
        Rows without a value of it are passed over.
    end : {"lowest", "highest"}

    Returns
    -------
    Dataset, dimension obs
        The one row, with all its columns.

    Raises
    ------
    AnalysisError
        If no row has a value.
    """
    values = _known(result, variable)
    return take(result, np.array([first_extreme(values, end)]))


def median(result: xr.Dataset, variable: str) -> float:
    """Return the median of a variable over the rows of a result: what is typical of many cells, without an interval.

    Parameters
    ----------
    result : Dataset, dimension obs
    variable : str
        Rows without a value of it are passed over.

    Returns
    -------
    float
        In the unit of the variable.

    Raises
    ------
    AnalysisError
        If no row has a value.
    """
    return quote(float(np.nanmedian(_known(result, variable))), result, variable=variable)


def _known(result: xr.Dataset, variable: str) -> Floats:
    table.unit(table.validate(result), variable)
    values: Floats = result[variable].to_numpy()
    if not np.isfinite(values).any():
        raise AnalysisError(f"no row has a value of {variable}")
    return values


def value_counts(result: xr.Dataset, column: str = "verdict", **keys: object) -> Mapping[str, int]:
    """Count the rows of a result by a column of words, ``{"lower": 48, "undecided": 12}``; a word that is absent is 0.

    Parameters
    ----------
    result : Dataset, dimension obs
    column : str
        A column of words, such as verdict.
    **keys
        Which rows, as for `storagelab.dataset.select`.

    Returns
    -------
    mapping of str to int
        Rows of each word.

    Raises
    ------
    AnalysisError
        If the result lacks the column.
    """
    table.require(table.validate(result), column)
    rows = select(result, **keys)
    words = rows[column].to_numpy().tolist()
    return _Counted({str(word): words.count(word) for word in sorted(set(words))}, rows, column)


class _Counted(dict[str, int]):
    def __init__(self, counts: Mapping[str, int], rows: xr.Dataset, column: str) -> None:
        super().__init__({word: quote(count, select(rows, **{column: word})) for word, count in counts.items()})
        self._rows = rows

    def __missing__(self, word: str) -> int:
        return quote(0, self._rows)


def levels(ds: xr.Dataset, key: str, **keys: object) -> list[Any]:
    """List the levels of a key in a dataset, in rising order: what was planned or set, not what was measured.

    Parameters
    ----------
    ds : Dataset, dimension obs
    key : str
        A coordinate; rows without a level of it are left out.
    **keys
        Which rows, as for `storagelab.dataset.select`.

    Returns
    -------
    list
        Words; numbers in the unit of the key, and whole ones of a key without a unit as int: the facts of a paper print
        them as counts.

    Raises
    ------
    AnalysisError
        If the dataset has no such key, it is a measured variable, or no row has a level.
    """
    _require_levels(ds, key)
    rows = select(ds, **keys)
    values, found = rows[key].to_numpy(), _distinct(rows, key)
    is_count = values.dtype.kind not in "OUS" and ds[key].attrs.get("units") == "1"
    whole = is_count and all(float(v).is_integer() for v in found)
    return [quote(int(v) if whole else v, take(rows, np.flatnonzero(values == v)), key, key) for v in found]


def _require_levels(ds: xr.Dataset, key: str) -> None:
    table.require(table.validate(ds), key)
    if key not in ds.coords:
        raise AnalysisError(f"{key} is measured and has no levels: summarise it, or take an extreme")


def _distinct(rows: xr.Dataset, key: str) -> list[Any]:
    values = rows[key].to_numpy()
    if values.dtype.kind in "OUS":
        found = sorted({str(word) for word in values.tolist()} - {""})
    else:
        found = sorted(set(values[np.isfinite(values)].tolist()))
    if not found:
        raise AnalysisError(f"no row has a level of {key}")
    return found


def level(ds: xr.Dataset, key: str, **keys: object) -> Any:
    """Return the one level that a key has in a dataset, as `levels` lists them.

    Parameters
    ----------
    ds, key, **keys
        As for `levels`.

    Returns
    -------
    str, int or float
        As `levels`.

    Raises
    ------
    AnalysisError
        If it has several, or as `levels`.
    """
    found = levels(ds, key, **keys)
    if len(found) != 1:
        shown = ", ".join(table.format_level(v) for v in found[:4])
        raise AnalysisError(f"{key} has {len(found)} levels ({shown}{', ...' if len(found) > 4 else ''}), not one")
    return found[0]


def count(ds: xr.Dataset, of: str = "", **keys: object) -> int:
    """Count rows, or the different levels of a key in them (``of="run_id"``).

    Parameters
    ----------
    ds : Dataset, dimension obs
    of : str
        A coordinate whose levels are counted instead of rows.
    **keys
        Which rows: levels of keys, as for `storagelab.dataset.select`, or values of variables such as flags
        (``winner=0.0``), of which there may be none.

    Returns
    -------
    int
        Remembers the rows that it counts.

    Raises
    ------
    UnknownNameError
        If there is no such key, or no row has the level: a misspelt level is not counted as 0.
    """
    table.validate(ds, empty=True)
    flags = {name: value for name, value in keys.items() if name in ds.data_vars}
    rows = select(ds, **{name: value for name, value in keys.items() if name not in flags})
    chosen = np.logical_and.reduce(
        [np.isin(rows[name].to_numpy(), np.atleast_1d(np.asarray(value))) for name, value in flags.items()]
        or [np.ones(rows.sizes["obs"], dtype=bool)]
    )
    rows = take(rows, np.flatnonzero(chosen))
    number = int(rows.sizes["obs"])
    if of and number:
        _require_levels(rows, of)
        number = len(_distinct(rows, of))
    return quote(number, rows if number else ds, of)


def between(ds: xr.Dataset, variable: str, low: float = -np.inf, high: float = np.inf, **keys: object) -> xr.Dataset:
    """Select the rows in which a variable lies from low to high, both included; rows without a value are left out.

    Parameters
    ----------
    ds : Dataset, dimension obs
    variable : str
    low, high : float
        In the unit of the variable.
    **keys
        Which rows, as for `storagelab.dataset.select`.

    Returns
    -------
    Dataset, dimension obs
        Perhaps none of its rows.

    Raises
    ------
    AnalysisError
        If the dataset lacks the variable, or it is of words.
    """
    table.require(table.validate(ds, empty=True), variable)
    if columns.field(variable).unit is None:
        raise AnalysisError(f"{variable} is of words, which have no range: select them")
    table.unit(ds, variable)
    rows = select(ds, **keys)
    values = rows[variable].to_numpy()
    return take(rows, np.flatnonzero((values >= low) & (values <= high)))


def within(ds: xr.Dataset, variable: str, low: float = -np.inf, high: float = np.inf, **keys: object) -> bool:
    """Say whether a variable lies from low to high in all rows, of which there is at least one: for `expect`.

    Parameters
    ----------
    ds, variable, low, high, **keys
        As for `between`.

    Returns
    -------
    bool
        False also where there is no row, or one has no value.

    Raises
    ------
    AnalysisError
        If the dataset lacks the variable.
    """
    rows = select(table.validate(ds, empty=True), **keys)
    return 0 < rows.sizes["obs"] == between(rows, variable, low, high).sizes["obs"]


def leaders(won: xr.Dataset, among: str, **keys: object) -> str:
    """Name the winners of one cell of `winners`, the best first: ``xfs``, or ``xfs (not told from ext4 and ext3)``.

    Parameters
    ----------
    won : Dataset, dimension obs
        From `storagelab.analysis.winners`.
    among : str
        The key whose levels compete.
    **keys
        The cell, as for `storagelab.dataset.select`.

    Returns
    -------
    str
        Levels of `among`.

    Raises
    ------
    AnalysisError
        If there is no such cell, or if `won` is no result of `winners`.
    """
    table.require(table.validate(won), among, "rank", "winner")
    cell = select(won, **keys)
    rows = table.frame(cell).sort_values("rank")
    if (rows["rank"] == 1).sum() != 1 or not (rows["winner"] == 1).any():
        raise AnalysisError(f"expected one cell with {table.name_cell({k: str(v) for k, v in keys.items()})}")
    first, *others = rows[rows["winner"] == 1][among].astype(str)
    return quote(f"{first} (not told from {_listed(others)})" if others else str(first), cell)


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
