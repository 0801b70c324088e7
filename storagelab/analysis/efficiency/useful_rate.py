"""What of a rate on the network was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import xarray as xr

from storagelab.analysis import basis, columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.sides import RunSide, runs_by_cell
from storagelab.analysis.inference.dependence import LESS_THAN_ONE
from storagelab.analysis.inference.mean_differences import Difference, mean_of, welch
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import Runs, values_of_runs
from storagelab.errors import AnalysisError

NAME = "useful_throughput"


def useful_throughput(
    ds: xr.Dataset,
    amplified: xr.Dataset | float,
    by: Sequence[str] = (),
    *,
    variable: str = "throughput",
    over: Sequence[str] = (),
) -> xr.Dataset:
    """Divide a rate that was taken on the network by the amplification: the rate of the bytes that were asked for.

    For a rate and an amplification of different runs. Where both come from the same runs, `amplification` has the
    useful rate of each (throughput) beside that on the network.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Runs with the rate on the network.
    amplified : Dataset or float
        Runs with ``amplification``, such as the result of `storagelab.analysis.amplification`, of all the cells; or a
        number that is known without error (85 % read where 50 % was asked for: 1.7).
    by : sequence of str
        Keys that make the cells, in both.
    variable : str
        The rate.
    over : sequence of str
        See `run_values`, for both.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: keys `by`; ``useful_throughput`` [B/s], the geometric mean of the rates over that of the
        amplifications, with ``_low``, ``_high`` (95 %, Welch's t on the logs; with a number, t on the logs of the
        rates); ``amplification`` [1]; ``n``, ``n_amplification`` (runs; 0 for a number); ``caveat``. Runs need not be
        independent where their order is known: see `storagelab.analysis.summarise`.

    Raises
    ------
    AnalysisError
        If the variable is no rate in B/s, a value is not positive, a cell has no amplification, or as `run_values`.
    """
    if (unit := table.unit(ds, variable)) != "B/s":
        raise AnalysisError(f"a useful throughput is of a rate in B/s, {variable} is in {unit}")
    rates = values_of_runs(ds, variable, by, over=over)
    check_scale(rates.rows[variable], variable)
    factors = _factors(amplified, by, over)
    parts = (part for _, part in rates.rows.cells(by))
    cells = []
    for (cell, side), part in zip(_logs_by_cell(rates, variable, by), parts, strict=True):
        if isinstance(factors, float):
            cells.append({**cell, **_over_a_number(side, factors), **basis.said(part)})
        else:
            behind, logs = _of(factors, cell)
            cells.append({**cell, **_over_runs(side, logs), **basis.said(part, behind)})
    method = "geometric mean of the rates over that of the amplifications, 95 % t interval of the logs"
    return table.dataset(cells, ds, list(by), statistic="single", method=method, unit="run")


def _logs_by_cell(runs: Runs, variable: str, by: Sequence[str]) -> Iterator[tuple[table.Cell, RunSide]]:
    return runs_by_cell(replace(runs, rows=runs.rows.assign(**{variable: log(runs.rows[variable])})), variable, by)


Factors = list[tuple[table.Cell, Rows, RunSide]]
"""Runs of the amplification of each cell, and their logs."""


def _factors(amplified: xr.Dataset | float, by: Sequence[str], over: Sequence[str]) -> Factors | float:
    if isinstance(amplified, xr.Dataset):
        runs = values_of_runs(amplified, "amplification", by, over=over)
        check_scale(runs.rows["amplification"], "amplification")
        logs = (side for _, side in _logs_by_cell(runs, "amplification", by))
        return [(cell, part, side) for (cell, part), side in zip(runs.rows.cells(by), logs, strict=True)]
    if not 0 < amplified < np.inf:
        raise AnalysisError(f"an amplification is positive, got {amplified:g}")
    return float(amplified)


def _of(factors: Factors, cell: table.Cell) -> tuple[Rows, RunSide]:
    for of, part, logs in factors:
        if of == cell:
            return part, logs
    raise AnalysisError(f"there is no amplification of {table.name_cell(cell)}")


def _over_a_number(rates: RunSide, factor: float) -> table.Cell:
    mean = mean_of(rates.side)
    of_useful = replace(mean, value=mean.value - float(log(factor)))
    return {**_useful(of_useful, [rates]), "amplification": factor, "n": float(rates.size), "n_amplification": 0.0}


def _over_runs(rates: RunSide, factors: RunSide) -> table.Cell:
    return {
        **_useful(welch(rates.side, factors.side), [rates, factors]),
        "amplification": float(exp(factors.side.values.mean())),
        "n": float(rates.size),
        "n_amplification": float(factors.size),
    }


def _useful(logs: Difference, sides: Sequence[RunSide]) -> table.Cell:
    low, high = logs.interval()
    few = min(side.size for side in sides) < 2
    none = "one run of the rate or of the amplification: no interval" if few else "runs without any spread: no interval"
    doubt = next(filter(None, (side.doubt for side in sides)), "")
    return {
        NAME: float(exp(logs.value)),
        columns.low(NAME): float(exp(low)),
        columns.high(NAME): float(exp(high)),
        "caveat": doubt if logs.known or doubt == LESS_THAN_ONE else none,
    }
