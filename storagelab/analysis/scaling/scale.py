"""Runs along a scale: clients, processes, or sizes, as the rooms' other modules take them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns
from storagelab.analysis.cells import Rows
from storagelab.analysis.derived_columns.scaling import SCALE_UNITS
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.level_contrasts import Levels
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import Runs, values_of_runs
from storagelab.errors import AnalysisError


def runs_along(
    ds: xr.Dataset, variable: str, by: Sequence[str], x: str, *, over: Sequence[str], statistic: str
) -> Runs:
    """One positive value a run, with a positive level of the scale `x`: see `storagelab.analysis.run_values`.

    Raises
    ------
    AnalysisError
        If `x` is no number or size, a level or a value is not positive, or as `run_values`.
    """
    if columns.field(x).unit not in SCALE_UNITS:
        raise AnalysisError(f"a scale counts or is a size in bytes, {x} is neither")
    runs = values_of_runs(ds, variable, [*by, x], over=over, statistic=statistic)
    levels = runs.rows[x]
    if not (np.isfinite(levels) & (levels > 0)).all():
        raise AnalysisError(f"a scale has levels above zero, {x} has {levels[~(levels > 0)][0]:g}")
    check_scale(runs.rows[variable], variable)
    return runs


def samples(part: Rows, variable: str, x: str) -> dict[float, Floats]:
    """Values of the runs at each level, levels rising."""
    levels = part.cells([x])
    return dict(zip(levels.first(x).tolist(), levels.slices(variable), strict=True))


def levels_of(of_level: dict[float, Floats]) -> Levels:
    """Means and variances of the runs of each level."""
    return Levels.of(list(of_level), list(of_level.values()))


def spelled_levels(levels: Sequence[float]) -> str:
    """Write levels for a text column."""
    return ", ".join(f"{level:g}" for level in levels)
