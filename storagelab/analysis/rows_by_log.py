"""Rows by what is known of their log: its command, its format, its notes."""

from __future__ import annotations

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.dataset import select
from storagelab.errors import AnalysisError


def of_logs(ds: xr.Dataset, logs: xr.Dataset, **keys: object) -> xr.Dataset:
    """Select the rows that come from some logs: for example from one command of several that give the same keys.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with log_id.
    logs : Dataset, dimension obs
        The whole node ``logs`` of the same study: log_id is the place of a log in it.
    **keys
        What the log must be, as for `storagelab.dataset.select`: ``command="fileop -f 8 -d ."``.

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
    table.require(table.validate(ds), "log_id")
    numbered = logs if "log_id" in logs else logs.assign_coords(log_id=("obs", np.arange(logs.sizes["obs"])))
    chosen = np.isin(ds["log_id"].to_numpy(), select(numbered, **keys)["log_id"].to_numpy())
    if not chosen.any():
        named = table.name_cell({name: str(value) for name, value in keys.items()})
        raise AnalysisError(f"no row comes from a log with {named}")
    return ds.isel(obs=np.flatnonzero(chosen))
