"""What the rows of a result rest on, where those that they were made from say it: the key ``basis``.

A row that comes from one row keeps its basis, one that comes from several has the weakest of them
(`storagelab.schema.weakest`), and a comparison of two sides was computed: it is at best "derived". Rows of one cell may
rest on different things; the basis tells no cells apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike

from storagelab import schema
from storagelab.analysis.cells import Cell, Cells, Floats, Rows
from storagelab.analysis.key_codes import Array, Places
from storagelab.analysis.run_times import telling_apart

KEY = "basis"
OF_A_RUN = ("run_id", "repeat", "block")
"""Keys that name a run; a result may name runs anew, so that no row has the name."""
COMPUTED = "compared"
"""Key of a result whose values are comparisons of two sides."""

_ORDER = ("", *schema.BASES)
_WORDS = np.array(_ORDER, dtype=object)


def propagate_basis(result: xr.Dataset, source: xr.Dataset) -> xr.Dataset:
    """Say of each row of a result what it rests on.

    Parameters
    ----------
    result : Dataset, dimension obs
        A row that says its basis keeps it.
    source : Dataset
        What it was made from: behind a row stand the rows with its keys, and with a value of a variable that both have.

    Returns
    -------
    Dataset, dimension obs
        As `result`, with the key ``basis`` where `source` has it.
    """
    if KEY not in source.coords or not result.sizes.get("obs"):
        return result
    known = result[KEY].to_numpy() if KEY in result.coords else _behind(result, source)
    if COMPUTED in result.coords:
        known = [_of_a_ratio(one) for one in known]
    attrs = source[KEY].attrs
    return result.assign_coords({KEY: ("obs", np.array(known, dtype=str), attrs)})


def weakest_of(bases: ArrayLike) -> str:
    """Return the weakest basis of a column."""
    return schema.weakest(dict.fromkeys(np.asarray(bases).tolist()))


def of_cells(cells: Cells) -> dict[str, Array]:
    """Return the weakest basis of each cell: a column, where the rows say what they rest on."""
    if KEY not in cells.rows or KEY in cells.by:
        return {}
    ranks = _ranks(cells.rows)
    return {KEY: _WORDS[np.maximum.reduceat(ranks, cells.starts)] if len(cells) else ranks.astype(object)}


def computed(cells: Sequence[Mapping[str, Any]], source: xr.Dataset) -> list[Cell]:
    """Say of rows that they were computed from keys alone, whatever the measured values beside these rest on."""
    return [{**cell, **({KEY: "derived"} if KEY in source.coords else {})} for cell in cells]


def said(*parts: Rows | pd.DataFrame, ratio: bool = False) -> dict[str, str]:
    """What a value, or a ratio, made from rows says of its basis: a column of its own, where the rows have one."""
    known = [weakest_of(rows[KEY]) for rows in parts if KEY in rows]
    weakest = schema.weakest(known)
    return {KEY: _of_a_ratio(weakest) if ratio else weakest} if known else {}


def _of_a_ratio(weakest: str) -> str:
    """Return what a ratio rests on, given the weakest basis of its sides; of sides that say nothing, nothing."""
    return schema.weakest([weakest, "derived"]) if weakest else ""


def _behind(result: xr.Dataset, source: xr.Dataset) -> list[str]:
    rows = Rows.of(source).take(_with_values(result, source))
    ranks = _ranks(rows)
    shared = [key for key in telling_apart(result) if key in source.coords]
    asked = Rows.of(result)
    found = np.full(len(asked), np.nan)
    for keys in (shared, [key for key in shared if key not in OF_A_RUN], [key for key in shared if _text(source, key)]):
        if keys and np.isnan(found).any():
            found = np.where(np.isnan(found), _ranks_at(asked, rows, keys, ranks), found)
    return [_ORDER[int(rank)] for rank in np.where(np.isnan(found), ranks.max(), found)]


def _ranks(rows: Rows) -> Places:
    found = rows.coded(KEY)
    return np.array([_ORDER.index(word) for word in found.levels.tolist()], dtype=np.intp)[found.codes]


def _ranks_at(asked: Rows, known: Rows, keys: Sequence[str], ranks: Places) -> Floats:
    """Look up the rank of the weakest row that has the keys; NaN where none has them."""
    both = Rows({key: np.concatenate([asked[key], known[key]]) for key in keys}, len(asked) + len(known))
    cells = both.assign(rank=np.concatenate([np.full(len(asked), -1.0), ranks])).cells(keys)
    weakest = cells.broadcast(cells.max("rank"))[: len(asked)]
    return np.where(weakest < 0, np.nan, weakest)


def _with_values(result: xr.Dataset, source: xr.Dataset) -> Places | slice:
    """Rows of the source in which a variable of the result, or the one compared there, has a value; all if none has."""
    names = [name for name in (*result.data_vars, result.attrs.get("compared_variable")) if name in source.data_vars]
    columns = [source.variables[name].to_numpy() for name in names]
    known = [np.isfinite(values) for values in columns if values.dtype.kind == "f"]
    rows = np.flatnonzero(np.logical_or.reduce(known)) if known else np.zeros(0, dtype=np.intp)
    return rows if rows.size else slice(None)


def _text(source: xr.Dataset, key: str) -> bool:
    return source.variables[key].dtype.kind == "U" and key not in OF_A_RUN
