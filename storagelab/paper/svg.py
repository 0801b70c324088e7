"""An SVG of matplotlib as part of a page: no prologue, no ids that collide, a name for those who cannot see it."""

from __future__ import annotations

import re
from html import escape

_ROOT = re.compile(r"<svg\b[^>]*>")
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_COMMENT = re.compile(r"\s*<!--.*?-->", re.DOTALL)
_VIEW_BOX = re.compile(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"')
_GROUP = re.compile(r'<g id="[^"]*">')
_ID = re.compile(r'(\bid="|"#|url\(#)([^")]+)')
_COORDINATES = re.compile(r'\b(?:d|x|y)="[^"]*"')
_DECIMALS = re.compile(r"(\.\d\d)\d+")


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
    body = _GROUP.sub("<g>", _COMMENT.sub("", body))
    body = _COORDINATES.sub(lambda match: _DECIMALS.sub(r"\1", match[0]).replace("\n", ""), body)
    body = _ID.sub(rf"\g<1>{id}-\g<2>", body)
    root = _ROOT.search(body)
    size = _VIEW_BOX.search(root[0]) if root else None
    if root is None or size is None:
        return body
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {size[0]} '
        f'width="{float(size[1]) * 4 / 3:.0f}" role="img" aria-label="{escape(alt)}">'
    )
    return opening + body[root.end() :].strip()
