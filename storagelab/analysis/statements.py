"""From a result to the sentence about it: one number with its interval, and a check that fails when it turns untrue."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import dataset
from storagelab.analysis import columns, table
from storagelab.errors import AnalysisError


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
    unit = table.unit(ds, variable)
    rows = table.frame(dataset.select(ds, **keys))
    if len(rows) != 1:
        raise AnalysisError(f"{len(rows)} rows have {table.name_cell(keys)}: name the keys that choose one")
    row = rows.iloc[0]
    if not np.isfinite(row[variable]):
        raise AnalysisError(f"{variable} has no value at {table.name_cell(keys)}")
    found: dict[str, Any] = {"value": float(row[variable]), "unit": unit}
    ends = [row.get(name, np.nan) for name in (columns.low(variable), columns.high(variable))]
    if np.isfinite(ends).all():
        found["interval"] = (float(ends[0]), float(ends[1]))
    return found | ({"n": int(row["n"])} if pd.notna(row.get("n", np.nan)) else {})


def expect(holds: object, sentence: str) -> None:
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
