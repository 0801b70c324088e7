"""Title, abstract and numbered headings of a notebook's Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape

from nbconvert.filters import markdown2html_mistune

from storagelab.paper import mathml

_HEADING = re.compile(r"^(#{1,6})[ \t]++(.+)$")
_FENCE = re.compile(r"^(?:```|~~~)")
_ANCHOR = re.compile(r"</?(?:a|button)\b[^<>]*+>")
_TAGS = re.compile(r"<[^<>]+>")


@dataclass(frozen=True, slots=True)
class Section:
    """One heading of the paper, ready for the table of contents."""

    level: int
    number: str
    id: str
    html: str

    @property
    def entry(self) -> str:
        """The heading for the table of contents, where it is a link itself and must hold none."""
        return _ANCHOR.sub("", self.html)


def inline(text: str) -> str:
    """Render one paragraph of Markdown without its ``<p>``."""
    return markdown2html_mistune(text).strip().removeprefix("<p>").removesuffix("</p>")


def plain(html: str) -> str:
    """Text of a piece of HTML on one line; of formulas their TeX."""
    return " ".join(mathml.in_tex(html, untagged).split())


def untagged(html: str) -> str:
    """Text of a piece of HTML without formulas, each of its blanks as one."""
    return re.sub(r"\s+", " ", unescape(_TAGS.sub("", html)))


def split(source: str) -> list[tuple[int, str, str]]:
    """Cut Markdown at its headings.

    Returns
    -------
    list of (level, heading, body)
        The first has level 0 if the text does not begin with a heading. Headings in fenced code are text.
    """
    parts: list[tuple[int, str, list[str]]] = [(0, "", [])]
    fenced = False
    for line in source.splitlines():
        fenced ^= bool(_FENCE.match(line))
        match = None if fenced else _HEADING.match(line)
        if match:
            parts.append((len(match[1]), match[2].rstrip("#").rstrip(), []))
        else:
            parts[-1][2].append(line)
    return [(level, heading, "\n".join(body).strip()) for level, heading, body in parts if heading or any(body)]


class Numbering:
    """Count sections; `problem` is told of a level that is skipped and of a second title."""

    def __init__(self, problem: Callable[[str], object]) -> None:
        self.problem = problem
        self.counts: list[int] = []
        self.sections: list[Section] = []

    def heading(self, level: int, text: str) -> str:
        """Return a heading as HTML, with its number."""
        depth = level - 1
        if depth < 1 or depth > len(self.counts) + 1:
            self.problem(f"heading {text!r} has level {level}: expected 2 to {len(self.counts) + 2}")
            depth = 1
        self.counts = [*self.counts[: depth - 1], (self.counts[depth - 1] if depth <= len(self.counts) else 0) + 1]
        section = Section(depth + 1, ".".join(map(str, self.counts)), self._id(text), inline(text))
        self.sections.append(section)
        return heading_html(section)

    def _id(self, text: str) -> str:
        slug = "sec-" + (re.sub(r"[^a-z0-9]+", "-", plain(inline(text)).lower()).strip("-") or "section")
        taken = sum(section.id == slug or section.id.startswith(f"{slug}--") for section in self.sections)
        return f"{slug}--{taken + 1}" if taken else slug


def heading_html(section: Section) -> str:
    """Write a numbered heading."""
    number = f'<span class="number">{section.number}</span> ' if section.number else ""
    return f'<h{section.level} id="{section.id}">{number}{section.html}</h{section.level}>'
