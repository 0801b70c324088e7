"""Blocks in which scripts and documents hold a log: here-documents, block scalars of YAML, listings of AsciiDoc.

Sources: POSIX, Shell Command Language 2.7.4; YAML 1.2.2, 8.1; AsciiDoc Language, Delimited Blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from typing import NamedTuple

from storagelab.parsers.wrapping.lines import Lines

_STEP = "block"
_SIGNS = ("<<", ": |", ": >", "\n----", "\n....")
"""Without any of these there is no block."""
_HERE = re.compile(r"[^<#]{1,300}<<-?\s?(?P<quote>['\"]?)(?P<end>[A-Z_a-z]\w{0,30})(?P=quote)(?:\s[^<]{0,200})?")
_SCALAR = re.compile(r"(?P<margin> {0,40}(?:- )?)[\w\"'./ -]{1,60}: [|>][+-]?\d?[+-]?\s*")
_LISTING = re.compile(r"(-{4}|\.{4})\s*")
_ASCIIDOC = re.compile(r"^(?:={1,5} \S|\[(?:source|listing|literal)\b)", re.MULTILINE)
"""What a document has whose dashes are no divider of a script."""


class _Block(NamedTuple):
    """What ends a block that is open, and how what stands inside is shown."""

    is_end: Callable[[str], bool]
    shown: Callable[[str], str] = str


def in_blocks(lines: Lines) -> Lines | None:
    """Leave what stands in blocks, without the margin of those that are told by it; None where there are none."""
    text = lines.text
    if not any(map(text.__contains__, _SIGNS)):
        return None
    ends = {line.strip("\t") for line in lines.texts}
    has_listings = _ASCIIDOC.search(text) is not None
    kept = dict(_inside(lines.texts, lambda line: _opened(line, ends, has_listings=has_listings)))
    return lines.chosen(kept).shown(kept.values(), _STEP) if kept else None


def _inside(texts: Sequence[str], opened: Callable[[str], _Block | None]) -> Iterator[tuple[int, str]]:
    """Yield the places of lines in blocks, and the lines."""
    block: _Block | None = None
    for place, text in enumerate(texts):
        if block and not block.is_end(text):
            yield place, block.shown(text)
        else:
            block = None if block and _LISTING.fullmatch(text) else opened(text)


def _opened(text: str, ends: Container[str], *, has_listings: bool) -> _Block | None:
    """Return the block that a line opens; a here-document has an end among the lines."""
    if has_listings and (listing := _LISTING.fullmatch(text)):
        return _Block(lambda line: line.rstrip() == listing[1])
    if (here := _HERE.fullmatch(text)) and here["end"] in ends:
        return _Block(lambda line: line.strip("\t") == here["end"])
    if scalar := _SCALAR.fullmatch(text):
        return _scalar(len(scalar["margin"]))
    return None


def _scalar(margin: int) -> _Block:
    """Return a block of YAML, which ends above a line that is indented no more than its key."""
    indentation: list[int] = []

    def without_margin(line: str) -> str:
        if line.strip() and not indentation:
            indentation.append(_margin(line))
        return line[indentation[0] :] if indentation else ""

    return _Block(lambda line: bool(line.strip()) and _margin(line) <= margin, without_margin)


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
