"""What the runs of a campaign have in common by their day, round or block, and what is each run's own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import log
from storagelab.analysis.inference.variance_components import components
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import values_of_runs
from storagelab.errors import AnalysisError

UNITS = ("day", "round", "block", "repeat")
"""Keys whose levels may share something, from the widest."""


def variance_components(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    units: Sequence[str] = (),
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Split the variance of the logs of runs into what the runs of one day, round or block share, and what they do not.

    Each run is taken less the mean of its cell. One unit at a time, by analysis of variance: a unit says something
    where there are several of them, and several runs in one of them.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `run_values`. Values must be positive.
    units : sequence of str
        Keys whose levels may share something; by default day, round, block and repeat, as far as they tell runs apart.

    Returns
    -------
    Dataset, dimension obs
        One row a unit: key ``shared_by``; ``icc`` [1], the share of the variance that runs of one unit have in common;
        ``between_std`` and ``within_std`` [1], standard deviations of the logs; ``n`` (runs), ``n_units`` (units
        less one); ``caveat``.

    Raises
    ------
    AnalysisError
        If no key has several levels with several runs each, if values are not positive, or as `run_values`.
    """
    asked = [key for key in units or UNITS if key in ds.coords]
    for key in units:
        table.require(ds, key)
    runs = values_of_runs(
        ds, variable, list(dict.fromkeys([*by, *(key for key in asked if key not in ("repeat", "block", "day"))])),
        over=over, statistic=statistic, blocks=False,
    ).rows  # fmt: skip
    check_scale(runs[variable], variable)
    logs = runs.assign(**{variable: log(runs[variable])})
    found = [{"shared_by": unit, **_split(logs, variable, by, unit)} for unit in asked if logs.varies(unit)]
    told = [row for row in found if np.isfinite(row["icc"])]
    if not told:
        raise AnalysisError(f"no {', '.join(asked or UNITS)} has several levels with several runs each")
    method = "components of the variance of the logs about the means of cells, by analysis of variance"
    return table.dataset(told, ds, ["shared_by"], statistic=statistic, method=method, unit="run")


def _split(logs: Rows, variable: str, by: Sequence[str], unit: str) -> table.Cell:
    known = logs.take(~np.isnan(logs[unit])) if logs[unit].dtype.kind == "f" else logs
    cells = known.cells(by)
    apart = known.assign(apart=known[variable] - cells.broadcast(cells.mean(variable)))
    found = components([apart.cells([unit]).slices("apart")], lost=len(cells) - 1)
    between = found.freedom_between
    return {
        "icc": found.icc,
        "between_std": float(np.sqrt(found.between)),
        "within_std": float(np.sqrt(found.within)),
        "n": float(len(known)),
        "n_units": between,
        "caveat": "" if between >= FEWEST else f"{between:.0f} degrees of freedom between: little is known",
    }


FEWEST = 5
"""Degrees of freedom between units below which their variance is hardly known."""
