"""The half-peak point: how many clients it takes to reach half of what can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.digits import first_extreme
from storagelab.analysis.inference.intervals import NO_INTERVAL, Floats, t_interval
from storagelab.analysis.inference.levels import Levels, first_crossing, half_peak_interval
from storagelab.analysis.runs import labelled_runs
from storagelab.analysis.scaling.scale import levels_of, runs_along, samples
from storagelab.errors import AnalysisError


def half_peaks(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    x: str = "clients",
    peak: float | None = None,
    among: str = "",
    share: float = 0.5,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Smallest level of a scale at which each curve reaches a share of a peak.

    The curve is that of the means over the runs, straight between neighbouring levels on a log axis. Half of which
    peak makes a difference: by default it is the highest level mean of the curve itself (own); with `among`, the
    highest of all curves that differ in that key alone (common); with a number, that (nominal). Unlike in
    `storagelab.analysis.onsets`, the peak need not be at the last level, the first time counts, and the runs of one
    level need not belong to those of another.

    At a given position the curve less the share of the peak is a sum of level means; the interval reaches from the
    first position at which Student's t does not show it below zero to the first at which it shows it above, for every
    level that may be the peak.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `storagelab.analysis.run_values`.
    x : str
        Key along which it scales.
    peak : float, optional
        Nominal peak in the unit of the variable.
    among : str
        Key of `by` whose levels share a common peak.
    share : float
        Share of the peak, between 0 and 1.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: keys `by`, ``peak_of`` (own, common, nominal), ``plateau_share`` [1]; the variable with
        ``_low`` and ``_high``, the peak; ``<x>_half_peak`` with ``_low`` and ``_high``, in the unit of `x` (an end that
        lies beyond the levels is NaN); ``<x>_half_peak_level``, the first level measured there or above; ``n`` (runs of
        the curve); ``caveat``.

    Raises
    ------
    AnalysisError
        If the share is not between 0 and 1, both a nominal and a common peak are asked for, `among` is not in `by`, or
        as `storagelab.analysis.scaling.scale.runs_along`.
    """
    _check(peak, among, by, share)
    runs = runs_along(ds, variable, by, x, over=over, statistic=statistic)
    curves = [(cell, samples(part, variable, x)) for cell, part in runs.rows.cells(by)]
    others = [key for key in by if key != among]
    rows = []
    for cell, curve in curves:
        rivals = [c for where, c in curves if among and _same(where, cell, others)] or [curve]
        rows.append({**cell, **_half_peak(curve, rivals, variable, x, peak, share)})
    said = "nominal" if peak is not None else "common" if among else "own"
    result = Rows.of_cells(rows).assign(peak_of=said, plateau_share=share)
    return table.dataset(
        result, labelled_runs(runs, ds), [*by, "peak_of", "plateau_share"], statistic=statistic, unit=runs.unit,
        compared_variable=variable,
        method=f"first at {share:g} of the {said} peak, 95 % interval: what a t test over runs does not tell from it",
    )  # fmt: skip


def _check(peak: float | None, among: str, by: Sequence[str], share: float) -> None:
    if not 0 < share < 1:
        raise AnalysisError(f"a share of the peak lies between 0 and 1, not at {share:g}")
    if peak is not None and among:
        raise AnalysisError("the peak is a nominal one or the common one of several curves, not both")
    if peak is not None and not peak > 0:
        raise AnalysisError(f"a nominal peak is above zero, not {peak:g}")
    if among and among not in by:
        raise AnalysisError(f"curves that share a peak differ in {among}: name it in by")


def _same(a: table.Cell, b: table.Cell, keys: Sequence[str]) -> bool:
    return all(a[key] == b[key] or (a[key] != a[key] and b[key] != b[key]) for key in keys)


def _half_peak(
    curve: dict[float, Floats],
    rivals: Sequence[dict[float, Floats]],
    variable: str,
    x: str,
    nominal: float | None,
    share: float,
) -> dict[str, Any]:
    levels = levels_of(curve)
    highest = rivals[first_extreme([levels_of(rival).means.max() for rival in rivals], "highest")]
    peak = list(highest.values())[first_extreme(levels_of(highest).means, "highest")]
    top = float(peak.mean()) if nominal is None else nominal
    ends = t_interval(peak) if nominal is None else NO_INTERVAL
    gaps = levels.means - share * top
    reached = np.flatnonzero(gaps >= 0)
    foreign = None if highest is curve else levels_of(highest)
    low, high = half_peak_interval(levels, share, foreign=foreign, nominal=nominal)
    return {
        variable: top,
        columns.low(variable): ends[0],
        columns.high(variable): ends[1],
        f"{x}_half_peak": float(levels.at[0]) if gaps[0] >= 0 else first_crossing(levels.at, gaps),
        f"{x}_half_peak_low": low,
        f"{x}_half_peak_high": high,
        f"{x}_half_peak_level": float(levels.at[reached[0]]) if reached.size else np.nan,
        "n": float(sum(values.size for values in curve.values())),
        "caveat": _caveat(levels, gaps, low, high),
    }


def _caveat(levels: Levels, gaps: Floats, low: float, high: float) -> str:
    if gaps[0] >= 0:
        return "reached at the first level, perhaps below it"
    if not (gaps >= 0).any():
        return "not reached"
    if not np.isfinite(levels.variances).any():
        return "one run a level: no interval"
    ends = [name for name, end in (("low", low), ("high", high)) if not np.isfinite(end)]
    return f"the interval is open at its {' and '.join(ends)} end" if ends else ""
