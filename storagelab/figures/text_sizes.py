"""Texts, each measured and drawn once: the same words stand on many axes of many figures."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.text import Text
from matplotlib.textpath import TextToPath
from numpy.typing import NDArray

Size = tuple[float, float, float]
"""Width, height, and how much of the height is below the line."""

HEIGHTS = (
    ("OS/2", "sTypoLineGap", "sTypoAscender", "sTypoDescender"),
    ("hhea", "lineGap", "ascent", "descent"),
)
"""Tables of a font that say how far its lines reach, and under which names: gap, up, down."""
KNOWN = 8192
"""Texts whose sizes are kept."""
MARGIN = 4
"""Pixels around a text, for what of its letters reaches beyond its size."""


class Letters(NamedTuple):
    """A text as it stands in an image: how dark each pixel is, and where its lower left one is, seen from its start."""

    shades: NDArray[np.uint8]
    left: int
    below: int


class Agg(RendererAgg):
    """Draws an image. A text is measured once for all images of as many pixels to the inch, and drawn once.

    It begins at a whole pixel: so the same text is the same pixels wherever it stands.
    """

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: FontProperties, angle: float, ismath: Any = False,
        mtext: Text | None = None,
    ) -> None:  # fmt: skip
        """Write a line of text; `y` is counted downwards."""
        letters = _drawn(s, prop.copy(), ismath, angle, self.dpi)
        at = round(x) + letters.left, round(y) + letters.below
        self._renderer.draw_text_image(letters.shades, *at, 0, gc)

    def _get_font_height_metrics(self, prop: FontProperties) -> Size | tuple[None, None, None]:
        return font_height(prop, self.dpi)

    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: Any) -> Size:
        """Measure a text in pixels."""
        return _in_pixels(s, prop.copy(), ismath, self.dpi)


class Canvas(FigureCanvasAgg):
    """What a figure is laid out on."""

    def get_renderer(self) -> Any:
        """Return the renderer, which stays the same for as long as the size of the figure does."""
        size = *self.get_width_height(physical=True), self.figure.dpi
        if size != self._lastKey:
            self.renderer = Agg(*size)  # type: ignore[no-untyped-call]
            self._lastKey = size
        return self.renderer


def in_points(text: str, font: FontProperties, ismath: Any) -> Size:
    """Measure a text as it is in an SVG: in points, its letters not fitted to pixels."""
    return _in_points(text, font.copy(), ismath)


def font_height(font: FontProperties, dpi: float) -> Size | tuple[None, None, None]:
    """Say how far the lines of a font reach up and down, and the gap between them, in pixels.

    It is what matplotlib looks up in the tables of the font whenever a text is laid out, in the same arithmetic; None
    where they do not say it.
    """
    return _font_height(font.copy(), dpi)


@lru_cache(KNOWN)
def _font_height(font: FontProperties, dpi: float) -> Size | tuple[None, None, None]:
    said: Any = get_font(fontManager._find_fonts_by_props(font))
    for name, gap, up, down in HEIGHTS:
        if table := said.get_sfnt_table(name):
            scale = 1 / said.get_sfnt_table("head")["unitsPerEm"] * font.get_size_in_points() * dpi / 72
            return table[up] * scale, -table[down] * scale, table[gap] * scale
    return None, None, None


@lru_cache(KNOWN)
def _in_points(text: str, font: FontProperties, ismath: Any) -> Size:
    width, height, descent = TextToPath().get_text_width_height_descent(text, font, ismath)
    return width, height, descent


@lru_cache(KNOWN)
def _in_pixels(text: str, font: FontProperties, ismath: Any, dpi: float) -> Size:
    width, height, descent = _empty(dpi).get_text_width_height_descent(text, font, ismath)  # type: ignore[no-untyped-call]
    return width, height, descent


@lru_cache(KNOWN)
def _drawn(text: str, font: FontProperties, ismath: Any, angle: float, dpi: float) -> Letters:
    """Draw a text in black on an image that is just large enough for it."""
    left, right, up, down = _reach(_in_pixels(text, font, ismath, dpi), math.radians(angle))
    image = RendererAgg(left + right, up + down, dpi)  # type: ignore[no-untyped-call]
    image.draw_text(image.new_gc(), left, up, text, font, angle, ismath)  # type: ignore[no-untyped-call]
    return Letters(np.array(image.buffer_rgba())[..., 3].copy(), -left, down)  # type: ignore[no-untyped-call]


def _reach(size: Size, turned: float) -> tuple[int, int, int, int]:
    """How many pixels a turned text reaches to the left of its start, to the right, up and down."""
    width, height, descent = size
    corners = [(x, y) for x in (0, width) for y in (-descent, height - descent)]
    across = [x * math.cos(turned) - y * math.sin(turned) for x, y in corners]
    upwards = [x * math.sin(turned) + y * math.cos(turned) for x, y in corners]
    return tuple(math.ceil(far) + MARGIN for far in (-min(across), max(across), max(upwards), -min(upwards)))  # type: ignore[return-value]


@lru_cache
def _empty(dpi: float) -> RendererAgg:
    return RendererAgg(1, 1, dpi)  # type: ignore[no-untyped-call]
