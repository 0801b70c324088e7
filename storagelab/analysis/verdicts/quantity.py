"""The quantity of a claim: one number out of the result of an analysis, with its error."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import dataset
from storagelab.analysis import columns, table
from storagelab.errors import AnalysisError


def claim_quantity(result: xr.Dataset, claim: str, variable: str, **keys: object) -> xr.Dataset:
    """Take what a claim speaks of out of the result of an analysis.

    Parameters
    ----------
    result : Dataset, dimension obs
        Such as `summarise` (a value), `compare` (a ratio), a plateau, a position: whatever measures the claim.
    claim : str
        Id of the claim.
    variable : str
        Column with the quantity: a number, or the text of a level (who is highest).
    **keys
        Levels that choose the row, as for `storagelab.dataset.select`.

    Returns
    -------
    Dataset, dimension obs
        One row: keys ``claim``, ``quantity`` (name of the variable); ``value`` with ``value_low``, ``value_high`` (the
        95 % interval of this row alone) and ``value_error`` (standard error, NaN where the result has none), all in the
        SI unit that stands in ``unit``; ``level`` where the quantity is text; ``n``.
        `storagelab.analysis.together` joins the quantities of several claims.

    Raises
    ------
    AnalysisError
        If not exactly one row is chosen, or as `storagelab.dataset.select`.
    """
    table.require(table.sound(result), variable)
    rows = table.frame(dataset.select(result, **keys))
    if len(rows) != 1:
        where = table.name_cell(keys) or "no key named"
        raise AnalysisError(f"claim {claim}: {len(rows)} rows ({where}): name the keys that choose one")
    row = rows.iloc[0]
    named = {"claim": claim, "quantity": variable, "n": float(row.get("n", np.nan))}
    found = _text(row, variable) if columns.field(variable).unit is None else _number(row, variable)
    method = str(result.attrs.get("method", ""))
    return table.dataset(pd.DataFrame([named | found]), result, ["claim", "quantity", "unit"], method=method)


def _text(row: pd.Series, variable: str) -> dict[str, float | str]:
    nothing = dict.fromkeys(("value", "value_low", "value_high", "value_error"), np.nan)
    return {**nothing, "unit": "", "level": str(row[variable])}


def _number(row: pd.Series, variable: str) -> dict[str, float | str]:
    return {
        "value": float(row[variable]),
        "value_low": _end(row, columns.low(variable)),
        "value_high": _end(row, columns.high(variable)),
        "value_error": float(row.get(f"{variable}_error", np.nan)),
        "unit": str(columns.field(variable).unit),
        "level": "",
    }


def _end(row: pd.Series, name: str) -> float:
    """End of the interval of this row alone: a claim chose it before anybody looked at the others."""
    return float(row.get(f"{name}_unadjusted", row.get(name, np.nan)))
