"""What a page would fetch: nothing, or it is no paper."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_FETCHING = {"src", "srcset", "poster", "data", "background", "action", "formaction", "cite", "manifest", "ping"}
_LINKING = {"href", "xlink:href"}
_ANCHORS = {"a", "area"}
_FORBIDDEN = {"script", "iframe", "object", "embed", "base", "link", "frame", "applet"}
_CSS = re.compile(r"url\(\s*['\"]?(?!#|data:)([^)'\"]+)|@import\s+([^;]+)", re.IGNORECASE)


def fetches(html: str) -> list[str]:
    """List everything in a page that a browser would fetch or run when it opens the page.

    Parameters
    ----------
    html : str
        A whole page.

    Returns
    -------
    list of str
        Elements and attributes, ``url()`` and ``@import`` in styles; links to click on are no fetches.
    """
    page = _Page()
    page.feed(html)
    page.close()
    return page.found


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.in_style = tag == "style"
        if tag in _FORBIDDEN:
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            self._attribute(tag, name, value or "")

    def handle_endtag(self, tag: str) -> None:
        self.in_style = self.in_style and tag != "style"

    def handle_data(self, data: str) -> None:
        if self.in_style:
            self._css(data)

    def _attribute(self, tag: str, name: str, value: str) -> None:
        local = value.startswith(("#", "data:"))
        fetched = name in _FETCHING or (name in _LINKING and tag not in _ANCHORS)
        runs = name.startswith("on") or value.lower().startswith("javascript:")
        if runs or (fetched and not local):
            self.found.append(f"<{tag} {name}={value[:60]!r}>")
        elif "(" in value and not value.startswith("data:"):
            self._css(value)

    def _css(self, text: str) -> None:
        self.found += [f"{match[0][:60]!r} in a style" for match in _CSS.finditer(text)]
