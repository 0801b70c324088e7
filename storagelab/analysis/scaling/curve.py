"""The scaling curve: how a rate grows with the clients, and where it falls instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import basis, columns, table
from storagelab.analysis.comparison.comparison import compared, judge
from storagelab.analysis.comparison.sides import NONE, RunSide, sides_of_cells
from storagelab.analysis.inference.correction import ALPHA, CORRECTED
from storagelab.analysis.inference.intervals import spreadless
from storagelab.analysis.inference.mean_differences import mean_of
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.runs import Runs, labelled_runs
from storagelab.analysis.scaling.scale import runs_along
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
    A(n) is Student's t of the logs, that of the ratios Welch's. Runs need not be independent where their order is
    known: see `storagelab.analysis.summarise`. Levels that were measured on different days, or one after the other by
    runs that may depend on each other, have speed-ups without an interval.

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
        for cell, of_level in _levels(runs, variable, by, x)
        for row in _curve(of_level, variable, x, base)
    ]
    if not any(row["n_base"] > 0 for row in rows):
        raise AnalysisError(f"no cell has {variable} at {x}={base:g}: choose another base")
    return table.dataset(
        rows, labelled_runs(runs, ds), [*by, x], statistic=statistic, unit=runs.unit, compared_variable=variable,
        method=f"geometric means, ratios to {x}={base:g}, 95 % t and Welch t intervals of the logs",
    )  # fmt: skip


Levels = dict[float, RunSide]
"""Logs of the runs of a cell at each level, levels rising."""


def _levels(runs: Runs, variable: str, by: Sequence[str], x: str) -> Iterator[tuple[table.Cell, Levels]]:
    """Go through the cells, with the runs of each at each level."""
    logs = replace(runs, rows=runs.rows.assign(**{variable: log(runs.rows[variable])}))
    levels = sorted(set(runs.rows[x].tolist()))
    for cell, sides in sides_of_cells(logs, variable, by, x, levels):
        yield cell, {level: side for level, side in zip(levels, sides, strict=True) if side.size}


def _curve(of_level: Levels, variable: str, x: str, base: float) -> Iterator[Row]:
    first = of_level.get(base, NONE)
    for level, side in of_level.items():
        gain = _RATIO_TO_ITSELF | {"caveat": side.doubt} if side is first else compared(side, first)
        yield {
            x: level,
            **_mean(side, variable),
            **_speedup(gain, level / base),
            "n": float(side.size),
            "n_base": float(first.size),
            "caveat": _caveat(side, first, x, base) or gain["caveat"],
        }


_RATIO_TO_ITSELF: table.Cell = {"ratio": 1.0, "ratio_low": np.nan, "ratio_high": np.nan}


def _mean(of: RunSide, variable: str) -> Row:
    mean = mean_of(of.side)
    low, high = mean.interval()
    return {
        variable: float(exp(mean.value)),
        columns.low(variable): float(exp(low)),
        columns.high(variable): float(exp(high)),
    }


def _speedup(gain: table.Cell, times: float) -> Row:
    ends = {end: gain[f"ratio{end}"] for end in ("", "_low", "_high")}
    speedup: Row = {f"speedup{end}": value for end, value in ends.items()}
    return speedup | {f"efficiency{end}": value / times for end, value in ends.items()}


def _caveat(of: RunSide, first: RunSide, x: str, base: float) -> str:
    """Say why a level has no interval; "" where it has one."""
    if not first.size:
        return f"no runs at {x}={base:g}"
    if min(of.size, first.size) < 2:
        return "one run: no interval"
    return "runs without spread: no interval" if spreadless(of.side.values) else ""


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

    Ratios of geometric means with Welch's t interval of the logs, as `storagelab.analysis.compare` gives them: the
    tests of the table are corrected together, and levels that were measured on different days, or one after the other
    by runs that may depend on each other, get no verdict.

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
        for (_, part), (cell, levels) in zip(runs.rows.cells(by), _levels(runs, variable, by, x), strict=True)
        for before, after in pairwise(levels.items())
    ]
    if not rows:
        raise AnalysisError(f"no cell has {variable} at two levels of {x}: nothing to compare")
    judged = judge(rows)
    result = judged.assign(dip=(judged["ratio"] < 1) & (judged["p_adjusted"] <= ALPHA))
    method = f"ratio of geometric means to the {x} before, 95 % Welch t interval of the log"
    return table.dataset(
        result, labelled_runs(runs, ds), [*by, x], statistic=statistic, unit=runs.unit, compared_variable=variable,
        method=f"{method}, {CORRECTED['simultaneous']}",
    )  # fmt: skip


def _step(before: tuple[float, RunSide], after: tuple[float, RunSide], x: str) -> Row:
    (previous, lower), (level, upper) = before, after
    return {x: level, f"{x}_previous": previous, **compared(upper, lower)}
