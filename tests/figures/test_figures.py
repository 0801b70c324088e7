"""What each kind of figure shows and says, on data that can be checked by hand. Not pixels."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle
from xarray import concat

from storagelab import analysis, figures
from storagelab.dataset import frame, select
from storagelab.errors import AnalysisError
from storagelab.figures import Drawn, palette
from tests.analysis.tables import auto, cluster, fileop, node, repeats, shares, skim
from tests.figures import kinds
from tests.figures.kinds import texts

NAMES = ("heatmap", "ordered_clients", "percentiles", "points", "points of clients", "ratios", "scaling", "winners_map")


@pytest.fixture(scope="module")
def drawn() -> dict[str, Drawn]:
    return {name: kinds.drawn(name) for name in NAMES}


def axes_of(one: Drawn) -> list[Axes]:
    return one.axes


def test_nothing_is_left_in_matplotlib() -> None:
    before = dict(mpl.rcParams)
    kinds.drawn("scaling").render("svg")
    assert dict(mpl.rcParams) == before


def test_scaling_shows_runs_means_intervals_and_limits(drawn: dict[str, Drawn]) -> None:
    write, read = axes_of(drawn["scaling"])
    assert (write.get_title(loc="left"), read.get_title(loc="left")) == ("write", "read")
    assert write.get_xscale() == "log"
    assert [tick.get_text() for tick in write.get_xticklabels()] == ["1", "3"]
    assert write.get_ylim()[0] == 0
    assert "throughput (MB/s)" in texts(drawn["scaling"])
    means = frame(drawn["scaling"].data)
    lines = [line for line in write.lines if len(line.get_xdata()) == 2 and line.get_marker() != "None"]
    expected = means[(means["operation"] == "write") & (means["layout"] == "replicate")]["throughput"].tolist()
    assert any(np.allclose(np.asarray(line.get_ydata(), dtype=float), expected) for line in lines)
    points = [len(np.asarray(c.get_offsets())) for c in write.collections if len(np.asarray(c.get_offsets())) == 6]
    assert len(points) == 2, "each run of both layouts is a point"


def test_a_caption_names_each_study_whose_runs_are_drawn() -> None:
    runs = node(repeats([1.0, 2.0], layout="a") + repeats([3.0, 4.0], layout="b"))
    both = runs.assign_coords(study=("obs", np.where(runs["layout"] == "a", "disk-2025", "disk-2026")))
    assert figures.points(both, category="study").caption.endswith("Logs: measured (disk-2025 and disk-2026).")
    assert figures.points(runs).caption.endswith("Logs: measured (test-2026).")


def test_means_are_not_drawn_as_runs() -> None:
    means = analysis.summarise(cluster(), "throughput", ["layout", "operation", "clients"])
    with pytest.raises(AnalysisError, match=r"^each throughput is a mean \(n = 3 runs\): figures draw the runs with "):
        figures.scaling(means, facet="operation")


def test_limits_shared_by_lines_are_drawn_once(drawn: dict[str, Drawn]) -> None:
    shown = texts(drawn["scaling"])
    assert sorted(text for text in shown if text.startswith("limit")) == [
        "limit 25 MB/s",
        "limit 75 MB/s",
        "limit 75 MB/s",
    ]
    assert "distribute" in shown, "lines are labelled directly"


def test_scaling_in_words(drawn: dict[str, Drawn]) -> None:
    assert "replicate rises from 8.03 MB/s with 1 client to 24.1 MB/s with 3 clients" in drawn["scaling"].alt
    assert "Dashed: what the links can carry." in drawn["scaling"].caption
    assert "mean, bars its 95 % t interval (n = 3 runs a point)" in drawn["scaling"].caption


def test_single_runs_have_no_bars_and_say_so() -> None:
    one = figures.scaling(
        node([*repeats((1e6,), clients=1.0, layout="disperse"), *repeats((2e6,), clients=2.0, layout="disperse")])
    )
    assert "A point is one run (n = 1 run), so there are no intervals." in one.caption


def test_many_panels_share_one_legend() -> None:
    rows = [row for op in ("write", "rewrite", "read") for layout in ("distribute", "disperse")
            for row in repeats((1e6, 2e6), operation=op, layout=layout, clients=1.0)]  # fmt: skip
    one = figures.scaling(node(rows), facet="operation")
    assert len(one.figure.legends) == 1
    assert [text.get_text() for text in one.figure.legends[0].get_texts()] == ["distribute", "disperse"]


def test_marks_are_drawn_and_named() -> None:
    one = figures.scaling(
        auto().isel(obs=slice(0, None)),
        x="file_size",
        hue="filesystem",
        over=["record_size"],
        marks={1.5 * 2**20: "memory"},
        log=True,
    )
    assert "memory" in texts(one)
    assert "Dotted: memory." in one.caption
    assert "Taken together over record size." in one.caption


def test_blocks_are_named_in_captions() -> None:
    rows = [
        {"block": b, "repeat": b, "run_id": f"{b}{i}", "clients": 1.0, "layout": "disperse", "throughput": 1e6 * b + i}
        for b in (1, 2)
        for i in (0, 1)
    ]
    one = figures.scaling(node(rows))
    assert "Small points are blocks" in one.caption
    assert "Runs of one block of the campaign are averaged first." in one.caption


def test_reconstructed_data_have_hollow_markers() -> None:
    one = figures.scaling(node(repeats((1e6, 2e6), clients=1.0, layout="disperse"), origin="reconstructed"))
    (line,) = [line for line in axes_of(one)[0].lines if line.get_marker() not in ("None", "")]
    assert line.get_markerfacecolor() == "white"
    assert one.caption.endswith("Logs: reconstructed (test-2026).")


def test_a_layout_has_the_same_colour_in_lines_and_points(drawn: dict[str, Drawn]) -> None:
    colour = palette.looks("layout", ["replicate"])["replicate"].colour
    assert any(line.get_color() == colour for line in axes_of(drawn["scaling"])[0].lines)
    one = figures.points(select(cluster(), operation="read", clients=3.0))
    edges: set[tuple[float, ...]] = {
        tuple(np.round(c.get_edgecolor()[0][:3], 3)) for c in axes_of(one)[0].collections if len(c.get_offsets()) == 3
    }
    assert tuple(np.round(mpl.colors.to_rgb(colour), 3)) in edges


def test_points_show_every_run(drawn: dict[str, Drawn]) -> None:
    (axes,) = axes_of(drawn["points"])
    drawn_points = sum(len(c.get_offsets()) for c in axes.collections if type(c).__name__ == "PathCollection")
    assert drawn_points == 12
    assert "distribute, 1 client 23.5 MB/s to 24.7 MB/s, mean 24.1 MB/s" in drawn["points"].alt.lower().replace(
        "mb/s", "MB/s"
    )


def test_points_without_interval_do_not_speak_of_one() -> None:
    one = figures.points(analysis.fairness(shares()), "jain", category="clients", over=["layout"], interval=False)
    assert "95 %" not in one.caption
    assert "strokes" not in one.caption  # a row of one run has no mean of its own
    several = figures.points(node(repeats((1e6, 2e6), layout="disperse", clients=1.0)), interval=False)
    assert "strokes are the mean, without interval" in several.caption


def test_bars_start_at_zero() -> None:
    one = figures.points(select(cluster(), operation="read", clients=3.0), bars=True)
    (axes,) = axes_of(one)
    assert axes.get_xlim()[0] == 0
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert [bar.get_width() for bar in bars] == pytest.approx([72e6 * 3.01 / 3] * 2)
    assert "Bars start at zero." in one.caption


def test_points_of_clients_mark_runs(drawn: dict[str, Drawn]) -> None:
    assert "A point is a client in one run, a stroke the mean of one run" in drawn["points of clients"].caption


def test_ordered_clients_rise(drawn: dict[str, Drawn]) -> None:
    two, four = axes_of(drawn["ordered_clients"])
    assert (two.get_title(loc="left"), four.get_title(loc="left")) == ("2 clients", "4 clients")
    assert list(two.lines[0].get_ydata()) == [1e6, 3e6]
    assert "2 clients, distribute: slowest 1 MB/s, fastest 3 MB/s" in drawn["ordered_clients"].alt


def test_lines_of_clients_are_named_at_their_ends_where_these_lie_together() -> None:
    """Four clients of one layout and two of the other end apart; two of each end together."""
    rows = [
        {"client": f"cli{i}", "throughput": rate * (1 + i), "run_id": layout, "layout": layout}
        for layout, rate, count in (("distribute", 1e6, 4), ("replicate", 9e6, 2))
        for i in range(count)
    ]
    apart = node([{"operation": "read", "share": "client", "clients": 4.0, "repeat": 1, **row} for row in rows])
    together = select(apart, client=["cli0", "cli1"])
    named = [figures.ordered_clients(ds, facet=facet) for ds in (apart, together) for facet in ("", "clients")]
    assert [len(one.figure.legends) for one in named] == [1, 1, 0, 0]
    mixed = concat([together, select(apart, layout="distribute").assign_coords(clients=("obs", 4 * [9.0]))], "obs")
    assert not figures.ordered_clients(mixed).figure.legends, "each panel for itself"


def test_the_heat_map_marks_memory(drawn: dict[str, Drawn]) -> None:
    (axes,) = axes_of(drawn["heatmap"])
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["256 KiB", "1 MiB", "4 MiB"]
    assert [line.get_ydata()[0] for line in axes.lines] == [2], "between 1 MiB, which fits, and 4 MiB"
    assert "memory" in texts(drawn["heatmap"])
    assert texts(drawn["heatmap"]).count("1.05G") == 8
    assert "Line: memory." in drawn["heatmap"].caption
    assert "Numbers are in B/s." in drawn["heatmap"].caption


def test_a_mark_is_named_once_a_row_of_panels() -> None:
    twice = figures.heatmap(auto(), x="filesystem", facet="record_size", marks={2.0**20: "memory"})
    assert len(axes_of(twice)) > 1
    assert texts(twice).count("memory") == 1


def test_a_heat_map_below_its_mark_says_so() -> None:
    one = figures.heatmap(auto(), marks={2.0**30: "memory (1 GiB)"})
    assert "No file size here is above memory (1 GiB)." in one.caption


def test_the_map_of_winners_frames_ties(drawn: dict[str, Drawn]) -> None:
    (axes,) = axes_of(drawn["winners_map"])
    assert [patch.get_linestyle() for patch in axes.patches].count("-") == 2, "one best an operation"
    assert len(axes.patches) == 4, "and one that ties with it"
    assert "Mkdir: xfs (not told from ext4); stat: xfs (not told from ext4)." in drawn["winners_map"].alt
    with pytest.raises(AnalysisError, match="the dataset has no 'rank'"):
        figures.winners_map(fileop(), "operation_rate")


def test_ratios_stand_around_one(drawn: dict[str, Drawn]) -> None:
    (axes,) = axes_of(drawn["ratios"])
    assert axes.get_xscale() == "log"
    low, high = axes.get_xlim()
    assert low < 0.1 < 1 < high
    assert "Grey: within 10 % of one." in drawn["ratios"].caption
    assert "Mkdir 0.0997 (" in drawn["ratios"].alt


def test_what_cannot_be_compared_is_named() -> None:
    sides = [("kernel", "xfs"), ("fuse", "xfs"), ("fuse", "zfs")]
    rows = [row for mount, system in sides for row in repeats((1.0, 2.0), mount=mount, filesystem=system)]
    one = figures.ratios(
        analysis.compare(node(rows), "throughput", "mount", "kernel", "fuse", ["filesystem"]), category="filesystem"
    )
    assert "Not shown, as one side has no run: zfs." in one.caption
    assert [tick.get_text() for tick in axes_of(one)[0].get_yticklabels()] == ["xfs"]


def test_percentiles_reach_into_the_tail(drawn: dict[str, Drawn]) -> None:
    (axes,) = axes_of(drawn["percentiles"])
    assert axes.get_yscale() == "log"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["50 %", "90 %", "99 %", "99.9 %"]
    thick = [line for line in axes.lines if line.get_linewidth() > 1]
    assert [len(line.get_xdata()) for line in thick] == [3, 3]
    assert thick[0].get_xdata()[2] == pytest.approx(3), "three nines"
    assert "Read, ext4: 1.2 ms at 50 %, 12 ms at 99 % and 120 ms at 99.9 %" in drawn["percentiles"].alt


def test_aggregates_against_their_limit() -> None:
    ds = select(skim(), client_location="external")
    limits = analysis.bounds(
        ds.assign_coords(client_link=("obs", [25e6] * 2), server_link=("obs", [25e6] * 2)), servers=3, amplification=2.0
    )
    one = figures.scaling(
        analysis.aggregates(ds, ["layout", "clients"]), hue="aggregate", facet="layout", limits=limits
    )
    assert "limit 12.5 MB/s" in texts(one)


def test_levels_set_apart_have_points_alone() -> None:
    rows = select(cluster(), operation="read", clients=3.0)
    whole, bare = figures.points(rows), figures.points(rows, bare=["replicate"])
    assert "No mean is drawn for: replicate." in bare.caption
    assert "No mean" not in whole.caption
    strokes = [
        sum(len(c.get_segments()) for c in axes_of(one)[0].collections if isinstance(c, LineCollection))
        for one in (whole, bare)
    ]
    assert strokes[0] - strokes[1] == 2


def test_a_value_drawn_across_is_named() -> None:
    one = figures.scaling(cluster(), facet="operation", lines={25e6: "a full link"})
    assert "Dashed: a full link." in one.caption
    assert texts(one).count("a full link") == len(axes_of(one))
    assert all(
        any(np.allclose(np.asarray(line.get_ydata(), dtype=float), 25e6) for line in axes.lines)
        for axes in axes_of(one)
    )


def test_limits_are_named_inside_their_panels(drawn: dict[str, Drawn]) -> None:
    named = [text for axes in axes_of(drawn["scaling"]) for text in axes.texts if text.get_text().startswith("limit")]
    assert named
    for text in named:
        assert text.axes is not None
        panel, box = text.axes.get_window_extent(), text.get_window_extent()
        assert panel.x0 <= box.x0 < box.x1 <= panel.x1 + 1


def test_each_panel_of_ratios_names_its_own_comparison() -> None:
    found = [
        analysis.compare(fileop(), "operation_rate", "filesystem", "xfs", other, ["operation"])
        for other in ("btrfs", "ext4")
    ]
    one = figures.ratios(analysis.concat(*found), facet="compared")
    labels = [axes.get_xlabel() for axes in axes_of(one)]
    assert labels == ["ratio btrfs / xfs", "ratio ext4 / xfs"]
    assert "Ratio of operation rate, btrfs / xfs and ext4 / xfs, by operation, on" in one.caption
    assert one.alt.startswith("Ratios of btrfs / xfs and ext4 / xfs.")
