"""What can be carried through a gateway: clients on one side, servers with copies or fragments on the other.

The client sends each byte once, over its own link. The gateway takes it in once and sends it once a copy, or
(k + m) / k times where it is encoded (`copies_written` of `storagelab.analysis.scaling.bounds`). So n clients on links
of L_c, a gateway on a link of L_g and S servers on links of L_s carry at most ``min(n L_c, L_g / b, S L_s / b)`` bytes
written a second, where b is that number, but at least 1 at the gateway, whose link each byte enters once. A byte read
crosses each link once, but a file lies on as many servers as its layout says: one (whole files and copies), k fragments
of data, or all (stripes). So n readers draw on at most ``min(S, n f)`` servers, f of them each. Storage in the gateway
itself has no servers behind it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import divided
from storagelab.analysis.scaling.bottleneck_stages import narrowest
from storagelab.analysis.scaling.bounds import READING, WRITING, copies_written, fragments, require_servers
from storagelab.errors import AnalysisError

KEYS = ("operation", "clients", "client_link", "server_link", "replicas", "erasure_code", "stripe_size")
"""Keys that say what the links carry."""


def behind_gateway(ds: xr.Dataset, servers: int, gateway_link: float, variable: str = "throughput") -> xr.Dataset:
    """Set rates through a gateway against what the links on the way can carry.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with operation, clients, client_link [B/s]; server_link [B/s] where servers stand behind the gateway, NaN
        where the storage is its own; replicas, erasure_code and stripe_size where they apply.
    servers : int
        Number of servers.
    gateway_link : float
        Link of the gateway, in each direction [B/s].
    variable : str
        The rate of all clients together [B/s], with or without the ends of its interval.

    Returns
    -------
    Dataset, dimension obs
        The same rows and columns, with ``bound`` [B/s], ``bottleneck`` ("client links", "gateway link", "server
        links"; where several are equal, the first) and ``bound_share`` [1] (rate over bound, and so the ends of its
        interval). NaN and "" in rows that neither read nor write.

    Raises
    ------
    AnalysisError
        If a column is missing, or an erasure code is not spelled data+redundancy.
    """
    table.require(ds, "operation", "clients", "client_link", "server_link")
    table.unit(ds, variable)
    require_servers(servers)
    if gateway_link <= 0:
        raise AnalysisError(f"a gateway has a link above zero, not {gateway_link:g} B/s")
    rows = table.rows(ds)
    kinds = rows.cells([key for key in KEYS if key in rows])
    found = Rows.of_cells([_limit(kind, servers, gateway_link) for kind in kinds.names()])
    bound = kinds.broadcast(found["bound"])
    ends = [end for end in ("", "_low", "_high") if f"{variable}{end}" in rows]
    shares = {f"bound_share{end}": divided(rows[f"{variable}{end}"], bound) for end in ends}
    limits = Rows({"bound": bound, "bottleneck": kinds.broadcast(found["bottleneck"]), **shares}, len(rows))
    return table.with_variables(ds, limits, made_of=str(ds.attrs.get("made_of", variable)))


def _limit(row: dict[Any, Any], servers: int, gateway_link: float) -> dict[str, float | str]:
    if row["operation"] in WRITING:
        stages = _written(row, servers, gateway_link)
    elif row["operation"] in READING:
        stages = _read(row, servers, gateway_link)
    else:
        return {"bound": np.nan, "bottleneck": ""}
    if not np.isfinite(list(stages.values())).any():
        raise AnalysisError(f"no link of the row with {row['operation']} is known")
    bottleneck, bound = narrowest(stages)
    return {"bound": bound, "bottleneck": bottleneck}


def _written(row: dict[Any, Any], servers: int, gateway_link: float) -> dict[str, float]:
    sent = copies_written(float(row.get("replicas", np.nan)), str(row.get("erasure_code", "")))
    beyond = sent if np.isfinite(row["server_link"]) else 0.0
    return {
        "client links": row["clients"] * row["client_link"],
        "gateway link": gateway_link / max(1.0, beyond),
        "server links": float(divided(servers * row["server_link"], sent)),
    }


def _read(row: dict[Any, Any], servers: int, gateway_link: float) -> dict[str, float]:
    drawn = min(float(servers), row["clients"] * _servers_of_a_file(row, servers))
    return {
        "client links": row["clients"] * row["client_link"],
        "gateway link": gateway_link,
        "server links": drawn * row["server_link"],
    }


def _servers_of_a_file(row: dict[Any, Any], servers: int) -> float:
    """From how many servers one file is read at a time."""
    data, _ = fragments(str(row.get("erasure_code", "")))
    striped = np.isfinite(float(row.get("stripe_size", np.nan)))
    return float(data or (servers if striped else 1))
