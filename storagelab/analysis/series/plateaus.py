"""Where in a series a test ran: stretches of a high rate, and the mean on each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.series.sample_intervals import UNIT, Steps, series_of
from storagelab.errors import AnalysisError

LEVEL = 95.0
"""Percentile of the samples that stands for the height of a series: the highest few may be bursts from a cache."""


def plateaus(
    series: xr.Dataset,
    by: Sequence[str] = UNIT,
    *,
    threshold: float = 0.5,
    shortest: float = 5.0,
    bridge: float = 2.0,
) -> xr.Dataset:
    """Find the plateaus of each series: stretches above a share of its height, and what moved on them.

    Parameters
    ----------
    series : Dataset, dimension obs
        Node ``series``: rates of one operation.
    by : sequence of str
        Keys that make a series.
    threshold : float
        Share of the height (the 95th percentile of the samples that are not zero) above which a test runs.
    shortest : float
        Seconds that a plateau must last.
    bridge : float
        Seconds below the threshold that do not end a plateau.

    Returns
    -------
    Dataset, dimension obs
        One row a plateau: keys `by` and part (from 1, in order of time); ``segment_start``, ``segment_end`` and
        ``elapsed`` [s]; ``throughput`` [B/s], the mean on the plateau, weighted by time, with ``throughput_std`` over
        its samples; ``bytes_integrated`` [B]; ``samples`` [1].

    Raises
    ------
    AnalysisError
        If no series has a plateau, or as `series_of`.
    """
    rows = [
        {**cell, "part": float(part), **on_stretch(steps, low, high)}
        for cell, steps in series_of(series, by)
        for part, (low, high) in enumerate(_stretches(steps, threshold, shortest, bridge), start=1)
    ]
    if not rows:
        raise AnalysisError(f"no series stays above {threshold:g} of its height for {shortest:g} s")
    method = f"above {threshold:g} of the 95th percentile for at least {shortest:g} s"
    return table.dataset(rows, series, [*by, "part"], statistic="single", method=method)


def _stretches(steps: Steps, threshold: float, shortest: float, bridge: float) -> list[tuple[float, float]]:
    moving = steps.rate[steps.rate > 0]
    if not len(moving):
        return []
    level = threshold * float(np.percentile(moving, LEVEL))
    found: list[tuple[float, float]] = []
    for low, high, rate in zip(steps.start, steps.end, steps.rate, strict=True):
        if rate < level:
            continue
        if found and low - found[-1][1] <= bridge:
            found[-1] = found[-1][0], float(high)
        else:
            found.append((float(low), float(high)))
    return [(low, high) for low, high in found if high - low >= shortest]


def on_stretch(steps: Steps, low: float, high: float) -> dict[str, float]:
    """Columns of a stretch of a series: when it was, how long, the mean rate and its spread, what moved."""
    rates = steps.within(low, high)
    return {
        "segment_start": low,
        "segment_end": high,
        "elapsed": high - low,
        "throughput": steps.mean(low, high),
        "throughput_std": float(np.std(rates, ddof=1)) if len(rates) > 1 else np.nan,
        "bytes_integrated": steps.integral(low, high),
        "samples": float(len(rates)),
    }
