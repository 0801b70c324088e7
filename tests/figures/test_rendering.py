"""A figure is drawn once, and its files do not depend on the last digits of its coordinates."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib.style
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import transforms
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.transforms import Bbox
from numpy.typing import NDArray
from PIL import Image

from storagelab.figures import layout, rendering
from storagelab.figures.rendering import Renderer, draw_once, png, rounded
from storagelab.figures.style import canvas, style
from tests.figures.kinds import KINDS, drawn

Nudge = Callable[[int], None]


@pytest.fixture(autouse=True)
def no_settings_of_the_caller() -> Iterator[None]:
    """A figure without `style` looks as matplotlib has it, whatever MATPLOTLIBRC or a matplotlibrc says."""
    with matplotlib.style.context("default"):
        yield


@pytest.fixture
def nudge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Nudge]:
    """Let every product of matrices and every transformed point be off by a last digit, as on another processor.

    But for those of the backends: they get rounded coordinates and multiply by zero and one, which is exact.
    """
    rounding = [True]

    def off(seed: int) -> None:
        chance = np.random.default_rng(seed)

        def wrapped(exact: Callable[..., NDArray[np.float64]]) -> Callable[..., NDArray[np.float64]]:
            def last_digit(*args: object) -> NDArray[np.float64]:
                result = np.asarray(exact(*args))
                return np.nextafter(result, chance.choice([-np.inf, np.inf], result.shape)) if rounding[0] else result

            return last_digit

        for owner, name in ((np, "dot"), (transforms, "affine_transform"), (transforms, "inv")):
            monkeypatch.setattr(owner, name, wrapped(getattr(owner, name)))
        monkeypatch.setattr(Renderer, "_both", in_backends)

    def in_backends(*args: Any, _both: Any = Renderer._both, **options: Any) -> None:
        rounding[0] = False
        _both(*args, **options)
        rounding[0] = True

    yield off
    monkeypatch.undo()


def files(figure: Figure) -> tuple[str, bytes]:
    with style():
        svg, image = draw_once(figure, figure.bbox_inches)
    return svg, png(image)


def whole(size: tuple[float, float] = (2.0, 1.0)) -> Bbox:
    return Bbox.from_bounds(0, 0, *size)


@pytest.mark.parametrize("name", KINDS)
def test_last_digits_change_no_byte(name: str, nudge: Nudge) -> None:
    exact = files(drawn(name).figure)
    nudge(1)
    assert files(drawn(name).figure) == exact


def test_without_rounding_last_digits_change_bytes(nudge: Nudge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "rounded", lambda points: np.asarray(points, dtype=np.float64))
    exact = files(drawn("scaling").figure)
    nudge(1)
    assert files(drawn("scaling").figure) != exact


@given(st.integers(-10_000_000, 10_000_000), st.sampled_from([1, 2, 3, 4, 5, 7, 8, 16, 32, 64]))
def test_common_coordinates_do_not_stand_where_rounding_turns(steps: int, part: int) -> None:
    exact = steps / part / 1000
    near = [np.nextafter(exact, -np.inf), exact, np.nextafter(exact, np.inf)]
    assert len(set(rounded(near).tolist())) == 1
    assert abs(rounded(exact) - exact) < 0.00053


def test_each_figure_is_laid_out_and_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn_by: list[str] = []
    original = Axes.draw
    monkeypatch.setattr(
        Axes, "draw", lambda self, renderer: (drawn_by.append(type(renderer).__name__), original(self, renderer))
    )
    one = drawn("percentiles")
    assert drawn_by == []
    files(one.figure)
    assert drawn_by == ["Renderer"] * len(one.figure.axes)


def test_panels_stay_where_they_were_settled() -> None:
    figure = canvas(2.0)
    axes = figure.add_subplot()
    axes.set_ylabel("what")
    layout.settle(figure)
    before = axes.get_position().bounds
    assert before == tuple(round(share, layout.DIGITS) for share in before)
    axes.set_ylabel("what\nneeds\nmore")
    layout.settle(figure)
    assert axes.get_position().bounds == before
    assert axes.get_in_layout()


def test_a_box_beyond_the_figure_is_white_and_holds_what_stands_there() -> None:
    figure = Figure(figsize=(2, 1))
    figure.text(0.5, -0.3, "below", ha="center")
    with style():
        svg, image = draw_once(figure, Bbox.from_extents(-0.25, -0.5, 2, 1))
    assert image.size == (450, 300)
    assert image.getpixel((0, 299)) == image.getpixel((449, 0)) == (255, 255, 255)
    dark = np.argwhere(np.asarray(image).min(axis=2) < 100)
    assert (dark[:, 0] > 200).all()
    assert 225 < dark[:, 1].mean() < 275, "the middle of the figure is 0.25 inches further right"
    assert 'viewBox="0 0 162 108"' in svg
    assert re.search(r'<text[^>]* x="90" y="93.6"', svg)


def test_svg_and_image_show_the_same() -> None:
    figure = Figure(figsize=(2, 1))
    axes = figure.add_axes((0, 0, 1, 1), frameon=False, xlim=(0, 2), ylim=(0, 1), xticks=[], yticks=[])
    axes.fill([0.5, 1, 1, 0.5], [0, 0, 0.5, 0.5], color="black", linewidth=0)
    svg, image = draw_once(figure, whole())
    assert [float(number) for number in re.findall(r"[ML] ([\d. ]+?) ?\n", svg)[4:8] for number in number.split()] == [
        36, 72, 72, 72, 72, 36, 36, 36,
    ]  # fmt: skip
    dark = np.argwhere(np.asarray(image).max(axis=2) < 100)
    assert dark.min(axis=0).tolist() == [100, 100]
    assert dark.max(axis=0).tolist() == [199, 199]


def test_what_clips_is_rounded_in_both() -> None:
    figure = Figure(figsize=(2, 1))
    axes = figure.add_axes((0, 0, 1, 1), frameon=False, xlim=(0, 2), ylim=(0, 1), xticks=[], yticks=[])
    circle = Circle((1 / 3, 1 / 3), 1 / 3, transform=axes.transData)
    for value in (0.2, 0.4):
        axes.axhline(value, linewidth=30).set_clip_path(circle)
    svg, image = draw_once(figure, whole())
    clips = re.findall(r'<clipPath id="(\w+)">\s*<path d="([^"]*)"', svg)
    assert len(clips) == 1, "the same path once"
    assert svg.count(f"url(#{clips[0][0]})") == 2
    assert not re.search(r"\.\d{4}", clips[0][1])
    dark = np.argwhere(np.asarray(image).min(axis=2) < 200)
    assert dark[:, 1].max() < 2 / 3 * 200 + 2


def test_what_is_rasterised_is_an_image_in_the_svg() -> None:
    figure = Figure(figsize=(2, 1))
    axes = figure.add_axes((0, 0, 1, 1), frameon=False, xlim=(0, 2), ylim=(0, 1), xticks=[], yticks=[])
    axes.fill_between([0.5, 1], 0, 0.5, color="black", linewidth=0, rasterized=True)
    axes.plot([0, 2], [0.9, 0.9])
    svg, image = draw_once(figure, whole())
    assert re.search(r'<image[^>]* width="36" height="36"', svg)
    assert "M 36 36" not in svg
    assert np.argwhere(np.asarray(image).max(axis=2) < 100).min(axis=0).tolist() == [100, 100]


def test_images_and_shaded_triangles_are_drawn() -> None:
    figure = Figure(figsize=(2, 1))
    left, right = figure.subplots(1, 2)
    left.imshow([[0.0, 1.0], [1.0, 0.0]], cmap="gray")
    right.tripcolor([0, 1, 0], [0, 0, 1], [0.0, 0.5, 1.0], shading="gouraud")
    svg, image = draw_once(figure, whole())
    assert "<image" in svg
    assert "linearGradient" in svg
    assert len(image.getcolors(100_000)) > 100


def test_png_says_its_resolution_and_nothing_else() -> None:
    image = Image.open(io.BytesIO(files(drawn("scaling").figure)[1]))
    assert image.mode == "RGB"
    assert image.info == {"dpi": pytest.approx((rendering.DPI, rendering.DPI), abs=0.1)}


def test_a_figure_is_as_it_was_after_it_was_drawn() -> None:
    figure = Figure(figsize=(2, 1), dpi=150, facecolor="red")
    draw_once(figure, Bbox.from_extents(0, -1, 2, 1))
    assert (figure.dpi, figure.get_facecolor()) == (150, (1, 0, 0, 1))
    assert figure.patch.get_bbox().bounds == (0, 0, 1, 1)


ENDS = ["process", "llnl: best writes, file per process, GPFS over Lustre, as far as they were measured"]


def _ink(text: str, **look: Any) -> tuple[int, int, int, int]:
    """Left, upper, right and lower end of a text, which is put at the middle of an image of 1440 by 1440 pixels."""
    with style():
        figure = canvas(7.2)
        figure.set_layout_engine("none")
        figure.text(0.5, 0.5, text, size=8, **look)
        _, image = draw_once(figure, Bbox.from_extents(0, 0, 7.2, 7.2))
    found = Image.eval(image.convert("L"), lambda shade: 255 - shade).getbbox()
    assert found is not None
    return found


@pytest.mark.parametrize("text", ENDS)
def test_a_text_ends_in_the_image_where_it_is_aligned(text: str) -> None:
    """The letters of an image are fitted to pixels and wider than those that were laid out: a long text by ten."""
    assert _ink(text, ha="right")[2] == pytest.approx(720, abs=2)
    assert _ink(text, ha="left")[0] == pytest.approx(720, abs=2)
    left, _, right, _ = _ink(text, ha="center")
    assert (left + right) / 2 == pytest.approx(720, abs=2)


@pytest.mark.parametrize("text", ENDS)
def test_an_upright_text_ends_in_the_image_where_it_is_aligned(text: str) -> None:
    assert _ink(text, rotation=90, va="top")[1] == pytest.approx(720, abs=2)
    assert _ink(text, rotation=90, va="bottom")[3] == pytest.approx(720, abs=2)
    assert _ink(text, rotation=90, rotation_mode="anchor", ha="right")[1] == pytest.approx(720, abs=2)
    _, high, _, low = _ink(text, rotation=90, va="center")
    assert (high + low) / 2 == pytest.approx(720, abs=2)
