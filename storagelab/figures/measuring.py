"""Sizes of texts, each measured once: the same words stand on many axes of many figures, and are laid out and drawn."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.textpath import TextToPath

Size = tuple[float, float, float]
"""Width, height, and how much of the height is below the line."""

HEIGHTS = (
    ("OS/2", "sTypoLineGap", "sTypoAscender", "sTypoDescender"),
    ("hhea", "lineGap", "ascent", "descent"),
)
"""Tables of a font that say how far its lines reach, and under which names: gap, up, down."""
KNOWN = 8192
"""Texts whose sizes are kept."""


class Agg(RendererAgg):
    """Draws an image; a text that was measured in any image of as many pixels to the inch is not measured again."""

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


@lru_cache
def _empty(dpi: float) -> RendererAgg:
    return RendererAgg(1, 1, dpi)  # type: ignore[no-untyped-call]
