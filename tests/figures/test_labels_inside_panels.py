"""Labels inside a panel stand where they cover the least."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.transforms import Bbox

from storagelab.figures.labels import Label
from storagelab.figures.labels_inside_panels import AIR, EDGE, OFFSET, covered, dense, drawn_points, inside_labels
from storagelab.figures.style import canvas


@pytest.mark.parametrize(("xs", "side"), [([0, 4], "right"), ([6, 10], "left")], ids=["data left", "data right"])
def test_a_label_keeps_away_from_the_data(xs: list[float], side: str) -> None:
    figure = canvas(2.5)
    axes = figure.add_subplot()
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 10)
    for y in np.linspace(3, 8, 30):
        axes.plot(xs, [y, y])
    before = drawn_points(axes)
    inside_labels([axes], [[Label(5, "limit 5 MB/s", "black")]])
    figure.draw_without_rendering()
    box, panel = axes.texts[0].get_window_extent(), axes.get_window_extent()
    assert covered(box, before) == 0
    assert (box.x0 > panel.x0 + panel.width / 2) == (side == "right")
    assert panel.x0 <= box.x0
    assert box.x1 <= panel.x1


def test_two_labels_do_not_cover_each_other() -> None:
    figure = canvas(2.5)
    axes = figure.add_subplot()
    axes.set_ylim(0, 100)
    inside_labels([axes], [[Label(50, "limit 50 MB/s", "black"), Label(51, "limit 51 MB/s", "black")]])
    one, other = (text.get_window_extent() for text in axes.texts)
    assert not one.overlaps(other)


def test_a_label_does_not_cover_a_number_that_is_written_already() -> None:
    axes = canvas(2.5).add_subplot()
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 10)
    number = axes.annotate("2.5 GB/s", (9, 5), ha="center", va="bottom")
    inside_labels([axes], [[Label(5, "controller, 4 MB", "black")]])
    assert not number.get_window_extent().overlaps(axes.texts[-1].get_window_extent())


def labelled(y: float) -> tuple[Bbox, Bbox, float]:
    """A panel from 0 to 10 with a label at a height, where it stands, and how far it should be from its line."""
    axes = canvas(2.5).add_subplot()
    axes.set_ylim(0, 10)
    inside_labels([axes], [[Label(y, "limit", "black")]])
    axes.figure.draw_without_rendering()
    return axes.get_window_extent(), axes.texts[0].get_window_extent(), OFFSET * axes.figure.dpi / 72


@pytest.mark.parametrize(("over", "is_above"), [(-1.5, True), (-0.5, True), (0.5, True), (1.5, False)])
def test_a_label_stands_above_its_line_unless_it_leaves_the_panel(over: float, is_above: bool) -> None:
    """As far as it is from its line it may reach over the upper edge: there are no data."""
    panel, label, lift = labelled(5.0)
    line = panel.y1 - label.height + (over - 1) * lift
    panel, label, lift = labelled(10 * (line - panel.y0) / panel.height)
    assert label.y0 == pytest.approx(line + lift if is_above else line - lift - label.height, abs=0.1)


def test_what_is_drawn_becomes_points_of_all_kinds() -> None:
    axes = canvas(2.0).add_subplot()
    assert drawn_points(axes).shape == (0, 2)
    axes.scatter([0.5], [0.5])
    axes.vlines([0.2], 0, 1)
    axes.stairs([1.0], [0.0, 1.0])
    axes.plot([0, np.nan], [0, 1])
    points = drawn_points(axes)
    assert len(points) > 100
    assert np.isfinite(points).all()


def test_a_label_covers_a_line_rather_than_a_marker_on_its_own() -> None:
    figure = canvas(2.5)
    axes = figure.add_subplot()
    axes.set_ylim(0, 10)
    axes.plot([0, 1], [5.3, 5.3])
    axes.plot([0.95], [5], marker="o", linestyle="none", zorder=3)
    inside_labels([axes], [[Label(5, "limit", "black")]])
    figure.draw_without_rendering()
    middle = axes.transData.transform((0.95, 5))
    box = axes.texts[0].get_window_extent()
    assert not box.padded(2.0).contains(*middle)


def test_a_line_is_filled_with_points() -> None:
    assert dense([[0, 0], [0, 10]]).tolist() == [[0, y] for y in (0, 2, 4, 6, 8, 10)]
    assert covered(Bbox.from_extents(-1, 3, 1, 7), dense([[0, 0], [0, 10]])) == 4


def test_what_touches_the_free_space_around_a_label_is_covered() -> None:
    box = Bbox.from_extents(10, 10, 20, 14)
    corners = np.array([[10 - AIR, 10 - EDGE], [20 + AIR, 10 - EDGE], [10 - AIR, 14 + EDGE], [20 + AIR, 14 + EDGE]])
    assert covered(box, corners) == 4
    assert covered(box, corners + np.array([[-1, 0], [1, 0], [0, 1], [0, 1]])) == 0
