"""Percentiles of latency as rows: one a percentile, to be drawn or summarised like any other value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from storagelab import schema
from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.runs import UNIT, values_of_runs
from storagelab.errors import AnalysisError

PREFIX = "latency_p"
PERCENTILES: Mapping[str, float] = {
    field.name: float(field.name.removeprefix(PREFIX).replace("_", ".")) / 100
    for field in schema.VARIABLES
    if field.name.startswith(PREFIX)
}
"""Variables of the contract that hold a percentile of latency, with the share of operations that are faster."""


def percentiles(
    ds: xr.Dataset, by: Sequence[str], *, over: Sequence[str] = (), statistic: str = "single"
) -> xr.Dataset:
    """Lay the percentiles of latency of each run out as rows.

    Parameters
    ----------
    ds, by, over, statistic
        See `run_values`.

    Returns
    -------
    Dataset, dimension obs
        One row a run and percentile: keys `by`, run_id, repeat, block and ``percentile`` (0.99 is the 99th);
        ``latency_at`` [s].

    Raises
    ------
    AnalysisError
        If no row has a percentile, or as `run_values`.
    """
    present = [name for name in PERCENTILES if name in ds and np.isfinite(ds[name]).any()]
    if not present:
        raise AnalysisError("no row has a percentile of latency")
    keys = list(dict.fromkeys([*by, *UNIT]))
    parts = {name: _of_one(ds, name, by, over, statistic) for name in present}
    method = "percentiles of the operations of each run, as its tool gives them"
    return table.stacked(parts, ds, [*keys, "percentile"], statistic=statistic, method=method)


def _of_one(ds: xr.Dataset, name: str, by: Sequence[str], over: Sequence[str], statistic: str) -> Rows:
    runs = values_of_runs(ds, name, by, over=over, statistic=statistic, blocks=False)
    return runs.rows.renamed(**{name: "latency_at"}).assign(percentile=PERCENTILES[name])
