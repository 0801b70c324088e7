"""Bytes under a series of rates, against the bytes that the tool says it moved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.arguments import check_tolerance
from storagelab.analysis.series.sample_intervals import UNIT, series_of
from storagelab.errors import AnalysisError
from storagelab.lineage import remember

TOLERANCE = 0.02


def volume_check(
    series: xr.Dataset, sizes: xr.Dataset, by: Sequence[str] = UNIT, tolerance: float = TOLERANCE
) -> xr.Dataset:
    """Hold the integral of each series against the bytes of the same run and client.

    A sample holds over the interval that ends with it. A hole in the series is either time in which nothing moved, of
    which fio prints nothing, or a sample that came late and covers all of it: the log does not say which. So there
    are two integrals, one with holes of rate zero and one with each hole held at the rate of the sample behind it,
    and the tool's bytes must lie between them.

    Parameters
    ----------
    series : Dataset, dimension obs
        Node ``series``: the rates of one operation.
    sizes : Dataset, dimension obs
        Node ``clients`` (or ``runs``): rows of the same operation, with data_size.
    by : sequence of str
        Keys that a series and a row of `sizes` share.
    tolerance : float
        How far beyond the two integrals the tool's bytes may lie, relative to them: its last, unfinished interval is
        in no sample, and rates are printed as whole numbers.

    Returns
    -------
    Dataset, dimension obs
        One row a series: keys `by`; ``bytes_integrated`` (holes of rate zero) and ``data_size`` [B];
        ``volume_ratio`` and ``volume_ratio_held`` [1], either integral over what the tool says; ``holes`` [1], how
        many, and ``hole_time`` [s], how long; ``volume_agrees`` [1], 1 where the tool's bytes lie between.

    Raises
    ------
    AnalysisError
        If no series has its data size, the tolerance is negative, or as `series_of`.
    """
    check_tolerance(tolerance)
    table.require(sizes, "data_size", *by)
    rows_of_sizes = table.rows(sizes)
    said = rows_of_sizes.take(~np.isnan(rows_of_sizes["data_size"])).cells(by)
    if (said.size > 1).any():
        raise AnalysisError(f"several data sizes for one {', '.join(by)}: select one operation")
    size_of = {tuple(cell.values()): size for cell, size in zip(said.names(), said.first("data_size"), strict=True)}
    rows = []
    for cell, steps in series_of(series, by):
        size = float(size_of.get(tuple(cell[name] for name in by), np.nan))
        if size > 0:
            integral = steps.integral()
            held = integral + steps.held()
            rows.append(
                {
                    **cell,
                    "bytes_integrated": integral,
                    "data_size": size,
                    "volume_ratio": integral / size,
                    "volume_ratio_held": held / size,
                    "holes": float(len(steps.holes)),
                    "hole_time": float(steps.holes.sum()),
                    "volume_agrees": float(integral * (1 - tolerance) <= size <= held * (1 + tolerance)),
                }
            )
    if not rows:
        raise AnalysisError("no series has the bytes that its tool moved")
    method = f"integral of steps over bytes of the tool, tolerance {tolerance:g}"
    return remember(table.dataset(rows, series, list(by), statistic="single", method=method), series, sizes)
