"""The shape of the noise of repeats: below a limit that is known, and as the cells of a table show it together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.comparison.sides import RunSide, runs_by_cell
from storagelab.analysis.inference.bounded_intervals import log_deficits, typical_below
from storagelab.analysis.inference.dependence import LESS_THAN_ONE
from storagelab.analysis.inference.noise_shape import missed, shape_of
from storagelab.analysis.runs import direction_of, values_of_runs
from storagelab.errors import AnalysisError

STALLS = 0.05
"""Share of runs that stall, where one asks whether a cell would have shown it."""


def below_limit(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    limit: float,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Typical run of each cell below a limit that is known, such as the rate of a link.

    Values that crowd below a limit have a tail to one side only, and the t interval of their mean covers 88 % at three
    runs. Here the interval is that of the logs of what is missing to the limit. Runs need not be independent where
    their order is known: see `storagelab.analysis.summarise`.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `run_values`.
    limit : float
        What no run can reach, in SI.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: the keys `by`; under the name of the variable the limit less the geometric mean of what is
        missing to it; ``_low`` and ``_high``; ``n``; ``caveat`` where there is no interval.

    Raises
    ------
    AnalysisError
        If a run reaches the limit, or as `run_values`.
    """
    runs = values_of_runs(ds, variable, by, over=over, statistic=statistic)
    logs = runs.rows.assign(**{variable: log_deficits(runs.rows[variable], limit)})
    cells = runs_by_cell(replace(runs, rows=logs), variable, by)
    found = [{**cell, **_below(side, variable, limit)} for cell, side in cells]
    method = f"limit of {limit:g} less the geometric mean of what is missing, 95 % t interval of its log"
    return table.dataset(found, ds, by, statistic=statistic, method=method, unit=runs.unit)


def _below(logs: RunSide, variable: str, limit: float) -> table.Cell:
    value, (low, high) = typical_below(limit, logs.side)
    none = "one value: no interval" if logs.size < 2 else "values without spread: no interval"
    return {
        variable: value,
        columns.low(variable): low,
        columns.high(variable): high,
        "n": float(logs.size),
        "caveat": logs.doubt if np.isfinite(low) or logs.doubt == LESS_THAN_ONE else none,
    }


def noise_shape(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    within: Sequence[str] = (),
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Ask whether runs have a tail to the slow side: a limit that they crowd below, modes, stalls.

    The runs of one cell are too few to show it; those of all cells, each over the mean of its own, are held against
    normal noise together. Where it flags, intervals of means may not cover: look at medians (`quantile_ratios`), or use
    the limit (`below_limit`).

    Parameters
    ----------
    ds, variable, over, statistic
        See `run_values`.
    by : sequence of str
        Keys that make the cells.
    within : sequence of str
        Keys among `by`; each of their cells is a table of its own.

    Returns
    -------
    Dataset, dimension obs
        One row a cell of `within`: ``skewness`` and ``p_skewness``; ``slowest_residual`` and ``p_slowest``; ``n``, runs
        in cells of three or more; ``cells``; ``stall_missed``, the chance that a cell of the middle size shows no stall
        that comes in one run of twenty; ``caveat``, empty where nothing is seen.

    Raises
    ------
    AnalysisError
        If a key of `within` is not in `by`, if it is not known which end of the variable is slow, or as `run_values`.
    """
    if lost := [key for key in within if key not in by]:
        raise AnalysisError(f"{', '.join(lost)} of within is not in by: {', '.join(by)}")
    slow = "low" if direction_of(table.unit(ds, variable), variable) == "highest" else "high"
    runs = values_of_runs(ds, variable, by, over=over, statistic=statistic)
    found = []
    for cell, part in runs.rows.cells(within):
        samples = [np.sort(values) / values.mean() for values in part.cells(by).slices(variable) if values.mean() > 0]
        seen = shape_of(samples, "low" if slow == "low" else "high")
        sizes = [len(x) for x in samples]
        row = {
            "skewness": seen.skewness,
            "p_skewness": seen.p_skewness,
            "slowest_residual": seen.slowest,
            "p_slowest": seen.p_slowest,
            "n": float(seen.runs),
            "cells": float(len(samples)),
            "stall_missed": float(missed(STALLS, np.median(sizes))) if sizes else np.nan,
            "caveat": seen.caveat if seen.runs else "no cell has three runs that spread",
        }
        found.append({**cell, **row})
    method = "residuals of all cells against those of normal noise in cells of the same sizes"
    return table.dataset(found, ds, within, statistic=statistic, method=method, unit=runs.unit)
