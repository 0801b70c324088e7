"""The quantity of a claim: one number out of the result of an analysis, with its error."""

from __future__ import annotations

import numpy as np
import xarray as xr

from storagelab import dataset
from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
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
        `storagelab.analysis.concat` joins the quantities of several claims.

    Raises
    ------
    AnalysisError
        If not exactly one row is chosen, or as `storagelab.dataset.select`.
    """
    row = one_row(result, claim, variable, **keys)
    found = {"claim": claim, "quantity": variable, **numbers(row, variable)}
    method = str(result.attrs.get("method", ""))
    return table.dataset([found], result, ["claim", "quantity", "unit"], method=method)


def one_row(result: xr.Dataset, claim: str, variable: str, **keys: object) -> Rows:
    """Choose the one row of a result of which a claim speaks; arguments and errors as for `claim_quantity`."""
    table.require(table.validate(result), variable)
    row = Rows.of(result).take(dataset.places(result, **keys))
    if len(row) != 1:
        where = table.name_cell(keys) or "no key named"
        raise AnalysisError(f"claim {claim}: {len(row)} rows ({where}): name the keys that choose one")
    return row


def numbers(row: Rows, variable: str) -> dict[str, float | str]:
    """Read the quantity in a row: ``n``, ``value`` with its interval and error, ``unit`` and ``level``."""
    found = _text(row, variable) if columns.field(variable).unit is None else _number(row, variable)
    return {"n": number(row, "n"), **found}


def number(row: Rows, *names: str) -> float:
    """Read the first column that a row has, NaN where it has none of them."""
    return next((float(row[name][0]) for name in names if name in row), np.nan)


def _text(row: Rows, variable: str) -> dict[str, float | str]:
    nothing = dict.fromkeys(("value", "value_low", "value_high", "value_error"), np.nan)
    return {**nothing, "unit": "", "level": str(row[variable][0])}


def _number(row: Rows, variable: str) -> dict[str, float | str]:
    return {
        "value": number(row, variable),
        "value_low": _end(row, columns.low(variable)),
        "value_high": _end(row, columns.high(variable)),
        "value_error": number(row, columns.error(variable)),
        "unit": str(columns.field(variable).unit),
        "level": "",
    }


def _end(row: Rows, name: str) -> float:
    """End of the interval of this row alone: a claim chose it before anybody looked at the others."""
    return number(row, f"{name}_unadjusted", name)
