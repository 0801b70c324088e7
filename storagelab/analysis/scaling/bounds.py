"""What the links can carry at most, computed from the keys of the rows; and the rows that are above it.

A byte written goes over the client's link once for each copy, or (k + m) / k times where it is encoded by the client;
a byte read comes once. So n clients on links of L_c, and S servers on links of L_s, carry at most
``min(n L_c, S L_s) / b`` bytes asked for a second, where b is the bytes on the links per byte asked for.

Clients on the servers reach a part of the data without a link, where it is certain that a part lies on each server: one
copy of S written, one fragment of k + m = S (1 / k of the data, written or read), 1 / S of what is striped. b is that
much smaller. Whole files and reads of a copy may be local or not, so b stays 1: above the limit, they were.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from storagelab.analysis import table
from storagelab.analysis.arguments import check_tolerance
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import divided
from storagelab.errors import AnalysisError

WRITING = frozenset({
    "write", "rewrite", "random_write", "record_rewrite", "fwrite", "frewrite", "pwrite", "repwrite", "pwritev",
    "repwritev", "upload",
})  # fmt: skip
READING = frozenset({
    "read", "reread", "random_read", "backward_read", "stride_read", "fread", "freread", "pread", "repread", "preadv",
    "repreadv", "download",
})  # fmt: skip
KEYS = (
    "layout",
    "replicas",
    "erasure_code",
    "stripe_size",
    "client_location",
    "client_link",
    "server_link",
    "clients",
    "operation",
)
OF_A_BYTE = ("replicas", "erasure_code", "stripe_size", "client_location", "operation")
"""Keys that say how often a byte crosses the links."""


def bounds(ds: xr.Dataset, servers: int, amplification: float = 1.0) -> xr.Dataset:
    """Limit that the links set on each configuration in a dataset.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with operation, clients, client_link and server_link [B/s]; replicas and erasure_code ("2+1") where they
        apply.
    servers : int
        Number of servers over which the data lie.
    amplification : float
        Bytes that cross the links for each byte asked for where it is known to be more than the layout needs, as in
        reads that skip what read-ahead fetches; see `storagelab.analysis.amplification`.

    Returns
    -------
    Dataset, dimension obs
        One row a combination of `KEYS`: ``link_bytes`` [1], ``bound_clients``, ``bound_servers``, ``bound`` [B/s] (the
        smaller of the two), ``bottleneck`` ("client links", "server links").

    Raises
    ------
    AnalysisError
        If a key that the limit needs is missing.
    """
    if not 0 < amplification < np.inf:
        raise AnalysisError(f"bytes cross the links at least in part: an amplification of {amplification:g} is none")
    rows = _known(ds)
    keys = [key for key in KEYS if key in rows]
    limits = _limits(rows.cells(keys).results(), servers, amplification)
    method = f"links of the clients and of {servers} servers over the bytes that cross them"
    return table.dataset(limits, ds, keys, method=method)


def faster_than_links(
    ds: xr.Dataset, servers: int, variable: str = "throughput", tolerance: float = 0.05
) -> xr.Dataset:
    """Mark the rows whose rate is above what the links can carry, and those that only a cache explains.

    A sum of the clients' rates can be above the limit of the servers' links without any cache, because the clients
    did not all run at once. It cannot be above the sum of the clients' own links: such rows came from a cache, or, for
    clients on the servers, from their own host.

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
        The same rows and columns, with ``bound`` and ``bound_clients`` [B/s], ``bound_share`` [1] (rate over bound),
        ``faster_than_links`` (1 where it is above one) and ``served_from_cache`` (1 where the rate is above
        bound_clients); NaN where there is no limit or no rate. No row is dropped.

    Raises
    ------
    AnalysisError
        As `bounds`, or if the tolerance is negative.
    """
    check_tolerance(tolerance)
    table.unit(ds, variable)
    limits, places = _limits(_known(ds), servers), _places(ds)
    bound, carried = (np.full(ds.sizes["obs"], np.nan) for _ in range(2))
    bound[places], carried[places] = limits["bound"], limits["bound_clients"]
    rate = ds[variable].to_numpy()
    share = divided(rate, bound)
    known = np.isfinite(share)
    added = {
        "bound": bound,
        "bound_clients": carried,
        "bound_share": share,
        "faster_than_links": np.where(known, share > 1 + tolerance, np.nan),
        "served_from_cache": np.where(known, rate > carried * (1 + tolerance), np.nan),
    }
    return table.with_variables(ds, Rows(added, len(share)))


def copies_written(replicas: float, erasure_code: str) -> float:
    """How often each byte goes out: the replicas, times (k + m) / k for an erasure code spelled "k+m".

    Raises
    ------
    AnalysisError
        If the erasure code is spelled otherwise.
    """
    times = replicas if np.isfinite(replicas) else 1.0
    data, redundancy = fragments(erasure_code)
    return float(times * (data + redundancy) / data) if data else float(times)


def fragments(erasure_code: str) -> tuple[int, int]:
    """Fragments of data and of redundancy of an erasure code; none of either where there is no code."""
    if erasure_code in ("", "unknown"):
        return 0, 0
    match = re.fullmatch(r"([1-9]\d*)\+(\d+)", erasure_code)
    if not match:
        raise AnalysisError(f"erasure code {erasure_code!r}: expected data+redundancy, like 2+1")
    return int(match[1]), int(match[2])


def _known(ds: xr.Dataset) -> Rows:
    """Rows for which a limit can be computed: they read or write, and their links are known."""
    known = table.rows(ds).take(_places(ds))
    if not len(known):
        raise AnalysisError("no row that reads or writes has clients, client_link and server_link: no limit is known")
    return known


def _places(ds: xr.Dataset) -> NDArray[np.intp]:
    table.require(ds, "operation", "clients", "client_link", "server_link")
    links = [np.isfinite(ds[name].to_numpy()) for name in ("clients", "client_link", "server_link")]
    moving = np.isin(ds["operation"].to_numpy(), sorted(WRITING | READING))
    return np.flatnonzero(np.logical_and.reduce([*links, moving]))


def require_servers(servers: int) -> None:
    """Refuse a number of servers that is none."""
    if not servers >= 1:
        raise AnalysisError(f"data lie on one server or more, not on {servers:g}")


def _limits(rows: Rows, servers: int, amplification: float = 1.0) -> Rows:
    require_servers(servers)
    kinds = rows.cells([key for key in OF_A_BYTE if key in rows])
    link_bytes = kinds.broadcast(np.array([_link_bytes(kind, servers) for kind in kinds.names()]) * amplification)
    clients = divided(rows["clients"] * rows["client_link"], link_bytes)
    behind = divided(servers * rows["server_link"], link_bytes)
    return rows.assign(
        link_bytes=link_bytes,
        bound_clients=clients,
        bound_servers=behind,
        bound=np.minimum(clients, behind),
        bottleneck=np.where(clients < behind, "client links", "server links"),
    )


def _link_bytes(row: dict[Any, Any], servers: int) -> float:
    replicas, code = float(row.get("replicas", np.nan)), str(row.get("erasure_code", ""))
    written = row["operation"] in WRITING
    needed = copies_written(replicas, code) if written else 1.0
    if row.get("client_location") != "on-board":
        return needed
    return needed - _local(replicas, code, float(row.get("stripe_size", np.nan)), servers, written)


def _local(replicas: float, code: str, stripe_size: float, servers: int, written: bool) -> float:
    """Bytes that a client on a server surely writes to, or reads from, its own, per byte asked for."""
    data, redundancy = fragments(code)
    if data and data + redundancy == servers:
        return 1 / data
    if written and replicas == servers > 1:
        return 1.0
    return 1 / servers if np.isfinite(stripe_size) and not data and not replicas > 1 else 0.0
