"""Further drawings of some kinds: each has a legend, a bound, a mark or a word that the usual one has not."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import xarray as xr

from storagelab import analysis, figures
from storagelab.dataset import select
from storagelab.figures import Drawn
from tests.analysis.comparison.test_pairs import MOUNTS, campaign
from tests.analysis.series import test_failover as servers
from tests.analysis.tables import auto, cluster, fileop, latencies, node, repeats, shares
from tests.figures import kinds
from tests.figures import test_cross_study as side_by_side
from tests.figures import test_failover as failed
from tests.figures.test_permitted_curves import BAND, said

SYSTEMS = ("btrfs", "ext3", "ext4", "xfs", "zfs on Linux")


def many_percentiles() -> Drawn:
    """Three panels, whose lines are named in a legend."""
    one = select(latencies(), filesystem="ext4")
    slower = [one.assign(latency_p99=one["latency_p99"] * (1 + place)) for place in range(len(SYSTEMS))]
    operations = ("obs", ["read", "write", "stat"])
    named = [
        ds.assign_coords(filesystem=("obs", [name] * 3), operation=operations)
        for ds, name in zip(slower, SYSTEMS, strict=True)
    ]
    return figures.percentiles(xr.concat(named, "obs"))


def curve_with_its_band() -> Drawn:
    """A fitted curve, which is dash-dotted, and the interval around it."""
    rates = {
        "throughput": [24e6, 60e6, 71e6],
        "throughput_low": [20e6, 55e6, 66e6],
        "throughput_high": [28e6, 65e6, 76e6],
    }
    values = {name: ("obs", of, {"units": "B/s"}) for name, of in rates.items()}
    keys = {"layout": ("obs", ["distribute"] * 3), "clients": ("obs", [1.0, 2.0, 3.0])}
    fit = xr.Dataset(values, keys, {"method": "least squares"})
    return figures.scaling(select(cluster(), operation="write"), fit=fit, lines={50e6: "half"}, log=True)


def plateaus_alone() -> Drawn:
    """A plateau with its interval and without a knee, and one with both."""
    columns = {
        "throughput": [70e6, 23e6], "throughput_low": [65e6, 20e6], "throughput_high": [75e6, 26e6],
        "clients_knee": [np.nan, 2.0], "clients_knee_low": [np.nan, 1.5], "clients_knee_high": [np.nan, 2.5],
    }  # fmt: skip
    values = {name: ("obs", of, {"units": "1" if "knee" in name else "B/s"}) for name, of in columns.items()}
    fit = xr.Dataset(values, {"layout": ("obs", ["distribute", "replicate"])}, {"method": "least squares"})
    return figures.scaling(select(cluster(), operation="write"), fit=fit)


def marks_beside_titles() -> Drawn:
    """Titles that stand above the names of marks, which they would meet."""
    return figures.scaling(cluster(), facet="operation", marks={1.2: "the memory of a client", 9.0: "outside"})


def wide_heatmap() -> Drawn:
    """A cell a run, many columns with long names, and ends that are cut: no numbers, and names that are turned."""
    sizes = [2.0**power for power in range(12, 30)]
    rows = [
        row
        for place, size in enumerate(sizes)
        for file_size in (2.0**30, 2.0**32)
        for row in repeats([1e8 * (1 + place)], record_size=size, file_size=file_size, operation="write")
    ]
    return figures.heatmap(node(rows), clip=0.05, log=False, marks={2.0**31: "memory"})


def timed_order() -> Drawn:
    """Hours since the first run on the axis, in two panels."""
    deviations = analysis.drift(kinds.ten(), "throughput", ["layout"], ["layout"])
    starts = 1.7e9 + 1800.0 * np.arange(deviations.sizes["obs"])
    ds = deviations.assign(start_time=("obs", starts, {"units": "s"}), outlier=("obs", np.arange(starts.size) % 2.0))
    return figures.run_order(ds, "deviation", order="start_time", facet="layout")


def steps_and_stretches(spans: Mapping[str, list[float]]) -> Drawn:
    values = {
        name: ("obs", np.array(of), {"units": "B/s" if name == "throughput" else "s"}) for name, of in spans.items()
    }
    keys = {"layout": ("obs", ["distribute", "replicate"])}
    ds = kinds.samples()
    return figures.series(ds, spans=xr.Dataset(values, keys), events=many_events(), facet="layout", hue="client")


def many_events() -> xr.Dataset:
    """Events that stand too near to each other for their names."""
    happened = [{"event": f"step_{place}", "time": 10.0 + 0.1 * place, "severity": "notice"} for place in range(4)]
    return servers.events(*happened)


def a_winner_without_rivals() -> Drawn:
    """A cell in which nothing was run."""
    ds = fileop()
    without = ds.isel(obs=((ds["filesystem"] != "btrfs") | (ds["operation"] != "stat")).to_numpy())
    return figures.winners_map(
        analysis.winners(without, "operation_rate", "filesystem", ["operation"]), "operation_rate"
    )


def uncounted_ratios() -> Drawn:
    """Ratios of which nobody says how many runs stand behind them, held against a limit that has a name."""
    unknown = side_by_side.several()
    unknown["n"] = unknown["n"] * np.nan
    return figures.side_by_side(unknown, "ratio", line=0.9, line_is="ten percent less")


def ratios_by_hue() -> Drawn:
    compared = analysis.compare(campaign(), *MOUNTS, ["operation", "clients"], pair=["filesystem", "repeat"])
    return figures.ratios(compared, hue="clients", category="operation")


def unlimited_scatter() -> Drawn:
    return figures.scatter(kinds.shared(), "link_share", hue="layout", what="a copy")


def worded_limit() -> Drawn:
    return figures.scatter(kinds.shared(), "link_share", limit=25e6, line="one link")


def ranges_of_names() -> Drawn:
    """Places that have names are rows: one without an upper end, one that is a number, one between two."""
    named = (
        ("disk", 20e6, np.inf, np.nan, np.nan, 0),
        ("link", 80e6, 80e6, 80e6, 3e7, 0),
        ("all", 9e6, 5e7, np.nan, np.nan, 0),
    )
    return figures.permitted(said(*named, x="layout", reached=9e7), hue="operation")


def machines() -> xr.Dataset:
    """Two test beds: of many hosts some are drawn, one holds five kinds of guests, and one rate of a link is said."""
    rows = [
        ("old", "clients", 0.0, "a host with a long name", 20.0, 20.0, "guest", 3.0, 125e6, "Ethernet"),
        ("old", "clients", 0.0, "a host with a long name", 20.0, 20.0, "container", 3.0, 125e6, "Ethernet"),
        ("old", "servers", 1.0, "server", 1.0, 1.0, "", np.nan, np.nan, "SCSI"),
        ("old", "servers", 1.0, "spare", 1.0, 4.0, "", np.nan, np.nan, "SCSI"),
        ("old", "disks", 2.0, "shelf", 2.0, 2.0, "disk", 4.0, np.nan, ""),
        *(("new", "clients", 0.0, "node", 2.0, 2.0, kind, 1.0, np.nan, "") for kind in ("a", "b", "c", "d", "guest")),
    ]
    names = "drawing", "tier", "row", "box", "count", "most", "inside", "inside_count", "link", "network"
    columns = zip(names, zip(*rows, strict=True), strict=True)
    attrs = {"origin": "published", "study": "tiny"}
    return xr.Dataset({name: ("obs", np.array(column)) for name, column in columns}, attrs=attrs)


def of_four_layouts() -> xr.Dataset:
    """Twenty runs of each layout, far apart: panels in two rows, each with a scale of its own."""
    tops = {"disperse": 1e6, "distribute": 9e6, "replicate": 80e6, "striped": 900e6}
    rates = {layout: [top * (1 + 0.01 * place * (-1) ** place) for place in range(20)] for layout, top in tops.items()}
    return node(row for layout, own in rates.items() for row in repeats(own, layout=layout, clients=2.0))


def four_series() -> Drawn:
    """Panels in two rows, each with a scale of its own."""
    return figures.series(
        servers.node(
            row
            for place, layout in enumerate(("disperse", "distribute", "replicate", "striped"))
            for client, share in (("c1", 1.0), ("c2", 0.5))
            for row in servers.series(
                [share * 9.0**place * rate for rate in kinds.RATES], client, run_id=layout, layout=layout
            )
        ),
        events=happened_far_apart(),
        facet="layout",
        hue="client",
    )


def happened_far_apart() -> xr.Dataset:
    """An event of one run that comes twice, so far apart that both are drawn."""
    steps = ({"event": "step", "time": time, "severity": "notice"} for time in (2.0, 14.0))
    return servers.events(*steps, run_id="striped")


def unringed_order() -> Drawn:
    """A campaign of which nobody said which runs lie apart, in two rows of panels."""
    deviations = analysis.drift(of_four_layouts(), "throughput", ["layout"], ["layout"])
    return figures.run_order(deviations, "deviation", facet="layout")


def ratios_of_four() -> Drawn:
    """Four systems over one: too many to name on the axis."""
    rows = [
        row
        for place, filesystem in enumerate(SYSTEMS)
        for operation in ("read", "write", "stat", "rename")
        for row in repeats([1e6 + 1e5 * place, 1.1e6 + 1e5 * place], filesystem=filesystem, operation=operation)
    ]
    compared = [
        analysis.compare(node(rows), "throughput", "filesystem", "ext3", other, ["operation"])
        for other in SYSTEMS
        if other != "ext3"
    ]
    return figures.ratios(xr.concat(compared, "obs"), category="compared", facet="operation")


def failover_on_a_link() -> Drawn:
    """What a client wrote, with what its link carried and what it complained of."""
    of_one = failed.payload(("r1", "replicate"))
    return figures.failover(of_one, failed.said(), network=failed.network())


def runs_beyond_the_axis() -> Drawn:
    """A run far below all others and one far above, which are arrows on a log axis."""
    rates = {2.0: [50e6 + 1e5 * place for place in range(20)], 4.0: [2e3, *[90e6] * 9, 9e12]}
    rows = (row for clients, own in rates.items() for row in repeats(own, clients=clients, layout="replicate"))
    return figures.scaling(node(rows), log=True)


STRETCHES = {"segment_start": [2.0, 5.0], "segment_end": [8.0, 12.0], "throughput": [9e6, 4e6]}
CHANGES = {"time": [6.0, 9.0], "time_low": [5.0, 8.5], "time_high": [7.0, 9.5]}

WAYS: Mapping[str, Callable[[], Drawn]] = {
    "distribution in two rows": lambda: figures.distribution(of_four_layouts(), category="clients", facet="layout"),
    "distribution by hue, log": lambda: figures.distribution(cluster(), hue="operation", facet="clients", log=True),
    "failover on a link": failover_on_a_link,
    "heatmap, wide": wide_heatmap,
    "heatmap by facet": lambda: figures.heatmap(auto(), facet="filesystem", log=False),
    "ordered_clients without panels": lambda: figures.ordered_clients(select(shares(), clients=4.0), facet=""),
    "percentiles with a legend": many_percentiles,
    "percentiles without panels": lambda: figures.percentiles(select(latencies(), operation="read"), facet=""),
    "permitted with a line": lambda: figures.permitted(BAND, hue="operation", lines={60e6: "one disk"}),
    "permitted ranges of names": ranges_of_names,
    "points, log": lambda: figures.points(cluster(), hue="operation", facet="clients", log=True, marks={3e7: "a disk"}),
    "points in two rows": lambda: figures.points(of_four_layouts(), category="clients", facet="layout"),
    "ratios by hue": ratios_by_hue,
    "ratios of four": ratios_of_four,
    "run_order without rings": unringed_order,
    "run_order by time": timed_order,
    "scaling with a curve": curve_with_its_band,
    "scaling with runs beyond the axis": runs_beyond_the_axis,
    "scaling with plateaus": plateaus_alone,
    "scaling with marks beside titles": marks_beside_titles,
    "scatter without limit": unlimited_scatter,
    "scatter with a worded limit": worded_limit,
    "scaling in two rows": lambda: figures.scaling(of_four_layouts(), facet="layout"),
    "series in two rows": four_series,
    "series with stretches": lambda: steps_and_stretches(STRETCHES),
    "series with a change": lambda: steps_and_stretches(CHANGES),
    "side_by_side of what is not counted": uncounted_ratios,
    "topology": lambda: figures.topology(machines()),
    "winners_map with a gap": a_winner_without_rivals,
}
