"""An executed paper notebook as one HTML file that opens from disk and fetches nothing.

`nbconvert` imports every exporter that it finds, whatever is asked of it, so that nothing else is imported here before
a paper is wanted.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbformat import NotebookNode
from traitlets import Bool, List, Unicode

from storagelab.errors import PaperError
from storagelab.paper.style import css_string


class _Kept(TemplateExporter):
    """Keeps the page as the template wrote it.

    `HTMLExporter` parses a page and writes it again, to add what pages in notebook style lack; ours lacks none of it,
    and parsing takes longer than all the rest of making it.
    """

    page = ""

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        self.page, resources = super().from_notebook_node(nb, resources, **options)
        return "", resources


class PaperExporter(HTMLExporter, _Kept):
    """``jupyter nbconvert --to storagelab_paper``: what `build_paper` uses, also on its own."""

    export_from_notebook = "storagelab paper"

    extra_template_basedirs = List([str(Path(__file__).parent)])
    template_name = Unicode("template")
    exclude_anchor_links = Bool(True)
    default_preprocessors: Any = List([])  # they change nothing that the template shows

    def _create_environment(self) -> Environment:
        """Let templates escape whatever they do not say is HTML already."""
        environment: Environment = super()._create_environment()  # type: ignore[no-untyped-call]
        environment.autoescape = True
        environment.filters["css_string"] = css_string
        return environment

    def _preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Copy notebook and paper only for who may change them: our notebooks are in order, and the template reads."""
        if not self._preprocessors:
            return nb, resources
        changed: tuple[NotebookNode, dict[str, Any]] = super()._preprocess(nb, resources)  # type: ignore[no-untyped-call]
        return changed

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        """Export a notebook; ``resources["paper"]`` is the `Document` on the way in and out.

        Raises
        ------
        PaperError
            If the notebook is no whole paper, or the page holds what `storagelab.paper.allowed_html` does not list.
        """
        from storagelab.paper import allowed_html, page

        _, resources = super().from_notebook_node(nb, page.resources(nb, resources or {}), **options)
        if found := allowed_html.refused(self.page):
            raise PaperError(
                f"the page holds what no paper may hold (storagelab.paper.allowed_html): {'; '.join(found)}"
            )
        return self.page, resources


@cache
def exporter() -> PaperExporter:
    """Return the exporter of this process, which compiles each template once."""
    return PaperExporter()  # type: ignore[no-untyped-call]
