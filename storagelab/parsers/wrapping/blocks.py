"""Blocks in which scripts and documents hold a log: here-documents, comments, block scalars, listings of AsciiDoc.

Sources: POSIX, Shell Command Language 2.7.4; YAML 1.2.2, 8.1; AsciiDoc Language, Delimited Blocks; CommonMark 0.31,
Indented code blocks; docutils, Literal Blocks; MediaWiki, Help:Formatting; Org Manual, Literal Examples (``: ``).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Container, Iterator, Sequence
from typing import NamedTuple

from storagelab.parsers.wrapping.lines import Lines

COMMENTED = "commented"
_MARGINS = ("    ", "\t")
"""What Markdown and reStructuredText indent what they show by."""
_LEAST_MARGINS = (" ", "\t")
"""What makes MediaWiki show a line as it is; in a log that is known it may be a margin of its tool."""
_STEP = "block"
_SIGNS = ("<<", ": |", ": >", "\n----", "\n....")
"""Without any of these there is no block."""
_HERE = re.compile(r"[^<#]{1,300}<<-?\s?(?P<quote>['\"]?)(?P<end>[A-Z_a-z]\w{0,30})(?P=quote)(?:\s[^<]{0,200})?")
_SCALAR = re.compile(r"(?P<margin> {0,40}(?:- )?)[\w\"'./ -]{1,60}: [|>][+-]?(?P<more>\d?)[+-]?\s*")
_LISTING = re.compile(r"(-{4}|\.{4})\s*")
_ASCIIDOC = re.compile(r"^(?:={1,5} \S|\[(?:source|listing|literal)\b)", re.MULTILINE)
"""What a document has whose dashes are no divider of a script."""


_COMMENT = re.compile(r" {0,40}(?P<mark>#|//|;|--|\*|%|:)(?: |$|(?=\t))")
_FEWEST = 3
"""Lines one below the other that make a mark one of comments which may hold a log."""


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
    return lines.block(kept, _STEP)


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
        return _scalar(len(scalar["margin"]), scalar["more"])
    return None


def _scalar(margin: int, more: str) -> _Block:
    """Return a block of YAML, which ends above a line that is indented no more than its key.

    Its own margin is told in front of it where its first line begins with blanks, else it is that of this line.
    """
    indentation = [margin + int(more)] if more else []

    def without_margin(line: str) -> str:
        if line.strip() and not indentation:
            indentation.append(_margin(line))
        return line[indentation[0] :] if indentation else ""

    return _Block(lambda line: bool(line.strip()) and _margin(line) <= margin, without_margin)


def is_commented(text: str) -> bool:
    """Whether a line begins as comments of programs do."""
    return _COMMENT.match(text) is not None


def in_comments(lines: Lines) -> Lines | None:
    """Leave what stands behind marks of comments that several lines one below the other have; None without any."""
    found = list(map(_COMMENT.match, lines.texts))
    marks = [one["mark"] if one else "" for one in found]
    held = {mark for mark, run in itertools.groupby(marks) if mark and len(list(run)) >= _FEWEST}
    kept = {at: lines.texts[at][one.end() :] for at, one in enumerate(found) if one and one["mark"] in held}
    if not kept:
        return None
    return lines.chosen(kept).without(kept.values(), COMMENTED, everywhere=True, foreign=True, sure=True)


def in_margins(lines: Lines, first_read: str, *, is_refused: bool) -> Lines | None:
    """Leave what a document has indented below an empty line, without the margin; None where other lines are too.

    A log that is known has its first number in a margin too.
    """
    margin = _LEAST_MARGINS if is_refused else _MARGINS
    if not (is_refused or first_read.startswith(margin)):
        return None
    kept: dict[int, str] = {}
    shown = [not text.strip() or text.startswith(margin) for text in lines.texts]
    if any(text[0].isspace() for text, is_shown in zip(lines.texts, shown, strict=True) if not is_shown):
        return None
    for is_shown, run in itertools.groupby(range(len(shown)), shown.__getitem__):
        block = {place: lines.texts[place] for place in run}
        margins = [_margin(text, " \t") for text in block.values() if text.strip()]
        if is_shown and margins:
            first = min(block)
            if first == 0 or block[first].strip():
                return None
            kept |= {place: text[min(margins) :] for place, text in block.items()}
    return lines.block(kept, "indented")


def _margin(line: str, blanks: str = " ") -> int:
    return len(line) - len(line.lstrip(blanks))
