"""A figure as files: the same bytes every time, and its origin on its face unless it is measured."""

from __future__ import annotations

import base64
import re
import sys
from collections import Counter

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from storagelab.errors import PaperError
from storagelab.figures import data_behind_marks, narrow_screens, vector
from storagelab.figures.layout import settle
from storagelab.figures.narrow_screens import Box
from storagelab.figures.page_format import PAGE, current, letters
from storagelab.figures.rendering import draw_once, png
from storagelab.figures.style import style
from storagelab.figures.text_sizes import Canvas
from storagelab.figures.watermark import key_of_fills, watermark, words_of
from storagelab.paper import latex

_COORDINATES = re.compile(r'\b(?:d|x|y)="[^"]*"')
_TEXT = re.compile(r"(?<=>)[^<>]+(?=</?t(?:ext|span)\b)")
_STYLE = re.compile(r' style="([^"]*)"')
_DECIMALS = re.compile(r"(\.\d\d)\d+")

PDF, PGF = "application/pdf", "text/x-pgf"
"""Types of the files that a venue takes; a page has none."""
NARROWEST, SPILL = 0.9, 0.03
"""Inches that a panel needs at least, and that text may reach beyond a figure."""

STRIP = 0.19
"""Height in inches of the strip below a figure that says its origin, and what its markers rest on."""


def draw(fig: Figure, origin: str, rows: pd.DataFrame | None = None) -> dict[str, str]:
    """Render a figure and close it.

    Parameters
    ----------
    fig : Figure
    origin : str
        Anything but "measured" is written across the panels and below the drawing, so that it stays with the file and
        with every part that is cut out of it.
    rows : DataFrame, optional
        The data as they are published; each mark says which of them it stands for (`figures.data_behind_marks`).

    Returns
    -------
    dict of MIME type to str
        SVG with text as text, and PNG in base64.

    Raises
    ------
    PaperError
        If a drawing of what was not measured has a panel that does not say so.
    """
    with style(), rc_context({"text.parse_math": not isinstance(fig.canvas, Canvas)}):
        settle(fig)
        width, height = fig.get_size_inches()
        strip = 0.0 if origin == "measured" else STRIP
        if strip:
            fig.text(0.995, -0.02 / height, f"{origin} data", ha="right", va="top", size=letters(7), style="italic")
            key_of_fills(fig, -0.02 / height, origin)
        watermark(fig, origin)
        _check_marked(fig, origin)
        box = Bbox.from_extents(0, -strip, width, height)
        svg, image = draw_once(fig, box)
        svg = _short(svg) if rows is None else data_behind_marks.numbered(_short(svg), fig, box, rows)
        more = {} if current() == PAGE else _for_print(fig, box)
    _close(fig)
    return {"image/svg+xml": svg, "image/png": base64.b64encode(png(image)).decode("ascii"), **more}


def parts(fig: Figure, origin: str) -> list[list[Box]]:
    """Cut a figure, as `draw` has drawn it, into parts that a phone shows below each other (`narrow_screens.parts`)."""
    with style():
        return narrow_screens.parts(fig, 0.0 if origin == "measured" else STRIP)


def fits(fig: Figure) -> bool:
    """Whether a figure, as it is settled, has all its text inside it, and panels wide enough to be read."""
    width = fig.get_size_inches()[0]
    box = fig.get_tightbbox()
    panels = [axes.get_position().width * width for axes in fig.axes if axes.get_label() != "<colorbar>"]
    inside = box.x0 >= -SPILL and box.x1 <= width + SPILL
    return bool(inside and min(panels, default=width) >= NARROWEST * min(1.0, width / PAGE.width * 2))


def _for_print(fig: Figure, box: Bbox) -> dict[str, str]:
    """Draw a figure for a venue: PDF in base64, and PGF."""
    document = base64.b64encode(vector.pdf(fig, box)).decode("ascii")
    return {PDF: document, PGF: vector.pgf(fig, box, latex.escape)}


def _check_marked(fig: Figure, origin: str) -> None:
    """Refuse a panel that could be cut out and taken for a measurement."""
    for number, axes in enumerate(fig.axes, start=1):
        words = words_of(axes.get_gid() or origin)
        if words and axes.get_label() != "<colorbar>" and not any(_says(text, words) for text in axes.texts):
            raise PaperError(f"panel {number} of a figure of {origin} data does not say {' '.join(words.split())!r}")


def _says(text: Text, words: str) -> bool:
    return text.get_visible() and text.get_text().split() == words.split()


def _close(fig: Figure) -> None:
    """Take a figure from the list of those that pyplot shows at the end of a cell, if anybody uses pyplot."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close(fig)


def _short(svg: str) -> str:
    plain = "\n".join(line.rstrip() for line in _TEXT.sub(_quoted, svg).splitlines()) + "\n"
    return classed(_COORDINATES.sub(_shortened, plain))


def _quoted(text: re.Match[str]) -> str:
    """Write the quotes of a text as entities: nothing in it shall look like an attribute of the drawing."""
    return text[0].replace('"', "&quot;").replace("#", "&#35;")


def _shortened(coordinates: re.Match[str]) -> str:
    """Cut coordinates to hundredths of a point: a third of the file."""
    return _DECIMALS.sub(r"\1", coordinates[0]).replace("\n", " ")


def classed(svg: str) -> str:
    """Say each style that stands on several elements once, as a class: matplotlib's drawings shrink to the half."""
    counts = Counter(_STYLE.findall(svg))
    often = [style for style, count in counts.items() if count > 2]
    names = {style: f"c{number}" for number, style in enumerate(often, start=1)}
    rules = "".join(f"\n.{name}{{{style}}}" for style, name in names.items())
    body = _STYLE.sub(lambda match: f' class="{names[match[1]]}"' if match[1] in names else match[0], svg)
    return body.replace("</style>", f"{rules}</style>", 1)
