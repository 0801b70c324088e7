"""How well runs repeat: against the time of the campaign, and one beside the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import UNIT, run_values
from storagelab.errors import AnalysisError


def drift(
    ds: xr.Dataset, variable: str, by: Sequence[str], keep: Sequence[str], *, statistic: str = "single"
) -> xr.Dataset:
    """Each run against the other repeats of its cell, so that runs of all cells can be compared in order of time.

    Only cells that have every repeat of the dataset take part: otherwise a slow repeat would seem fast where it
    stands alone. A run that holds several cells (operations) gives the geometric mean of its deviations.

    Parameters
    ----------
    ds, variable, statistic
        See `run_values`.
    by : sequence of str
        Keys that make the cells.
    keep : sequence of str
        Keys among `by` that name a run in the result.

    Returns
    -------
    Dataset, dimension obs
        One row a run: keys `keep`, run_id, repeat, block; ``deviation`` [1], value over the geometric mean of the
        cell's repeats.

    Raises
    ------
    AnalysisError
        If no cell has every repeat, if values are not positive, or as `run_values`.
    """
    runs = table.frame(run_values(ds, variable, by, statistic=statistic))
    check_scale(runs[variable].to_numpy(), variable)
    cells = runs.groupby(list(by), dropna=False)
    whole = runs[cells["repeat"].transform("nunique") == runs["repeat"].nunique()]
    if whole.empty:
        raise AnalysisError(f"no cell of {', '.join(by)} has every repeat of {variable}")
    logs = np.log(whole[variable])
    centred = logs - logs.groupby([whole[key] for key in by], dropna=False).transform("mean")
    keys = list(dict.fromkeys([*keep, *UNIT]))
    means = whole.assign(deviation=centred).groupby(keys, dropna=False, sort=True)["deviation"].mean()
    rows = np.exp(means).reset_index()
    return table.dataset(rows, ds, keys, statistic="single", method="run over the geometric mean of its cell's repeats")


def run_spread(ds: xr.Dataset, variable: str, by: Sequence[str], *, statistic: str = "single") -> xr.Dataset:
    """Fastest over slowest run of each cell that has several: what two runs differ by when nothing was changed.

    Parameters
    ----------
    ds, variable, by, statistic
        See `run_values`.

    Returns
    -------
    Dataset, dimension obs
        One row a cell with two runs or more: the keys `by`; ``run_spread`` [1], ``n``.

    Raises
    ------
    AnalysisError
        If no cell has two runs, or as `run_values`.
    """
    runs = table.frame(run_values(ds, variable, by, statistic=statistic, blocks=False))
    check_scale(runs[variable].to_numpy(), variable)
    rows = [
        {**cell, "run_spread": float(part[variable].max() / part[variable].min()), "n": float(len(part))}
        for cell, part in table.cells(runs, by)
        if len(part) > 1
    ]
    if not rows:
        raise AnalysisError(f"no cell of {', '.join(by)} has two runs of {variable}")
    return table.dataset(pd.DataFrame(rows), ds, by, method="highest over lowest run of a cell")
