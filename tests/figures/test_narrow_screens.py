"""Columns of panels are cut out of a drawing whole, each with the labels that it shares."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from matplotlib.figure import Figure

from storagelab.figures import narrow_screens
from storagelab.figures.style import style
from storagelab.figures.text_sizes import Canvas
from storagelab.paper import figure_files, svg

TEXT = re.compile(r'<text[^>]* x="([\d.]+)" y="([-\d.]+)"[^>]*>([^<]+)<')


def drawn(rows: int, columns: int, *, shared: bool = True, legend: int = 2, titled: bool = False) -> tuple[Figure, str]:
    """Draw panels that say their place, in their titles or where these are of columns below them, and a legend."""
    with style():
        fig = Figure(figsize=(7.2, 1.8 * rows + 0.5), layout="constrained")
        Canvas(fig)
        panels = fig.subplots(rows, columns, sharey=shared, squeeze=False)
        for place, axes in enumerate(panels.flat):
            axes.plot([0, 1], [place, 1], label=f"line {place}")
            axes.set_title(f"panel {place}" if titled else "above" * (place < columns), loc="left")
            axes.text(0.3, 0.5, "" if titled else f"panel {place}", transform=axes.transAxes)
        for axes in panels[:, 0]:
            axes.set_ylabel("throughput (MB/s)")
        lines = [panels.flat[0].lines[0]] * legend
        if legend:
            names = [f"a rather long name {number}" for number in range(legend)]
            fig.legend(lines, names, loc="outside upper left", ncols=legend)
    return fig, figure_files.draw(fig, "measured")["image/svg+xml"]


def test_a_drawing_that_is_measured_stays_what_it_was() -> None:
    fig, _ = drawn(1, 2)
    fig.dpi = 150
    narrow_screens.parts(fig)
    assert fig.dpi == 150


def inside(box: tuple[float, float, float, float], x: float, y: float) -> bool:
    return box[0] <= x <= box[0] + box[2] and box[1] <= y <= box[1] + box[3]


def texts_in(part: list[tuple[float, float, float, float]], image: str) -> set[str]:
    return {text for x, y, text in TEXT.findall(image) for box in part if inside(box, float(x), float(y))}


@pytest.mark.parametrize("rows", [1, 3])
def test_panels_in_one_column_stay_as_they_are(rows: int) -> None:
    fig, _ = drawn(rows, 1)
    assert figure_files.parts(fig, "measured") == []


def test_each_panel_is_in_one_part_with_the_columns_above_each_other() -> None:
    fig, image = drawn(2, 3, legend=0)
    parts = figure_files.parts(fig, "measured")
    titles = [sorted(text for text in texts_in(part, image) if text.startswith("panel")) for part in parts]
    assert titles == [["panel 0", "panel 3"], ["panel 1", "panel 4"], ["panel 2", "panel 5"]]


def test_panels_with_a_title_each_are_read_row_by_row() -> None:
    fig, image = drawn(2, 3, legend=0, titled=True)
    parts = figure_files.parts(fig, "measured")
    titles = [sorted(text for text in texts_in(part, image) if text.startswith("panel")) for part in parts]
    assert titles == [[f"panel {place}"] for place in range(6)]
    assert all("throughput (MB/s)" in texts_in(part, image) for part in parts)
    for upper, lower in zip(parts[:3], parts[3:], strict=True):
        assert upper[-1][1] + upper[-1][3] <= lower[-1][1] + 0.1


@pytest.mark.parametrize("shared", [True, False])
def test_every_column_has_the_label_of_the_first(shared: bool) -> None:
    fig, image = drawn(1, 3, shared=shared, legend=0)
    parts = figure_files.parts(fig, "measured")
    assert all("throughput (MB/s)" in texts_in(part, image) for part in parts)
    assert [len(part) for part in parts] == [1, 2, 2]


def test_the_name_of_an_axis_comes_without_its_numbers() -> None:
    """Numbers of several lengths put the names of two panels at two places."""
    fig, image = drawn(2, 2, shared=False, legend=0)
    fig.axes[2].set_ylim(0, 3000)
    fig.set_layout_engine("constrained")
    image = figure_files.draw(fig, "measured")["image/svg+xml"]
    *names, _ = figure_files.parts(fig, "measured")[1]
    (upper, _, one, _), (lower, _, other, _) = names
    assert upper + one - (lower + other) > 5  # a digit is wider
    shown = svg.stacked(svg.inline(image, "f", "drawn"), "f", [[*names]])
    assert re.findall(r'<svg x="([\d.]+)"', shown) == ["0", "0"]


def test_labels_of_ticks_below_the_first_column_stay_there() -> None:
    fig, image = drawn(2, 2, legend=0)
    for axes in fig.axes[1::2]:
        axes.tick_params(labelleft=False)
    image = figure_files.draw(fig, "measured")["image/svg+xml"]
    *labels, own = figure_files.parts(fig, "measured")[1]
    assert len(labels) == 2
    assert len({left for left, *_ in labels}) == 1
    below = max(float(y) for _, y, text in TEXT.findall(image) if text == "0.0")
    assert all(not top <= below <= top + high for _, top, _, high in labels)
    assert own[1] <= below <= own[1] + own[3]


def test_a_column_with_fewer_panels_is_no_higher_than_they_are() -> None:
    fig, _ = drawn(2, 2, legend=0)
    fig.axes[3].remove()
    figure_files.draw(fig, "measured")
    both, one = (part[-1][3] for part in figure_files.parts(fig, "measured"))
    assert one < 0.7 * both


def test_columns_do_not_overlap() -> None:
    fig, _ = drawn(1, 4, legend=0)
    own = [part[-1] for part in figure_files.parts(fig, "measured")]
    assert all(one[0] + one[2] <= other[0] + 3.1 for one, other in pairwise(own))


def test_a_wide_legend_is_cut_between_its_entries() -> None:
    fig, image = drawn(1, 2, legend=4)
    parts = figure_files.parts(fig, "measured")
    strips = [part for part in parts if any("rather" in text for text in texts_in(part, image))]
    assert len(strips) > 1
    assert all(part[0][2] <= 250 for part in strips)
    assert sum(len([text for text in texts_in(part, image) if "rather" in text]) for part in strips) == 4


def test_what_says_the_origin_below_the_panels_is_a_part() -> None:
    with style():
        fig = Figure(figsize=(7.2, 2), layout="constrained")
        Canvas(fig)
        for axes in fig.subplots(1, 2):
            axes.plot([0, 1])
    image = figure_files.draw(fig, "reconstructed")["image/svg+xml"]
    assert "reconstructed data" in texts_in(figure_files.parts(fig, "reconstructed")[-1], image)


def test_boxes_at_one_place_stand_below_each_other() -> None:
    shown = svg.stacked("<svg>", "fig-a", [[(5, 10, 20, 30), (5, 50, 20, 30), (40, 0, 60, 90)]])
    assert re.findall(r'<svg x="(\d+)" y="(\d+)"', shown) == [("0", "10"), ("0", "50"), ("20", "0")]
    assert 'viewBox="0 0 80 90"' in shown


def test_parts_are_windows_on_the_one_drawing_that_a_page_may_hold() -> None:
    fig, image = drawn(1, 2)
    whole = svg.inline(image, "fig-a", "two panels")
    shown = svg.stacked(whole, "fig-a", figure_files.parts(fig, "measured"))
    assert shown.count('<use xlink:href="#fig-a-all"/>') == shown.count("<svg ") - shown.count("xmlns=")
    assert 'id="fig-a-all"' in whole
    assert "<path" not in shown
    assert svg.stacked('<img alt="">', "fig-a", figure_files.parts(fig, "measured")) == ""
