"""A figure as files: the same bytes every time, and its origin on its face unless it is measured."""

from __future__ import annotations

import base64
import re
import sys
from collections import Counter

from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from storagelab.figures.layout import settle
from storagelab.figures.rendering import draw_once, png
from storagelab.figures.style import style

_COORDINATES = re.compile(r'\b(?:d|x|y)="[^"]*"')
_STYLE = re.compile(r' style="([^"]*)"')
_DECIMALS = re.compile(r"(\.\d\d)\d+")

STRIP = 0.17
"""Height in inches of the strip below a figure that says its origin."""


def draw(fig: Figure, origin: str) -> dict[str, str]:
    """Render a figure and close it.

    Parameters
    ----------
    fig : Figure
    origin : str
        Anything but "measured" is written below the drawing, so that it stays with the file.

    Returns
    -------
    dict of MIME type to str
        SVG with text as text, and PNG in base64.
    """
    with style():
        settle(fig)
        width, height = fig.get_size_inches()
        strip = 0.0 if origin == "measured" else STRIP
        if strip:
            fig.text(0.995, -0.02 / height, f"{origin} data", ha="right", va="top", size=7, style="italic")
        svg, image = draw_once(fig, Bbox.from_extents(0, -strip, width, height))
    _close(fig)
    return {"image/svg+xml": _short(svg), "image/png": base64.b64encode(png(image)).decode("ascii")}


def _close(fig: Figure) -> None:
    """Take a figure from the list of those that pyplot shows at the end of a cell, if anybody uses pyplot."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close(fig)


def _short(svg: str) -> str:
    plain = "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
    return classed(_COORDINATES.sub(_shortened, plain))


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
