"""Texts are measured once, and as matplotlib measures them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from storagelab.figures import text_sizes
from storagelab.figures.style import canvas, style

TEXTS = [("write", False), ("", False), ("MiB/s", False), ("$10^{-3}$", True)]


@pytest.mark.parametrize(("text", "ismath"), TEXTS)
def test_sizes_are_those_of_matplotlib(text: str, ismath: bool) -> None:
    font = FontProperties(size=7.5)
    theirs = RendererAgg(100, 100, 200)  # type: ignore[no-untyped-call]
    for _ in range(2):
        ours = text_sizes.Agg(300, 50, 200)  # type: ignore[no-untyped-call]
        assert ours.get_text_width_height_descent(text, font, ismath) == theirs.get_text_width_height_descent(  # type: ignore[no-untyped-call]
            text, font, ismath
        )
        assert text_sizes.in_points(text, font, ismath) == TextToPath().get_text_width_height_descent(
            text, font, ismath
        )


@pytest.mark.parametrize("font", [FontProperties(size=7.5), FontProperties(family="serif", style="italic", size=9)])
@pytest.mark.parametrize("text", ["write", "two\nlines of it", ""])
def test_lines_are_as_high_as_those_of_matplotlib(font: FontProperties, text: str) -> None:
    written = Figure(dpi=200).text(0.5, 0.5, text, font=font)
    ours = text_sizes.Agg(100, 100, 200)  # type: ignore[no-untyped-call]
    theirs = RendererAgg(100, 100, 200)  # type: ignore[no-untyped-call]
    assert repr(written._get_layout(ours)) == repr(written._get_layout(theirs))  # type: ignore[attr-defined]
    assert None not in text_sizes.font_height(font, 200)


def test_another_size_resolution_or_kind_of_a_text_is_measured_anew() -> None:
    font = FontProperties(size=7)
    one = text_sizes.Agg(9, 9, 100).get_text_width_height_descent("$x$", font, False)  # type: ignore[no-untyped-call]
    assert text_sizes.Agg(9, 9, 200).get_text_width_height_descent("$x$", font, False) != one  # type: ignore[no-untyped-call]
    assert text_sizes.Agg(9, 9, 100).get_text_width_height_descent("$x$", font, True) != one  # type: ignore[no-untyped-call]
    narrow = text_sizes.in_points("x", font, False)
    font.set_size(14)
    assert text_sizes.Agg(9, 9, 100).get_text_width_height_descent("$x$", font, False) != one  # type: ignore[no-untyped-call]
    assert text_sizes.in_points("x", font, False)[0] == pytest.approx(2 * narrow[0])


def test_no_text_is_measured_twice() -> None:
    misses = []
    for _ in range(2):
        with style():
            canvas(1.0).text(0.5, 0.5, "measured once").get_window_extent()
        misses.append(text_sizes._in_pixels.cache_info().misses)
    assert misses[0] == misses[1]


def test_a_canvas_keeps_its_renderer_until_its_size_changes() -> None:
    with style():
        figure = canvas(1.0)
        first = figure.canvas.get_renderer()  # type: ignore[attr-defined]
        assert figure.canvas.get_renderer() is first  # type: ignore[attr-defined]
        figure.set_figheight(2.0)
        assert figure.canvas.get_renderer().height == 400  # type: ignore[attr-defined]
        figure.canvas.draw()


@pytest.mark.parametrize(("text", "ismath"), TEXTS)
@pytest.mark.parametrize("angle", [0, 90, 33])
def test_letters_are_those_of_matplotlib_at_the_nearest_whole_pixel(text: str, ismath: bool, angle: int) -> None:
    font = FontProperties(size=9)
    drawn = []
    at: tuple[float, float]
    renderer: Any
    for renderer, at in ((RendererAgg, (150, 160)), (text_sizes.Agg, (150.4, 159.6)), (text_sizes.Agg, (150.0, 160.0))):
        image = renderer(300, 300, 200)
        gc = image.new_gc()
        gc.set_foreground("#3366aa")
        image.draw_text(gc, *at, text, font, angle, ismath=ismath)
        drawn.append(np.array(image.buffer_rgba()).tobytes())
    assert len(set(drawn)) == 1


def test_a_text_is_drawn_once() -> None:
    misses = []
    for _ in range(2):
        image = text_sizes.Agg(99, 99, 200)  # type: ignore[no-untyped-call]
        image.draw_text(image.new_gc(), 9, 50, "drawn once", FontProperties(size=8), 0)
        misses.append(text_sizes._drawn.cache_info().misses)
    assert misses[0] == misses[1]
