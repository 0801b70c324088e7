"""What holds for every kind of figure. Not pixels."""

from __future__ import annotations

import re

import pytest
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation, Text

from storagelab import figures
from storagelab.figures import Drawn
from tests.figures.kinds import KINDS, drawn, faces, reconstructed, reversed_values

UNMARKED = {"failover", "heatmap", "series", "timeline", "winners_map"}
"""Kinds that draw no markers."""


@pytest.fixture(scope="module")
def all_drawn() -> dict[str, Drawn]:
    return {name: drawn(name) for name in KINDS}


def test_every_public_figure_is_here() -> None:
    of_printed_text = {"permitted", "test_bed", "topology"}
    assert {name.split(" ")[0] for name in KINDS} == set(figures.__all__) - {"Drawn", "style", *of_printed_text}


@pytest.mark.parametrize("name", KINDS)
def test_captions_say_n_statistic_interval_and_origin(name: str, all_drawn: dict[str, Drawn]) -> None:
    caption = all_drawn[name].caption
    assert re.search(r"n = \d", caption)
    assert re.search(r"interval", caption)
    assert re.search(r"mean|ratio|quartiles|a point is|a line is", caption.lower())
    assert caption.endswith("Logs: measured (test-2026).")
    assert "nan" not in re.findall(r"\w+", caption + all_drawn[name].alt)
    assert ".." not in caption + all_drawn[name].alt
    assert "  " not in caption + all_drawn[name].alt


@pytest.mark.parametrize("name", KINDS)
def test_alternative_text_is_made_from_the_data(name: str, all_drawn: dict[str, Drawn]) -> None:
    alt = all_drawn[name].alt
    assert alt.endswith(".")
    assert alt[0].isupper()
    assert drawn(name, reversed_values).alt != alt


@pytest.mark.parametrize("name", KINDS)
def test_the_data_drawn_are_labelled(name: str, all_drawn: dict[str, Drawn]) -> None:
    data = all_drawn[name].data
    assert data.sizes["obs"] > 0
    assert data.attrs["origin"] == "measured"
    assert all("long_name" in values.attrs for name, values in data.variables.items() if name != "outlier")


@pytest.mark.parametrize("name", KINDS)
def test_no_panel_is_empty(name: str, all_drawn: dict[str, Drawn]) -> None:
    assert all_drawn[name].axes
    assert all(axes.has_data() for axes in all_drawn[name].axes)


@pytest.mark.parametrize("name", sorted(set(KINDS) - UNMARKED))
def test_markers_are_hollow_where_logs_are_reconstructed(name: str, all_drawn: dict[str, Drawn]) -> None:
    filled = faces(all_drawn[name].axes)
    assert filled
    assert "#ffffff" not in filled
    hollow = drawn(name, reconstructed)
    assert faces(hollow.axes) == {"#ffffff"}
    assert hollow.caption.endswith("Logs: reconstructed (test-2026).")
    assert "Hollow markers: reconstructed." in hollow.caption or name == "pairs"


@pytest.mark.parametrize("name", KINDS)
def test_images_repeat_byte_for_byte(name: str, all_drawn: dict[str, Drawn]) -> None:
    image = all_drawn[name].render("svg")
    assert image == drawn(name).render("svg")
    assert b"<text" in image, "text is text"


def labels_beyond(one: Drawn) -> list[Text]:
    """Labels of ticks outside the range of their axis, which are not drawn."""
    ticks = [(axis, tick) for axes in one.figure.axes for axis in (axes.xaxis, axes.yaxis) for tick in axis.majorTicks]
    return [
        tick.label1 for axis, tick in ticks
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    ]  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_no_text_covers_another(name: str, all_drawn: dict[str, Drawn]) -> None:
    figure = all_drawn[name].figure
    figure.draw_without_rendering()
    shown = [t for t in figure.findobj(Text) if isinstance(t, Text) and t.get_visible() and t.get_text().strip()]
    leaders = [t for t in shown if isinstance(t, Annotation) and t.arrow_patch is not None]
    inside = [t for t in shown if t not in [*leaders, *labels_beyond(all_drawn[name])]]
    boxes = [(t.get_text(), t.get_window_extent().padded(-1.5)) for t in inside if t.get_window_extent().width > 3]
    width, height = figure.canvas.get_width_height()
    seen = [(text, box) for text, box in boxes if 0 <= box.x0 <= width and 0 <= box.y0 <= height]
    clashes = [(one, other) for i, (one, a) in enumerate(seen) for other, b in seen[:i] if a.overlaps(b)]
    assert not clashes


@pytest.mark.parametrize("name", KINDS)
def test_text_can_be_read(name: str, all_drawn: dict[str, Drawn]) -> None:
    shown = [t for t in all_drawn[name].figure.findobj(Text) if isinstance(t, Text) and t.get_text().strip()]
    assert min(t.get_fontsize() for t in shown) >= 7


@pytest.mark.parametrize("name", ["points with bars", "saturation", "side_by_side", "timeline"])
def test_bars_start_at_zero(name: str, all_drawn: dict[str, Drawn]) -> None:
    axes = all_drawn[name].axes[0]
    assert any(isinstance(patch, Rectangle) for patch in axes.patches)
    assert axes.get_xlim()[0] == 0


@pytest.mark.parametrize("name", KINDS)
def test_a_notebook_shows_figure_words_and_alternative_text(name: str, all_drawn: dict[str, Drawn]) -> None:
    shown = all_drawn[name]._repr_html_()
    assert shown.startswith("<figure")
    assert ";base64," in shown
    assert "<figcaption>" in shown
    assert 'alt="' in shown
    assert repr(all_drawn[name]).startswith("Drawn(")
