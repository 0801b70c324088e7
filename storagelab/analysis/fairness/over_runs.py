"""Indices of fairness over the runs of a cell: their mean, and an interval where there are runs enough to resample."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.comparison.sides import runs_by_cell
from storagelab.analysis.inference.bca import bca_interval
from storagelab.analysis.inference.intervals import NO_INTERVAL, Floats
from storagelab.analysis.inference.resampling import refusal
from storagelab.analysis.inference.seeds import generator
from storagelab.analysis.runs import labelled_runs, values_of_runs

BOUNDED = frozenset({"jain", "variation", "half_range"})
"""Indices that cannot be beyond what one client that has all would give."""

METHOD = "mean over runs, 95 % BCa interval over runs at a level expanded to that of t, from 10 runs on"


def fairness_over_runs(ds: xr.Dataset, variable: str = "jain", by: Sequence[str] = ()) -> xr.Dataset:
    """Average an index of fairness over the runs of each cell; below ten runs the runs themselves are the answer.

    An index near its end (1 for Jain's) is skewed, and Student's t may pass the end. So the runs are resampled, whole,
    and only where there are ten of them.

    Parameters
    ----------
    ds : Dataset, dimension obs
        From `storagelab.analysis.fairness`: a row a run.
    variable : str
        The index: jain, variation, half_range, spread, or another pure number of a run.
    by : sequence of str
        Keys that make the cells.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: keys `by`; the mean of the index with ``_low``, ``_high`` (NaN where ``caveat`` says why),
        ``_min``, ``_max``, ``_std`` over the runs; ``n``; ``caveat``, also where runs depend on the ones before, which
        the interval takes for independent. Pure numbers.

    Raises
    ------
    AnalysisError
        As `run_values`.
    """
    runs = values_of_runs(ds, variable, by)
    doubts = (side.doubt_if_independent for _, side in runs_by_cell(runs, variable, by, logs=False))
    cells = runs.rows.cells(by)
    found = [
        {**cell, **_over_runs(values, variable, generator(*_names(ds, variable, cell)), doubt)}
        for cell, values, doubt in zip(cells.names(), cells.slices(variable), doubts, strict=True)
    ]
    return table.dataset(found, labelled_runs(runs, ds), by, statistic="single", method=METHOD, unit=runs.unit)


def _names(ds: xr.Dataset, variable: str, cell: table.Cell) -> tuple[str, str, str]:
    return str(ds.attrs.get("study", "")), f"{variable} over runs", table.name_cell(cell)


def _over_runs(values: Floats, variable: str, rng: np.random.Generator, doubt: str) -> dict[str, float | str]:
    refused = refusal(values, bounded=variable in BOUNDED)
    low, high = NO_INTERVAL if refused else bca_interval([values], np.mean, rng)
    return {
        variable: float(values.mean()),
        columns.low(variable): low,
        columns.high(variable): high,
        f"{variable}_min": float(values.min()),
        f"{variable}_max": float(values.max()),
        f"{variable}_std": float(values.std(ddof=1)) if values.size > 1 else np.nan,
        "n": float(values.size),
        "caveat": refused or doubt,
    }
