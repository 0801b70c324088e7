"""Finding the parser that claims a log, at a cost that does not grow with the number of formats.

Nearly every format holds words of its own (`Format.marks`). The words of 4 KiB are looked up all at once, and only the
parsers that one of them points to are asked, besides those of the few formats whose logs may do without a word: what
these look like (`Format.shapes`) is looked for in every log.
"""

from __future__ import annotations

import functools
import re
import string
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from storagelab.parsers.model import Format, Parser
from storagelab.units import NumberError

HEAD = 4096
WINDOWS = 16
_compiled = functools.cache(re.compile)
_LETTERS = bytes(byte if chr(byte) in string.ascii_letters else ord(" ") for byte in range(256))


def windows(text: str) -> Iterator[str]:
    """4 KiB each, not more than `WINDOWS`; of an empty log the one that holds nothing."""
    for start in range(0, min(len(text), HEAD * WINDOWS), HEAD) if text else (0,):
        yield text[start : start + HEAD]


_COMMON = "HV+>XjK%Gq[()=z_ELUAFPDNORIC,SMTxkBw-bgyhv/f:upcdml.9nar8ot76ies435 210"
"""Characters in the order in which more and more logs have them, without the rarest; counted in our fixtures."""


def rarest(literal: str) -> str:
    """Return the character of a literal that the fewest logs have: one is looked up twenty times as fast as several.

    Examples
    --------
    >>> rarest("RX: bytes"), rarest(" bytes) in ")
    ('X', ')')
    """
    return min(literal, key=_COMMON.find, default="")


class Vocabulary:
    """Words that say something of a text to somebody, and those of them that a text has.

    A word is a run of ASCII letters, as bytes, which are translated ten times as fast as text. The logs of a campaign
    have the same ones: what follows from them is worth keeping.
    """

    def __init__(self) -> None:
        self._known: set[bytes] = set()
        self.of = functools.lru_cache(maxsize=4)(self._of)

    def add(self, words: Iterable[bytes]) -> None:
        """Add words that are looked for, before a text is asked about."""
        self._known.update(words)

    def _of(self, text: str) -> frozenset[bytes]:
        """Return the known words of a text."""
        return frozenset(self._known.intersection(text.encode(errors="replace").translate(_LETTERS).split()))


def claims(parser: Parser, window: str, name: str) -> bool:
    """Whether a parser takes a window of a log with this file name for its own; not one of broken numbers."""
    names = parser.FORMAT.names
    if names and not _compiled(names).search(name):
        return False
    try:
        return parser.sniff(window)
    except NumberError:
        return False


class Recogniser:
    """Some parsers, and for each word that marks their formats those to ask."""

    def __init__(self, parsers: Sequence[Parser], vocabulary: Vocabulary | None = None) -> None:
        self._parsers = parsers
        self._always: frozenset[int] = frozenset()
        self._marked: dict[frozenset[bytes], set[int]] = defaultdict(set)
        self._shaped: dict[re.Pattern[str], set[int]] = defaultdict(set)
        for place, parser in enumerate(parsers):
            self._add(place, parser.FORMAT)
        literals = {shape: _literal(shape.pattern) for shape in self._shaped}
        self._shapes = [
            (rarest(literal) if literal else "", literal, shape.search, self._shaped[shape])
            for shape, literal in literals.items()
        ]
        self._vocabulary = vocabulary or Vocabulary()
        self._vocabulary.add(frozenset().union(*self._marked))
        self._pointed_to = functools.lru_cache(maxsize=_KEPT)(self._places)
        self._claims = functools.lru_cache(maxsize=4)(self._asked)

    def _add(self, place: int, format: Format) -> None:
        for mark in format.marks:
            self._marked[frozenset(mark.encode().split())].add(place)
        for shape in format.shapes:
            self._shaped[re.compile(shape)].add(place)
        if not (format.marks or format.shapes):
            self._always |= {place}

    def _places(self, words: frozenset[bytes]) -> frozenset[int]:
        return self._always.union(*(places for mark, places in self._marked.items() if mark <= words))

    def candidates(self, window: str) -> list[Parser]:
        """Return the parsers that may claim a window, in their order; nothing at all may be anybody's."""
        if not window:
            return list(self._parsers)
        found = self._pointed_to(self._vocabulary.of(window))
        for sign, literal, search, places in self._shapes:
            if sign in window and literal in window and not places <= found and search(window):
                found |= places
        return [self._parsers[place] for place in sorted(found)]

    def marked(self, window: str) -> list[Parser]:
        """Return the parsers that a mark in a window points to, in their order."""
        places = self._pointed_to(self._vocabulary.of(window)) - self._always
        return [self._parsers[place] for place in sorted(places)]

    def claims(self, window: str, name: str) -> list[Parser]:
        """Return the parsers that claim a window of a log with this file name."""
        return list(self._claims(window, name))

    def _asked(self, window: str, name: str) -> tuple[Parser, ...]:
        return tuple(parser for parser in self.candidates(window) if claims(parser, window, name))


_KEPT = 1024
"""Sets of words of which it is kept what they point to."""
_PLAIN = re.compile(r"(?:[^\\.^$*+?{}\[\]|()]|\\n|\\\W)+(?![*+?{])")


_BRACKETS = re.compile(r"\((?:[^()\\]|\\.)*\)")
"""What stands in brackets without others inside: alternatives there do not take away what is in front of them."""


def _literal(shape: str) -> str:
    r"""Return what a shape begins with, wherever it is found: it is looked up ten times as fast as the shape.

    Examples
    --------
    >>> _literal(r", ?(?:0x[0-9a-f]++), ?\d"), _literal(r"\n\n *\d: "), _literal("a|b")
    (',', '\n\n', '')
    """
    plain = _PLAIN.match(shape) if "|" not in _BRACKETS.sub("", shape) else None
    return re.sub(r"\\(.)", lambda sign: sign[1].replace("n", "\n"), plain[0]) if plain else ""
