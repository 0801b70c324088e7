"""Which lines of a log are whose, where several tools speak in it, or one behind a long preamble.

One pass over the text finds the lines on which formats say that their output begins or goes on (`Format.opens`): the
words of a block of text are looked up all at once, and only what holds one of them is searched for it. Whether what
follows is what it seems to be, the format's own check decides, and whether anything can be read there.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from storagelab.parsers.model import Format
from storagelab.parsers.recognition import Vocabulary, rarest

BLOCK = 2**16
"""Characters whose words are looked up at once."""
_KEPT = 1024
"""Sets of words of which it is kept what is made of them."""

_WORD = re.compile("[A-Za-z]+")
_LEAD = re.compile(
    r"\s*+(?:[\[{](?: *[\[{])?|\{?\"\w+\":\s*[\[{]|<\?xml.*|<!DOCTYPE.*|/\S+:?|[\d/.:T+ -]{8,32}(?:[AP]M)?)\s*"
)
"""A line that belongs to what stands below it: an opening bracket, a device or file, a date."""
_LEADS = 2


def is_lead(line: str) -> bool:
    """Whether a line may belong to what stands below it."""
    return bool(_LEAD.fullmatch(line[:200]))


_DOCUMENT = ("{", "[", "<", '"')
"""What lines of JSON and XML begin with, in which an empty line ends nothing."""


Search = tuple[str, Callable[[str], object]]
"""A character without which a search finds nothing, and the search."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A line, by its place from 0, on which some formats, by theirs, begin or go on."""

    line: int
    formats: frozenset[int]


class Openings:
    """Finds the lines with which formats open."""

    def __init__(self, formats: Sequence[Format], vocabulary: Vocabulary | None = None) -> None:
        self._formats = formats
        self._needed: dict[str, frozenset[bytes]] = {}
        self._of: dict[str, set[int]] = defaultdict(set)
        for place, format in enumerate(formats):
            for literal in format.opens:
                self._needed[literal] = frozenset(_words(literal))
                self._of[literal].add(place)
        self._vocabulary = vocabulary or Vocabulary()
        self._vocabulary.add(frozenset().union(*self._needed.values()))
        self._made_of = functools.lru_cache(maxsize=_KEPT)(self._literals)
        self._foreign = functools.lru_cache(maxsize=_KEPT)(self._of_others)
        self._places = {format.name: place for place, format in enumerate(formats)}
        self._held = [
            frozenset(self._places[name] for name in format.holds if name in self._places) for format in formats
        ]
        self._with_held = [held | {place} for place, held in enumerate(self._held)]

    def find(self, text: str) -> list[Opening]:
        """Return the lines of a text on which any format opens."""
        found: dict[int, set[int]] = defaultdict(set)
        for start, block in _blocks(text):
            for literal in self._made_of(self._vocabulary.of(block)):
                if literal in block:
                    for at in _occurrences(block, literal):
                        found[start + at] |= self._of[literal]
        lines: dict[int, set[int]] = defaultdict(set)
        line = before = 0
        for at in sorted(found):
            line, before = line + text.count("\n", before, at), at
            lines[line] |= found[at]
        return [Opening(line, frozenset(formats)) for line, formats in lines.items()]

    def _literals(self, words: frozenset[bytes]) -> tuple[str, ...]:
        """Return the literals that are made of some words."""
        return tuple(literal for literal, needed in self._needed.items() if needed <= words)

    def may_be_of_others(self, text: str, claimed: Collection[int]) -> bool:
        """Whether formats may open lines of a text which none of those that claim it opens or holds."""
        known = frozenset(claimed)
        return any(
            sign in block and opens(block)
            for _, block in _blocks(text)
            for sign, opens in self._foreign(self._vocabulary.of(block), known)
        )

    def _of_others(self, words: frozenset[bytes], claimed: frozenset[int]) -> list[Search]:
        """Return what is asked about literals with which formats open that none of some opens or holds."""
        known = claimed.union(*(self._held[place] for place in claimed))
        return _searches(literal for literal in self._made_of(words) if not self._of[literal] & known)

    def owners(self, openings: Sequence[Opening], among: Collection[int]) -> list[tuple[int, int]]:
        """Say for each opening line whose it is, of some formats; the lines of others are passed over.

        Lines that several formats share are whose the lines around them are.
        """
        asked_of = frozenset(among)
        asked = ((one.line, one.formats & asked_of) for one in openings)
        found: list[tuple[int, int]] = []
        waiting: list[int] = []
        current: frozenset[int] = frozenset()
        for line, formats in ((line, formats) for line, formats in asked if formats):
            if formats == current:
                waiting.append(line)
                continue
            if current and any(formats <= self._with_held[place] for place in current):
                formats = current
            if not current & formats:
                found += ((each, min(current)) for each in waiting)
                waiting = []
            current = current & formats or formats
            waiting.append(line)
        return found + [(each, min(current)) for each in waiting]

    def of_its_own(self, openings: Sequence[Opening], claimed: Collection[int]) -> set[int]:
        """Formats that open lines which none of those that claim a log opens or holds."""
        known = set(claimed).union(*(self._held[place] for place in claimed))
        foreign = [one.formats for one in openings if not one.formats & known]
        return {place for formats in foreign for place in formats}

    def shares(self, texts: Sequence[str], owners: Sequence[tuple[int, int]]) -> dict[int, list[int]]:
        """Return for each format the places of its lines: from each line that it opens to the next that another opens.

        Of a format that stands in paragraphs, a share ends with an empty line if it stands inside another's output.
        """
        shares: dict[int, list[int]] = defaultdict(list)
        around: int | None = None
        starts = list(_starts(texts, owners))
        for (start, owner), (end, _) in itertools.pairwise([*starts, (len(texts), -1)]):
            if not self._formats[owner].in_paragraphs:
                around = owner
                shares[owner] += range(start, end)
                continue
            whole = around is None or texts[start].lstrip()[:1] in _DOCUMENT
            stop = end if whole else _end_of_paragraph(texts, start, end)
            shares[owner] += range(start, stop)
            if around is not None:
                shares[around] += range(stop, end)
        return shares


def _words(literal: str) -> list[bytes]:
    """Return the words that text with a literal has: those inside it, or its longest; at its ends a word may go on.

    Examples
    --------
    >>> _words("ompressed data read:"), _words("0+0 ")
    ([b'data', b'read'], [])
    """
    found = list(_WORD.finditer(literal))
    inside = [word[0].encode() for word in found if word.start() > 0 and word.end() < len(literal)]
    return inside or sorted((word[0].encode() for word in found), key=len)[-1:]


def _searches(literals: Iterable[str]) -> list[Search]:
    """Return a question for all literals that differ in their last character only."""
    stems: dict[str, str] = defaultdict(str)
    for literal in literals:
        stems[literal[:-1]] += re.escape(literal[-1])
    return [(rarest(stem), re.compile(f"{re.escape(stem)}[{ends}]").search) for stem, ends in stems.items()]


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text between lines into blocks, each with where it begins."""
    start = 0
    while start < len(text):
        end = start + BLOCK
        if end < len(text):
            end = text.find("\n", end) + 1 or len(text)
        yield start, text[start:end]
        start = end


def _occurrences(block: str, literal: str) -> Iterator[int]:
    """Yield where a literal stands, once a line."""
    at = block.find(literal)
    while at >= 0:
        yield at
        end = block.find("\n", at)
        at = block.find(literal, end) if end >= 0 else -1


def _starts(texts: Sequence[str], owners: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Begin what changes the owner with the lines above that belong to it."""
    before, last = -1, -1
    for line, owner in owners:
        start = line
        if owner != before:
            while start - 1 > last and line - start < _LEADS and is_lead(texts[start - 1]):
                start -= 1
        yield start, owner
        before, last = owner, line


def _end_of_paragraph(texts: Sequence[str], start: int, end: int) -> int:
    return next((place + 1 for place in range(start, end) if not texts[place].strip()), end)
