"""Which lines of a log are whose, where several tools speak in it, or one behind a long preamble.

One pass over the text finds the lines on which formats say that their output begins or goes on (`Format.opens`): the
words of a block of text are looked up all at once, and only what holds one of them is searched for it. Whether what
follows is what it seems to be, the format's own check decides, and whether anything can be read there.

Lines are shared out among *voices*: a format has one, or one for each of its forms (`Format.forms`), so that JSON and
tables of the same tool in one log are told apart as two tools are.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
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
_TITLE = 3
"""Lines between a title that several voices share and what only one of them opens with, and blank ones."""


def is_lead(line: str) -> bool:
    """Whether a line may belong to what stands below it."""
    return bool(_LEAD.fullmatch(line[:200]))


_DOCUMENT = ("{", "[", "<", '"')
"""What lines of JSON and XML begin with, in which an empty line ends nothing."""


Search = tuple[str, Callable[[str], object]]
"""A character without which a search finds nothing, and the search."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A line, by its place from 0, on which some voices, by theirs, begin or go on."""

    line: int
    voices: frozenset[int]


class Openings:
    """Finds the lines with which formats open."""

    def __init__(self, formats: Sequence[Format], vocabulary: Vocabulary | None = None) -> None:
        self._formats = formats
        self._needed: dict[str, frozenset[bytes]] = {}
        self._rarest: dict[str, str] = {}
        self._of: dict[str, set[int]] = defaultdict(set)
        self.format_of: list[int] = []
        self.voices_of: list[frozenset[int]] = []
        for place, format in enumerate(formats):
            self._add(place, format)
        self._vocabulary = vocabulary or Vocabulary()
        self._vocabulary.add(frozenset().union(*self._needed.values()))
        self._made_of = functools.lru_cache(maxsize=_KEPT)(self._literals)
        self._foreign = functools.lru_cache(maxsize=_KEPT)(self._of_others)
        self._telling = functools.lru_cache(maxsize=_KEPT)(self._of_forms)
        self._places = {format.name: place for place, format in enumerate(formats)}
        self._with_held = [
            self._voices({place, *(self._places[name] for name in format.holds if name in self._places)})
            for place, format in enumerate(formats)
        ]

    def _add(self, place: int, format: Format) -> None:
        """Add a voice for each form of a format; what opens any of them opens all."""
        first = len(self.format_of)
        forms = format.forms or ((),)
        self.voices_of.append(frozenset(range(first, first + len(forms))))
        for voice, form in enumerate(forms, first):
            self.format_of.append(place)
            for literal in (*format.opens, *form):
                self._needed[literal] = frozenset(_words(literal))
                self._rarest[literal] = rarest(literal)
                self._of[literal].add(voice)

    def _voices(self, places: Iterable[int]) -> frozenset[int]:
        """Return the voices of some formats."""
        return frozenset().union(*(self.voices_of[place] for place in places))

    def find(self, text: str) -> list[Opening]:
        """Return the lines of a text on which any voice opens."""
        found: dict[int, list[set[int]]] = defaultdict(list)
        for start, block in _blocks(text):
            for literal in self._made_of(self._vocabulary.of(block)):
                if self._rarest[literal] in block:
                    for at in _occurrences(block, literal):
                        found[start + at].append(self._of[literal])
        lines: dict[int, list[set[int]]] = defaultdict(list)
        line = before = 0
        for at in sorted(found):
            line, before = line + text.count("\n", before, at), at
            lines[line] += found[at]
        return [Opening(line, self._together(voices)) for line, voices in lines.items()]

    def _together(self, opened: Sequence[set[int]]) -> frozenset[int]:
        """Return whose a line is by all that opens there: of a format the forms that some of it tells apart, or all."""
        told = {voice for some in opened for voice in some if not self.voices_of[self.format_of[voice]] <= some}
        formats = {self.format_of[voice] for voice in told}
        return frozenset(told).union(voice for some in opened for voice in some if self.format_of[voice] not in formats)

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
        known = frozenset().union(*(self._with_held[place] for place in claimed))
        return _searches(literal for literal in self._made_of(words) if not self._of[literal] & known)

    def may_have_several_forms(self, text: str, place: int) -> bool:
        """Whether lines of a text may open more than one form of a format."""
        ours = self.voices_of[place]
        if len(ours) == 1:
            return False
        found: set[frozenset[int]] = set()
        for _, block in _blocks(text):
            for literal, voices in self._telling(self._vocabulary.of(block), ours):
                if voices not in found and literal in block:
                    found.add(voices)
                    if not frozenset.intersection(*found):
                        return True
        return False

    def _of_forms(self, words: frozenset[bytes], ours: frozenset[int]) -> list[tuple[str, frozenset[int]]]:
        """Return the literals, of those made of some words, that only some of the forms of a format open with."""
        voices = ((literal, ours & self._of[literal]) for literal in self._made_of(words))
        return [(literal, some) for literal, some in voices if some and some != ours]

    def owners(
        self, openings: Sequence[Opening], among: Collection[int], *, with_titles: bool = False
    ) -> list[tuple[int, int]]:
        """Say for each opening line whose it is, of some voices; the lines of others are passed over.

        Lines that several voices share are whose the lines around them are; `with_titles`, the last of them above a
        line that others open is theirs if it stands near.
        """
        asked_of = frozenset(among)
        asked = ((one.line, one.voices & asked_of) for one in openings)
        found: list[tuple[int, int]] = []
        waiting: list[tuple[int, frozenset[int]]] = []
        current: frozenset[int] = frozenset()
        for line, opened in ((line, voices) for line, voices in asked if voices):
            voices = current if self._are_inside(opened, current) else opened
            if not current & voices:
                titles = [one for one in waiting[-1:] if with_titles and voices < one[1] and line - one[0] <= _TITLE]
                found += ((each, min(current)) for each, _ in waiting[: len(waiting) - len(titles)])
                waiting = titles
            current = current & voices or voices
            waiting.append((line, opened))
        return found + [(each, min(current)) for each, _ in waiting]

    def _are_inside(self, voices: frozenset[int], current: frozenset[int]) -> bool:
        """Whether what opens may be part of the output of one that is open; other forms of the same formats are not."""
        formats, open_formats = ({self.format_of[voice] for voice in some} for some in (voices, current))
        is_another_form = voices.isdisjoint(current) and not formats.isdisjoint(open_formats)
        return (
            formats != open_formats
            and not is_another_form
            and any(voices <= self._with_held[place] for place in open_formats - formats)
        )

    def of_its_own(self, openings: Sequence[Opening], claimed: Collection[int]) -> set[int]:
        """Voices that open lines which none of the formats that claim a log opens or holds."""
        known = frozenset().union(*(self._with_held[place] for place in claimed))
        foreign = [one.voices for one in openings if not one.voices & known]
        return {voice for voices in foreign for voice in voices}

    @staticmethod
    def in_documents(
        openings: Sequence[Opening], found: Sequence[range], among: Collection[int], texts: Sequence[str]
    ) -> list[Opening]:
        """Return openings of some voices, of each document the first: whose it is, all of its lines are.

        A document below a line that opens and ends with a colon belongs to that line (``Server JSON output:``).
        """
        asked_of = frozenset(among)
        left = [one for one in openings if one.voices & asked_of]
        at = 0
        kept: list[Opening] = []
        for one in left:
            while at < len(found) and found[at].stop <= one.line:
                at += 1
            if at == len(found) or one.line < found[at].start:
                kept.append(one)
            elif not kept or (kept[-1].line < found[at].start and not _announces(kept[-1], found[at], texts)):
                kept.append(Opening(found[at].start, one.voices))
        return kept

    def shares(
        self,
        texts: Sequence[str],
        owners: Sequence[tuple[int, int]],
        found: Sequence[range] = (),
        *,
        by_paragraph: bool = True,
    ) -> dict[int, list[int]]:
        """Return for each voice the places of its lines: from each line that it opens to the next that another opens.

        Of a format that stands in paragraphs, a share ends with an empty line if it stands inside another's output. A
        document ends where it is whole; the lines behind it are another form's, if such a one opens next. What stands
        above the first line that any opens is the first one's, if another form of its format speaks too.
        """
        shares: dict[int, list[int]] = defaultdict(list)
        ends = _ends(found)
        around: int | None = None
        starts = list(_starts(texts, owners, ends))
        if starts and not self._other_forms(starts[0][1]).isdisjoint(owner for _, owner in starts):
            starts[0] = (0, starts[0][1])
        for (start, owner), (end, after) in itertools.pairwise([*starts, (len(texts), -1)]):
            if not (by_paragraph and self._formats[self.format_of[owner]].in_paragraphs):
                around = owner
                stop = min(ends.get(start, end), end) if after in self._other_forms(owner) else end
                shares[owner] += range(start, stop)
                shares[after] += range(stop, end)
                continue
            whole = around is None or texts[start].lstrip()[:1] in _DOCUMENT
            stop = end if whole else _end_of_paragraph(texts, start, end)
            if after in self._other_forms(owner):
                stop = min(stop, ends.get(start, stop))
                shares[after] += range(stop, end)
            elif around is not None:
                shares[around] += range(stop, end)
            shares[owner] += range(start, stop)
        return {voice: share for voice, share in shares.items() if share}

    def _other_forms(self, voice: int) -> frozenset[int]:
        return self.voices_of[self.format_of[voice]] - {voice}


def _ends(found: Sequence[range]) -> dict[int, int]:
    """Return where the documents end that begin on a line: those that follow at once are of the same output."""
    ends: dict[int, int] = {}
    for document in reversed(found):
        ends[document.start] = ends.get(document.stop, document.stop)
    return ends


def _announces(opening: Opening, document: range, texts: Sequence[str]) -> bool:
    return opening.line == document.start - 1 and texts[opening.line].rstrip().endswith(":")


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
    """Return a question for all literals that differ in their first and last characters only."""
    stems: dict[str, str] = defaultdict(str)
    for literal in literals:
        stems[literal[:-1]] += re.escape(literal[-1])
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    for stem, ends in stems.items():
        alike[stem[1:], ends].append(stem)
    return [_search(found, ends) for (_, ends), found in alike.items()]


def _search(stems: Sequence[str], ends: str) -> Search:
    """Return a question for some literals, which are alike but for their first character and some last ones.

    It begins with a character, since that is found many times as fast as one of several.
    """
    if len(stems) == 1:
        return rarest(stems[0]), re.compile(f"{re.escape(stems[0])}[{ends}]").search
    firsts, shared = "".join(re.escape(stem[0]) for stem in stems), re.escape(stems[0][1:])
    return rarest(stems[0][1:]), re.compile(f"{shared}(?<=[{firsts}]{shared})[{ends}]").search


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
        at = block.find(literal, max(end, at + 1)) if end >= 0 else -1


def _starts(
    texts: Sequence[str], owners: Sequence[tuple[int, int]], documents: Container[int]
) -> Iterator[tuple[int, int]]:
    """Begin what changes the owner with the lines above that belong to it; above a document there are none."""
    before, last = -1, -1
    for line, owner in owners:
        start = line
        if owner != before and line not in documents:
            while start - 1 > last and line - start < _LEADS and is_lead(texts[start - 1]):
                start -= 1
        yield start, owner
        before, last = owner, line


def _end_of_paragraph(texts: Sequence[str], start: int, end: int) -> int:
    return next((place + 1 for place in range(start, end) if not texts[place].strip()), end)
