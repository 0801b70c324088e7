"""Pages that fetch nothing from the network: a browser is told to refuse all but the files of the site."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

POLICY = {
    "default-src": "'none'",
    "script-src": "'self' 'unsafe-inline'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
}
"""Scripts and styles of the theme stand in its pages too, pictures of the gallery in their addresses."""


def tell(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Put the policy into the head of a page."""
    said = "; ".join(f"{kind} {where}" for kind, where in POLICY.items())
    head = f'<meta http-equiv="Content-Security-Policy" content="{said}">'
    context["metatags"] = head + context.get("metatags", "")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell each page."""
    app.connect("html-page-context", tell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
