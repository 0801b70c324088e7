"""The gallery at a glance: ``{thumbnails}`` shows each drawing of the pages that it names, small, above its question.

What a page draws stands in its text, and is a megabyte on some: here it becomes a file, which the page of thumbnails
names.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

SVG = re.compile(r'<img src="data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)"')
FOLDER = "_gallery"
TITLE = re.compile(r"(?P<name>\w+): (?P<question>.+)", re.DOTALL)
"""Of a section that shows what a function draws."""


class Thumbnails(SphinxDirective):
    """Put a place for the thumbnails of some pages, a line each, by their addresses from this one."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Put the place; the page is made anew when one of the others changes."""
        folder = Path(self.env.docname).parent
        pages = [(folder / page).as_posix() for page in self.content if page]
        for page in pages:
            self.env.note_dependency(self.env.doc2path(page))
        return [Wanted(pages=pages)]


class Wanted(nodes.General, nodes.Element):
    """A place for thumbnails."""


class Drawing(NamedTuple):
    """What a section of a page draws."""

    name: str
    question: str
    place: str
    svg: bytes


def drawings(document: nodes.document) -> Iterator[Drawing]:
    """Yield the drawing of each section of a page that is titled with a function and its question."""
    for section in document.findall(nodes.section):
        title = TITLE.fullmatch(section[0].astext())
        found = (SVG.search(raw.astext()) for raw in section.findall(nodes.raw))
        if title and (drawn := next(filter(None, found), None)):
            yield Drawing(title["name"], title["question"], section["ids"][0], b64decode(drawn[1]))


def fill(app: Sphinx, document: nodes.document, page: str) -> None:
    """Show the drawings of the pages that are wanted, when all of them are known."""
    for wanted in list(document.findall(Wanted)):
        shown = [thumbnail(app, page, of, one) for of in wanted["pages"] for one in drawings(app.env.get_doctree(of))]
        html = f'<ul class="thumbnails">{"".join(shown)}</ul>'
        wanted.replace_self(nodes.raw("", html, format="html"))


def thumbnail(app: Sphinx, page: str, of: str, drawing: Drawing) -> str:
    """Write a drawing into a file; return the entry that shows it and leads to where it is drawn."""
    file = Path(FOLDER, f"{drawing.name}.svg")
    (app.outdir / FOLDER).mkdir(exist_ok=True)
    (app.outdir / file).write_bytes(drawing.svg)
    up = "../" * page.count("/")
    link = f"{app.builder.get_relative_uri(page, of)}#{drawing.place}"
    words = f"<code>{escape(drawing.name)}</code>: {escape(drawing.question)}"
    return f'<li><a href="{link}"><img src="{up}{file.as_posix()}" alt="" loading="lazy">{words}</a></li>'


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive, and fill its places."""
    app.add_node(Wanted)
    app.add_directive("thumbnails", Thumbnails)
    app.connect("doctree-resolved", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
