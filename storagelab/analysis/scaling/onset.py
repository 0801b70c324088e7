"""Where a curve comes near its plateau, and how fast it goes on from there: rates against the size of a file.

A transfer costs a time that does not depend on its size (connecting, opening, closing) besides the time of its bytes.
So the rate rises with the size towards a plateau. Its onset is the half-peak point of the studies, and the same for
other shares; the marginal rate leaves out whatever does not grow with the size.

Sources: E. C. Fieller, "Some problems in interval estimation" (Journal of the Royal Statistical Society B, 1954) for
the interval as the set of all values that a t test does not refuse.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import no_interval
from storagelab.analysis.comparison.sides import RunSide, dependence_caveat, no_verdict, sides_of_cells
from storagelab.analysis.inference.distributions import t_quantile
from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Floats, Interval, spreadless
from storagelab.analysis.inference.mean_differences import welch
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.runs import values_of_runs
from storagelab.analysis.scaling.rounds_of_curves import BLOCK, SHARED, blocks_known
from storagelab.dataset import take
from storagelab.errors import AnalysisError
from storagelab.lineage import remember

STEPS = 4001
"""Sizes at which an interval is tried: 0.3 % apart from 4 KiB to 128 MiB."""


def onsets(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    x: str = "file_size",
    share: float = 0.5,
    blocks: str = BLOCK,
) -> xr.Dataset:
    """Find the size from which the mean curve of each cell stays above a share of its value at the largest size.

    The curve is the mean over the repeats at each size, straight between neighbouring sizes on a log axis of sizes. At
    a given size, the curve less the share of the plateau is a sum of means with known weights: the interval holds the
    sizes at which Student's t over the repeats does not tell that sum from zero. The repeat is the unit, as one repeat
    has one run of each size; a repeat that lacks a size is left out of the interval. An offset that all repeats of a
    size share shows in no spread: where no rounds are known that were set up anew, ``caveat`` says so.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Runs with repeat and `x`.
    variable : str
        What rises: see `storagelab.analysis.run_values`.
    by : sequence of str
        Keys that make the cells.
    x : str
        Key in bytes.
    share : float
        Share of the value at the largest size, between 0 and 1.
    blocks : str
        Key of the rounds in each of which the set-up was made anew, which are the unit where all runs have it.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: the keys `by`, ``plateau_share`` [1]; ``onset``, ``onset_low``, ``onset_high`` [B] (NaN where
        the curve is above the share everywhere; no interval from one repeat, without any spread, or where it is open at
        an end of the sizes: ``caveat``); ``n`` (repeats, or rounds).

    Raises
    ------
    AnalysisError
        If the share is not between 0 and 1, `x` is no size or 0, repeats are not numbered, or as `run_values`.
    """
    if not 0 < share < 1:
        raise AnalysisError(f"a share of the plateau lies between 0 and 1, not at {share:g}")
    if columns.field(x).unit != "B":
        raise AnalysisError(f"an onset is a size in bytes, {x} is none")
    runs = values_of_runs(ds, variable, [*by, x]).rows
    if (np.isnan(runs["repeat"]) & np.isnan(runs["block"])).any():
        raise AnalysisError("the runs do not say which repeat they are: an onset needs curves of one repeat each")
    if (runs[x] <= 0).any():
        raise AnalysisError(f"{x} is {runs[x].min():g} in some run: an onset is found on a log axis")
    unit = blocks if blocks_known(runs, blocks) else ""
    curves = runs.cells(by)
    found = [{**cell, "plateau_share": share, **_onset(part, variable, x, share, unit)} for cell, part in curves]
    keys = [*by, "plateau_share"]
    method = "crossing of the mean curve, 95 % interval of the sizes that a t test over repeats does not refuse"
    return table.dataset(found, ds, keys, statistic="single", method=method, unit="run", made_of=variable)


def _onset(part: Rows, variable: str, x: str, share: float, blocks: str) -> table.Cell:
    known = part.take(~np.isnan(part[x]))
    sizes, values = np.array(known.levels(x)), known.grid(variable, blocks or "repeat", x)[2]
    low, high = onset_interval(sizes, values[np.isfinite(values).all(axis=1)], share)
    whole = crossing(sizes, np.nanmean(values, axis=0), share) if sizes.size else np.nan
    caveat = _caveat(values, whole) if np.isnan(low) else "" if blocks else SHARED
    return {"onset": whole, "onset_low": low, "onset_high": high, "n": float(len(values)), "caveat": caveat}


def _caveat(values: Floats, onset: float) -> str:
    """Say why there is no interval."""
    if np.isnan(onset):
        return "above the share everywhere"
    if len(values) < 2:
        return "one repeat: no interval"
    alike = all(map(spreadless, values.T))
    return "repeats without spread: no interval" if alike else "the interval is open at an end of the sizes"


def crossing(sizes: Floats, curve: Floats, share: float) -> float:
    """Size at which a curve last passes a share of its last value, straight on a log axis; NaN if it is always above.

    Examples
    --------
    >>> round(crossing(np.array([1.0, 4.0, 16.0]), np.array([1.0, 4.0, 8.0]), 0.75), 6)
    8.0
    """
    below = np.flatnonzero(curve[:-1] < share * curve[-1])
    if not below.size:
        return np.nan
    last = int(below[-1])
    part = (share * curve[-1] - curve[last]) / (curve[last + 1] - curve[last])
    return float(exp(log(sizes[last]) + part * log(sizes[last + 1] / sizes[last])))


def onset_interval(sizes: Floats, values: Floats, share: float) -> Interval:
    """Sizes at which repeated curves are not told from a share of their last value.

    Claims its coverage for values near normal at each size; whether they are equal in spread, or independent between
    the sizes, does not matter.

    Parameters
    ----------
    sizes : ndarray, shape (k,)
        Rising.
    values : ndarray, shape (n, k)
        One curve a repeat.
    share : float
        Of the last value.

    Returns
    -------
    tuple of float
        Lowest and highest of these sizes; NaN where fewer than two curves, or no spread, or an open end.
    """
    if len(values) < 2 or all(map(spreadless, values.T)):
        return NO_INTERVAL
    at = np.linspace(log(sizes[0]), log(sizes[-1]), STEPS)
    gaps = np.array([np.interp(at, log(sizes), curve) - share * curve[-1] for curve in values])
    half = t_quantile(CONFIDENCE, len(gaps) - 1) * gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps))
    kept = np.flatnonzero(np.abs(gaps.mean(axis=0)) <= half)
    if not kept.size or kept[0] == 0 or kept[-1] == STEPS - 1:
        return NO_INTERVAL
    return float(exp(at[kept[0]])), float(exp(at[kept[-1]]))


def marginal_rates(
    ds: xr.Dataset, small: float, large: float, by: Sequence[str] = (), *, x: str = "file_size", time: str = "elapsed"
) -> xr.Dataset:
    """Bytes that a large file has more than a small one, over the time it takes longer.

    Times that do not depend on the size cancel, so this is the rate of the bytes alone:
    ``(large - small) / (mean time of large - mean time of small)``. The interval is Welch's of the difference of times,
    turned over. Runs need not be independent where their order is known: see `storagelab.analysis.compare`.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Runs of both sizes.
    small, large : float
        Levels of `x` [B].
    by : sequence of str
        Keys that make the cells.
    x, time : str
        Key of the size [B] and variable of the time [s].

    Returns
    -------
    Dataset, dimension obs
        One row a cell with both sizes: the keys `by`; ``marginal_rate``, ``marginal_rate_low``, ``marginal_rate_high``
        [B/s] (no interval where that of the times reaches zero); ``n`` (runs of the large), ``n_base`` (of the
        small); ``caveat``.

    Raises
    ------
    AnalysisError
        If small is not below large, or as `run_values`.
    """
    if not small < large:
        raise AnalysisError(f"the small size {small:g} is not below the large one {large:g}")
    sides = sides_of_cells(values_of_runs(ds, time, [*by, x]), time, by, x, (large, small), logs=False)
    found = [
        {**cell, **_marginal(longer, shorter, large - small)}
        for cell, (longer, shorter) in sides
        if longer.size and shorter.size
    ]
    if not found:
        raise AnalysisError(f"no cell has runs of {x}={small:g} and of {x}={large:g}")
    method = "difference of sizes over difference of mean times, 95 % Welch t interval of the times"
    made = table.dataset(found, ds, by, statistic="single", method=method, unit="run", made_of=f"{time} {x}")
    return remember(made, take(ds, np.flatnonzero(np.isin(ds[x].to_numpy(), (small, large)))))


def _marginal(longer: RunSide, shorter: RunSide, more: float) -> table.Cell:
    gap = welch(longer.side, shorter.side)
    refusal = no_verdict(longer, shorter)
    low, high = NO_INTERVAL if refusal else gap.interval()
    none = no_interval(gap, longer.size, shorter.size) or ("" if low > 0 else "the times are not told apart")
    ends = (more / high, more / low) if low > 0 else NO_INTERVAL
    return {
        "marginal_rate": more / gap.value if gap.value > 0 else np.nan,
        "marginal_rate_low": ends[0],
        "marginal_rate_high": ends[1],
        "n": float(longer.size),
        "n_base": float(shorter.size),
        "caveat": refusal or none or dependence_caveat(longer, shorter),
    }
