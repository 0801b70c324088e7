"""How well runs repeat: against the time of the campaign, and one beside the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab import dataset
from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import UNIT, values_of_runs
from storagelab.errors import AnalysisError


def drift(
    ds: xr.Dataset, variable: str, by: Sequence[str], keep: Sequence[str], *, statistic: str = "single"
) -> xr.Dataset:
    """Each run against the other repeats of its cell, so that runs of all cells can be compared in order of time.

    Only cells that have every repeat of the dataset take part: otherwise a slow repeat would seem fast where it
    stands alone. A run that holds several cells (operations) gives the geometric mean of its deviations, and so do the
    runs of a block.

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
        One row a run, or a block of runs: keys `keep`, run_id ("" for a block), repeat, block; ``deviation`` [1], value
        over the geometric mean of the cell's repeats.

    Raises
    ------
    AnalysisError
        If no cell has every repeat, if values are not positive, or as `run_values`.
    """
    runs = values_of_runs(ds, variable, by, statistic=statistic).rows
    check_scale(runs[variable], variable)
    unnumbered = np.isnan(runs["repeat"])
    cells = runs.assign(unnumbered=unnumbered).cells(by)
    repeats = cells.distinct("repeat") - cells.max("unnumbered")
    whole = runs.take(cells.broadcast(repeats) == np.unique(runs["repeat"][~unnumbered]).size)
    if not len(whole):
        raise AnalysisError(f"no cell of {', '.join(by)} has every repeat of {variable}")
    of_blocks = np.where(np.isnan(whole["block"]), whole["run_id"], "")
    logs = whole.assign(log=log(whole[variable]), run_id=of_blocks)
    of_cell, keys = logs.cells(by), list(dict.fromkeys([*keep, *UNIT]))
    of_run = logs.assign(deviation=logs["log"] - of_cell.broadcast(of_cell.mean("log"))).cells(keys)
    rows = of_run.results(deviation=exp(of_run.mean("deviation")))
    method = "run over the geometric mean of its cell's repeats"
    return table.dataset(rows, _of_cells(ds, whole, by), keys, statistic=statistic, method=method, made_of=variable)


def _of_cells(ds: xr.Dataset, cells: Rows, by: Sequence[str]) -> xr.Dataset:
    """Rows of a dataset that are of one of some cells."""
    known = Rows.of(ds).looked_up(cells.assign(there=np.ones(len(cells))), by, ["there"])["there"]
    return dataset.take(ds, np.flatnonzero(known == 1))


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
    runs = values_of_runs(ds, variable, by, statistic=statistic, blocks=False).rows
    check_scale(runs[variable], variable)
    cells = runs.cells(by)
    rows = cells.results(run_spread=cells.max(variable) / cells.min(variable), n=cells.size).take(cells.size > 1)
    if not len(rows):
        raise AnalysisError(f"no cell of {', '.join(by)} has two runs of {variable}")
    return table.dataset(rows, ds, by, method="highest over lowest run of a cell", made_of=variable)
