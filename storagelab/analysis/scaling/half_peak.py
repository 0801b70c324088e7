"""The half-peak point: how many clients it takes to reach half of what can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.intervals import NO_INTERVAL, Floats, t_interval
from storagelab.analysis.inference.level_contrasts import Levels, first_crossing, half_peak_interval
from storagelab.analysis.runs import labelled_runs
from storagelab.analysis.scaling.rounds_of_curves import BLOCK, in_rounds, rounds_caveat
from storagelab.analysis.scaling.scale import levels_of, runs_along, samples
from storagelab.analysis.significant_digits import first_extreme
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
    blocks: str = BLOCK,
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
    level that may be the peak. Student's t is over the rounds where they were set up anew, as in
    `storagelab.analysis.crossovers`; where none are known, ``caveat`` says that an offset that the runs of a level
    share is not in the interval.

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
    blocks : str
        Key of the rounds in each of which the set-up was made anew.

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
    curves = list(runs.rows.cells(by))
    others = [key for key in by if key != among]
    rows = []
    for cell, curve in curves:
        rivals = [c for where, c in curves if among and _same(where, cell, others)] or [curve]
        rows.append({**cell, **_half_peak(curve, rivals, variable, x, peak, share, blocks)})
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
    curve: Rows, rivals: Sequence[Rows], variable: str, x: str, nominal: float | None, share: float, blocks: str
) -> dict[str, Any]:
    tops = [levels_of(samples(rival, variable, x)).means.max() for rival in rivals]
    highest = rivals[first_extreme(tops, "highest")]
    used = [curve] if highest is curve else [curve, highest]
    in_blocks = in_rounds(used, variable, x, blocks)
    levels, *others = in_blocks or [levels_of(samples(one, variable, x)) for one in used]
    runs_of = list(samples(highest, variable, x).values())
    peak = runs_of[first_extreme([values.mean() for values in runs_of], "highest")]
    top = float(peak.mean()) if nominal is None else nominal
    ends = t_interval(peak) if nominal is None else NO_INTERVAL
    gaps = levels.means - share * top
    reached = np.flatnonzero(gaps >= 0)
    low, high = half_peak_interval(levels, share, foreign=others[0] if others else None, nominal=nominal)
    return {
        variable: top,
        columns.low(variable): ends[0],
        columns.high(variable): ends[1],
        f"{x}_half_peak": float(levels.at[0]) if gaps[0] >= 0 else first_crossing(levels.at, gaps),
        f"{x}_half_peak_low": low,
        f"{x}_half_peak_high": high,
        f"{x}_half_peak_level": float(levels.at[reached[0]]) if reached.size else np.nan,
        "n": float(len(curve)),
        "caveat": _caveat(levels, gaps, low, high, rounds_caveat(used, in_blocks)),
    }


def _caveat(levels: Levels, gaps: Floats, low: float, high: float, of_rounds: str) -> str:
    if gaps[0] >= 0:
        return "reached at the first level, perhaps below it"
    if not (gaps >= 0).any():
        return "not reached"
    if not np.isfinite(levels.variances).any():
        return "one run a level: no interval"
    ends = [name for name, end in (("low", low), ("high", high)) if not np.isfinite(end)]
    is_open = [f"the interval is open at its {' and '.join(ends)} end"] if ends else []
    return "; ".join([*is_open, *([of_rounds] if of_rounds else [])])
