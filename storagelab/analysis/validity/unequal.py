"""Cells with more or fewer runs than the others: their means are not known equally well."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.runs import run_values


def unequal_repeats(
    ds: xr.Dataset, variable: str, by: Sequence[str], *, over: Sequence[str] = (), statistic: str = "single"
) -> xr.Dataset:
    """Count the runs (or blocks) of each cell against the number that most cells have.

    Cells without any run have no row; `storagelab.analysis.design_counts` knows them from the plan.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `storagelab.analysis.run_values`.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: keys `by`; ``n``; ``n_usual`` (of equally frequent numbers the largest); ``unequal`` (1 where
        the two differ). Pure numbers. ``attrs["unit"]`` says what n counts.

    Raises
    ------
    AnalysisError
        As `run_values`.
    """
    runs = run_values(ds, variable, by, over=over, statistic=statistic)
    rows = pd.DataFrame([{**cell, "n": float(len(part))} for cell, part in table.cells(table.frame(runs), by)])
    usual = float(rows["n"].mode().max())
    found = rows.assign(n_usual=usual, unequal=(rows["n"] != usual).astype(float))
    method = "runs counted against the number that most cells have"
    return table.dataset(found, runs, by, statistic=statistic, method=method, unit=runs.attrs["unit"])
