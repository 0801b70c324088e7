"""The best of N runs beside their mean, and how much of the distance N alone explains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.comparison.sides import RunSide, runs_by_cell
from storagelab.analysis.inference.extremes import expected_excess, expected_maximum
from storagelab.analysis.inference.interval_guarantees import differ_by_factors
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.repeats.summary import described
from storagelab.analysis.runs import Best, direction_of, labelled_runs, rows_of_runs, values_of_runs
from storagelab.analysis.significant_digits import first_extreme
from storagelab.dataset import take
from storagelab.errors import AnalysisError


def best_of(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
    best: Best | None = None,
) -> xr.Dataset:
    """Set the best of the N runs of each cell beside their mean.

    The best of N grows with N: of N normal runs it lies 0.56 (N = 2), 0.85 (3) or 1.03 (4) standard deviations beyond
    the mean on average (H. A. David, H. N. Nagaraja, "Order statistics", 2003). The excess expected takes the standard
    deviation from the runs, freed of its bias at small n, and claims normal noise.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `run_values`.
    best : {"highest", "lowest"}, optional
        Rates are best when high and times when low; say it for other units.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: all columns of `summarise` (the mean, its interval, error and n); ``_best``; ``excess`` [1], the
        distance of the best from the mean over the mean; ``excess_expected`` [1], the same for as many normal runs;
        ``excess_normal`` [1], the latter in standard deviations; ``caveat``, of the interval and of the excess.

    Raises
    ------
    AnalysisError
        As `run_values`; if it is not clear what is best; or if a mean is not positive.
    """
    end = best or direction_of(table.unit(ds, variable), variable)
    runs = values_of_runs(ds, variable, by, over=over, statistic=statistic)
    cells = list(runs_by_cell(runs, variable, by, logs=False))
    most = max(side.size for _, side in cells)
    rows = [{**cell, **_of(side, variable, end, most)} for cell, side in cells]
    method = f"{end} run, mean with 95 % t interval, excess expected of normal noise"
    return table.dataset(rows, labelled_runs(runs, ds), by, statistic=statistic, method=method, unit=runs.unit)


def best_runs(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
    best: Best | None = None,
) -> xr.Dataset:
    """Keep of each cell the rows of its best run alone, as papers do that show the best of several.

    What comes out has one run a cell, so that nothing can tell how far it lies above the others: see `best_of`.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `run_values`.
    best : {"highest", "lowest"}, optional
        As for `best_of`.

    Returns
    -------
    Dataset, dimension obs
        Rows of `ds` with a value of the variable, in their order; of equal runs the first.

    Raises
    ------
    AnalysisError
        As `run_values`, or if it is not clear what is best.
    """
    end = best or direction_of(table.unit(ds, variable), variable)
    runs = values_of_runs(ds, variable, by, over=over, statistic=statistic, blocks=False)
    cells = runs.rows.cells(by)
    ends = [first_extreme(x, end) for x in cells.slices(variable)]
    first = cells.rows.take(cells.starts + ends)
    rows = rows_of_runs(ds.assign_coords(place=("obs", np.arange(ds.sizes["obs"]))), variable, statistic)
    return take(ds, rows["place"][rows.matching(first, runs.keys)].astype(int))


def _of(side: RunSide, variable: str, end: Best, most: int) -> table.Cell:
    x = side.side.values
    row = described(x, variable)
    caveat = row["caveat"] or side.doubt_if_independent
    mean, best = row[variable], float(x.max() if end == "highest" else x.min())
    if mean <= 0:
        raise AnalysisError(f"the mean of {variable} is {mean:g}: an excess over it needs a positive one")
    return {
        **row,
        f"{variable}_best": best,
        "excess": abs(best - mean) / mean,
        "excess_expected": expected_excess(x) / mean,
        "excess_normal": expected_maximum(x.size) if x.size > 1 else np.nan,
        "caveat": "; ".join(words for words in (caveat, *_caveats(x, most)) if words),
    }


def _caveats(x: Floats, most: int) -> list[str]:
    return [
        words
        for words, holds in {
            "2 values: found and expected excess are the same number": x.size == 2,
            "excess expected of normal values only": differ_by_factors(x),
            f"best of {x.size}, of {most} in other cells": x.size < most,
        }.items()
        if holds
    ]
