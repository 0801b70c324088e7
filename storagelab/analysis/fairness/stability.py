"""How steady a rate is while a test runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.series.plateaus import plateaus
from storagelab.analysis.series.sample_intervals import UNIT

KEPT = ["segment_start", "segment_end", "throughput", "throughput_std", "samples"]


def stability(
    series: xr.Dataset,
    by: Sequence[str] = UNIT,
    *,
    threshold: float = 0.5,
    shortest: float = 5.0,
    bridge: float = 2.0,
) -> xr.Dataset:
    """Coefficient of variation of a monitor's samples over each plateau of its series.

    Neighbouring samples are not independent, so that one series gives a value and no interval; several runs do. A
    longer sample averages more away: only series of the same ``sample_time`` compare.

    Parameters
    ----------
    series : Dataset, dimension obs
        Node ``series``: rates of one operation.
    by, threshold, shortest, bridge
        What a series and its plateau are: see `storagelab.analysis.plateaus`.

    Returns
    -------
    Dataset, dimension obs
        One row a plateau: keys `by` and part; ``series_variation`` [1] (standard deviation over the samples, over the
        mean by time); ``throughput`` and ``throughput_std`` [B/s]; ``sample_time``, ``segment_start``,
        ``segment_end`` [s]; ``samples`` [1]; ``caveat`` where fewer than three samples lie on it (NaN then).

    Raises
    ------
    AnalysisError
        As `plateaus`.
    """
    found = plateaus(series, by, threshold=threshold, shortest=shortest, bridge=bridge)
    rows = table.rows(found)
    samples = rows["samples"]
    few = samples < 3
    variations = np.where(few, np.nan, rows["throughput_std"]) / rows["throughput"]
    rows = rows.only([*by, "part", *KEPT]).assign(
        series_variation=variations,
        sample_time=rows["elapsed"] / np.where(samples > 0, samples, np.nan),
        caveat=np.where(few, "fewer than 3 samples on the plateau", ""),
    )
    method = f"standard deviation over mean of the samples on a plateau: {found.attrs['method']}"
    return table.dataset(rows, series, [*by, "part"], statistic="single", method=method)
