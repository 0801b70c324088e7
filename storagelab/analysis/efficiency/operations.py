"""How long all operations of a kind took, where a tool prints only their rate."""

from __future__ import annotations

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.errors import AnalysisError


def operations_time(ds: xr.Dataset, count: str = "files") -> xr.Dataset:
    """Divide the number of operations of each row by their rate: what a disturbance would have to last to be averaged.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with operation_rate [1/s] and a count.
    count : str
        Column of the operations: files of all processes (mdtest), or items where one process has them all (fileop).

    Returns
    -------
    Dataset, dimension obs
        The same rows, with ``operations_time`` [s]; NaN where one of the two is not known.

    Raises
    ------
    AnalysisError
        If a column is missing or in another unit, no row has both, or a rate is not positive.
    """
    for name, unit in {"operation_rate": "1/s", count: "1"}.items():
        if (found := table.unit(ds, name)) != unit:
            raise AnalysisError(f"operations are counted and their rate is in 1/s, {name} is in {found}")
    rows = table.rows(ds)
    if (rows["operation_rate"] <= 0).any():
        raise AnalysisError("operation_rate is not positive in every row: no time follows from it")
    time = rows[count] / rows["operation_rate"]
    if not np.isfinite(time).any():
        raise AnalysisError(f"no row has operation_rate and {count}")
    return table.with_variables(ds, Rows({"operations_time": time}, len(rows)))
