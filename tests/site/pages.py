"""What a built site holds: the pages, what each loads, where each leads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {
    "script": ("src",), "img": ("src", "srcset"), "source": ("src", "srcset"), "iframe": ("src",), "embed": ("src",),
    "object": ("data",), "video": ("src", "poster"), "audio": ("src",), "track": ("src",), "input": ("src",),
    "use": ("href", "xlink:href"), "image": ("href", "xlink:href"),
}  # fmt: skip
"""Elements that a browser loads something for, and the attributes that say what; `link` is told by its relation."""
ONLY_NAMED = {"search", "index", "next", "prev", "canonical", "author"}
"""Relations of `link` that load nothing until somebody asks."""
IN_STYLE = re.compile(r"@import\s+(?:url\()?[\"']?([^\"');]+)|url\(\s*[\"']?([^\"')]+)")


class Page(HTMLParser):
    """One page: identifiers, addresses that it loads, links that it offers, its policy, alternative texts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: set[str] = set()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.policy = ""
        self.pictures: list[str] = []
        self.words: list[str] = []
        self._in_style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        self._in_style = tag == "style"
        self.ids |= {said[name] for name in ("id", "name") if name in said}
        self.loads += [said[name] for name in LOADED.get(tag, ()) if name in said]
        self.loads += in_style(said.get("style", ""))
        if tag == "link" and not ONLY_NAMED & set(said.get("rel", "").split()):
            self.loads.append(said.get("href", ""))
        if tag == "a" and "href" in said:
            self.links.append(said["href"])
        if tag == "meta" and said.get("http-equiv", "").lower() == "content-security-policy":
            self.policy = said["content"]
        if tag == "img":
            self.pictures.append(said.get("alt", ""))

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.loads += in_style(data)
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def in_style(text: str) -> list[str]:
    """Return what a style sheet loads."""
    return [one or other for one, other in IN_STYLE.findall(text)]


@cache
def page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def is_fetched(address: str) -> bool:
    """Whether a browser would ask another machine for it."""
    parts = urlsplit(address.strip())
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def fetched(site: Path) -> Iterator[str]:
    """Name each page or style sheet that loads something from elsewhere, and what."""
    for path in pages(site):
        yield from (f"{path.name}: {address}" for address in page(path).loads if is_fetched(address))
    for path in sorted(site.rglob("*.css")):
        loads = in_style(path.read_text(encoding="utf-8"))
        yield from (f"{path.name}: {address}" for address in loads if is_fetched(address))


def dead(site: Path) -> Iterator[str]:
    """Name each page with a link, or a thing that it loads, to a file or a place in it that is not there."""
    for path in pages(site):
        for address in [*page(path).links, *page(path).loads]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc or not (parts.path or parts.fragment):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file() or not has(target, unquote(parts.fragment)):
                yield f"{path.relative_to(site)}: {address}"


def has(target: Path, place: str) -> bool:
    """Whether a file has a place of this name; "" is its beginning."""
    return not place or target.suffix != ".html" or place in page(target).ids
