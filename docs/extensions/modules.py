"""Navigation of the pages that show source: no table of contents has them, so it is the same on all that lie as deep.

The theme asks for it anew on each page, and of four pages three show source.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sphinx.application import Sphinx

SOURCE = "_modules/"
BEFORE_THE_THEME = 400
"""Less than the priority with which the theme listens, so that it finds what stands in the context then."""

Navigation = Callable[..., str]


def remember(
    made: dict[object, str], app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Let a page of source have the navigation that was made for the first one as deep."""
    if page.startswith(SOURCE):
        context["toctree"] = remembered(context["toctree"], made, page.count("/"))


def remembered(ask: Navigation, made: dict[object, str], depth: int) -> Navigation:
    """Ask once for each depth and each way of asking."""

    def asked(**options: object) -> str:
        key = depth, *sorted(options.items())
        if key not in made:
            made[key] = ask(**options)
        return made[key]

    return asked


def setup(app: Sphinx) -> dict[str, bool]:
    """Stand before the theme."""
    app.connect("html-page-context", partial(remember, {}), priority=BEFORE_THE_THEME)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
