"""What a text permits: blocks, printed points, arrows; no height that nobody printed, no line without a mechanism."""

from __future__ import annotations

import math

import numpy as np
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle, StepPatch
from matplotlib.text import Annotation

from storagelab import figures
from storagelab.errors import AnalysisError
from storagelab.figures.figure_result import Drawn
from storagelab.figures.palette import GREEN
from tests.analysis.tables import node, repeats
from tests.figures.kinds import faces, texts

NAN, INF = math.nan, math.inf
Row = tuple[float | str, float, float, float, float, float]


def said(*rows: Row, x: str = "clients", reached: float = NAN, beyond: bool = False) -> xr.Dataset:
    """Rows of (place, low, high, printed, error, ignored), as `storagelab.claims.permitted` lays them out."""
    names = ("permitted_low", "permitted_high", "printed", "printed_error")
    numbers = {
        name: ("obs", np.array([row[place] for row in rows], float), {"units": "B/s"})
        for place, name in enumerate(names, start=1)
    }
    size = len(rows)
    numbers |= {"reached": ("obs", np.full(size, reached), {"units": "B/s"})}
    numbers |= {"beyond": ("obs", np.full(size, float(beyond)), {"units": "1"})}
    at = [row[0] for row in rows]
    keys = {x: ("obs", np.array(at)), "operation": ("obs", np.array(["read"] * size))}
    return xr.Dataset(numbers, keys, {"variable": "throughput", "x": x, "origin": "published", "study": "tiny"})


BAND_ROWS: list[Row] = [
    (1.0, 0.0, 50e6, NAN, NAN, 0), (2.0, 80e6, 80e6, 80e6, NAN, 0), (4.0, 60e6, 100e6, NAN, NAN, 0),
]  # fmt: skip
BAND = said(*BAND_ROWS)


def blocks(axes: Axes) -> list[StepPatch]:
    return [patch for patch in axes.patches if isinstance(patch, StepPatch) and patch.get_fill()]


def arrows(drawn: Drawn) -> list[Annotation]:
    found = [text for axes in drawn.axes for text in axes.texts if isinstance(text, Annotation)]
    return [text for text in found if text.arrow_patch is not None and not text.get_text()]


def test_a_block_a_place_and_a_filled_point_for_each_printed_number() -> None:
    drawn = figures.permitted(BAND, hue="operation")
    (block,) = blocks(drawn.axes[0])
    values, edges, baseline = block.get_data()
    assert values.tolist() == [50e6, 80e6, 100e6]
    assert edges == pytest.approx([1 / 1.25, 2**0.5, 8**0.5, 4 * 1.25])
    assert np.asarray(baseline).tolist() == [0.0, 80e6, 60e6]
    assert "white" not in faces(drawn.axes)
    assert "#ffffff" not in faces(drawn.axes)
    assert "80 MB/s" in texts(drawn)
    assert "Filled: 1 number as printed." in drawn.caption
    assert not [line for line in drawn.axes[0].lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 3]


def test_blocks_meet_in_the_middle_between_places() -> None:
    (block,) = blocks(figures.permitted(BAND, hue="operation", log=False).axes[0])
    assert block.get_data()[1].tolist() == [1.0, 1.5, 3.0, 4.0]


def test_no_axis_has_a_height_that_nobody_printed() -> None:
    drawn = figures.permitted(BAND)
    assert drawn.axes[0].get_ylim()[1] == pytest.approx(108e6)
    with pytest.raises(AnalysisError, match="nothing that is printed gives throughput a height: draw no axis for it"):
        figures.permitted(said((1.0, 0.0, INF, NAN, NAN, 0), (2.0, 0.0, INF, NAN, NAN, 0)))


def test_a_lower_bound_is_an_arrow_and_no_point() -> None:
    drawn = figures.permitted(said((1.0, 130e6, INF, NAN, NAN, 0), (2.0, 0.0, 200e6, NAN, NAN, 0)))
    (arrow,) = arrows(drawn)
    assert arrow.xyann == (1.0, 130e6)
    assert arrow.xy[1] > 200e6
    assert faces(drawn.axes) == set()
    assert "An arrow: the text gives a lower bound and no upper one." in drawn.caption
    assert arrows(figures.permitted(BAND)) == [], "no lower bound, no arrow"


def test_what_is_reached_somewhere_stands_at_the_edge() -> None:
    rows: tuple[Row, Row] = ((1.0, 0.0, INF, NAN, NAN, 0), (2.0, 0.0, INF, NAN, NAN, 0))
    drawn = figures.permitted(said(*rows, reached=130e6, beyond=True), log=False, axis="time, not printed")
    (arrow,) = arrows(drawn)
    assert arrow.xyann == (1, 130e6)
    assert "more than 130 MB/s" in texts(drawn)
    assert faces(drawn.axes) == set()
    assert "Filled" not in drawn.caption
    assert drawn.axes[0].get_xlabel() == "time, not printed"
    assert drawn.caption.startswith("Throughput against time, not printed: what the text permits.")
    assert faces(figures.permitted(said(*rows, reached=130e6), log=False).axes) != set()


def test_a_curve_of_one_place_has_a_block_around_it() -> None:
    (block,) = blocks(figures.permitted(said(BAND_ROWS[1])).axes[0])
    assert block.get_data()[1] == pytest.approx([2 / 1.25, 2 * 1.25])


def test_names_are_rows_with_ranges_errors_and_what_was_worked_out() -> None:
    drawn = figures.permitted(
        said(
            ("lustre", 249e6, 251e6, 250e6, 1e6, 0), ("hadoop", 110e6, 290e6, NAN, NAN, 0),
            ("bluearc", 30e6, 30e6, NAN, NAN, 0), x="filesystem",
        ),
    )  # fmt: skip
    bars = [patch for patch in drawn.axes[0].patches if isinstance(patch, Rectangle)]
    assert len([bar for bar in bars if bar.get_width() == pytest.approx(180e6)]) == 1
    assert [bar.get_height() < 1 for bar in bars] == [True] * 2, "rows are one apart"
    assert len(faces(drawn.axes)) == 2, "one printed, one computed"
    assert "Filled: 1 number as printed. Tinted: 1 computed from what is printed." in drawn.caption
    assert "hadoop 110 MB/s to 290 MB/s" in drawn.alt
    assert "lustre 250 MB/s as printed" in drawn.alt


def both(*highs: float) -> xr.Dataset:
    """Bands of reads and of writes, from zero to 100 MB/s and to `highs`."""
    places = [2.0**place for place in range(len(highs))]
    reads, writes = (
        said(*[(at, 0.0, high, NAN, NAN, 0) for at, high in zip(places, own, strict=True)])
        for own in ([100e6] * len(highs), highs)
    )
    writes = writes.assign_coords(operation=("obs", np.array(["write"] * len(highs))))
    return xr.concat([reads, writes], "obs", combine_attrs="override")


def of(operation: str, *rows: Row) -> xr.Dataset:
    return said(*rows).assign_coords(operation=("obs", np.array([operation] * len(rows))))


APART = [(1.0, 200e6, 300e6, NAN, NAN, 0), (2.0, 200e6, 300e6, NAN, NAN, 0), (4.0, 50e6, 300e6, NAN, NAN, 0)]
"""A band that shares area with one from zero to 100 MB/s at one place of three."""
TOUCHING = [(1.0, 100e6, 300e6, NAN, NAN, 0), (2.0, 100e6, 300e6, NAN, NAN, 0), (4.0, 100e6, 100e6, NAN, NAN, 0)]


@pytest.mark.parametrize(("rows", "panels"), [
    ([(1.0, 0.0, 100e6, NAN, NAN, 0), (2.0, 0.0, 50e6, NAN, NAN, 0), (4.0, 200e6, INF, NAN, NAN, 0)], 2),
    (APART, 1), (TOUCHING, 1),
])  # fmt: skip
def test_bands_that_lie_on_each_other_have_a_panel_each(rows: list[Row], panels: int) -> None:
    reads = of("read", *[(at, 0.0, 100e6, NAN, NAN, 0) for at in (1.0, 2.0, 4.0)])
    drawn = figures.permitted(xr.concat([reads, of("write", *rows)], "obs", combine_attrs="override"), hue="operation")
    assert len(drawn.axes) == panels
    assert [len(blocks(axes)) for axes in drawn.axes] == [2 // panels] * panels
    assert (", a panel for each operation" in drawn.caption) == (panels == 2)
    assert ("write" in [text.get_text() for text in drawn.figure.legends[0].get_texts()]) == (panels == 1)


def test_panels_of_two_keys_stand_in_rows_that_share_their_scale() -> None:
    """Reads of up to 900 and 800 MB/s and writes of up to 90 and 80 differ too much for one scale."""
    parts = [
        of(operation, (1.0, 0.0, high, NAN, NAN, 0), (2.0, 0.0, high, NAN, NAN, 0)).assign_coords(
            filesystem=("obs", np.array([filesystem] * 2))
        )
        for operation, filesystem, high in (
            ("read", "lustre", 900e6), ("read", "gpfs", 800e6), ("write", "lustre", 90e6), ("write", "gpfs", 80e6),
        )
    ]  # fmt: skip
    both = xr.concat(parts, "obs", combine_attrs="override")
    drawn = figures.permitted(both, facet="operation", hue="filesystem")
    titles = [axes.get_title(loc="left") for axes in drawn.axes]
    assert titles == ["write, lustre", "write, gpfs", "read, lustre", "read, gpfs"]
    tops = [axes.get_ylim()[1] for axes in drawn.axes]
    assert tops == pytest.approx([1.08 * top for top in (90e6, 90e6, 900e6, 900e6)])
    assert [bool(axes.get_ylabel()) for axes in drawn.axes] == [True, False, True, False]
    assert "a panel for each operation and file system" in drawn.caption
    assert len({block.get_facecolor() for axes in drawn.axes for block in blocks(axes)}) == 2


def test_each_panel_can_have_marks_of_its_own() -> None:
    both = xr.concat([of(name, *BAND_ROWS) for name in ("read", "write")], "obs", combine_attrs="override")
    drawn = figures.permitted(both, facet="operation", marks={"read": {2.0: "two"}, "write": {4.0: "four", 2.0: "two"}})
    marked = [[text.get_text() for text in axes.texts if text.get_text() in ("two", "four")] for axes in drawn.axes]
    assert marked == [["four", "two"], ["two"]]
    assert "Dotted: four and two." in drawn.caption


def test_what_nothing_bounds_has_no_arrow_and_no_edge_and_says_so() -> None:
    drawn = figures.permitted(said((1.0, 0.0, INF, NAN, NAN, 0), (2.0, 0.0, 50e6, NAN, NAN, 0)))
    assert arrows(drawn) == []
    assert "no upper bound" not in texts(drawn)
    assert "An arrow" not in drawn.caption
    assert "Without an upper edge: the text gives no bound." in drawn.caption


def test_bars_are_spoken_of_where_there_are_some() -> None:
    fixed = said(("lustre", 30e6, 30e6, NAN, NAN, 0), ("hadoop", 20e6, 20e6, 20e6, 0.0, 0), x="filesystem")
    assert "Bars:" not in figures.permitted(fixed).caption
    open_ = said(("lustre", 30e6, 31e6, NAN, NAN, 0), x="filesystem")
    assert "Bars: a value that fits all that the text says lies inside" in figures.permitted(open_).caption


def test_one_number_of_two_curves_at_one_place_is_written_once() -> None:
    writes = of("write", (1.0, 50e6, 60e6, NAN, NAN, 0), BAND_ROWS[1], (4.0, 60e6, 70e6, 65e6, NAN, 0))
    drawn = figures.permitted(xr.concat([BAND, writes], "obs", combine_attrs="override"), hue="operation")
    assert len(drawn.axes) == 1
    assert [texts(drawn).count(text) for text in ("80 MB/s", "65 MB/s")] == [1, 1]


def model_of_reads() -> xr.Dataset:
    rows = [row for n in (1.0, 2.0, 4.0) for row in repeats([40e6 * n], clients=n, operation="read", basis="model")]
    return node(rows, origin="reconstructed")


def test_a_model_is_one_dashed_line_and_says_its_mechanism() -> None:
    model = model_of_reads()
    drawn = figures.permitted(BAND, hue="operation", model=model, mechanism="links that fill")
    dashed = [line for line in drawn.axes[0].lines if line.get_linestyle() == "--" and len(line.get_xdata()) == 3]
    assert len(dashed) == 1
    assert dashed[0].get_marker() == "None"
    assert "Dashed: a model, links that fill." in drawn.caption
    assert any("reconstructed" in text for text in texts(drawn))
    with pytest.raises(AnalysisError, match="a line of a model needs the mechanism that makes it"):
        figures.permitted(BAND, hue="operation", model=model)
    with pytest.raises(AnalysisError, match="a line of a model needs the mechanism that makes it"):
        figures.permitted(BAND, hue="operation", mechanism="links that fill")


def test_clock_times_are_printed_as_a_clock_shows_them() -> None:
    drawn = figures.permitted(
        said((56053.0, 0.0, 5e8, NAN, NAN, 0), (59653.0, 0.0, 5e8, NAN, NAN, 0), x="clock"),
        marks={56700.0: "test begins"}, log=False,
    )  # fmt: skip
    axes = drawn.axes[0]
    drawn.figure.canvas.draw()
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["15:34", "16:34"]
    assert axes.get_xlabel() == "time of day (local)"


def test_colours_that_the_source_names_are_kept() -> None:
    drawn = figures.permitted(BAND, hue="operation", colours={"read": "green"})
    assert to_hex(blocks(drawn.axes[0])[0].get_facecolor()) == GREEN.lower()


def test_a_column_is_missing() -> None:
    with pytest.raises(AnalysisError, match="the dataset has no 'permitted_high'"):
        figures.permitted(BAND.drop_vars("permitted_high"))


@pytest.mark.parametrize(("count", "numbered"), [(6, 6), (7, 0)])
def test_printed_numbers_are_written_beside_their_points_where_they_are_few(count: int, numbered: int) -> None:
    rows = [(float(at), at * 1e7, at * 1e7, at * 1e7, NAN, 0) for at in range(1, count + 1)]
    (axes,) = figures.permitted(said(*rows), hue="operation").axes
    points = [text.xy for text in axes.texts if isinstance(text, Annotation)]
    assert sum((row[0], row[3]) in points for row in rows) == numbered
