"""An executed paper notebook as one HTML file that opens from disk and fetches nothing."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from traitlets import Bool, List, Unicode

from storagelab.errors import PaperError
from storagelab.paper import quantity, style, svg
from storagelab.paper.document import Document, compose
from storagelab.paper.offline import fetches
from storagelab.paper.sections import plain

EMBED_LIMIT = 100_000
"""Bytes above which a file is only linked, not carried inside the page as well."""
TRACE_LIMIT = 40
"""Logs that a page names for one fact; facts.json names them all."""
INLINE_LIMIT = 400_000
"""Characters of SVG above which the page shows the PNG."""


class PaperExporter(HTMLExporter):
    """``jupyter nbconvert --to storagelab_paper``: what `build_paper` uses, also on its own."""

    export_from_notebook = "storagelab paper"

    extra_template_basedirs = List([str(Path(__file__).parent)])
    template_name = Unicode("template")
    exclude_anchor_links = Bool(True)

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        """Export a notebook; ``resources["paper"]`` is the `Document` on the way in and out.

        Raises
        ------
        PaperError
            If the notebook is no whole paper, or the page would fetch something.
        """
        resources = dict(resources or {})
        document = resources.get("paper") or _composed(nb, resources.get("metadata", {}))
        resources |= {"paper": document, "css": style.css(), "embedded": embedded, "figure_html": figure_html}
        resources |= {"plain": plain, "full": quantity.full, "trace_limit": TRACE_LIMIT}
        html, resources = super().from_notebook_node(nb, resources, **options)
        if found := fetches(html):
            raise PaperError(f"the paper would not be self-contained: {', '.join(found)}")
        return html, resources


def _composed(nb: NotebookNode, metadata: dict[str, Any]) -> Document:
    return compose(nb, Path(metadata.get("path", "")) / "references.bib", metadata.get("name", "notebook"))


def figure_html(item: Any) -> str:
    """Inline SVG of a figure, or its PNG where the SVG is too large for a page."""
    drawing = item.data["image/svg+xml"]
    if len(drawing) <= INLINE_LIMIT:
        return svg.inline(drawing, item.anchor, item.record["alt"])
    picture = "".join(item.data["image/png"].split())
    return f'<img alt="{plain(item.record["alt"])}" src="data:image/png;base64,{picture}">'


def embedded(text: str, mime: str) -> str:
    """Write a file as a ``data:`` address, or "" where it is too large for a page."""
    data = text.encode()
    if len(data) > EMBED_LIMIT:
        return ""
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"
