"""A result laid out for a table: the levels of one key side by side."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.errors import AnalysisError

SPREAD = "spread"
"""Attribute of a frame that `pivot` made: the key, the value in the cells, and the level of each column."""


def pivot(result: xr.Dataset, rows: Sequence[str], column: str, value: str) -> pd.DataFrame:
    """Lay a result out for a table: the levels of one key side by side, the other keys down.

    Parameters
    ----------
    result : Dataset, dimension obs
    rows : sequence of str
        Keys that name a line.
    column : str
        Key whose levels become the columns.
    value : str
        What stands in the cells; NaN where there is no row.

    Returns
    -------
    DataFrame
        Index `rows`, a column a level of `column`, named as text (``repeat 1``, ``kernel``). Its attribute `SPREAD`
        says what it was made of.

    Raises
    ------
    AnalysisError
        If two rows fall into one cell.
    """
    table.require(result, *rows, column, value)
    frame = table.frame(result)
    if frame.duplicated([*rows, column]).any():
        raise AnalysisError(f"several rows of {value} have the same {', '.join([*rows, column])}")
    spread = frame.pivot(index=list(rows), columns=column, values=value)
    levels = spread.columns.tolist()
    spread.columns = [f"{column} {one:g}" if isinstance(one, float) else str(one) for one in levels]
    spread.attrs[SPREAD] = {"key": column, "value": value, "levels": dict(zip(spread.columns, levels, strict=True))}
    return spread
