"""Cells with more or fewer runs than the others: their means are not known equally well."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from storagelab.analysis import table
from storagelab.analysis.runs import run_values


def most_frequent(counts: ArrayLike) -> float:
    """Return what occurs most often; of equally frequent numbers the largest."""
    numbers, times = np.unique(np.asarray(counts), return_counts=True)
    return float(numbers[times == times.max()].max())


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
    cells = table.rows(runs).cells(by)
    usual = most_frequent(cells.size)
    found = cells.results(n=cells.size, n_usual=usual, unequal=cells.size != usual)
    method = "runs counted against the number that most cells have"
    return table.dataset(found, runs, by, statistic=statistic, method=method, unit=runs.attrs["unit"])
