"""The scaling curve: how a rate grows with the clients, and where it falls instead."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import basis, columns, table
from storagelab.analysis.comparison.comparison import effect, judge
from storagelab.analysis.inference.correction import ALPHA
from storagelab.analysis.inference.differences import welch
from storagelab.analysis.inference.elementary import exp, log
from storagelab.analysis.inference.intervals import Floats, log_t_interval
from storagelab.analysis.runs import labelled_runs
from storagelab.analysis.scaling.scale import runs_along, samples
from storagelab.errors import AnalysisError

Row = dict[str, Any]


def scaling_curve(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    x: str = "clients",
    base: float = 1.0,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Rate, speed-up and efficiency at each level of a scale.

    With A(n) the geometric mean over the runs: speed-up ``A(n) / A(base)``, efficiency
    ``A(n) base / (n A(base))`` (R. Jain, "The art of computer systems performance analysis", 1991). The interval of
    A(n) is Student's t of the logs, that of the ratios Welch's.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `storagelab.analysis.run_values`.
    x : str
        Key along which it scales.
    base : float
        Level that the others are held against.

    Returns
    -------
    Dataset, dimension obs
        One row a cell and level: keys `by` and `x`; the variable (geometric mean), ``speedup`` [1] and ``efficiency``
        [1], each with ``_low`` and ``_high``; ``n``, ``n_base``; ``caveat``. A cell without runs at the base has NaN.

    Raises
    ------
    AnalysisError
        If no cell has runs at the base, or as `storagelab.analysis.scaling.scale.runs_along`.
    """
    runs = runs_along(ds, variable, by, x, over=over, statistic=statistic)
    rows = [
        {**cell, **row}
        for cell, part in runs.rows.cells(by)
        for row in _curve(samples(part, variable, x), variable, x, base)
    ]
    if not any(row["n_base"] > 0 for row in rows):
        raise AnalysisError(f"no cell has {variable} at {x}={base:g}: choose another base")
    return table.dataset(
        rows, labelled_runs(runs, ds), [*by, x], statistic=statistic, unit=runs.unit, compared_variable=variable,
        method=f"geometric means, ratios to {x}={base:g}, 95 % t and Welch t intervals of the logs",
    )  # fmt: skip


def _curve(of_level: dict[float, Floats], variable: str, x: str, base: float) -> list[Row]:
    first = of_level.get(base, np.empty(0))
    return [
        {
            x: level,
            **_mean(values, variable),
            **_gain(values, first, level / base),
            "n": float(values.size),
            "n_base": float(first.size),
            "caveat": _caveat(values, first, x, base),
        }
        for level, values in of_level.items()
    ]


def _mean(values: Floats, variable: str) -> Row:
    low, high = log_t_interval(values)
    return {variable: float(exp(log(values).mean())), columns.low(variable): low, columns.high(variable): high}


def _gain(values: Floats, first: Floats, times: float) -> Row:
    if values is first:
        found = {"ratio": 1.0, "ratio_low": np.nan, "ratio_high": np.nan}
    else:
        found = effect(welch(log(values), log(first)))
    ends = {end: found[f"ratio{end}"] for end in ("", "_low", "_high")}
    speedup: Row = {f"speedup{end}": value for end, value in ends.items()}
    return speedup | {f"efficiency{end}": value / times for end, value in ends.items()}


def _caveat(values: Floats, first: Floats, x: str, base: float) -> str:
    if not first.size:
        return f"no runs at {x}={base:g}"
    if min(values.size, first.size) < 2:
        return "one run: no interval"
    return "" if np.ptp(values) > 0 else "runs without spread: no interval"


def regressions(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    x: str = "clients",
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Hold each level of a scale against the level before, to see whether the rate falls where it should rise.

    Ratios of geometric means with Welch's t interval of the logs; p values are corrected by Holm over the whole table.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `storagelab.analysis.run_values`.
    x : str
        Key along which it scales.

    Returns
    -------
    Dataset, dimension obs
        One row a cell and level but the first: keys `by` and `x`; ``<x>_previous`` in the unit of `x`; ``ratio``,
        ``ratio_low``, ``ratio_high`` [1] to the level before; ``n``, ``n_base``; ``p``, ``p_adjusted``; ``verdict``
        (higher, lower, undecided); ``dip`` (1 where lower); ``caveat``.

    Raises
    ------
    AnalysisError
        If no cell has two levels, or as `storagelab.analysis.scaling.scale.runs_along`.
    """
    runs = runs_along(ds, variable, by, x, over=over, statistic=statistic)
    rows = [
        {
            **cell,
            **_step(before, after, x),
            **basis.said(part.take(np.isin(part[x], [before[0], after[0]])), ratio=True),
        }
        for cell, part in runs.rows.cells(by)
        for before, after in pairwise(samples(part, variable, x).items())
    ]
    if not rows:
        raise AnalysisError(f"no cell has {variable} at two levels of {x}: nothing to compare")
    judged = judge(rows)
    result = judged.assign(dip=(judged["ratio"] < 1) & (judged["p_adjusted"] <= ALPHA))
    return table.dataset(
        result, labelled_runs(runs, ds), [*by, x], statistic=statistic, unit=runs.unit, compared_variable=variable,
        method=f"ratio of geometric means to the {x} before, 95 % Welch t interval of the log, Holm over the table",
    )  # fmt: skip


def _step(before: tuple[float, Floats], after: tuple[float, Floats], x: str) -> Row:
    (previous, lower), (level, upper) = before, after
    gap = welch(log(upper), log(lower))
    return {
        x: level,
        f"{x}_previous": previous,
        **effect(gap),
        "n": float(upper.size),
        "n_base": float(lower.size),
        "caveat": "" if gap.known else "one run or no spread: not tested",
    }
