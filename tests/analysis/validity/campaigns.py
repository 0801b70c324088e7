"""Random campaigns in which nothing is wrong: what a check finds in them is a false alarm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
import xarray as xr

from storagelab import dataset
from storagelab.analysis.inference.seeds import generator

LAYOUTS = ("distribute", "replicate", "disperse")
CLIENTS = (2, 3)
REPEATS = (1, 2, 3)
SIZE = 24.0 * 2**20
BEGIN = datetime(2026, 3, 1, 8, tzinfo=UTC).timestamp()

FASTER = np.array([0.0, 0.0, 4.0])
"""A reread comes from memory: only its times are known to the step of the clock."""

Row = dict[str, Any]


@dataclass
class _Nodes:
    runs: list[Row] = field(default_factory=list)
    clients: list[Row] = field(default_factory=list)
    logs: list[Row] = field(default_factory=list)


def campaign(number: int, least: float = 0.005, most: float = 0.08) -> xr.DataTree:
    """Draw a campaign of 18 runs of IOzone with three operations, in random order, with the counters of its clients.

    The noise of a cell lies between `least` and `most`, and part of it is common to the clients of a run; clients
    have effects that depend on the layout, as placements have.
    """
    rng = generator("clean campaign", str(number))
    settings = [(layout, n, repeat) for layout in LAYOUTS for n in CLIENTS for repeat in REPEATS]
    noise = {(layout, n): rng.uniform(least, most) for layout in LAYOUTS for n in CLIENTS}
    placed = {(layout, client): rng.normal(0, 0.1) for layout in LAYOUTS for client in range(max(CLIENTS))}
    level = {layout: rng.uniform(8e6, 24e6) for layout in LAYOUTS}
    counters = {client: rng.uniform(1e8, 1e9) for client in range(max(CLIENTS))}
    nodes, now = _Nodes(), BEGIN
    for place in rng.permutation(len(settings)):
        layout, n, repeat = settings[place]
        sd = noise[layout, n]
        shared = rng.normal(0, sd / 2, 3)
        lasted = 0.0
        for client in range(n):
            centre = np.log(level[layout] / n) + placed[layout, client] + shared
            times = np.rint(1e6 * SIZE / np.exp(centre + FASTER + rng.normal(0, sd, 3))) / 1e6
            _client(nodes, (layout, n, repeat), client, now, times, counters, rng)
            lasted = max(lasted, float(times.sum()))
        now += lasted + rng.uniform(2, 6)
    return _tree(nodes)


def _client(
    nodes: _Nodes,
    setting: tuple[str, int, int],
    client: int,
    now: float,
    times: np.ndarray,
    counters: dict[int, float],
    rng: np.random.Generator,
) -> None:
    layout, n, repeat = setting
    run = f"{layout}_{n}_r{repeat}"
    keys: Row = {
        "tool": "iozone", "layout": layout, "clients": float(n), "repeat": float(repeat), "run_id": run,
        "client": f"cli{client + 1}", "client_location": "external", "operation_group": "write",
    }  # fmt: skip
    log = float(len(nodes.logs))
    own = np.floor(now + rng.uniform(0, 1))
    nodes.logs += [
        {**keys, "log": f"{run}/{keys['client']}.log", "log_sha256": f"{log}", "role": "benchmark", "complete": 1.0,
         "notes": "", "started": _iso(now), "log_started": _iso(own)[:19], "log_id": log},
        {**keys, "log": f"{run}/{keys['client']}.txt", "log_sha256": f"{log}x", "role": "netdev_after",
         "complete": 1.0, "notes": "", "started": _iso(now), "log_started": "", "log_id": log + 1},
    ]  # fmt: skip
    for line, (operation, time) in enumerate(zip(("write", "rewrite", "reread"), times, strict=True), start=30):
        rate = round(SIZE / 1024 / time, 2) * 1024
        parent = round(SIZE / 1024 / time * rng.uniform(0.98, 0.9999), 2) * 1024
        of_row: Row = {"operation": operation, "throughput": rate, "throughput_parent": parent, "data_size": SIZE}
        nodes.clients.append({**keys, **of_row, "share": "client", "log_id": log, "line": line, "log_count": 1.0})
    begin = counters[client] + rng.uniform(1e3, 1e4)
    sent = 2 * SIZE * (3 if layout == "replicate" else 1) * rng.normal(1.05, 0.003)
    counters[client] = begin + sent
    counted: Row = {
        "operation": "transmit",
        "network_sent": sent,
        "counter_before": begin,
        "counter_after": begin + sent,
    }
    nodes.clients.append(
        {**keys, **counted, "tool": "proc_net_dev", "share": "client", "log_id": log + 1, "line": 4.0, "log_count": 1.0}
    )


def _tree(nodes: _Nodes) -> xr.DataTree:
    nodes.runs = list(_sums(nodes.clients))
    made = {
        name: dataset.from_rows([{"statistic": "single", **row} for row in rows], origin="measured", study="clean")
        for name, rows in (("runs", nodes.runs), ("clients", nodes.clients))
    }
    logs = dataset.from_rows(nodes.logs, origin="measured", study="clean")
    return dataset.tree({**made, "logs": logs}, {"study": "clean", "origin": "measured"})


def _sums(clients: list[Row]) -> Iterator[Row]:
    shares: dict[tuple[str, str], list[Row]] = {}
    for row in clients:
        if "throughput" in row:
            shares.setdefault((row["run_id"], row["operation"]), []).append(row)
    for rows in shares.values():
        first = {name: value for name, value in rows[0].items() if name not in ("client", "share", "throughput_parent")}
        yield {**first, "throughput": sum(row["throughput"] for row in rows), "log_count": float(len(rows))}


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
