"""When to stop measuring: cells whose interval is as narrow as asked, though one looked after every run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.comparison.sides import runs_by_cell
from storagelab.analysis.inference.confidence_sequences import enough
from storagelab.analysis.inference.dependence import TAKEN_FOR_INDEPENDENT
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.processor_independent import log
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import values_of_runs


def enough_runs(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    width: float,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Say of each cell whether its runs are enough: whether its interval is as narrow as asked.

    It may be asked after every run, and the campaign stopped where it says so, or for any other reason: the intervals
    hold at all numbers of runs at once, which those of `summarise` do not. A campaign that is stopped by this rule
    reports these intervals. They take runs for independent: runs that are seen to depend on the ones before are never
    enough.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `run_values`: all runs so far.
    width : float
        How far the upper end of the interval may lie above the geometric mean: 0.05 is 5 %.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: the keys `by`; the geometric mean under the name of the variable, ``_low`` and ``_high``;
        ``half_width`` [1], ``n``, ``enough`` (1 or 0), ``caveat`` where there is no interval yet.

    Raises
    ------
    AnalysisError
        For a width that is none, values that are not positive, or as `run_values`.
    """
    runs = values_of_runs(ds, variable, by, over=over, statistic=statistic)
    check_scale(runs.rows[variable], variable)
    logs = replace(runs, rows=runs.rows.assign(**{variable: log(runs.rows[variable])}))
    doubts = (side.doubt_if_independent for _, side in runs_by_cell(logs, variable, by))
    cells = runs.rows.cells(by)
    found = [
        {**cell, **_row(values, variable, width, doubt)}
        for cell, values, doubt in zip(cells.names(), cells.slices(variable), doubts, strict=True)
    ]
    method = f"geometric mean, 95 % interval that holds at any number of runs, asked to be within {width:g}"
    return table.dataset(found, ds, by, statistic=statistic, method=method, unit=runs.unit)


def _row(values: Floats, variable: str, width: float, doubt: str) -> table.Cell:
    found = enough(values, width)
    known = found.half_width == found.half_width
    return {
        variable: found.value,
        columns.low(variable): found.interval[0],
        columns.high(variable): found.interval[1],
        "half_width": found.half_width,
        "n": float(values.size),
        "enough": float(found.enough and doubt != TAKEN_FOR_INDEPENDENT),
        "caveat": doubt if known else "fewer than 4 runs, or runs without spread: no interval yet",
    }
