"""What of a rate on the network was asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import basis, columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.differences import Difference, welch
from storagelab.analysis.inference.elementary import exp, log
from storagelab.analysis.inference.intervals import Floats, log_t_interval
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import values_of_runs
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
        rates); ``amplification`` [1]; ``n``, ``n_amplification`` (runs; 0 for a number); ``caveat``.

    Raises
    ------
    AnalysisError
        If the variable is no rate in B/s, a value is not positive, a cell has no amplification, or as `run_values`.
    """
    if (unit := table.unit(ds, variable)) != "B/s":
        raise AnalysisError(f"a useful throughput is of a rate in B/s, {variable} is in {unit}")
    rates = values_of_runs(ds, variable, by, over=over).rows
    check_scale(rates[variable], variable)
    factors = _factors(amplified, by, over)
    cells = []
    for cell, part in rates.cells(by):
        if isinstance(factors, float):
            cells.append({**cell, **_useful(part[variable], factors), **basis.said(part)})
            continue
        behind = _of(factors, cell)
        found = _useful(part[variable], behind["amplification"])
        cells.append({**cell, **found, **basis.said(part, behind)})
    method = "geometric mean of the rates over that of the amplifications, 95 % t interval of the logs"
    return table.dataset(cells, ds, list(by), statistic="single", method=method, unit="run")


def _factors(amplified: xr.Dataset | float, by: Sequence[str], over: Sequence[str]) -> Rows | float:
    if isinstance(amplified, xr.Dataset):
        rows = values_of_runs(amplified, "amplification", by, over=over).rows
        check_scale(rows["amplification"], "amplification")
        return rows
    if not 0 < amplified < np.inf:
        raise AnalysisError(f"an amplification is positive, got {amplified:g}")
    return float(amplified)


def _of(factors: Rows, cell: table.Cell) -> Rows:
    same = [np.ones(len(factors), dtype=bool), *(factors[key] == level for key, level in cell.items())]
    found = factors.take(np.logical_and.reduce(same))
    if not len(found):
        raise AnalysisError(f"there is no amplification of {table.name_cell(cell)}")
    return found


def _useful(rates: Floats, factor: Floats | float) -> dict[str, float | str]:
    known = isinstance(factor, float)
    mean = factor if isinstance(factor, float) else float(exp(log(factor).mean()))
    low, high = _ends(rates, factor)
    counted = 0 if isinstance(factor, float) else factor.size
    few = rates.size < 2 or (not known and counted < 2)
    spread = "" if np.isfinite(low) else "runs without any spread: no interval"
    return {
        NAME: float(exp(log(rates).mean())) / mean,
        columns.low(NAME): low,
        columns.high(NAME): high,
        "amplification": mean,
        "n": float(rates.size),
        "n_amplification": float(counted),
        "caveat": "one run of the rate or of the amplification: no interval" if few else spread,
    }


def _ends(rates: Floats, factor: Floats | float) -> tuple[float, float]:
    if isinstance(factor, float):
        low, high = log_t_interval(rates)
        return low / factor, high / factor
    gap: Difference = welch(log(rates), log(factor))
    low, high = gap.interval()
    return float(exp(low)), float(exp(high))
