"""An SVG of matplotlib as part of a page: no prologue, no ids that collide, a name for those who cannot see it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from storagelab.figures.narrow_screens import Box
from storagelab.paper.themes import themed

_ROOT = re.compile(r"<svg\b[^<>]*+>")
_METADATA = re.compile(r"(?<!\s)\s*+<metadata>(?:(?!</?metadata>).|(?!))*+</metadata>", re.DOTALL)
_COMMENT = re.compile(r"(?<!\s)\s*+<!--(?:(?!<!--|-->).|(?!))*+-->", re.DOTALL)
_VIEW_BOX = re.compile(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"')
_GROUP = re.compile(r'<g id="[^"]*">')
_NAMED = re.compile(r'<g id="(on-cell|watermark|QuadMesh|legend)[-_][\d-]+">')
"""Groups that a page knows: cells of colours, texts on them, texts across what was not measured, legends."""
_INDENT = re.compile(r"\n +")
_CLASS = re.compile(r' class="(c\d+)"')
_STYLES = re.compile(r"<style\b[^<>]*+>(?:(?!</?style\b).|(?!))*+</style>", re.DOTALL)
_ID = re.compile(r'(\bid="|"#|url\(#)([^")]+)')


def inline(svg: str, id: str, alt: str) -> str:
    """Fit a figure into a page.

    Parameters
    ----------
    svg : str
        A whole SVG document.
    id : str
        Prefix of all its ids, unique in the page.
    alt : str
        Becomes its accessible name.

    Returns
    -------
    str
        One ``<svg>`` element that scales with its column up to its natural width.
    """
    body = _METADATA.sub("", svg[svg.index("<svg") :])
    body = themed(_COMMENT.sub("", body))
    body = _GROUP.sub("<g>", _NAMED.sub(r'<g class="\1">', body))
    body = _ID.sub(rf"\g<1>{id}-\g<2>", body)
    body = _STYLES.sub(lambda match: _scoped(match[0], id), _CLASS.sub(rf' class="{id}-\1"', body))
    body = _INDENT.sub("\n", body)
    root = _ROOT.search(body)
    size = _VIEW_BOX.search(root[0]) if root else None
    if root is None or size is None:
        return body
    opening = (
        f'<svg id="{id}-drawing" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'{size[0]} width="{float(size[1]) * 4 / 3:.0f}" role="img" aria-label="{escape(alt)}">'
    )
    inside = body[root.end() :].strip().removesuffix("</svg>")
    return f'{opening}<g id="{id}-all">{inside}</g></svg>'


def stacked(drawing: str, id: str, parts: Sequence[Sequence[Box]]) -> str:
    """Show parts of a drawing below each other, for narrow screens, without a second copy of it.

    Parameters
    ----------
    drawing : str
        As `inline` made it with the same id.
    id : str
    parts : sequence of sequence of box
        Boxes that stand side by side, or below each other if one is above the other in the drawing, for each part
        (`storagelab.figures.narrow_screens.parts`).

    Returns
    -------
    str
        ``<svg>`` for each part; "" where it is no inline drawing.
    """
    return "".join(_part(id, boxes) for boxes in parts) if drawing.startswith("<svg") else ""


def _part(id: str, boxes: Sequence[Box]) -> str:
    lefts, width = _side_by_side(boxes)
    top = min(y for _, y, _, _ in boxes)
    height = max(y + high for _, y, _, high in boxes) - top
    inside = ""
    for x, y, wide, high in boxes:
        place = f'x="{lefts[x]:g}" y="{y - top:g}" width="{wide:g}" height="{high:g}"'
        inside += f'<svg {place} viewBox="{x:g} {y:g} {wide:g} {high:g}"><use xlink:href="#{id}-all"/></svg>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width * 4 / 3:.0f}">{inside}</svg>'
    )


def _side_by_side(boxes: Sequence[Box]) -> tuple[dict[float, float], float]:
    """Where boxes begin in a part, by where they begin in the drawing, and how wide the part is."""
    lefts: dict[float, float] = {}
    left = width = end = 0.0
    for x, wide in sorted({(x, wide) for x, _, wide, _ in boxes}):
        if x >= end:
            left = width
        lefts[x] = left
        width, end = max(width, left + wide), max(end, x + wide)
    return lefts, width


def again(drawing: str, id: str, alt: str) -> str:
    """Show a drawing that stands elsewhere in the page once more, without a second copy of it.

    Parameters
    ----------
    drawing : str
        As `inline` made it with the same id.
    id, alt : str

    Returns
    -------
    str
        ``<svg>``; "" where it is no inline drawing.
    """
    size = _VIEW_BOX.search(drawing[: drawing.find(">")])
    if size is None:
        return ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {size[0]} '
        f'width="{float(size[1]) * 4 / 3:.0f}" role="img" aria-label="{escape(alt)}">'
        f'<use xlink:href="#{id}-drawing" width="{size[1]}" height="{size[2]}"/></svg>'
    )


def _scoped(style: str, id: str) -> str:
    """Keep the rules of one drawing from the rest of the page; `:where` leaves the universal one as weak as it was."""
    return re.sub(r"\.(c\d+)\{", rf".{id}-\1{{", style).replace("*{", f":where(#{id}) *{{")
