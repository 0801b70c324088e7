"""Who read what who wrote: reads and stats by the node that wrote may be answered by its own cache."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.scaling.bounds import READING
from storagelab.errors import AnalysisError

ASKING = READING | {
    "file_stat", "file_read", "directory_stat", "directory_read", "stat", "access", "readdir", "open", "find",
}  # fmt: skip
"""Operations that a cache of the node which wrote can answer."""

OWN = {"creating_node": 1.0, "neighbour_node": 0.0}


def mark_own_access(ds: xr.Dataset) -> xr.Dataset:
    """Mark reads and stats that came from the node which wrote, so that its cache may have answered them.

    The ratio of the two, with interval and tests, is
    ``compare(ds, variable, "stat_origin", "neighbour_node", "creating_node", by)``.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with operation and stat_origin: node shifted (``neighbour_node``) or not (``creating_node``).

    Returns
    -------
    Dataset, dimension obs
        The same rows, with ``own_access`` [1]: 1 for the node's own, 0 for a neighbour's, NaN where the log does not
        say it or the operation neither reads nor asks.

    Raises
    ------
    AnalysisError
        If no row that reads or asks says who wrote.
    """
    table.require(ds, "operation", "stat_origin")
    rows = table.frame(ds)
    own = rows["stat_origin"].map(OWN).where(rows["operation"].isin(ASKING)).astype(float)
    if not np.isfinite(own).any():
        raise AnalysisError("no row that reads or asks says whether its node wrote (stat_origin)")
    return table.with_variables(ds, pd.DataFrame({"own_access": own}))
