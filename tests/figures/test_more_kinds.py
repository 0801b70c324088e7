"""Saturation, distributions, the order of runs, series with events: what each shows and says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection, PathCollection
from matplotlib.patches import Rectangle

from storagelab import analysis, figures
from storagelab.analysis.inference.dependence import LESS_THAN_ONE
from storagelab.analysis.inference.quantiles import quantile_interval
from storagelab.dataset import select
from storagelab.errors import AnalysisError
from storagelab.figures.distribution import FEWEST
from storagelab.figures.points import columns
from storagelab.wording import words
from tests.analysis.series import test_failover as servers
from tests.analysis.tables import cluster, fileop, node, repeats, shares
from tests.figures.kinds import happened, samples, ten, texts, timed


def test_saturation_has_its_line_and_counts_what_is_full() -> None:
    ds = analysis.faster_than_links(cluster(), servers=3)
    drawn = figures.saturation(select(ds, clients=1.0, layout="distribute"), category="operation")
    (axes,) = drawn.axes
    assert axes.get_xlim()[1] > 1
    assert [line.get_xdata()[0] for line in axes.lines] == [1.0]
    assert "bottleneck full" in texts(drawn)
    told = "Of 2 means 2 use at least 90 % of the bottleneck, 0 more at least 70 %."
    assert f"{told} Logs: measured (test-2026)." in drawn.caption
    assert drawn.alt.endswith(told)


def test_a_mean_at_an_end_of_saturation_counts_there() -> None:
    runs = node([{"operation": "read", "layout": name, "run_id": name, "repeat": 1} for name in "abc"])
    shares = runs.assign(link_share=("obs", [0.9, 0.7, 0.69], {"units": "1"}))
    told = figures.saturation(shares, "link_share").told
    assert "Of 3 means 1 uses at least 90 % of the bottleneck, 1 more at least 70 %." in told


def drawn_runs(axes: Axes) -> list[list[float]]:
    """Values of the points of each row."""
    groups = [group.get_offsets() for group in axes.collections if isinstance(group, PathCollection)]
    return [np.asarray(points)[:, 0].tolist() for points in groups if len(points)]


def test_every_run_is_a_point_and_six_have_a_box() -> None:
    drawn = figures.distribution(ten())
    (axes,) = drawn.axes
    assert sum(len(group.get_offsets()) for group in axes.collections if len(group.get_offsets()) == 10) == 20
    boxes = [path.get_extents().intervalx for group in axes.collections if isinstance(group, PatchCollection)
             for path in group.get_paths()]  # fmt: skip
    runs = drawn_runs(axes)
    assert [list(box) for box in boxes] == [np.quantile(values, [0.25, 0.75]).tolist() for values in runs]
    assert [line.get_xdata()[0] for line in axes.lines] == [np.median(values) for values in runs]
    assert "n = 10 runs a row" in drawn.caption
    few = figures.distribution(select(ten(), repeat=[1.0, 2.0, 3.0, 4.0, 5.0]))
    assert not [group for group in few.axes[0].collections if isinstance(group, PatchCollection)]
    assert not few.axes[0].lines
    assert "Fewer than 6 runs: no quartiles and no interval of a median." in few.caption
    assert "median" not in few.alt


def test_the_interval_of_a_median_by_hand() -> None:
    assert FEWEST == 6
    assert np.isnan(quantile_interval([1.0, 2.0, 3.0, 4.0, 5.0])).all()
    assert quantile_interval([6.0, 2.0, 5.0, 1.0, 3.0, 4.0]) == (1, 6), "n = 6: covers 1 - 2 / 2**6 = 97 %"
    assert quantile_interval([*range(1, 11)]) == (2, 9), "Conover, table A3: n = 10"


def apart() -> xr.Dataset:
    rows = [row for layout in ("disperse", "replicate") for row in repeats([1e6, 1e6, 1e6, 4e6], layout=layout)]
    found = analysis.drift(node(rows), "throughput", ["layout"], ["layout"])
    return found.assign(outlier=(found["deviation"] > 2).astype(float))


def test_outliers_are_ringed_and_stay() -> None:
    drawn = figures.run_order(apart(), "deviation", hue="layout")
    (axes,) = drawn.axes
    groups = [group for group in axes.collections if isinstance(group, PathCollection)]
    assert [len(group.get_offsets()) for group in groups if not len(group.get_facecolor())] == [2]
    assert sum(len(group.get_offsets()) for group in groups if len(group.get_facecolor())) == 8
    assert "Ringed: 2 runs that lie apart from the others of their cell; none is left out." in drawn.caption
    assert "8 runs from 0.707 to 2.83, the first on average 0.707 of their cells, the last 2.83" in drawn.alt


def test_order_may_be_a_time() -> None:
    hours = np.repeat([0.0, 3600.0, 7200.0, 36000.0], 2) + 1e9
    timed_runs = apart().sortby("repeat").assign(start_time=("obs", hours, {"units": "s"}))
    drawn = figures.run_order(timed_runs, "deviation", order="start_time")
    assert drawn.axes[0].get_xlabel() == "time since the first run began (h)"
    offsets = np.concatenate([np.asarray(group.get_offsets()) for group in drawn.axes[0].collections])
    assert offsets[:, 0].max() == pytest.approx(10)


def test_a_course_over_time_is_told_from_its_first_third_to_its_last() -> None:
    """Eight runs, of which no two started together; over repeats it is told from the first repeat to the last."""
    rising = np.array([0.5, 0.8, 1.0, 1.0, 1.0, 1.0, 2.0, 8.0])
    runs = apart().sortby("repeat")
    timed = runs.assign(
        start_time=("obs", 1e9 + 3600 * np.arange(8), {"units": "s"}),
        deviation=("obs", rising, dict(runs["deviation"].attrs)),
    )
    by_time, by_repeat = (figures.run_order(timed, "deviation", order=order).alt for order in ("start_time", "repeat"))
    first, last = (np.exp(np.log(part).mean()) for part in (rising[:3], rising[-3:]))
    assert f"the first on average {first:.3g} of their cells, the last {last:.3g}" in by_time
    of_repeats = [rising[runs["repeat"].to_numpy() == place] for place in (1, float(runs["repeat"].max()))]
    first, last = (np.exp(np.log(part).mean()) for part in of_repeats)
    assert f"the first on average {first:.3g} of their cells, the last {last:.3g}" in by_repeat


@pytest.mark.parametrize(
    ("order", "message"), [("layout", "layout is text"), ("block_size", "the dataset has no 'block_size'")]
)
def test_an_order_is_a_number(order: str, message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        figures.run_order(apart(), "deviation", order=order)


def test_a_ratio_is_positive() -> None:
    with pytest.raises(AnalysisError, match="deviation has values that are not positive"):
        figures.run_order(apart() * 0 + 0.0, "deviation")


def test_series_are_told_apart_and_events_named() -> None:
    drawn = figures.series(samples(), events=happened(), facet="layout", hue="client")
    left, right = drawn.axes
    assert len([line for line in left.lines if len(line.get_xdata()) == 30]) == 2
    assert [text.get_text() for text in right.texts] == ["server failed", "server restored"]
    assert "(4 series, n = 2 runs)" in drawn.caption
    assert "Dotted: events (4)." in drawn.caption
    assert "events: server failed at 10 s and server restored at 20 s" in drawn.alt


def test_many_events_are_ticks() -> None:
    said = [{"event": "slow", "severity": "warning", "time": 0.5 + place} for place in range(20)]
    drawn = figures.series(select(samples(), run_id="r1"), events=servers.events(*said))
    (ticks,) = [line for line in drawn.axes[0].lines if line.get_marker() == "|"]
    assert len(ticks.get_xdata()) == 22
    assert not drawn.axes[0].texts
    assert "slow at 500 ms, first of 20" in drawn.alt


def test_events_of_other_runs_are_not_shown() -> None:
    drawn = figures.series(select(samples(), run_id="r1"), events=servers.events(run_id="r9"))
    assert "There are no events of these runs." in drawn.caption


def test_plateaus_are_grey_with_their_means() -> None:
    found = analysis.plateaus(samples())
    drawn = figures.series(samples(), spans=found, facet="run_id", hue="client")
    assert [axes.get_title(loc="left") for axes in drawn.axes] == ["r1", "r2"]
    assert "Grey: stretches found in the series, strokes their means." in drawn.caption
    assert len(drawn.axes[0].patches) == 4


def test_changes_are_lines_with_their_intervals() -> None:
    seconds = {"units": "s"}
    changes = xr.Dataset({
        "run_id": ("obs", ["r1"]), "time": ("obs", [10.0], seconds), "time_low": ("obs", [9.0], seconds),
        "time_high": ("obs", [12.0], seconds),
    })  # fmt: skip
    drawn = figures.series(select(samples(), run_id="r1"), spans=changes)
    assert "Dashed: changes of the level, their 95 % intervals in grey." in drawn.caption
    (patch,) = drawn.axes[0].patches
    assert isinstance(patch, Rectangle)
    assert (patch.get_x(), patch.get_width()) == (9, 3)


def test_a_reconstructed_series_says_what_its_level_rests_on() -> None:
    rows = select(samples(), run_id="r1")
    assert "Levels:" not in figures.series(rows).caption
    basis = np.where(rows["client"] == rows["client"][0], "published", "model")
    drawn = figures.series(rows.assign_coords(basis=("obs", basis)), hue="client")
    assert "Levels: 1 as published and 1 of a model." in drawn.caption


def test_a_series_without_values_is_refused() -> None:
    with pytest.raises(AnalysisError, match="no sample has a value of throughput"):
        figures.series(samples() * np.nan)


def test_times_are_ordered_from_the_first_to_the_last_to_finish() -> None:
    drawn = figures.ordered_clients(timed(), "elapsed")
    assert drawn.axes[-1].get_xlabel() == "client, from first to last to finish"
    assert "2 clients, distribute: first 4 s, last 12 s on average" in drawn.alt
    assert figures.ordered_clients(shares()).axes[-1].get_xlabel() == "client, from slowest to fastest"


def test_ratios_of_any_analysis_with_their_numbers() -> None:
    found = analysis.compare(fileop(), "operation_rate", "filesystem", "xfs", "btrfs", ["operation"], margin=0.1)
    numbers = found.assign(
        ratio_low_equivalence=found["ratio_low"] * 1.01, ratio_high_equivalence=found["ratio_high"] * 0.99
    )
    drawn = figures.ratios(numbers)
    assert "0.0997 (0.0907 to 0.109)" in texts(drawn)
    assert (
        "Thick: the interval of the test of equivalence, inside the grey where the sides are equivalent."
        in drawn.caption
    )
    bare = figures.ratios(found.drop_vars(["n", "n_base", "compared"]).assign_attrs(method="least squares"))
    assert "Points are ratios, bars their 95 % interval: least squares (n is not known)." in bare.caption
    assert bare.alt.startswith("Ratios. Mkdir 0.0997")


def test_rows_without_runs_take_no_place() -> None:
    rows = [*repeats([1e6, 2e6], layout="disperse", mount="fuse"), *repeats([1e6], layout="replicate", mount="kernel")]
    (axes,) = figures.points(node(rows), hue="mount").axes
    assert np.ptp(axes.get_ylim()) == pytest.approx(1 + 0.6 + 2 * 0.7)


def test_panels_are_at_hand() -> None:
    drawn = figures.heatmap(cluster(), x="clients", y="replicas", facet="operation")
    assert len(drawn.axes) == 2
    assert len(drawn.figure.axes) == 3, "and the bar of the colours"


def test_the_largest_of_a_scan_says_where_it_is() -> None:
    found = analysis.largest_ratio(
        cluster(), "throughput", "layout", "replicate", "distribute", "clients", ["operation"]
    )
    drawn = figures.ratios(found)
    assert any(text.startswith("3 (") and text.endswith((" at 1 client", " at 3 clients")) for text in texts(drawn))
    assert "largest ratio of geometric means over clients" in drawn.caption


def test_lines_of_ordered_clients_that_end_apart_are_named_in_a_legend() -> None:
    values = {"external": (1e6, 2e6), "on-board": (1e6, 2e6, 3e6)}
    rows = [
        {"client": f"{where}{i}", "client_location": where, "throughput": value, "clients": 5.0, "run_id": "a"}
        for where, rates in values.items()
        for i, value in enumerate(rates)
    ]
    drawn = figures.ordered_clients(node([{"operation": "read", **row} for row in rows]), hue="client_location")
    (legend,) = drawn.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["external", "on-board"]


def test_a_run_that_stands_alone_is_not_hidden_by_its_mean() -> None:
    one = figures.points(select(cluster(), operation="read", clients=3.0, repeat=1.0), interval=False)
    assert not [group for group in one.axes[0].collections if isinstance(group, LineCollection)]
    assert "A point is a run (n = 1 run a row)." in one.caption
    three = figures.points(select(cluster(), operation="read", clients=3.0), interval=False)
    assert [group for group in three.axes[0].collections if isinstance(group, LineCollection)]
    assert "A point is a run; strokes are the mean, without interval (n = 3 runs a row)." in three.caption


def test_many_points_of_one_value_make_columns_as_long_as_they_are_many() -> None:
    ds = node([*repeats([1e6, 3e6], layout="a"), *repeats([2e6] * 9, layout="b")])
    assert columns([1.0, *[2.0] * 9], most=9).max() == pytest.approx(4 * 0.72 / 9)
    assert "Points of one value make a column, the longest of 9." in figures.points(ds, interval=False).caption


def test_points_without_an_interval_are_said_to_have_none() -> None:
    rows = pd.DataFrame({"n": [3.0, 1.0, 3.0], "caveat": ["", "", LESS_THAN_ONE]})
    both = "; no bar where n = 1 or runs depend too much on the ones before"
    assert words.without_interval(rows, "bar") == both
    assert words.without_interval(rows[:1], "bar") == ""
    assert words.without_interval(rows[2:], "band") == "; no band where runs depend too much on the ones before"


def test_a_caption_of_runs_in_order_says_what_their_colours_tell_apart() -> None:
    told, bare = (figures.run_order(apart(), "deviation", hue=hue).caption for hue in ("layout", ""))
    assert ", by volume layout" in told
    assert ", by" not in bare


def test_logs_whose_samples_have_no_time_are_told() -> None:
    seen = samples()
    lost = seen["client"].to_numpy() == "c2"
    times = ("obs", np.where(lost, np.nan, seen["time"]), seen["time"].attrs)
    drawn = figures.series(seen.assign_coords(log_id=("obs", lost.astype(float)), time=times))
    assert "1 log whose samples have no time is left out." in drawn.caption
    assert "left out" not in figures.series(seen).caption
