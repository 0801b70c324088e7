"""What the tests of comparisons share: published values with errors, drivers, series."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import xarray as xr

from tests.analysis.tables import node, repeats

MB = 1e6
SIDES = ("throughput", "server_mode", "bare-metal", "virtual")


def published(*values: tuple[str, float, float], n: Iterable[float] = (), key: str = "server_mode") -> xr.Dataset:
    """Values in MB/s with standard errors, as papers print them."""
    ds = node([{key: name, "throughput": value * MB} for name, value, _ in values], origin="published")
    errors = ("obs", [error * MB for *_, error in values], {"units": "B/s"})
    counted = {"samples": ("obs", list(n), {"units": "1"})} if n else {}
    return ds.assign(throughput_error=errors, **counted)


SINGLE = published(("bare-metal", 15.6, 0.2), ("virtual", 15.3, 0.1))
MANY = published(("bare-metal", 12.55, 0.06), ("virtual", 12.27, 0.08))
SYSTEMS = published(("lustre", 12.55, 0.06), ("hadoop", 7.9, 0.1), ("bluearc", 8.15, 0.03), key="filesystem")


def means(a: Iterable[float], b: Iterable[float]) -> xr.Dataset:
    """Runs of two layouts."""
    return node([*repeats(a, layout="replicate"), *repeats(b, layout="distribute")])


LAYOUTS = ("throughput", "layout", "distribute", "replicate")

DRIVERS = {"driver_net": ("emulated", "virtio"), "driver_disk": ("ide", "virtio")}


def drivers(
    net: float = 3.0, disk: float = 1.1, both: float = 1.0, runs: Iterable[float] = (0.98, 1.0, 1.03)
) -> xr.Dataset:
    """Two drivers at two levels; `both` is the ratio of ratios."""
    found = []
    for one in (0, 1):
        for two in (0, 1):
            keys = {"driver_net": DRIVERS["driver_net"][one], "driver_disk": DRIVERS["driver_disk"][two]}
            sign = 1 if one == two else -1
            rate = 1e8 * net ** (one - 0.5) * disk ** (two - 0.5) * both ** (sign / 4)
            found += repeats([rate * noise for noise in runs], **keys)
    return node(found)


def series(seed: int = 1, shift: float = 0.05, loss: float = 0.9, count: int = 3, noise: float = 0.02) -> xr.Dataset:
    """Three configurations, each in several series over three file sizes; the last is slower by `loss`."""
    rng = np.random.default_rng(seed)
    rows = []
    for layout, rate in (("replicate", 1.0), ("10:2", 1.0), ("32:4", loss)):
        for repeat in range(1, count + 1):
            offset = rng.normal(0, shift)
            for size in (2.0**20, 2.0**24, 2.0**28):
                for i in range(2):
                    name = f"{layout}-{repeat}-{size:g}-{i}"
                    logs = offset + 0.1 * np.log(size) + rng.normal(0, noise)
                    keys = {"layout": layout, "repeat": repeat, "file_size": size, "run_id": name}
                    rows.append({**keys, "throughput": rate * float(np.exp(logs)) * 1e7})
    return node(rows)
