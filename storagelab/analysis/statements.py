"""From a result to the sentence about it: a number with its interval, a verdict, a check that it is still true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import dataset
from storagelab.analysis import columns, table
from storagelab.errors import AnalysisError
from storagelab.lineage import quote


def stated(ds: xr.Dataset, variable: str, **keys: object) -> dict[str, Any]:
    """Take one number out of a result, with all that belongs to it.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Result of an analysis, such as `summarise` or `compare`.
    variable : str
        The column.
    **keys
        Levels that choose the row, as for `storagelab.dataset.select`.

    Returns
    -------
    dict
        ``value`` and ``unit``; ``interval`` (low, high) where the row has one, and ``n`` where it says so: what
        `storagelab.paper.fact` takes.

    Raises
    ------
    AnalysisError
        If not exactly one row is chosen, or it has no value.
    """
    unit = table.unit(table.validate(ds), variable)
    chosen = dataset.select(ds, **keys)
    rows = table.frame(chosen)
    table.refuse_several(len(rows), keys)
    row = rows.iloc[0]
    if not np.isfinite(row[variable]):
        raise AnalysisError(f"{variable} has no value at {table.name_cell(keys) or 'the one row'}")
    found: dict[str, Any] = {"value": quote(float(row[variable]), chosen, variable=variable), "unit": unit}
    ends = [row.get(name, np.nan) for name in (columns.low(variable), columns.high(variable))]
    if np.isfinite(ends).all():
        found["interval"] = (float(ends[0]), float(ends[1]))
    return found | ({"n": int(row["n"])} if pd.notna(row.get("n", np.nan)) else {})


def assert_claim(holds: object, sentence: str) -> None:
    """Fail if the data no longer say what a sentence of the paper says.

    Parameters
    ----------
    holds : bool
        Whether they do; of an array or a column, whether all of it does.
    sentence : str
        What the paper says, for the message.

    Raises
    ------
    AnalysisError
        If they do not.
    """
    if not np.all(np.asarray(holds, dtype=bool)):
        raise AnalysisError(f"the data no longer say that {sentence}")


def verdict(compared: xr.Dataset, **keys: object) -> str:
    """Put the verdict of one comparison into words that finish "... is".

    Parameters
    ----------
    compared : Dataset, dimension obs
        Result of `compare`.
    **keys
        Levels that choose the row.

    Returns
    -------
    str
        "higher", "lower", "equivalent within 10 %", "lower, but within 10 %" or "not shown to differ".

    Raises
    ------
    AnalysisError
        If not exactly one row is chosen.
    """
    table.require(table.validate(compared), "verdict")
    chosen = dataset.select(compared, **keys)
    rows = table.frame(chosen)
    table.refuse_several(len(rows), keys)
    margin = f"within {100 * float(compared.attrs.get('margin') or 0):g} %"
    word = str(rows["verdict"].iloc[0])
    if word.endswith("within the margin"):
        return quote(f"{word.partition(',')[0]}, but {margin}", chosen)
    words = {"equivalent": f"equivalent {margin}", "undecided": "not shown to differ"}
    return quote(words.get(word, word), chosen)


def set_apart(ds: xr.Dataset, flag: str, key: str, word: str) -> xr.Dataset:
    """Give marked rows a level of their own, so that no mean mixes them with the others.

    Parameters
    ----------
    ds : Dataset, dimension obs
    flag : str
        Variable that is 1 where a row is marked, as `faster_than_links` adds it.
    key : str
        Text key whose level the marked rows change.
    word : str
        What is added to their level: "on-board" becomes "on-board, word".

    Returns
    -------
    Dataset, dimension obs
        The same rows; none is dropped.

    Raises
    ------
    AnalysisError
        If flag or key is missing.
    """
    table.require(table.validate(ds), flag, key)
    levels = ds[key].to_numpy()
    marked = np.where(ds[flag].to_numpy() == 1, np.char.add(levels.astype(str), f", {word}"), levels)
    return ds.assign_coords({key: ("obs", marked, ds[key].attrs)})
