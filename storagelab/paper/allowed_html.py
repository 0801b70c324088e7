"""What a page may hold: elements, attributes, addresses and styles. A page with anything else is no paper.

A list of what is forbidden is never whole, so there is none. The page must also be written as the templates write it:
each attribute in double quotes, each element closed where it was opened, no comment. Then a browser cannot read it
otherwise than it is read here.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from storagelab.errors import shorten
from storagelab.escaping.characters import shown
from storagelab.paper import style

Rule = re.Pattern[str]

_ANY = re.compile(r".*", re.DOTALL)
_NAME = re.compile(r"[\w.:-]+")
_NAMES = re.compile(r"\A\s*+[\w.:-]++(?:\s++[\w.:-]++|(?!))*+\s*+")
_WORD = re.compile(r"[a-z0-9-]+")
_NUMBER = re.compile(r"-?\d+")
_INSIDE = re.compile(r"#[\w.:-]+")
_PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/\s]*+={0,2}\s*+")
_CARRIED = re.compile(
    r"data:(?:text/csv|image/svg\+xml|application/json|application/x-ipynb\+json);base64,[A-Za-z0-9+/]*={0,2}"
)
_DATA = re.compile(r"application/(?:ld\+)?json")
"""A kind of script that no browser runs: data for machines."""
_LINK = re.compile(r"#[\w.:-]+|(?:https?|mailto):[^\s\\]+|(?!//)[\w%.~+@-]+(?:/[\w%.~+@-]+)*(?:#[\w.:-]+)?")
"""What a reader may click on: a place in the page, an address of the web, a file beside the page."""
_SHIFT = re.compile(r"(?:(?:rotate|translate|scale|matrix)\([-\d.,e ]*\)\s*)*")
_DRAWN = re.compile(r"[-\dA-Za-z.,\s]*")
_LENGTH = re.compile(r"-?[\d.e-]+(?:px|pt|em|%)?")
_CLIP = re.compile(r"url\(#[\w.-]+\)")

_STRING = r"'(?:[\w .,():-]|\\[0-9a-f]{1,6} |(?!))*+'"

_COMMON = {"id": _NAME, "class": _NAMES}
_REGION = _COMMON | {"role": _WORD, "aria-label": _ANY, "aria-labelledby": _NAMES, "tabindex": _NUMBER}
_CELL = _COMMON | {"scope": _WORD, "colspan": _NUMBER, "style": re.compile(r"text-align: ?(?:left|right|center);?")}

HTML: Mapping[str, Mapping[str, Rule]] = {
    "html": {"lang": _WORD, "style": re.compile(rf"--running: {_STRING}; --about: {_STRING}")},
    "head": {},
    "meta": {"charset": _WORD, "content": _ANY, "http-equiv": re.compile("Content-Security-Policy"),
             "name": re.compile("viewport|color-scheme|description|citation_[a-z_]+")},
    "title": {},
    "style": {},
    "script": {"type": _DATA},
    "body": _COMMON,
    **dict.fromkeys(("article", "figure", "footer", "header", "main", "nav", "section"), _REGION),
    "div": _REGION | {"popover": re.compile("auto")},
    "button": {"type": re.compile("button"), "class": _NAMES, "popovertarget": _NAME},
    **dict.fromkeys(("blockquote", "br", "caption", "code", "dd", "del", "details", "dl", "dt", "em", "figcaption",
                     "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "p", "pre", "span", "strong", "sub", "summary",
                     "sup", "table", "tbody", "thead", "tr", "ul"), _COMMON),
    "ol": _COMMON | {"start": _NUMBER},
    "td": _CELL | {"data-head": _ANY, "data-value": re.compile(r"-?\d[\d.e+-]*")},
    "th": _CELL,
    "a": _COMMON | {"href": _LINK, "download": _NAME, "aria-label": _ANY, "title": _ANY},
    "img": {"alt": _ANY, "src": _PICTURE},
    "math": {"alttext": _ANY, "display": re.compile("block")},
    "mi": {}, "mn": {}, "mtext": {}, "mrow": {}, "mfrac": {}, "msqrt": {}, "mroot": {}, "msub": {}, "msup": {},
    "msubsup": {}, "munder": {}, "munderover": {},
    "mo": {"stretchy": re.compile("true|false")},
    "mover": {"accent": re.compile("true")},
    "mspace": {"width": _LENGTH},
}  # fmt: skip
"""Elements of a page, and the attributes that each may have."""

_COLOURS = r"light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\)"
_VALUE = rf"(?:{_COLOURS}|[-\w#.,%' ]++|url\(#[\w.-]++\))"
_PROPERTIES = "|".join((
    "fill", "fill-opacity", "fill-rule", "font", "font-family", "font-size", "font-stretch", "font-style",
    "font-variant", "font-weight", "opacity", "stroke", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap",
    "stroke-linejoin", "stroke-miterlimit", "stroke-opacity", "stroke-width", "text-anchor",
))  # fmt: skip
_DECLARED = rf"\s*+(?:(?:{_PROPERTIES})\s*+:\s*+{_VALUE}\s*+(?:;\s*+|(?=[\"}}]|\Z))|(?!))*+"
_STYLE = re.compile(rf"\A{_DECLARED}")
_SHAPE = _COMMON | {"clip-path": _CLIP, "transform": _SHIFT, "style": _STYLE}
_PLACE = {"x": _LENGTH, "y": _LENGTH, "width": _LENGTH, "height": _LENGTH}
SVG: Mapping[str, Mapping[str, Rule]] = {
    "svg": {"id": _NAME, "xmlns": re.compile(r"http://www\.w3\.org/2000/svg"), "viewbox": _DRAWN, "width": _LENGTH,
            "role": _WORD, "xmlns:xlink": re.compile(r"http://www\.w3\.org/1999/xlink"), "aria-label": _ANY,
            "x": _LENGTH, "y": _LENGTH, "height": _LENGTH},
    "style": {"type": re.compile("text/css")},
    "defs": {},
    "g": _SHAPE,
    "clippath": {"id": _NAME},
    "pattern": {"id": _NAME, "patternunits": _NAME} | _PLACE,
    "path": _SHAPE | {"d": _DRAWN, "data-row": _NUMBER},
    "rect": _SHAPE | _PLACE,
    "circle": _SHAPE | {"cx": _LENGTH, "cy": _LENGTH, "r": _LENGTH},
    "image": _SHAPE | _PLACE | {"xlink:href": _PICTURE},
    "text": _SHAPE | _PLACE,
    "tspan": _SHAPE | {"x": _DRAWN, "y": _DRAWN},
    "use": _SHAPE | _PLACE | {"xlink:href": _INSIDE, "data-row": _NUMBER},
}  # fmt: skip
"""Elements inside a drawing, and their attributes."""

_SHEET = re.compile(rf"\A\s*+(?:(?::where\(#[\w.-]++\) \*|\.[\w.-]+-c\d++)\s*+\{{{_DECLARED}\}}\s*+|(?!))*+")
"""The style of one drawing: rules for it alone, or for a class of it."""

ONLY_ON = {"hidden": "caption", "skip": "a", "carried": "span"}
"""Classes that take something from sight or from paper, and the one element that may have each."""

VOID = frozenset({"br", "hr", "img", "meta"})
TEXT_ONLY = frozenset({"script", "style", "title"})
"""Elements that a browser reads as text up to where they are closed."""
DOCTYPE = "<!DOCTYPE html>"

_ATTRIBUTE = re.compile(r'(?<![\w:-])([\w:-]++)="([^"<>]*+)"', re.ASCII)
_TAG = re.compile(
    r"(?P<ends>/(?=[\w:-]+\s*\Z))?(?P<name>[a-zA-Z][\w:-]*)"
    r'(?P<attributes>(?:\s+[\w:-]+="[^"<>]*")*)\s*(?P<closed>/?)',
    re.ASCII,
)
"""What stands between ``<`` and ``>``; no attribute holds either."""

ALIKE = 1 << 14
"""Tags that are remembered: nine in ten of a page are written as one before."""


class _Tag(NamedTuple):
    """The beginning or the end of an element, and what of it no page may hold."""

    name: str
    id: str
    bare: bool
    ends: bool
    closed: bool
    faults: tuple[str, ...]


def refused(html: str) -> list[str]:
    """List everything in a page that no page may hold, each with its line and the part of the page around it.

    Parameters
    ----------
    html : str
        A whole page.

    Returns
    -------
    list of str
        ``line 12, in tab-cases: <script>``; characters that nobody sees are no part of a page either.
    """
    if (seen := shown(html)) != html:
        return [f"line {line}: characters that nobody sees" for line in _changed(html, seen)]
    return _Page(html).read()


def _changed(html: str, seen: str) -> Iterator[int]:
    lines = zip(html.split("\n"), seen.split("\n"), strict=True)
    return (number for number, (one, other) in enumerate(lines, start=1) if one != other)


class _Page:
    """A page that is read tag by tag: what was refused so far, and which elements are open."""

    def __init__(self, html: str) -> None:
        self.found: list[str] = []
        self._pieces = html.removeprefix(DOCTYPE).split("<")
        self._line = 1
        self._open: list[tuple[str, str]] = []  # elements, each with its id
        self._inner = ""  # the innermost of them
        self._drawing = 0  # elements svg that are open
        self._runs = False  # whether a browser runs the script that is open

    def read(self) -> list[str]:
        """Read the page to its end and list what no page may hold."""
        self._text(self._pieces[0])
        for before, piece in itertools.pairwise(self._pieces):
            self._line += before.count("\n")
            written, end, text = piece.partition(">")
            tag = _tag(written, in_drawing=self._drawing > 0) if end else None
            if not tag:
                self._refuse(f"<{written}>, which is not written as a template writes it")
                continue
            if tag.ends:
                self._end(tag.name)
            else:
                self._begin(tag)
            self._text(text)
        if self._open:
            self._refuse(f"<{self._open[-1][0]}> that is not closed")
        return self.found

    def _refuse(self, what: str) -> None:
        around = next((f", in {id}" for _, id in reversed(self._open) if id), "")
        self.found.append(f"line {self._line}{around}: {shorten(what)}")

    def _begin(self, tag: _Tag) -> None:
        if self._inner in TEXT_ONLY:
            self._refuse(f"<{tag.name}> in <{self._inner}>, which holds text")
        for fault in tag.faults:
            self._refuse(fault)
        alone = not self._drawing and tag.name in VOID
        if tag.closed and not (alone or self._drawing):
            self._refuse(f"<{tag.name}/>")
        elif not (tag.closed or alone):
            self._open.append((tag.name, tag.id))
            self._inner = tag.name
            self._drawing += tag.name == "svg"
            self._runs = tag.name == "script" and tag.bare

    def _end(self, tag: str) -> None:
        if self._inner != tag:
            self._refuse(f"</{tag}> of nothing that is open")
        else:
            self._open.pop()
            self._inner = self._open[-1][0] if self._open else ""
            self._drawing -= tag == "svg"

    def _text(self, text: str) -> None:
        if self._inner == "style":
            self._sheet(text)
        elif self._inner == "script":
            self._script(text)

    def _sheet(self, css: str) -> None:
        fits = _SHEET.fullmatch(css) if self._drawing else css.strip() == style.css().strip()
        if not fits:
            whose = "a drawing" if self._drawing else "papers"
            self._refuse(f"<style>, which is not that of {whose}: {css.strip()!r}")

    def _script(self, text: str) -> None:
        """Refuse what is neither the script of papers nor data."""
        if self._runs:
            if text != style.script():
                self._refuse(f"<script>, which is not that of papers: {shorten(text)!r}")
            return
        try:
            json.loads(text)
        except ValueError:
            self._refuse(f"<script>, which is no JSON: {shorten(text)!r}")


@lru_cache(ALIKE)
def _tag(written: str, *, in_drawing: bool) -> _Tag | None:
    """Read what stands between ``<`` and ``>``; None where no template writes so."""
    if not (found := _TAG.fullmatch(written)):
        return None
    name, attributes = found["name"].lower(), _attributes(found["attributes"])
    faults = () if found["ends"] else _faults(name, attributes, SVG if in_drawing or name == "svg" else HTML)
    id = dict(attributes).get("id", "")
    return _Tag(name, id, not attributes, bool(found["ends"]), bool(found["closed"]), tuple(faults))


def _attributes(written: str) -> list[tuple[str, str]]:
    """Names and values of attributes, as a browser reads what is escaped in them."""
    return [(name.lower(), unescape(value)) for name, value in _ATTRIBUTE.findall(written)]


def _faults(tag: str, attributes: list[tuple[str, str]], elements: Mapping[str, Mapping[str, Rule]]) -> Iterator[str]:
    """Say what of an element no page may hold."""
    if (known := elements.get(tag)) is None:
        yield f"<{tag}>"
        return
    given = dict(attributes)
    for name, value in attributes:
        if not _may_be(tag, name, value, known, given):
            yield f"<{tag} {name}={value!r}>"


def _may_be(tag: str, name: str, value: str, known: Mapping[str, Rule], attrs: Mapping[str, str]) -> bool:
    if name not in known:
        return False
    if name == "href" and attrs.get("download"):
        return bool(_CARRIED.fullmatch(value))
    if name == "class" and any(ONLY_ON.get(word, tag) != tag for word in value.split()):
        return False
    return bool(known[name].fullmatch(value))
