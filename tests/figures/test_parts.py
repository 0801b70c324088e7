"""What all figures share: labels, palette, units, words, ranges."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from storagelab import figures
from storagelab.errors import UnknownNameError
from storagelab.figures import Drawn, palette, panels, ticks
from storagelab.figures.labels import Label, apart, end_labels
from storagelab.figures.points import draw_row, swarm
from storagelab.figures.style import canvas
from storagelab.wording import quantities, words
from storagelab.wording.levels import KNOWN, ordered
from tests.figures.ways import of_four_layouts

heights = st.lists(st.floats(0, 100), max_size=12)


@given(heights)
def test_labels_keep_their_distance_and_their_order(ys: list[float]) -> None:
    gap = 8.0
    moved = apart(ys, gap, 0, 100)
    ordered = moved[np.argsort(ys, kind="stable")]
    assert (np.diff(ordered) >= min(gap, 100 / max(1, len(ys) - 1)) - 1e-6).all()
    assert ((moved >= -1e-6) & (moved <= 100 + 1e-6)).all()


def test_labels_that_are_apart_stay() -> None:
    assert apart([90.0, 10.0, 50.0], 8, 0, 100).tolist() == [90, 10, 50]


def test_two_labels_move_half_each() -> None:
    assert apart([50.0, 52.0], 8, 0, 100).tolist() == pytest.approx([47, 55])


@pytest.mark.parametrize("draw", [figures.points, figures.distribution])
def test_each_panel_of_another_unit_names_its_axis(draw: Callable[..., Drawn]) -> None:
    """Megabytes above gigabytes would else be read as these."""
    panels_of = draw(of_four_layouts(), category="clients", facet="layout")
    units = [axes.get_xlabel() for axes in panels_of.axes]
    assert units == [f"throughput ({unit}/s)" for unit in ("MB", "MB", "MB", "GB")]


@pytest.mark.parametrize(("last", "named", "lines"), [("GB/s", 4, 1), ("rate\nGB/s", 4, 3), ("MB/s", 2, 0)])
def test_a_figure_grows_by_the_names_that_stand_between_its_rows(last: str, named: int, lines: int) -> None:
    laid = panels.panels(pd.DataFrame({"operation": ["read", "write", "stat", "create"]}), "operation")
    height = laid.figure.get_figheight()
    panels.name_across(laid, [*3 * ["MB/s"], last])
    assert sum(bool(axes.get_xlabel()) for axes in laid.axes) == named
    assert laid.figure.get_figheight() == pytest.approx(height + panels.LINE * lines)


def test_a_file_system_has_one_colour_everywhere() -> None:
    alone, among = palette.looks("filesystem", ["xfs"]), palette.looks("filesystem", ["zfs", "xfs", "my-fs", "ext4"])
    assert alone["xfs"] == among["xfs"]
    assert len({look.colour for look in among.values()}) == 4


def test_a_pool_looks_like_the_file_system_that_it_lies_on() -> None:
    xfs = palette.looks("filesystem", ["xfs"])["xfs"]
    for others in ([], ["lustre"], ["lustre", "dcache-lustre"]):
        assert palette.looks("filesystem", ["dcache-xfs", *others])["dcache-xfs"] == xfs
    both = palette.looks("filesystem", ["dcache-xfs", "xfs"])
    assert both["xfs"] == xfs
    assert both["dcache-xfs"].colour != xfs.colour


@pytest.mark.parametrize("key", ["filesystem", "layout", "mount", "driver_disk", "aggregate", "clients", "unheard-of"])
def test_levels_of_a_key_look_different(key: str) -> None:
    shown = list(KNOWN.get(key, ["a", "b", "c", "d"]))[:8]
    assert len(set(palette.looks(key, shown).values())) == len(shown)


def test_more_levels_than_colours_start_again() -> None:
    levels = [f"system {i:02}" for i in range(11)]
    found = palette.looks("filesystem", levels)
    assert len(found) == 11
    assert len(set(found.values())) == len(palette.CYCLE)


@pytest.mark.parametrize("colour", palette.CYCLE)
def test_text_reads_well_on_white(colour: str) -> None:
    rgb = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(palette.readable(colour))]
    assert 1.05 / (np.dot(rgb, [0.2126, 0.7152, 0.0722]) + 0.05) >= 4.5


def test_reconstructed_data_are_hollow() -> None:
    assert palette.face("reconstructed", "#0072B2") == "white"
    assert palette.face("measured", "#0072B2") == palette.face("published", "#0072B2") == "#0072B2"


def test_order_of_levels() -> None:
    assert ordered("operation", ["read", "write", "rewrite"]) == ["write", "rewrite", "read"]
    assert ordered("clients", [12.0, 1.0, 3.0, 1.0]) == [1, 3, 12]
    assert ordered("layout", ["zz", "aa", "disperse", "distribute"]) == ["distribute", "disperse", "aa", "zz"]
    assert ordered("host", ["n10", "n9", "n09", "n", "n9b"]) == ["n", "n09", "n9", "n9b", "n10"]
    assert ordered("tool_version", ["6.11", "6.8", "b", "6.8.1"]) == ["6.8", "6.8.1", "6.11", "b"]


@pytest.mark.parametrize(
    ("unit", "value", "shown"),
    [
        ("B/s", 23.9e6, "23.9 MB/s"), ("B/s", 1.2e9, "1.2 GB/s"), ("B/s", 999.99e6, "1 GB/s"), ("B/s", 0.0, "0 B/s"),
        ("1/s", 56_200.0, "56.2 kops/s"), ("1/s", 12.0, "12 ops/s"), ("1/s", 2.5e6, "2.5 Mops/s"),
        ("s", 2e-3, "2 ms"), ("s", 5e-7, "500 ns"), ("s", 3e-5, "30 \N{MICRO SIGN}s"), ("s", 90.0, "90 s"),
        ("B", 12.6e6, "12.6 MB"), ("1", 0.992, "0.992"), ("B/s", np.nan, "n/a"), ("1", 1234.0, "1,234"),
    ],
)  # fmt: skip
def test_numbers_with_units(unit: str, value: float, shown: str) -> None:
    assert quantities.say(unit)(value) == shown


def test_one_unit_for_an_axis() -> None:
    shown = quantities.scale("B/s", [5e5, 75e6, np.nan])
    assert (shown.symbol, shown.factor, shown.number(5e5)) == ("MB/s", 1e6, "0.5")
    assert quantities.title("throughput", shown) == "throughput (MB/s)"
    of_times = [quantities.scale("s", times).symbol for times in ([], [0.0], [1e-12])]
    assert of_times == ["s", "s", "ns"], "what is less than the least prefix has that"
    with pytest.raises(UnknownNameError, match="unknown unit 'furlong'"):
        quantities.scale("furlong", [1])


def test_what_is_not_known_is_said() -> None:
    assert quantities.Scale("MB/s", 1e6).number(np.nan) == "n/a"
    assert [words.level("clients", level) for level in (np.nan, 3.0)] == ["not known", "3"]
    assert [words.level("layout", level) for level in ("", "file_create")] == ["none", "file create"]


def test_a_level_that_stands_alone_says_of_what_it_is() -> None:
    levels = {
        "clients": (1.0, 2.0),
        "repeat": (3.0,),
        "percentile": (0.999,),
        "file_size": (65536.0,),
        "layout": ("ext4",),
    }
    assert [words.full(key, level) for key, of in levels.items() for level in of] == [
        "1 client", "2 clients", "repeat 3", "99.9 % are faster", "64 KiB", "ext4",
    ]  # fmt: skip


def test_compact_numbers() -> None:
    assert [quantities.compact("1/s", x) for x in (813.0, 56200.0, 1.4e6, np.nan)] == ["813", "56.2k", "1.4M", ""]
    assert quantities.compact("s", 2e-3) == "2m"


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (65536.0, "64 KiB"), (2.0**20, "1 MiB"), (512.0, "512 B"), (1.5 * 2**30, "1.5 GiB"), (14326600.0, "13.66 MiB"),
        (64e6, "64 MB"), (4e9, "4 GB"), (1.5e9, "1.5 GB"), (1024e3, "1000 KiB"), (0.5, "0.5 B"),
    ],
)  # fmt: skip
def test_sizes_are_in_the_powers_in_which_they_are_round(size: float, shown: str) -> None:
    assert words.level("file_size", size) == shown


@pytest.mark.parametrize(("low", "high"), [(1, 5000), (30, 120), (0.9, 1.1), (0.3, 1), (9.9e6, 10.1e6)])
def test_a_log_axis_has_enough_ticks_and_not_too_many(low: float, high: float) -> None:
    found = ticks.log_ticks(low, high)
    assert 3 <= len(found) <= 9
    assert low * 0.999 <= min(found) <= max(found) <= high * 1.001


def test_ticks_are_thinned_evenly() -> None:
    assert ticks.thinned(["64 KiB", "128 KiB", "256 KiB", "512 KiB"], 20) == ["64 KiB", "", "256 KiB", ""]
    assert ticks.thinned(["1", "2"], 20) == ["1", "2"]
    assert ticks.thinned(["1", "2"], 6) == ["1", "2"]
    assert ticks.thinned(["1", "2"], 5) == ["1", ""]
    assert ticks.thinned(["512 KiB", "1 MiB"], 4) == ["512 KiB", "1 MiB"], "no room for any: all, and the eye decides"


@pytest.mark.parametrize(
    ("y", "told"),
    [
        ((24e6, 50e6, 75e6, 74e6), "rises from 24 MB/s with 1 client to 75 MB/s with 3 clients, then stays"),
        (
            (24e6, 75e6, 50e6, 30e6),
            "rises from 24 MB/s with 1 client to 75 MB/s with 2 clients, then falls to 30 MB/s with 6 clients",
        ),
        ((10e6, 38e6, 40e6, 39e6), "rises from 10 MB/s with 1 client to 38 MB/s with 2 clients, then stays"),
        ((10e6, 38e6, 40e6, 40e6), "rises from 10 MB/s with 1 client to 38 MB/s with 2 clients, then stays"),
        ((80e6, 60e6, 40e6, 20e6), "falls from 80 MB/s with 1 client to 20 MB/s with 6 clients"),
        ((20e6, 20.1e6, 19.9e6, 20e6), "stays near 20 MB/s from 1 client to 6 clients"),
        ((20e6, np.nan, np.nan, np.nan), "is 20 MB/s at 1 client"),
        ((np.nan, np.nan, np.nan, np.nan), "has no value"),
        ((0.0, 0.0, 0.0, 0.0), "stays near 0 B/s from 1 client to 6 clients"),
    ],
)
def test_the_course_of_a_line(y: tuple[float, ...], told: str) -> None:
    assert words.describe_trend("clients", [1, 2, 3, 6], y, quantities.say("B/s")) == told


def test_words() -> None:
    assert words.listed(["a", "b", "c"]) == "a, b and c"
    assert (words.full("clients", 1.0), words.full("clients", 3.0), words.full("repeat", 3.0)) == (
        "1 client",
        "3 clients",
        "repeat 3",
    )
    assert (words.full("entries_fraction", 0.5), words.full("branches_fraction", 1.0)) == (
        "50 % of entries",
        "all branches",
    )
    assert (words.full("file_size", 65536.0), words.full("operation", "file_create")) == ("64 KiB", "file create")
    assert words.cell({"driver_disk": "virtio", "driver_net": "virtio"}) == "disk driver virtio, network driver virtio"
    assert (words.full("driver_net", ""), words.level("driver_net", "virtio")) == ("none", "virtio")
    assert (words.numbered([3, 3], "run"), words.numbered([1, 3], "run"), words.numbered([1], "block")) == (
        "n = 3 runs", "n = 1 to 3 runs", "n = 1 block",
    )  # fmt: skip


def test_intervals_widen_a_panel_but_do_not_squash_it() -> None:
    assert panels.axis_limits([10.0, 20.0], [9.0, 23.0]) == (9, 23)
    assert panels.axis_limits([10.0, 20.0], [-500.0, 500.0]) == (2.5, 27.5)
    assert panels.axis_limits([10.0], [5.0, 15.0]) == (5, 15)
    assert panels.axis_limits([1.0, 100.0], [0.0, 1e9], log=True) == pytest.approx((1.0, 100 * 100**0.75))
    assert panels.axis_limits([1.0, np.nan], []) == (1, 1)


@given(st.lists(st.floats(0, 100), max_size=30))
def test_a_swarm_moves_no_point_out_of_its_row(values: list[float]) -> None:
    offsets = swarm(values, 0.5)
    assert len(offsets) == len(values)
    assert (np.abs(offsets) <= 0.25).all()


def test_runs_are_drawn_inside_their_row() -> None:
    axes = Figure().add_subplot()
    rows = pd.DataFrame({"throughput": [1.0] * 5, "basis": ""})
    draw_row(axes, rows, "throughput", 2.0, palette.looks("layout", ["disperse"])["disperse"], "measured")
    heights = np.concatenate([np.asarray(drawn.get_offsets())[:, 1] for drawn in axes.collections])
    assert sorted(heights) == [1.75, 1.875, 2.0, 2.125, 2.25]


def test_operations_do_not_look_like_layouts() -> None:
    layouts = palette.looks("layout", ["distribute", "distribute+shard", "replicate", "disperse"])
    others = [
        *palette.looks("operation", ["write", "rewrite", "read"]).values(),
        *palette.looks("client_location", ["external", "on-board"]).values(),
    ]
    assert not {look.colour for look in layouts.values()} & {look.colour for look in others}


def test_panels_share_a_log_scale_unless_it_squashes_one() -> None:
    assert panels.same_log_scale([(1.0, 1e3), (10.0, 1e4)])
    assert not panels.same_log_scale([(1.0, 1e2), (1e3, 1e4)])
    assert panels.same_log_scale([(1.0, 1.0), (0.0, 2.0)]), "nothing to squash"


@pytest.mark.parametrize(
    ("longest", "count", "fits"), [(40, 1, True), (41, 1, False), (20, 2, True), (21, 2, False), (1, 3, False)]
)
def test_names_stand_beside_their_lines_where_they_leave_room(longest: int, count: int, fits: bool) -> None:
    assert panels.fits_beside(["xfs", "x" * longest], count) == fits


def test_a_label_that_moved_is_led_to_its_line() -> None:
    axes = canvas(2.5).add_subplot(ylim=(0, 100))
    end_labels([axes], [[Label(10, "far", "black"), Label(50, "one", "black"), Label(51, "other", "black")]])
    notes = [text for text in axes.texts if isinstance(text, Annotation)]
    assert [note.get_text() for note in notes if note.arrow_patch is None] == ["far", "one", "other"]
    assert [note.xy[1] for note in notes if note.arrow_patch is not None] == [50, 51]


def test_the_last_panel_of_a_row_is_known() -> None:
    rows = pd.DataFrame({"operation": list("abcde")})
    laid = panels.panels(rows, "operation", columns=3)
    assert [laid.rightmost(place) for place in range(5)] == [False, False, True, False, True]


def test_ext3_stands_before_ext4() -> None:
    assert ordered("filesystem", ["zfs", "ext4", "ext3"]) == ["ext3", "ext4", "zfs"]


def test_a_swarm_does_not_see_last_bits() -> None:
    values = [2.0, 1.0, 3.0, 1.0, 2.0]
    noisy = [np.nextafter(value, 9.0 if place < 2 else 0.0) for place, value in enumerate(values)]
    assert swarm(noisy, 0.5).tolist() == swarm(values, 0.5).tolist()


def test_a_mark_stands_inside_its_panel() -> None:
    axes = Figure().subplots()
    axes.set_xlim(1, 9)
    panels.mark(axes, {1.0: "left edge", 5.0: "inside", 9.0: "right edge", 12.0: "outside"})
    assert [text.get_text() for text in axes.texts] == ["inside"]
    assert [line.get_xdata()[0] for line in axes.lines] == [5.0]


@pytest.mark.parametrize("count", [1, 2])
def test_the_name_of_an_axis_takes_a_second_line_where_its_panel_has_no_room(count: int) -> None:
    rows = pd.DataFrame({"operation": ["read", "write"][:count]})
    fits = panels.ROOM_ACROSS // count - (panels.AIR if count > 1 else 0)
    for characters, lines in ((fits, 1), (fits + 1, 2)):
        laid = panels.panels(rows, "operation")
        height = laid.figure.get_figheight()
        words_of_two = ("ab " * characters)[: characters - 1] + "c"
        panels.name_across(laid, count * [words_of_two])
        assert [axes.get_xlabel().count("\n") + 1 for axes in laid.axes] == [lines] * count
        assert laid.figure.get_figheight() == pytest.approx(height + panels.LINE * (lines - 1))
