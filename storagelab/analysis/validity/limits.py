"""Whether rates stay below what the links allow, and files above what memory holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import schema
from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.efficiency.network import COUNTED
from storagelab.analysis.scaling.bounds import faster_than_links
from storagelab.analysis.scaling.gateway import behind_gateway
from storagelab.analysis.significant_digits import first_extreme
from storagelab.analysis.traces import SAME_MEASUREMENT
from storagelab.analysis.validity.checks import SINGLE_CLIENT, Finding, Looked, Study, brief, named, place, some
from storagelab.analysis.validity.unit_checks import above_nominal
from storagelab.analysis.validity.working_sets import SHARES, mark_cached
from storagelab.errors import AnalysisError
from storagelab.units import factor

ABOVE = 0.05
"""How far above its link a rate may be: a shaped link lets bursts pass, and rates are rounded."""

SET_BY_OF_CHECK = {
    "own link": ("client_link",),
    "all links": columns.SET_BY["bound_share"],
    "memory": ("memory_limit", "client_memory", "server_memory", "file_size", "clients"),
}
"""Check -> keys, and names in study.yaml, that say against what it holds a rate or a size."""


def link_of_a_client(study: Study) -> Looked:
    """Hold the rate of each client against its own link."""
    node = "clients" if study.has("clients") and "client_link" in study.rows("clients") else "runs"
    rows = study.rows(node)
    if "client_link" not in rows or "throughput" not in rows:
        raise AnalysisError("no link and no other nominal rate is known")
    alone = rows["client_link"].notna() & (rows["throughput"] > 0)
    if node == "runs":
        alone &= rows.get("clients", pd.Series(1.0, rows.index)) == 1
    chosen = np.flatnonzero(alone)
    some(rows[alone], "of no client both rate and link are known")
    marked = table.frame(above_nominal(study.node(node).isel(obs=chosen), "client_link", tolerance=ABOVE))
    above = marked[marked["above_nominal"] == 1]
    return Looked(len(marked), "rates", [_above(row) for _, row in above.iterrows()])


def _above(row: pd.Series) -> Finding:
    factor = f"; a factor of units that would explain it: {row['suspect']}" if row["suspect"] else ""
    said = f"{brief(row['nominal_share'])} times what its link carries: a cache, its own host{factor}"
    return Finding(named(row), said, float(row["nominal_share"]), **place(row))


def links_together(study: Study) -> Looked:
    """Hold the sum of the clients' rates against what the links of clients and servers, and of a gateway, can carry."""
    bed = study.about.get("testbed")
    servers = bed.get("servers") if isinstance(bed, dict) else None
    if not isinstance(bed, dict) or not isinstance(servers, int):
        raise AnalysisError("the number of servers is not known")
    study.rows("runs", "throughput", "client_link", "server_link", "clients")
    gateway = bed.get("gateway_link_mbit")
    runs = study.node("runs")
    limited = (
        behind_gateway(runs, servers, float(gateway) * factor("Mbit/s", "B/s"))
        if gateway
        else faster_than_links(runs, servers)
    )
    rows = table.frame(limited)
    known = some(rows[rows["bound_share"].notna()], "of no run both rate and links are known")
    return Looked(len(known), "runs", [_beyond(row) for _, row in known[known["bound_share"] > 1 + ABOVE].iterrows()])


def _beyond(row: pd.Series) -> Finding:
    cached = row.get("served_from_cache") == 1
    why = "above the clients' own links too: a cache" if cached else "the clients did not all run at once, or a cache"
    said = f"the sum of the rates is {brief(row['bound_share'])} times what the links carry: {why}"
    rank, cause = ("", "") if cached else ("note", "not all at once")
    return Finding(named(row), said, float(row["bound_share"]), rank=rank, cause=cause, **place(row))


WHOSE = {"memory_limit": "the benchmark", "client_memory": "a client", "server_memory": "the servers"}
"""Key of a memory -> whose it is."""


def memory(study: Study) -> Looked:
    """Hold the files of each run against the memories on their way: what fits into one may never have left it."""
    given = [key for key in WHOSE if key in study.rows("runs")]
    if not given:
        raise AnalysisError("no memory is known, neither of the benchmark nor of clients or servers")
    marked = table.rows(mark_cached(_with_sizes_of_clients(study)))
    marked = marked.take(~np.isin(marked["operation"], COUNTED)) if "operation" in marked else marked
    shares = np.array([marked[SHARES[key][0]] for key in given])
    sized = np.isfinite(shares).any(axis=0)
    fits = np.any([marked[SHARES[key][1]] == 1 for key in given], axis=0)
    known = marked.assign(fits=fits).take(sized)
    unknown = [whose for key, whose in WHOSE.items() if key not in given]
    left = [f"of {len(marked) - len(known)} rows the size is not known"] if len(known) < len(marked) else []
    left += [f"the memory of {' and of '.join(unknown)} is not known"] if unknown else []
    logs = known.cells(["log_id"])
    found = [_fitting(logs.part(place), given) for place in np.flatnonzero(logs.max("fits")).tolist()]
    return Looked(len(logs), "logs", found, "; ".join(left))


def _with_sizes_of_clients(study: Study) -> xr.Dataset:
    """Return runs, of which those whose clients have files of several sizes are given the mean of these."""
    runs = study.node("runs")
    rows, shares = table.rows(runs), table.rows(study.node("clients")) if study.has("clients") else Rows({}, 0)
    keys = [key for key in SAME_MEASUREMENT if key in rows and key in shares]
    if not {"file_size", "share"}.issubset(shares) or "run_id" not in keys:
        return runs
    clients = shares.where("share", SINGLE_CLIENT).cells(keys)
    means = clients.results(of_clients=clients.mean("file_size"))
    sizes = rows.get("file_size", np.nan)
    several = np.isnan(sizes) & (rows.get("log_count", 1.0) > 1)
    of_clients = rows.looked_up(means, keys, ["of_clients"])["of_clients"]
    return runs.assign_coords(file_size=("obs", np.where(several, of_clients, sizes), {"units": "B"}))


WHICH = frozenset(
    {"run_id", "client", "process", "operation", "part", "iteration", "log_id", "line", schema.LINE_OF["file_size"]}
)
"""Columns that say which measurement a row is, and where the size of its files stands."""


def _fitting(of_log: Rows, given: Sequence[str]) -> Finding:
    """Make a finding about the smallest files of a log that fit in a memory."""
    whose = [name for key, name in WHOSE.items() if key in given and (of_log[SHARES[key][1]] == 1).any()]
    shares = np.nanmin([of_log[SHARES[key][0]] for key in given], axis=0)
    smallest = first_extreme(shares, "lowest")
    (least,) = of_log.take(slice(smallest, smallest + 1)).only([*WHICH & {*of_log}]).records()
    stated = least | {"line": schema.line_of(least, "file_size") or least.get("line", np.nan)}
    times = 1 / float(shares[smallest])
    files = f"files of {int((shares <= 1).sum())} of {len(of_log)} rows fit in the memory of {' and of '.join(whose)}"
    return Finding(named(least), f"{files}, up to {brief(times)} times", times, **place(stated))
