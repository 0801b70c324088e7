"""Where a curve is highest, and whether it falls after that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.winners import winners
from storagelab.analysis.inference.correction import ALPHA, holm, verdicts
from storagelab.analysis.inference.intervals import NO_INTERVAL, Floats, spreadless
from storagelab.analysis.inference.processor_independent import log
from storagelab.analysis.inference.trend import EXACT, lowest_p, per_doubling, rank_trend
from storagelab.analysis.runs import Best, labelled_runs
from storagelab.analysis.scaling.rounds_of_curves import BLOCK, SHARED, blocks_known
from storagelab.analysis.scaling.scale import runs_along, samples, spelled_levels
from storagelab.analysis.significant_digits import first_extreme
from storagelab.errors import AnalysisError


def peaks(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    x: str = "clients",
    best: Best | None = None,
    blocks: str = BLOCK,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Level of a scale at which each curve is highest, and the levels that are not shown to be below it.

    As `storagelab.analysis.winners` among the levels: t on the logs with the relative spread pooled over the levels,
    corrected by Holm over the levels of a cell. An offset that all runs of a level share can make another level the
    peak, and shows in no spread: where no rounds are known that were set up anew, ``caveat`` says so.

    Parameters
    ----------
    ds, variable, by, best, over, statistic
        See `storagelab.analysis.winners`.
    x : str
        Key along which it scales.
    blocks : str
        Key of the rounds in each of which the set-up was made anew; used where all runs have it.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: keys `by`; the variable (geometric mean at the peak) with ``_low`` and ``_high``: being the
        highest of several, it is above what the next runs there will give; ``<x>_peak`` with ``_low`` and ``_high``,
        the smallest and largest level not shown to differ from it, in the unit of `x`; ``peak_levels`` (all of them);
        ``levels``; ``n`` (runs at the peak); ``caveat``.

    Raises
    ------
    AnalysisError
        As `storagelab.analysis.winners`, and `storagelab.analysis.scaling.scale.runs_along`.
    """
    anew = blocks_known(runs_along(ds, variable, by, x, over=over, statistic=statistic).rows, blocks)
    told = blocks if anew else ""
    won = winners(ds, variable, x, by, best=best, blocks=told, family="cell", over=over, statistic=statistic)
    rows = [{**cell, **_peak(part, variable, x, anew=anew)} for cell, part in table.rows(won).cells(by)]
    return table.dataset(
        rows, won, by, statistic=statistic, unit=won.attrs["unit"], compared_variable=variable,
        method=f"level of {x} with the best geometric mean; its ends: {won.attrs['method']}",
    )  # fmt: skip


def _peak(part: Rows, variable: str, x: str, *, anew: bool) -> dict[str, Any]:
    top = part.where("rank", 1)
    tied = sorted(part[x][part["winner"] == 1])
    tested = np.isfinite(part["p"][part["rank"] > 1])
    ends = (tied[0], tied[-1]) if tested.all() and len(tested) else NO_INTERVAL
    return {
        **{name: top[name][0] for name in (variable, columns.low(variable), columns.high(variable))},
        f"{x}_peak": top[x][0],
        f"{x}_peak_low": ends[0],
        f"{x}_peak_high": ends[1],
        "peak_levels": spelled_levels(tied),
        "levels": float(len(part)),
        "n": top["n"][0],
        "caveat": _caveat(part[x], tied, anew=anew)
        if tested.all() and len(tested)
        else "one run a level or no spread: not tested",
    }


def _caveat(levels: Floats, tied: Sequence[float], *, anew: bool) -> str:
    beyond = ["the last level may be the peak: it may lie beyond"] if levels.max() in tied else []
    return "; ".join([*beyond, *([] if anew else [SHARED])])


def tail_off(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    x: str = "clients",
    start: float | None = None,
    blocks: str = BLOCK,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Whether a curve falls after its peak: Kendall's rank test over the runs, and the change with each doubling.

    By default only the levels above the one with the highest geometric mean take part. The peak itself is left out, as
    it was chosen for being high, and a flat curve would seem to fall from it. With `start`, chosen without looking at
    these data, the levels from there on take part, with the start.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `storagelab.analysis.run_values`.
    x : str
        Key along which it scales.
    start : float, optional
        First level of the tail.
    blocks : str
        Key of the rounds in each of which the set-up was made anew: without, ``caveat`` says that an offset that the
        runs of a level share may be what falls.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: keys `by`; ``<x>_peak`` (level with the highest geometric mean, in the unit of `x`);
        ``rank_correlation`` [1], ``p``, ``p_holm`` (over the table), ``per_doubling`` [1] (-0.1: falls by 10 % with
        each doubling) with ``_low`` and ``_high``; ``levels`` and ``n`` (of the tail); ``verdict`` (falls, rises,
        undecided); ``caveat``.

    Raises
    ------
    AnalysisError
        If no cell has two levels in its tail, or as `storagelab.analysis.scaling.scale.runs_along`.
    """
    runs = runs_along(ds, variable, by, x, over=over, statistic=statistic)
    anew = blocks_known(runs.rows, blocks)
    tails = [{**cell, **_tail(part, variable, x, start, anew=anew)} for cell, part in runs.rows.cells(by)]
    rows = Rows.of_cells(tails)
    if not (rows["levels"] > 1).any():
        where = "above the peak" if start is None else f"from {start:g} on"
        raise AnalysisError(f"no cell has two levels of {x} {where}: no tail")
    p_holm = holm(rows["p"])
    direction = np.where(rows["rank_correlation"] < 0, "falls", "rises")
    rows = rows.assign(p_holm=p_holm, verdict=verdicts(p_holm, direction))
    return table.dataset(
        rows, labelled_runs(runs, ds), by, statistic=statistic, unit=runs.unit, compared_variable=variable,
        method="Kendall's test over the runs, least squares of the logs with 95 % t interval of the slope",
    )  # fmt: skip


def _tail(part: Rows, variable: str, x: str, start: float | None, *, anew: bool) -> dict[str, Any]:
    means = {level: float(log(values).mean()) for level, values in samples(part, variable, x).items()}
    peak = list(means)[first_extreme(list(means.values()), "highest")]
    tail = part.take(part[x] > peak if start is None else part[x] >= start)
    levels, values = tail[x], tail[variable]
    several = np.unique(levels).size > 1
    tau, p = rank_trend(levels, values) if several else (np.nan, np.nan)
    change, (low, high) = per_doubling(levels, values) if several else (np.nan, NO_INTERVAL)
    return {
        f"{x}_peak": peak,
        "rank_correlation": tau,
        "p": p,
        "per_doubling": change,
        "per_doubling_low": low,
        "per_doubling_high": high,
        "levels": float(np.unique(levels).size),
        "n": float(values.size),
        "caveat": _tail_caveat(levels, values) or ("" if anew else SHARED),
    }


def _tail_caveat(levels: Floats, values: Floats) -> str:
    sizes = np.unique(levels, return_counts=True)[1]
    if sizes.size < 2:
        return "fewer than two levels in the tail"
    if sizes.max() > 1 and all(spreadless(values[levels == level]) for level in np.unique(levels)):
        return "runs of a level do not differ: they are counted as if they were independent"
    blind = levels.size <= EXACT and lowest_p(tuple(int(size) for size in sizes)) > ALPHA
    return "too few runs for the rank test to find anything at 5 %" if blind else ""
