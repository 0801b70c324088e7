"""Rows by what is known of their log: its command, its format, its notes."""

from __future__ import annotations

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.errors import AnalysisError


def of_logs(ds: xr.Dataset, logs: xr.Dataset, **keys: object) -> xr.Dataset:
    """Select the rows that come from some logs: for example from one command of several that give the same keys.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with log_id.
    logs : Dataset, dimension obs
        Node ``logs`` of the same study.
    **keys
        What the log must be, as for `pick`: ``command="fileop -f 8 -d ."``.

    Returns
    -------
    Dataset, dimension obs
        The same columns, fewer rows.

    Raises
    ------
    UnknownNameError
        If no log has the value.
    AnalysisError
        If no row comes from these logs.
    """
    table.require(ds, "log_id")
    chosen = np.isin(ds["log_id"].to_numpy(), table.pick(logs, **keys)["log_id"].to_numpy())
    if not chosen.any():
        named = table.name_cell({name: str(value) for name, value in keys.items()})
        raise AnalysisError(f"no row comes from a log with {named}")
    return ds.isel(obs=np.flatnonzero(chosen))
