"""Small datasets with numbers that can be checked by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from storagelab import dataset


def node(rows: Iterable[Mapping[str, Any]], origin: str = "measured") -> xr.Dataset:
    return dataset.from_rows([{"statistic": "single", **row} for row in rows], origin=origin, study="test-2026")


def repeats(values: Iterable[float], variable: str = "throughput", **keys: Any) -> list[dict[str, Any]]:
    """One run a value, numbered from 1, with ids of their own."""
    name = "-".join(str(value) for value in keys.values())
    return [{**keys, "repeat": i, "run_id": f"{name}-{i}", variable: value} for i, value in enumerate(values, 1)]


LINKS = {"client_link": 25e6, "server_link": 25e6, "client_location": "external"}


def cluster() -> xr.Dataset:
    """Two layouts, two client counts, three repeats: what a paper has, small."""
    rows = []
    for layout, factor in (("distribute", 1.0), ("replicate", 1 / 3)):
        for clients, top in ((1.0, 24e6), (3.0, 72e6)):
            for operation, share in (("write", factor), ("read", 1.0)):
                values = [top * share * noise for noise in (0.98, 1.0, 1.03)]
                replicas = 3.0 if layout == "replicate" else 1.0
                keys = {"layout": layout, "replicas": replicas, "clients": clients, "operation": operation, **LINKS}
                rows += repeats(values, **keys)
    return node(rows)


def shares() -> xr.Dataset:
    """Node clients: one run of two clients that share 1 to 3, one of four equal ones."""
    uneven = [
        {"client": f"cli{i}", "throughput": v, "clients": 2.0, "run_id": "a", "repeat": 1}
        for i, v in enumerate((1e6, 3e6))
    ]
    even = [{"client": f"cli{i}", "throughput": 5e6, "clients": 4.0, "run_id": "b", "repeat": 1} for i in range(4)]
    return node([{"layout": "distribute", "operation": "read", "share": "client", **row} for row in uneven + even])


def skim() -> xr.Dataset:
    """Node runs: a run that asks for 10 MB and receives 20 MB, external; the same on-board."""
    rows = []
    for where in ("external", "on-board"):
        keys = {
            "client_location": where,
            "run_id": where,
            "repeat": 1,
            "layout": "disperse",
            "clients": 1.0,
            "operation_group": "skim",
        }
        aggregates = {"throughput": 12e6, "throughput_span": 8e6, "throughput_common": 11e6}
        rows.append({**keys, "operation": "read", "data_size": 10e6, **aggregates})
        rows.append({**keys, "operation": "receive", "network_received": 20e6})
    return node(rows)


def fileop() -> xr.Dataset:
    """xfs and ext4 close together, btrfs ten times slower."""
    rows = []
    for system, values in {"xfs": (100, 104, 98), "ext4": (97, 101, 103), "btrfs": (10.0, 10.4, 9.7)}.items():
        for operation in ("mkdir", "stat"):
            rows += repeats(values, "operation_rate", filesystem=system, operation=operation)
    return node(rows)


def latencies() -> xr.Dataset:
    values = {"latency_p50": 1e-3, "latency_p99": 1e-2, "latency_p99_9": 1e-1}
    rows = [
        {"filesystem": system, "operation": "read", "repeat": i, "run_id": f"{system}{i}"}
        | {name: value * slow * (1 + 0.1 * i) for name, value in values.items()}
        for system, slow in (("ext4", 1.0), ("zfs", 5.0))
        for i in (1, 2, 3)
    ]
    return node(rows)


def auto() -> xr.Dataset:
    """File size by record size, as IOzone's automatic mode gives them; with memory of 1 MiB."""
    rows = []
    for file_size in (2.0**18, 2.0**20, 2.0**22):
        for record_size in (2.0**12, 2.0**18, 2.0**20):
            if record_size <= file_size:
                keys = {
                    "file_size": file_size,
                    "record_size": record_size,
                    "filesystem": "xfs",
                    "memory_limit": 2.0**20,
                }
                rows += repeats((1e9, 1.1e9), **keys, processes=1.0)
    return node(rows)


def in_logs(ds: xr.Dataset) -> xr.Dataset:
    """Put each row on a line of its own, four lines a log."""
    places = np.arange(ds.sizes["obs"])
    return ds.assign_coords(log_id=("obs", places // 4), line=("obs", 10.0 + places))
