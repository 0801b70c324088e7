"""What the links can carry at most, computed from the keys of the rows; and the rows that are above it.

A byte written goes over the client's link once for each copy, or (k + m) / k times where it is encoded by the client;
a byte read comes once. So n clients on links of L_c, and S servers on links of L_s, carry at most
``min(n L_c, S L_s) / copies`` bytes asked for a second.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.errors import AnalysisError

WRITING = frozenset({
    "write", "rewrite", "random_write", "record_rewrite", "fwrite", "frewrite", "pwrite", "repwrite", "pwritev",
    "repwritev", "upload",
})  # fmt: skip
READING = frozenset({
    "read", "reread", "random_read", "backward_read", "stride_read", "fread", "freread", "pread", "repread", "preadv",
    "repreadv", "download",
})  # fmt: skip
KEYS = ("layout", "replicas", "erasure_code", "client_location", "client_link", "server_link", "clients", "operation")
LIMITS = ["copies", "bound_clients", "bound_servers", "bound", "bottleneck"]


def bounds(ds: xr.Dataset, servers: int) -> xr.Dataset:
    """Limit that the links set on each configuration in a dataset.

    For on-board clients the same limit is given: what they reach without a link (their own server's disk or cache) is
    what takes them above it.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with operation, clients, client_link and server_link [B/s]; replicas and erasure_code ("2+1") where they
        apply.
    servers : int
        Number of servers over which the data lie.

    Returns
    -------
    Dataset, dimension obs
        One row a combination of `KEYS`: ``copies`` [1], ``bound_clients``, ``bound_servers``, ``bound`` [B/s] (the
        smaller of the two), ``bottleneck`` ("client links", "server links").

    Raises
    ------
    AnalysisError
        If a key that the limit needs is missing.
    """
    rows = _known(ds)
    keys = [key for key in KEYS if key in rows]
    limits = _limits(rows.drop_duplicates(keys)[keys], servers).sort_values(keys, kind="stable")
    method = f"links of the clients and of {servers} servers over the copies of each byte"
    return table.dataset(limits.reset_index(drop=True), ds, keys, method=method)


def faster_than_links(
    ds: xr.Dataset, servers: int, variable: str = "throughput", tolerance: float = 0.05
) -> xr.Dataset:
    """Mark the rows whose rate no link could have carried: bytes came from a cache, or from the client's own host.

    Parameters
    ----------
    ds, servers
        See `bounds`.
    variable : str
        The rate of all clients together.
    tolerance : float
        Share above the limit that is still taken as the limit (bursts of a shaped link, rounding).

    Returns
    -------
    Dataset, dimension obs
        The same rows and columns, with ``bound`` [B/s], ``bound_share`` [1] (rate over limit) and
        ``faster_than_links`` (1 or 0; NaN where there is no limit or no rate). No row is dropped.

    Raises
    ------
    AnalysisError
        As `bounds`.
    """
    table.unit(ds, variable)
    known = _known(ds)
    limit = _limits(known, servers)["bound"].reindex(range(ds.sizes["obs"]))
    share = pd.Series(ds[variable].to_numpy()) / limit
    above = (share > 1 + tolerance).astype(float).where(np.isfinite(share))
    added = pd.DataFrame({"bound": limit, "bound_share": share, "faster_than_links": above})
    return ds.assign(dict(table.dataset(added, ds, []).data_vars))


def copies_written(replicas: float, erasure_code: str) -> float:
    """How often each byte goes out: the replicas, times (k + m) / k for an erasure code spelled "k+m".

    Raises
    ------
    AnalysisError
        If the erasure code is spelled otherwise.
    """
    times = replicas if np.isfinite(replicas) else 1.0
    if erasure_code in ("", "unknown"):
        return float(times)
    match = re.fullmatch(r"(\d+)\+(\d+)", erasure_code)
    if not match:
        raise AnalysisError(f"erasure code {erasure_code!r}: expected data+redundancy, like 2+1")
    data, redundancy = int(match[1]), int(match[2])
    return float(times * (data + redundancy) / data)


def _known(ds: xr.Dataset) -> pd.DataFrame:
    """Rows for which a limit can be computed: they read or write, and their links are known."""
    table.require(ds, "operation", "clients", "client_link", "server_link")
    rows = table.frame(ds)
    links = np.isfinite(rows["client_link"]) & np.isfinite(rows["server_link"]) & np.isfinite(rows["clients"])
    known: pd.DataFrame = rows[links & rows["operation"].isin(WRITING | READING)]
    if known.empty:
        raise AnalysisError("no row that reads or writes has clients, client_link and server_link: no limit is known")
    return known


def _limits(rows: pd.DataFrame, servers: int) -> pd.DataFrame:
    copies = np.array([_copies(row) for row in rows.to_dict("records")])
    clients = rows["clients"] * rows["client_link"] / copies
    behind = servers * rows["server_link"] / copies
    bottleneck = np.where(clients < behind, "client links", "server links")
    limit = np.minimum(clients, behind)
    return rows.assign(copies=copies, bound_clients=clients, bound_servers=behind, bound=limit, bottleneck=bottleneck)


def _copies(row: dict[Any, Any]) -> float:
    if row["operation"] in READING:
        return 1.0
    return copies_written(float(row.get("replicas", np.nan)), str(row.get("erasure_code", "")))
