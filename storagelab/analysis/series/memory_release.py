"""Whether a host gives its memory back: free memory against what it does, and against what others ask of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.intervals import Floats
from storagelab.errors import AnalysisError

HEIGHT = 95.0
"""Percentile of the activity that stands for its height: the highest few samples may be bursts."""


def memory_release(
    series: xr.Dataset,
    activity: str = "throughput",
    by: Sequence[str] = ("run_id", "host"),
    *,
    demand: str = "",
    threshold: float = 0.1,
) -> xr.Dataset:
    """Free memory of a host before, while and after it is active, and how much of what it took it keeps.

    Active is the time from the first to the last sample at which the activity is above a share of its height. The
    share kept is ``(before - after) / (before - lowest)`` with the mean free memory before and after, and the lowest
    from the first active sample on: 1 where nothing is given back when the activity stops, 0 where all is.

    Parameters
    ----------
    series : Dataset, dimension obs
        Node ``series`` with time, memory_free and the other variables, in the same rows or in rows of their own; of
        each variable one series a cell.
    activity : str
        What the host does: throughput, load_1.
    by : sequence of str
        Keys of a host.
    demand : str, optional
        What others ask of its memory: memory_used, processes_total.
    threshold : float
        Share of the height (95th percentile) of the activity above which the host is active.

    Returns
    -------
    Dataset, dimension obs
        One row a host: keys `by`; ``free_before``, ``free_active``, ``free_lowest``, ``free_after`` [B];
        ``kept_share`` [1]; ``activity_tau`` [1], and with a demand ``demand_tau``: Kendall's tau of free memory with
        each, over time. ``samples`` [1]; ``caveat``. A series is one run and its samples follow each other: there is no
        interval, and no p.

    Raises
    ------
    AnalysisError
        If a host has fewer than two samples of a variable, or several at one time.
    """
    names = ["memory_free", activity, *([demand] if demand else [])]
    table.require(series, "time", *names, *by)
    for name in names:
        table.unit(series, name)
    rows = [
        {**cell, **_released(cell, part, names, threshold)}
        for cell, part in table.rows(series).cells(by)
        if not np.isnan(part["memory_free"]).all()
    ]
    if not rows:
        raise AnalysisError("no row has memory_free")
    method = f"means of free memory around the time in which {activity} is above {threshold:g} of its height"
    return table.dataset(rows, series, list(by), statistic="single", method=method)


def _released(cell: table.Cell, part: Rows, names: Sequence[str], threshold: float) -> table.Cell:
    times, free = _samples(cell, part, "memory_free")
    others = [np.interp(times, *_samples(cell, part, name)) for name in names[1:]]
    active = np.flatnonzero(others[0] > threshold * np.percentile(others[0], HEIGHT))
    first, last = (int(active[0]), int(active[-1])) if active.size else (len(free), len(free))
    means = {"free_before": free[:first], "free_active": free[first : last + 1], "free_after": free[last + 1 :]}
    found = {name: float(values.mean()) if values.size else np.nan for name, values in means.items()}
    lowest = float(free[first:].min()) if active.size else np.nan
    taken = found["free_before"] - lowest
    from scipy import stats

    taus = [float(stats.kendalltau(free, other).statistic) for other in others]
    return {
        **found,
        "free_lowest": lowest,
        "kept_share": (found["free_before"] - found["free_after"]) / taken if taken > 0 else np.nan,
        **dict(zip(("activity_tau", "demand_tau"), taus, strict=False)),
        "samples": float(len(free)),
        "caveat": _caveat(found, taken),
    }


def _caveat(means: table.Cell, taken: float) -> str:
    if missing := [name.removeprefix("free_") for name, value in means.items() if np.isnan(value)]:
        return f"no sample {' or '.join(missing)}: what is kept is not known"
    return "" if taken > 0 else "no memory was taken"


def _samples(cell: table.Cell, part: Rows, name: str) -> tuple[Floats, Floats]:
    known = part.take(~np.isnan(part["time"]) & ~np.isnan(part[name])).sorted("time")
    where = table.name_cell(cell) or "the selection"
    if len(known) < 2:
        raise AnalysisError(f"{where} has {len(known)} samples of {name}, expected two or more")
    times = known["time"]
    for at in times[1:][np.diff(times) == 0]:
        raise AnalysisError(f"{where} has several samples of {name} at {at:g} s: select one series")
    return times, known[name]
