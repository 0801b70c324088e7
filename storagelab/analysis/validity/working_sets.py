"""Whether the files of a run fit in the memory its processes may use."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.errors import AnalysisError

SHARES = {
    "memory_limit": ("memory_share", "cached"),
    "client_memory": ("client_memory_share", "cached_by_clients"),
    "server_memory": ("server_memory_share", "cached_by_servers"),
}
"""Whose memory -> columns of the share of it that files take, and of whether they fit."""

UNKNOWN = "the effect of caches is not known"


def mark_cached(
    ds: xr.Dataset, *, client_memory: float | None = None, server_memory: float | None = None
) -> xr.Dataset:
    """Mark the rows whose files fit in memory, so that a page cache may have served them: bytes of files over RAM.

    The bytes of a process are file_size, else block_size times segments; those of a run are that times processes (else
    clients, else 1); those of a client are its part of that (over clients, else nodes, else 1).

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with a size, and with memory_limit [B] (what all processes of the benchmark may use), client_memory [B]
        (of one client) or server_memory [B] (of all servers together).
    client_memory, server_memory : float, optional
        The same for all rows, where the dataset does not say it.

    Returns
    -------
    Dataset, dimension obs
        The same rows. As far as the memory is known: ``memory_share`` and ``cached``, against memory_limit;
        ``client_memory_share`` and ``cached_by_clients``; ``server_memory_share`` and ``cached_by_servers``. The shares
        are bytes over memory [1], the others 1 at most at that, else 0; NaN where not known.

    Raises
    ------
    AnalysisError
        If no memory is known, a memory is not positive, or no row has a size and a memory.
    """
    rows = table.frame(ds)
    known = {"client_memory": client_memory, "server_memory": server_memory}
    memory = rows.assign(**{name: value for name, value in known.items() if value is not None})
    named = [name for name in SHARES if name in memory]
    if not named:
        table.require(ds, "memory_limit")
    if bad := [name for name in named if (memory[name] <= 0).any()]:
        raise AnalysisError(f"{bad[0]} is not above zero in every row")
    total = _bytes_of_a_process(rows) * _processes(rows)
    sizes = {"client_memory": total / _first(rows, "clients", "nodes")}
    shares = {name: sizes.get(name, total) / memory[name] for name in named}
    if not any(np.isfinite(share).any() for share in shares.values()):
        raise AnalysisError(f"no row has file_size (or block_size) and {' or '.join(named)}: {UNKNOWN}")
    added: dict[str, pd.Series[float]] = {}
    for name, share in shares.items():
        of_memory, flag = SHARES[name]
        added |= {of_memory: share, flag: (share <= 1).astype(float).where(np.isfinite(share))}
    return table.with_variables(ds, pd.DataFrame(added))


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
    return table.with_keys(ds, added)


def _bytes_of_a_process(rows: pd.DataFrame) -> pd.Series[float]:
    missing = pd.Series(np.nan, rows.index)
    blocks = rows.get("block_size", missing) * rows.get("segments", missing).fillna(1)
    return rows.get("file_size", missing).fillna(blocks)


def _processes(rows: pd.DataFrame) -> pd.Series[float]:
    return _first(rows, "processes", "clients")


def _first(rows: pd.DataFrame, *names: str) -> pd.Series[float]:
    """The first of some counts that each row has; 1 where it has none."""
    found = pd.Series(np.nan, rows.index)
    for name in names:
        found = found.fillna(rows.get(name, found))
    return found.fillna(1)
