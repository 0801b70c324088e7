"""Whether the files of a run fit in the memory its processes may use."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.errors import AnalysisError


def mark_cached(ds: xr.Dataset) -> xr.Dataset:
    """Mark the rows whose files fit in memory, so that the page cache may have served them.

    The bytes of a process are file_size, else block_size times segments; those of a run are that times processes (else
    clients, else 1).

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with memory_limit [B] and a size.

    Returns
    -------
    Dataset, dimension obs
        The same rows, with ``memory_share`` [1] (bytes over memory) and ``cached`` (1 or 0; NaN where not known).

    Raises
    ------
    AnalysisError
        If there is no memory_limit, or no row has a size.
    """
    table.require(ds, "memory_limit")
    rows = table.frame(ds)
    share = _bytes_of_a_process(rows) * _processes(rows) / rows["memory_limit"]
    if not np.isfinite(share).any():
        raise AnalysisError("no row has file_size (or block_size) and memory_limit: the effect of caches is not known")
    cached = (share <= 1).astype(float).where(np.isfinite(share))
    added = pd.DataFrame({"memory_share": share, "cached": cached})
    return ds.assign(dict(table.dataset(added, ds, []).data_vars))


def working_sets(ds: xr.Dataset) -> xr.Dataset:
    """Add the key ``working_set`` [B], the bytes of all files of a run as `mark_cached` counts them.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with a size.

    Returns
    -------
    Dataset, dimension obs
        The same rows.

    Raises
    ------
    AnalysisError
        If the size of some row is not known.
    """
    rows = table.frame(ds)
    sizes = _bytes_of_a_process(rows) * _processes(rows)
    if not np.isfinite(sizes).all():
        raise AnalysisError(f"of {int((~np.isfinite(sizes)).sum())} rows the bytes of their files are not known")
    added = pd.DataFrame({"working_set": sizes})
    return ds.assign_coords(dict(table.dataset(added, ds, ["working_set"]).coords))


def _bytes_of_a_process(rows: pd.DataFrame) -> pd.Series[float]:
    missing = pd.Series(np.nan, rows.index)
    blocks = rows.get("block_size", missing) * rows.get("segments", missing).fillna(1)
    return rows.get("file_size", missing).fillna(blocks)


def _processes(rows: pd.DataFrame) -> pd.Series[float]:
    missing = pd.Series(np.nan, rows.index)
    return rows.get("processes", missing).fillna(rows.get("clients", missing)).fillna(1)
