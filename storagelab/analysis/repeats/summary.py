"""Means over runs, never without their spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.inference.intervals import Floats, log_t_interval, t_interval
from storagelab.analysis.runs import run_values
from storagelab.errors import AnalysisError

Scale = Literal["linear", "log"]
METHODS: dict[str, str] = {"linear": "mean, 95 % t interval", "log": "geometric mean, 95 % t interval of the log"}


def summarise(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
    scale: Scale = "linear",
) -> xr.Dataset:
    """Average the runs of each cell.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `run_values`: the run (or block) is the unit, what is inside it is averaged first.
    scale : {"linear", "log"}
        "log" gives the geometric mean and the t interval of the log, for values that spread by factors.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: the keys `by`; the mean under the name of the variable; ``_low`` and ``_high`` of its 95 %
        interval (NaN for n = 1); ``_min``, ``_max``, ``_std``; ``n``. Units are those of the variable.

    Raises
    ------
    AnalysisError
        As `run_values`; also for a log scale with values that are not positive.
    """
    runs = run_values(ds, variable, by, over=over, statistic=statistic)
    rows = table.frame(runs)
    check_scale(rows[variable].to_numpy(), variable, scale)
    cells = [
        {**cell, **_statistics(part[variable].to_numpy(), variable, scale)} for cell, part in table.cells(rows, by)
    ]
    return table.dataset(
        pd.DataFrame(cells), ds, by, statistic=statistic, method=METHODS[scale], unit=runs.attrs["unit"]
    )


def _statistics(values: Floats, variable: str, scale: Scale) -> dict[str, float]:
    on_logs = scale == "log"
    interval = (log_t_interval if on_logs else t_interval)(values)
    return {
        variable: float(np.exp(np.log(values).mean()) if on_logs else values.mean()),
        columns.low(variable): interval[0],
        columns.high(variable): interval[1],
        f"{variable}_min": float(values.min()),
        f"{variable}_max": float(values.max()),
        f"{variable}_std": float(values.std(ddof=1)) if values.size > 1 else np.nan,
        "n": float(values.size),
    }


def check_scale(values: Floats, variable: str, scale: Scale = "log") -> None:
    """Refuse logs of what is not positive."""
    bad = int((values <= 0).sum())
    if scale == "log" and bad:
        raise AnalysisError(f"{variable}: {bad} of {values.size} runs are not positive, ratios and logs need that")
