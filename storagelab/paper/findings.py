"""Facts straight from the result of an analysis: value, interval, n and trace of one row, all from the same place."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr

from storagelab.analysis import columns, lookup, table
from storagelab.errors import PaperError
from storagelab.paper import quantity
from storagelab.paper.publish import fact


def finding(
    name: str,
    result: xr.Dataset,
    variable: str,
    *,
    of: xr.Dataset | None = None,
    display: str = "",
    digits: int = quantity.DIGITS,
    **keys: object,
) -> None:
    """State what a result says in one of its rows as the fact ``{{name}}``.

    Parameters
    ----------
    name : str
        Of the fact.
    result : Dataset, dimension obs
        From `storagelab.analysis`. The row is the one with these `keys`, or the only one.
    variable : str
        The column to state: a number in the unit of the column, with the row's interval and n where it has them, or
        words (a verdict, the key of an extreme).
    of : Dataset, optional
        What the result was computed from: its rows with the keys of the row, on the lines of whose logs the fact rests.
    display, digits
        See `fact`.
    **keys
        The row.

    Raises
    ------
    PaperError
        If the row has no value.
    AnalysisError, UnknownNameError
        If there is no such row, or more than one.
    """
    row = lookup.row(result, **keys)
    table.require(row, variable)
    value = row[variable].to_numpy()[0].item()
    trace = () if of is None else _behind(row, of, variable)
    unit = columns.field(variable).unit
    if isinstance(value, str) or unit is None:
        return fact(name, str(value), n=_count(row), trace=trace)
    if not math.isfinite(value):
        raise PaperError(f"fact {name!r}: the row has no {variable}")
    ends = _interval(row, variable)
    return fact(name, value, unit, display=display, digits=digits, interval=ends, n=_count(row), trace=trace)


def _interval(row: xr.Dataset, variable: str) -> tuple[float, float] | None:
    if columns.low(variable) not in row or columns.high(variable) not in row:
        return None
    low, high = (float(row[end].to_numpy()[0]) for end in (columns.low(variable), columns.high(variable)))
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def _count(row: xr.Dataset) -> int | None:
    """Runs behind a row; where two sides are compared, those of the smaller one."""
    counts = [float(row[name].to_numpy()[0]) for name in ("n", "n_base") if name in row]
    return int(min(counts)) if counts else None


def _behind(row: xr.Dataset, of: xr.Dataset, variable: str) -> xr.Dataset:
    """Rows that have the keys of the row, and a value of what was measured where that is known."""
    rows = np.ones(of.sizes["obs"], dtype=bool)
    for key in row.coords:
        if key in of.variables:
            rows &= np.isin(of[key].to_numpy(), row[key].to_numpy())
    measured = row.attrs.get("compared_variable", variable)
    if measured in of.variables and columns.field(measured).unit is not None:
        rows &= np.isfinite(of[measured].to_numpy())
    return of.isel(obs=np.flatnonzero(rows))
