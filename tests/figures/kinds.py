"""One drawing of every kind, on data that can be checked by hand, which a test may change on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.text import Text

from storagelab import analysis, figures
from storagelab.dataset import select
from storagelab.figures import Drawn
from tests.analysis.comparison.test_pairs import MOUNTS, campaign
from tests.analysis.series import test_failover as servers
from tests.analysis.tables import auto, cluster, fileop, latencies, node, repeats, shares

Change = Callable[[xr.Dataset], xr.Dataset]

RATES = [10.0] * 10 + [0.0] * 10 + [5.0] * 10


def ten() -> xr.Dataset:
    """Ten runs of two layouts."""
    rows = [
        row
        for layout, top in (("distribute", 70e6), ("disperse", 50e6))
        for row in repeats([top * (1 + 0.01 * place * (-1) ** place) for place in range(10)], layout=layout)
    ]
    return node(rows)


def one_run() -> xr.Dataset:
    """Node clients: two clients of one run."""
    common = {"run_id": "a", "operation": "read", "layout": "distribute", "repeat": 1.0}
    spans = {"cli1": (100.0, 106.0), "cli2": (100.5, 102.5)}
    return node([
        {**common, "client": client, "start_time": start, "end_time": end, "throughput": 12e6 / (end - start)}
        for client, (start, end) in spans.items()
    ])  # fmt: skip


def samples() -> xr.Dataset:
    """Node series: two clients of a run on each of two layouts."""
    return servers.node(
        row
        for layout, run in (("distribute", "r1"), ("replicate", "r2"))
        for client in ("c1", "c2")
        for row in servers.series(RATES, client, run_id=run, layout=layout)
    )


def happened() -> xr.Dataset:
    return xr.concat([servers.events(run_id=run) for run in ("r1", "r2")], "obs")


def shared() -> xr.Dataset:
    """Throughput over a limit, three runs of two layouts, with the share of a link that carried them."""
    shares_of = {"distribute": 1.0, "replicate": 0.3}
    ds = node([row for layout in shares_of for row in repeats([10e6, 12e6, 12.5e6], layout=layout, clients=3.0)])
    link = [shares_of[str(layout)] for layout in ds["layout"].values]
    return ds.assign(link_share=("obs", link, {"units": "1", "long_name": "share of the link"}))


def _scaling(change: Change) -> Drawn:
    ds = change(cluster())
    return figures.scaling(ds, facet="operation", limits=analysis.bounds(ds, servers=3))


def _banded(change: Change) -> Drawn:
    ds = change(select(cluster(), operation="write"))
    plateau = {"throughput": ("obs", [70e6], {"units": "B/s"}), "clients_knee": ("obs", [2.5], {"units": "1"})}
    fit = xr.Dataset(plateau, {"layout": ("obs", ["distribute"])}, {"method": "least squares"})
    return figures.scaling(ds, band=True, fit=fit, marks={2.0: "two"})


def _winners(change: Change) -> Drawn:
    found = analysis.winners(change(fileop()), "operation_rate", "filesystem", ["operation"])
    return figures.winners_map(found, "operation_rate")


def _ratios(change: Change) -> Drawn:
    return figures.ratios(
        analysis.compare(change(fileop()), "operation_rate", "filesystem", "xfs", "btrfs", ["operation"], margin=0.1)
    )


def _pairs(change: Change) -> Drawn:
    ds = change(campaign())
    pairs = analysis.pair_ratios(ds, *MOUNTS, ["operation", "clients", "filesystem"])
    means = analysis.compare(ds, *MOUNTS, ["operation", "clients"], pair=["filesystem", "repeat"])
    return figures.pairs(pairs, means, category="clients", hue="filesystem", facet="operation")


def _saturation(change: Change) -> Drawn:
    ds = analysis.faster_than_links(change(cluster()), servers=3)
    return figures.saturation(select(ds, clients=3.0), hue="operation")


def _order(change: Change) -> Drawn:
    deviations = analysis.drift(change(ten()), "throughput", ["layout"], ["layout"])
    far = (np.abs(np.log(deviations["deviation"])) > 0.07).astype(float)
    return figures.run_order(deviations.assign(outlier=far), "deviation", hue="layout")


def _beside(ds: xr.Dataset, variable: str, label: str) -> xr.Dataset:
    """Make a result one of several studies: its rows say study, origin, basis and label."""
    size, words = ds.sizes["obs"], [str(value) for value in ds[label].to_numpy()]
    said = {"study": ds.attrs["study"], "origin": ds.attrs["origin"], "basis": "", "case": "layouts"}
    keys = {name: [value] * size for name, value in said.items()} | {"label": words}
    named = {name: ("obs", np.array(values), {"long_name": name}) for name, values in keys.items()}
    ends = [variable, f"{variable}_low", f"{variable}_high", "n"]
    return ds.reset_coords(drop=True)[ends].assign_coords(named)


def _side_by_side(change: Change) -> Drawn:
    means = analysis.summarise(change(ten()), "throughput", ["layout"])
    return figures.side_by_side(_beside(means, "throughput", "layout"), "throughput")


def _changes(change: Change) -> Drawn:
    compared = analysis.compare(change(fileop()), "operation_rate", "filesystem", "xfs", "btrfs", ["operation"])
    return figures.side_by_side(_beside(compared, "ratio", "operation"), "ratio", group="case", scale="percent")


def _curves(change: Change) -> Drawn:
    shares = analysis.over_peak(change(select(cluster(), operation="write")), by=["layout"])
    clients = shares["clients"]
    return figures.curves(
        _beside(shares, "peak_share", "layout").assign_coords(clients=clients), "peak_share", log=True
    )


KINDS: Mapping[str, Callable[[Change], Drawn]] = {
    "curves": _curves,
    "side_by_side": _side_by_side,
    "side_by_side as changes": _changes,
    "distribution": lambda change: figures.distribution(change(ten())),
    "failover": lambda change: figures.failover(change(samples()), happened()),
    "heatmap": lambda change: figures.heatmap(change(auto()), marks={2.0**20: "memory"}),
    "ordered_clients": lambda change: figures.ordered_clients(change(shares())),
    "ordered_clients by time": lambda change: figures.ordered_clients(change(timed()), "elapsed"),
    "pairs": _pairs,
    "percentiles": lambda change: figures.percentiles(change(latencies())),
    "points": lambda change: figures.points(change(select(cluster(), operation="read")), hue="clients"),
    "points of clients": lambda change: figures.points(change(shares()), category="clients", each="client"),
    "points with bars": lambda change: figures.points(change(ten()), bars=True),
    "ratios": _ratios,
    "run_order": _order,
    "saturation": _saturation,
    "scaling": _scaling,
    "scaling with bands": _banded,
    "scatter": lambda change: figures.scatter(change(shared()), "link_share", limit=25e6),
    "series": lambda change: figures.series(change(samples()), events=happened(), facet="layout", hue="client"),
    "timeline": lambda change: figures.timeline(change(one_run()), limit=7e6),
    "winners_map": _winners,
}
"""Each public function of figures, under its name, and ways to call it that change what is drawn."""


def timed() -> xr.Dataset:
    """Node clients with the time that each took for 12 MB."""
    ds = shares()
    return ds.assign(elapsed=("obs", 12e6 / ds["throughput"].values, {"units": "s", "long_name": "elapsed time"}))


def same(ds: xr.Dataset) -> xr.Dataset:
    """Change nothing."""
    return ds


def reversed_values(ds: xr.Dataset) -> xr.Dataset:
    """Reflect what was measured between its ends: large values become small ones."""
    names = [name for name in ("throughput", "operation_rate", "elapsed", *PERCENTILES) if name in ds]
    return ds.assign({name: _reflected(ds[name]) for name in names})


PERCENTILES = ("latency_p50", "latency_p99", "latency_p99_9")


def _reflected(values: xr.DataArray) -> xr.DataArray:
    return (1.1 * values.max() + values.min() - values).assign_attrs(values.attrs)


def reconstructed(ds: xr.Dataset) -> xr.Dataset:
    """Say that the logs are reconstructed."""
    return ds.assign_attrs(origin="reconstructed")


def drawn(name: str, change: Change = same) -> Drawn:
    """Draw a kind."""
    return KINDS[name](change)


def texts(one: Drawn) -> list[str]:
    """All words in a figure."""
    return [text.get_text() for text in one.figure.findobj(Text) if isinstance(text, Text) and text.get_text()]


def faces(axes: Sequence[Axes]) -> set[str]:
    """Fills of the markers that stand for data."""
    from matplotlib.collections import PathCollection
    from matplotlib.colors import to_hex

    found: set[str] = set()
    for one in axes:
        lines = [line for line in one.lines if line.get_marker() in ("o", "s", "^", "D", "v", "P", "X", "*")]
        found |= {to_hex(str(line.get_markerfacecolor())) for line in lines}
        for group in one.collections:
            if isinstance(group, PathCollection):
                found |= {to_hex(colour[:3]) for colour in np.asarray(group.get_facecolor())}
    return found
