"""Several tools in one text, or several forms of one: its lines shared out among them, and each share read.

A voice is one form of one tool's output; whose a line is, is told by what opens a voice (`regions`).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from storagelab.errors import ParseError
from storagelab.parsers.model import Parser
from storagelab.parsers.reading import read_by
from storagelab.parsers.recognition import claims, windows
from storagelab.parsers.wrapping.best_reading import score_of
from storagelab.parsers.wrapping.documents import documents
from storagelab.parsers.wrapping.left_out import UNRECOGNISED, measured
from storagelab.parsers.wrapping.lines import Lines
from storagelab.parsers.wrapping.regions import Opening, Openings
from storagelab.parsers.wrapping.several_tools import Part, relined

_T = TypeVar("_T")


def part_of(parser: Parser, lines: Lines, name: str) -> Part | None:
    """Read lines by a parser if it claims them and can read anything there."""
    text = lines.text
    if not any(claims(parser, window, name) for window in windows(text)):
        return None
    try:
        parsed = read_by(parser, text)
    except ParseError:
        return None
    return None if parsed.is_empty() else Part(parser.FORMAT, relined(parsed, lines.numbers))


@dataclass(frozen=True, slots=True)
class Shares:
    """Lines of a text by whose voice they are, what each reads from its own, and the first that reads nothing."""

    lines: dict[int, list[int]] = field(default_factory=dict)
    parts: dict[int, Part] = field(default_factory=dict)
    refused: int | None = None

    def numbers(self) -> tuple[bool, int]:
        """Return whether every voice reads its lines, and how many numbers all of them find."""
        return self.refused is None, sum(score_of(part.parsed)[0] for part in self.parts.values())


_NO_VOICE: frozenset[int] = frozenset()


class Sharing:
    """One text, and the voices that may speak in it.

    Parameters
    ----------
    parsers : sequence of Parser
        All of them.
    openings : Openings
        What opens each voice.
    lines : Lines
        The text.
    name : str
        What its file is called.
    claimed : sequence of int
        Places of the parsers that claim the text.
    found : sequence of Opening
        The lines of it that open a voice.
    """

    def __init__(
        self,
        parsers: Sequence[Parser],
        openings: Openings,
        lines: Lines,
        name: str,
        claimed: Sequence[int],
        found: Sequence[Opening],
    ) -> None:
        self.parsers, self.openings, self.name = parsers, openings, name
        self.numbers, self.lines, self.found = lines.numbers, Lines.of(lines.text), found
        self.claimed = _NO_VOICE.union(*(openings.voices_of[place] for place in claimed))
        self.alone = self.claimed if len(claimed) == 1 else _NO_VOICE
        self.speaking = _NO_VOICE.union(*(one.voices for one in found))

    @cached_property
    def documents(self) -> Sequence[range]:
        """Lines of each document (JSON, XML) in the text."""
        return documents(self.lines.text)

    def parts(self, asked: set[int]) -> list[Part]:
        """Read the lines of each voice by its parser; of voices whose parser does not claim theirs, others have them.

        Nothing is left if only one remains, of the one format that claims the text anyway. Those that claim it are
        asked last: a line of theirs may look like one of others, which are to be refused first, and who was refused for
        such a line is asked again.
        """
        among = (self.claimed | asked) & self.speaking
        refused: list[int] = []
        shares = Shares()
        while among - self.alone or len(among) > 1:
            shares = self._shared(among, alone=self.alone)
            if not shares.lines or shares.refused is None:
                break
            refused.append(shares.refused)
            among -= {shares.refused}
            shares = Shares()
        for voice in refused if len(refused) > 1 else ():
            again = self._shared(among | {voice}, alone=self.alone)
            if again.lines and again.refused is None:
                among, shares = among | {voice}, again
        if not shares.lines and asked.intersection(refused):
            shares = self._beside_silent(asked)
        return self._read_whole(shares) if shares.lines else []

    def _beside_silent(self, asked: set[int]) -> Shares:
        """Share lines out where those that claim the text read nothing from theirs, as a run says that broke off."""
        shares = self._shared((self.claimed | asked) & self.speaking, silent=self.claimed)
        return shares if shares.parts and shares.refused is None else Shares()

    def _shared(
        self, among: frozenset[int], *, alone: frozenset[int] = _NO_VOICE, silent: frozenset[int] = _NO_VOICE
    ) -> Shares:
        """Share the lines out among voices, and have each read its own, until one cannot that is not `silent`.

        Where a format that stands in paragraphs follows another, all paragraphs may be its own, and a title that both
        print the one's or the other's: so if more is read.
        Where all lines are of one voice of those that are read anyway, `alone`, nothing is shared.
        """
        texts = self.lines.texts
        openings = self.openings.in_documents(self.found, self.documents, among, texts)
        owners = self.openings.owners(openings, among)
        voices = {voice for _, voice in owners}
        if len(voices) == 1 and voices <= alone:
            return Shares()
        owned = _different([owners, self.openings.owners(openings, among, with_titles=True)])
        ways = itertools.product(owned, (True, False))
        shares = [self.openings.shares(texts, own, self.documents, by_paragraph=way) for own, way in ways]
        return max((self._read_shares(each, silent) for each in _different(shares)), key=Shares.numbers)

    def _read_shares(self, lines: dict[int, list[int]], silent: frozenset[int]) -> Shares:
        shares = Shares(lines)
        for voice in sorted(lines, key=self.claimed.__contains__):
            part = self._part(lines[voice], voice)
            if part:
                shares.parts[voice] = part
            elif voice not in silent:
                return Shares(lines, refused=voice)
        return shares

    def _part(self, lines: Sequence[int], voice: int) -> Part | None:
        return part_of(self.parsers[self.openings.format_of[voice]], self.lines.chosen(lines), self.name)

    def _read_whole(self, shares: Shares) -> list[Part]:
        """Give each format the lines above its own too, and say which lines above all of them nobody reads."""
        by_first_line = {
            voice: shares.parts[voice] for voice in sorted(shares.parts, key=lambda one: shares.lines[one][0])
        }
        parts = by_first_line | self._with_lines_above(shares)
        first = min(share[0] for share in shares.lines.values())
        read = min((int(row["line"]) for part in parts.values() for row in measured(part.parsed)), default=0)
        if read > first and any(map(str.strip, self.lines.texts[:first])):
            note = f"lines {self.numbers[0]}-{self.numbers[first - 1]}{UNRECOGNISED}"
            next(iter(parts.values())).parsed.note(note)
        return list(parts.values())

    def _with_lines_above(self, shares: Shares) -> dict[int, Part]:
        """Give formats the lines above the first that they open, down from the last that is read, if they read them.

        Forms have theirs already.
        """
        read = {voice: [int(row["line"]) for row in measured(part.parsed)] for voice, part in shares.parts.items()}
        found: dict[int, Part] = {}
        for voice, part in shares.parts.items():
            first, place = shares.lines[voice][0], self.openings.format_of[voice]
            if len(self.openings.voices_of[place].intersection(shares.parts)) > 1:
                continue
            last = max((at for other in read if other != voice for at in read[other] if at <= first), default=0)
            if any(map(str.strip, self.lines.texts[last:first])):
                more = self._part([*range(last, first), *shares.lines[voice]], voice)
                if more and score_of(more.parsed) > score_of(part.parsed) and _reads_no_more_below(more, part, first):
                    found[voice] = more
        return found


def _reads_no_more_below(more: Part, part: Part, first: int) -> bool:
    """Whether what is read besides stands above a line: lines of others may hide what a tool prints twice."""
    lines, before = ([row["line"] for row in measured(one.parsed)] for one in (more, part))
    return sum(int(line) > first for line in lines) <= len(before)


def _different(ways: Sequence[_T]) -> list[_T]:
    """Return each of a few ways once."""
    return [way for at, way in enumerate(ways) if way not in ways[:at]]
