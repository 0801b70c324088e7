"""A drawing on a light and on a dark page: the same hues, each colour as plain to see.

matplotlib draws on white. On a dark page inks and grounds change places, and a saturated colour stays what it is unless
it would be too dark to be seen: then it is lightened. What a colour scale says is never changed, so that a heat map is
the same on both pages. Contrasts are those of WCAG 2.2: 4.5 for text (1.4.3), 3 for marks (1.4.11).
"""

from __future__ import annotations

import colorsys
import re
from collections.abc import Iterator
from functools import cache

from storagelab.figures.palette import contrast

DARK_PAGE = "#181818"
"""Ground of a page in the dark theme; `paper.css` has the same."""
TEXT, MARK = 4.5, 3.0
"""Contrasts to the ground that text and marks need."""
BRIGHTEST = 0.9
"""Lightness that black becomes; white becomes the page."""
HUED, GROUND = 0.3, 0.85
"""Saturation from which a colour has a hue that means something; lightness from which it is a ground."""
AS_DRAWN = ("QuadMesh_", "on-cell-")
"""Beginnings of the ids of groups whose colours mean values, and of what is written upon them."""

_WHITE = "stroke: #ffffff"
_GROUPS = re.compile(r'<g(?: id="([^"]*)")?[^<>]*>|</g>')
_COLOUR = re.compile(r"(?<=: )#[0-9a-f]{6}\b")
_STYLED = re.compile(r' style="([^"]*)"')
_CLASS = re.compile(r' class="(c\d+)"')
_SHEET = re.compile(r"<style\b[^<>]*+>[^<]*+")
_RULE = re.compile(r"\.(c\d+)\{([^{}]*)\}")


def themed(svg: str) -> str:
    """Give each colour of a drawing of matplotlib its look on both pages, but for those of colour scales.

    Parameters
    ----------
    svg : str
        With ids of groups as matplotlib writes them, and classes as `storagelab.paper.figure_files` does.

    Returns
    -------
    str
        The same with ``light-dark()`` of CSS Color 5 wherever the two looks differ.
    """
    kept = list(_as_drawn(svg))
    classes = {name for begin, end in kept for name in _CLASS.findall(svg[begin:end])}

    def styled(match: re.Match[str]) -> str:
        inside = any(begin <= match.start() < end for begin, end in kept)
        return f' style="{_between(match[1]) if inside else _both(match[1])}"'

    def ruled(match: re.Match[str]) -> str:
        return f".{match[1]}{{{_between(match[2]) if match[1] in classes else _both(match[2])}}}"

    return _SHEET.sub(lambda sheet: _RULE.sub(ruled, sheet[0]), _STYLED.sub(styled, svg))


def _as_drawn(svg: str) -> Iterator[tuple[int, int]]:
    """Where the groups begin and end whose colours stay."""
    depth, begun = 0, None
    for match in _GROUPS.finditer(svg):
        depth += -1 if match[0] == "</g>" else 1
        if begun is None and (match[1] or "").startswith(AS_DRAWN):
            begun = match.start(), depth
        elif begun is not None and depth < begun[1]:
            yield begun[0], match.end()
            begun = None


def _between(declared: str) -> str:
    """Keep the colours of values; between cells, and around those without a value, is the page."""
    return declared.replace(_WHITE, f"stroke: {_pair('#ffffff', MARK)}")


def _both(declared: str) -> str:
    least = TEXT if "font" in declared else MARK
    return _COLOUR.sub(lambda colour: _pair(colour[0], least), declared)


def _pair(colour: str, least: float) -> str:
    other = dark(colour, least)
    return colour if other == colour else f"light-dark({colour}, {other})"


@cache
def dark(colour: str, least: float = MARK) -> str:
    """Return what a colour becomes on a dark page.

    Parameters
    ----------
    colour : str
        As ``#rrggbb``, chosen for white.
    least : float
        Contrast that it gets to the dark page, unless it has less to white.

    Examples
    --------
    >>> dark("#ffffff"), dark("#c58800")
    ('#181818', '#c58800')
    """
    hue, lightness, saturation = colorsys.rgb_to_hls(*_shares(colour))
    if saturation < HUED or lightness > GROUND:
        lowest = int(DARK_PAGE[1:3], 16) / 255
        colour = _written(colorsys.hls_to_rgb(hue, BRIGHTEST - (BRIGHTEST - lowest) * lightness, saturation))
        least = min(least, contrast(_written(colorsys.hls_to_rgb(hue, lightness, saturation)), "#ffffff"))
    while contrast(colour, DARK_PAGE) < least:
        red, green, blue = _shares(colour)
        colour = _written((red + 0.05 * (1 - red), green + 0.05 * (1 - green), blue + 0.05 * (1 - blue)))
    return colour


def _shares(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _written(shares: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * share):02x}" for share in shares)
