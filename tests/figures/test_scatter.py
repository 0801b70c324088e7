from __future__ import annotations

import pytest
import xarray as xr

from storagelab import figures
from storagelab.errors import AnalysisError
from tests.analysis.tables import cluster, latencies, node, repeats


def links() -> xr.Dataset:
    shares = {"distribute": 1.0, "replicate": 0.01}
    rows = [row for layout in shares for row in repeats([10e6, 12e6], layout=layout)]
    ds = node(rows)
    return ds.assign(link_share=("obs", [shares[str(one)] for one in ds["layout"].values], {"units": "1"}))


def test_points_and_the_line_of_the_limit() -> None:
    drawn = figures.scatter(links(), "link_share", limit=25e6, what="a client in one run")
    (axes,) = drawn.figure.axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert sum(len(one.get_offsets()) for one in axes.collections) == 4
    xs, ys = axes.lines[0].get_data()
    assert xs * ys == pytest.approx([25e6, 25e6])
    assert "A point is a client in one run (n = 4 points" in drawn.caption
    assert "their product is 25 MB/s" in drawn.caption
    assert (
        "distribute: bytes received over the link per byte read 1 to 1, throughput 10 MB/s to 12 MB/s"
        in drawn.alt.lower().replace("mb/s", "MB/s")
    )


def test_a_line_that_is_no_limit_says_what_it_is() -> None:
    drawn = figures.scatter(links(), "link_share", limit=25e6, line="the same bytes")
    (axes,) = drawn.figure.axes
    assert [text.get_text() for text in axes.texts] == ["the same bytes"]
    assert "Dashed: the same bytes." in drawn.caption
    assert "link can carry" not in drawn.caption


def test_zero_has_no_place_on_a_log_axis() -> None:
    ds = links().assign(link_share=("obs", [0.0, 1.0, 1.0, 1.0], {"units": "1"}))
    with pytest.raises(AnalysisError, match="link_share has values that are not positive"):
        figures.scatter(ds, "link_share")


def test_marks_and_steps_on_points() -> None:
    drawn = figures.points(
        cluster(),
        "throughput",
        category="layout",
        hue="clients",
        facet="operation",
        marks={24e6: "one link"},
        mean=False,
    )
    assert "Dotted: one link." in drawn.caption
    assert "without mean or interval" in drawn.caption
    assert [line.get_xdata()[0] for axes in drawn.figure.axes for line in axes.lines] == [24e6, 24e6]


def test_percentiles_are_said_in_words() -> None:
    from storagelab.analysis import percentiles

    drawn = figures.points(
        percentiles(latencies(), ["filesystem"]), "latency_at", category="percentile", hue="filesystem"
    )
    assert next(tick.get_text() for tick in drawn.figure.axes[0].get_yticklabels()) == "50 % are faster"
