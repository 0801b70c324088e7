"""Reading a text whatever was put around the log in it.

What was put around a log is seldom said, and much of it may belong to the log: a syslog has stamps, sar has times. So
a text is read as it is first, then without each of the things that it may have been wrapped in, and the reading with
the most numbers wins; of equals the first, which is the one that takes the least away.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from storagelab.errors import ParseError
from storagelab.parsers.model import Format, Parsed, Parser
from storagelab.parsers.ordinary import Ordinary, is_plain
from storagelab.parsers.reading import is_sound, read_by
from storagelab.parsers.recognition import HEAD, Recogniser, Vocabulary, claims, windows
from storagelab.parsers.trusted import refusal
from storagelab.parsers.unread import no_numbers_unread
from storagelab.parsers.wrapping import markup, prefixes
from storagelab.parsers.wrapping.documents import documents
from storagelab.parsers.wrapping.joined import Part, joined, relined
from storagelab.parsers.wrapping.left_out import UNRECOGNISED, measured, with_left_out
from storagelab.parsers.wrapping.lines import Lines
from storagelab.parsers.wrapping.regions import Opening, Openings
from storagelab.parsers.wrapping.repeated import without_repeated
from storagelab.parsers.wrapping.search import Search, score_of

DEPTH = 3
"""Prefixes behind each other that are taken away."""
_FIRST = 8
"""Lines of which most must be of a format that is told by the file's name."""
BRANCHES = 24
"""Readings of a log that are tried."""
FEWEST = 2
AT_MOST = 2**23
"""Characters that are gone through for them, and how many are tried of a log that is larger."""


@dataclass(frozen=True, slots=True)
class _Shared:
    """Lines of a text by whose voice they are, what each reads from its own, and the first that reads nothing."""

    shares: dict[int, list[int]] = field(default_factory=dict)
    parts: dict[int, Part] = field(default_factory=dict)
    refused: int | None = None


class _Found(NamedTuple):
    """What tells whose the lines of a text are."""

    openings: Sequence[Opening]
    documents: Sequence[range]


class Reader:
    """Reads texts, recognising which of some parsers each is for."""

    def __init__(self, parsers: Sequence[Parser]) -> None:
        self.parsers = parsers
        vocabulary = Vocabulary()
        self.recogniser = Recogniser(parsers, vocabulary)
        self.openings = Openings([parser.FORMAT for parser in parsers], vocabulary)
        told = ((place, getattr(parser, "ORDINARY", None)) for place, parser in enumerate(parsers))
        self._ordinary: list[tuple[int, Ordinary]] = [(place, ordinary) for place, ordinary in told if ordinary]
        self._learning = {parsers[place].FORMAT.name: one.learn for place, one in self._ordinary if one.learn}
        self._named_in = functools.lru_cache(maxsize=1024)(self._of_others)
        self._has_strangers = not all(map(_is_ours, parsers))

    def recognise(self, text: str, name: str) -> Parser:
        """Find the one parser that claims a text; see `storagelab.parsers.recognise`."""
        claimants = self._claimants(text, name)
        if len(claimants) == 1:
            return claimants[0]
        if claimants:
            names = ", ".join(parser.FORMAT.name for parser in claimants)
            raise ParseError("a log that one format claims", f"claims by {names}")
        raise refusal(f"a log of one of the {len(self.parsers)} formats of `storagelab formats`", text)

    def _claimants(self, text: str, name: str) -> Sequence[Parser]:
        """Return the parsers that claim the first window that anybody claims."""
        return next(filter(None, (self.recogniser.claims(window, name) for window in windows(text))), ())

    def read(self, text: str, name: str, parser: Parser | None = None) -> tuple[Format, Parsed]:
        """Read a text by a parser, or by those that claim it or parts of it.

        Raises
        ------
        ParseError
            If nothing can be read; says what is wrong with the text as it is.
        """
        if found := self._read_at_once(text, name, parser):
            return found
        search = Search()
        branches = max(FEWEST, min(BRANCHES, AT_MOST // (len(text) + 1)))
        for lines in itertools.islice(self._ways(text, search, name, guesses=parser is None), branches):
            try:
                part = self._by(lines, parser, name) if parser else self._read(lines, name)
            except ParseError as error:
                search.refused(_placed(error, lines))
            else:
                search.found(part, lines)
        format, parsed = _told(search.best())
        no_numbers_unread(parsed, text, "|".join(format.checks.numbers_aside))
        if parsed.complete and not parsed.notes and (learn := self._learning.get(format.name)) and is_plain(text):
            learn(text, parsed)
        return format, parsed

    def _read_at_once(self, text: str, name: str, wanted: Parser | None) -> tuple[Format, Parsed] | None:
        """Read a log that is as its tool prints it (`ordinary`), around which nothing can be; None where it is not."""
        if not is_plain(text):
            return None
        for place, ordinary in self._ordinary:
            parser = self.parsers[place]
            if text.find(ordinary.sign, 0, HEAD) < 0 or wanted not in (None, parser):
                continue
            try:
                found = ordinary.read(text)
            except (ValueError, LookupError):
                return None
            if found and self._is_of(place, text, found.chosen, name) and is_sound(found.parsed, parser.FORMAT):
                return parser.FORMAT, found.parsed
        return None

    def _is_of(self, place: int, text: str, chosen: str, name: str) -> bool:
        """Whether an ordinary log is of no other format: only in lines that a user chose may words of others stand."""
        others, may_be_of_others = (self._of_others if self._has_strangers else self._named_in)(
            place, text if self._has_strangers else chosen
        )
        if may_be_of_others:
            return False
        window = text[:HEAD]
        return not any(claims(other, window, name) for other in others)

    def _of_others(self, place: int, said: str) -> tuple[list[Parser], bool]:
        """Return the other formats that a text points to, and whether any may open lines of it.

        The logs of a campaign repeat much of what a user chose.
        """
        pointed = self.recogniser.candidates(said[:HEAD]) if said else []
        others = [parser for parser in pointed if parser is not self.parsers[place]]
        return others, self.openings.may_be_of_others(said, (place,))

    def _ways(self, text: str, search: Search, name: str, *, guesses: bool) -> Iterator[Lines]:
        """Yield a text as it is, and without what it may have been wrapped in, as long as that makes it better.

        A prefix that most lines lack, or of no known kind, is a guess.
        """
        plain = Lines.of(text)
        waiting, tried = [(plain, 0)], {plain.kept}
        yield plain
        for lines in markup.taken_away(plain, lambda: search.reads_returns):
            yield lines
            waiting.append((lines, 0))
        while waiting:
            lines, depth = waiting.pop(0)
            guess = guesses and search.is_unread
            looks = guess and lines.size < AT_MOST
            around = [one.line for one in self.openings.find(lines.text)][:3] if looks else []
            for stripped in prefixes.without(lines, around, search.own_prefixes, guess=guess):
                if stripped.kept in tried or self._is_of_its_tool(stripped, search, name):
                    continue
                tried.add(stripped.kept)
                before = search.score
                yield stripped
                promises = stripped.everywhere or search.score > before or (guesses and search.is_unread)
                if promises and depth + 1 < DEPTH:
                    waiting.append((stripped, depth + 1))

    def _is_of_its_tool(self, stripped: Lines, search: Search, name: str) -> bool:
        """Whether what was taken away is printed by the tool whose numbers were read with it, and nobody reads more."""
        format = search.format
        if format is None or stripped.steps[-1] not in format.prefixes or search.is_unread:
            return False
        return not self._claimants(stripped.text, name)

    def _by(self, lines: Lines, parser: Parser, name: str) -> Part:
        """Read lines by one parser."""
        text = lines.text
        parsed = read_by(parser, text)
        doubted = parsed.is_empty() or lines.steps
        if doubted and not any(claims(parser, window, name) for window in windows(text)):
            raise refusal(f"a log of {parser.FORMAT.name}", text)
        return Part(parser.FORMAT, parsed)

    def _read(self, lines: Lines, name: str) -> Part:
        """Read lines by the parsers that claim them: by one, or several where each opens lines of its own."""
        text = lines.text
        claimants = self._claimants(text, name)
        places = [self.parsers.index(parser) for parser in claimants]
        several_forms = len(places) == 1 and self.openings.may_have_several_forms(text, places[0])
        if len(claimants) != 1 or several_forms or self.openings.may_be_of_others(text, places):
            found = self.openings.find(text)
            asked = self.openings.of_its_own(found, places)
        else:
            found, asked = [], set()
        if asked or several_forms or len(claimants) != 1:
            parts = self._parts(lines, name, places, asked, found)
            if len(parts) == 1 and len(claimants) != 1:
                parts = [self._with_lines_around(parts[0], text)]
            parts = without_repeated(with_left_out(parts, claimants, text))
            if len(parts) > 1:
                return joined(parts)
            if parts and len(claimants) != 1:
                return parts[0]
        claimants = claimants or self._anywhere(text, name)
        if not claimants and (named := self._by_its_name(Lines.of(text), name)):
            return named
        parser = claimants[0] if len(claimants) == 1 else self.recognise(text, name)
        return Part(parser.FORMAT, read_by(parser, text))

    def _with_lines_around(self, part: Part, text: str) -> Part:
        """Read the one tool of a text from all of it, if that finds no less than from the lines that it opens."""
        parser = next(parser for parser in self.parsers if parser.FORMAT is part.format)
        try:
            whole = read_by(parser, text)
        except ParseError:
            return part
        if score_of(whole) < score_of(part.parsed):
            return part
        whole.notes += [note for note in part.parsed.notes if not note.line and note not in whole.notes]
        return Part(parser.FORMAT, whole)

    def _anywhere(self, text: str, name: str) -> list[Parser]:
        """Return the one parser that claims a window behind the first ones."""
        tried: list[Parser] = []
        for start in range(HEAD * len(list(windows(text))), len(text), HEAD):
            window = text[start : start + HEAD]
            asked = (parser for parser in self.recogniser.marked(window) if parser not in tried)
            claimants = [parser for parser in asked if claims(parser, window, name)]
            if len(claimants) == 1 and _finds(claimants[0], text):
                return claimants
            tried += claimants
        return []

    def _by_its_name(self, lines: Lines, name: str) -> Part | None:
        """Read lines from the first on that is of the one format that the file's name tells; None without any."""
        named = [parser for parser in self.parsers if parser.FORMAT.names and _names(parser.FORMAT.names, name)]
        if len(named) != 1:
            return None
        texts = lines.texts
        parser, texts = named[0], lines.texts
        filled = (at for at, text in enumerate(texts) if text.strip())
        start = next((at for at in filled if parser.sniff("\n".join(texts[at : at + _FIRST]))), None)
        if start is None:
            return None
        return self._part(lines.chosen(range(start, len(texts))), self.parsers.index(parser), name)

    def _parts(
        self, lines: Lines, name: str, claimed: Sequence[int], asked: set[int], found: Sequence[Opening]
    ) -> list[Part]:
        """Read the lines of each voice by its parser; of voices whose parser does not claim theirs, others have them.

        Nothing is left if only one remains, of the one format that claims the text anyway. Those that claim it are
        asked last: a line of theirs may look like one of others, which are to be refused first, and who was refused for
        such a line is asked again.
        """
        numbers, lines = lines.numbers, Lines.of(lines.text)
        signs = _Found(found, documents(lines.text))
        theirs = frozenset().union(*(self.openings.voices_of[place] for place in claimed))
        among = (theirs | asked) & frozenset().union(*(one.voices for one in found))
        alone = theirs if len(claimed) == 1 else frozenset()
        refused: list[int] = []
        shared = _Shared()
        while among - alone or len(among) > 1:
            shared = self._shared(lines, name, among, theirs, signs, alone=alone)
            if not shared.shares or shared.refused is None:
                break
            refused.append(shared.refused)
            among -= {shared.refused}
            shared = _Shared()
        for place in refused if len(refused) > 1 else ():
            again = self._shared(lines, name, among | {place}, theirs, signs, alone=alone)
            if again.shares and again.refused is None:
                among, shared = among | {place}, again
        if not shared.shares and asked.intersection(refused):
            shared = self._beside_silent(lines, name, theirs, asked, signs)
        return self._read_whole(lines, name, shared, numbers) if shared.shares else []

    def _beside_silent(
        self, lines: Lines, name: str, claimed: frozenset[int], asked: set[int], found: _Found
    ) -> _Shared:
        """Share lines out where those that claim the text read nothing from theirs, as a run says that broke off."""
        among = (claimed | asked) & frozenset().union(*(one.voices for one in found.openings))
        shared = self._shared(lines, name, among, claimed, found, silent=claimed)
        return shared if shared.parts and shared.refused is None else _Shared()

    def _shared(
        self,
        lines: Lines,
        name: str,
        among: frozenset[int],
        claimed: frozenset[int],
        found: _Found,
        *,
        alone: frozenset[int] = frozenset(),
        silent: frozenset[int] = frozenset(),
    ) -> _Shared:
        """Share the lines out among voices, and have each read its own, until one cannot that is not `silent`.

        Where a format that stands in paragraphs follows another, all paragraphs may be its own: so if more is read.
        Where all lines are of one voice of those that are read anyway, `alone`, nothing is shared.
        """
        texts = lines.texts
        owners = self.openings.owners(self.openings.in_documents(*found, among, texts), among)
        voices = {voice for _, voice in owners}
        if len(voices) == 1 and voices <= alone:
            return _Shared()
        ways = [self.openings.shares(texts, owners, found.documents, by_paragraph=way) for way in (True, False)]
        read = [
            self._read_shares(lines, name, shares, claimed, silent)
            for shares in (ways if ways[0] != ways[1] else ways[:1])
        ]
        return max(read, key=_numbers_of)

    def _read_shares(
        self,
        lines: Lines,
        name: str,
        shares: dict[int, list[int]],
        claimed: frozenset[int],
        silent: frozenset[int],
    ) -> _Shared:
        shared = _Shared(shares)
        for voice in sorted(shares, key=claimed.__contains__):
            part = self._part(lines.chosen(shares[voice]), self.openings.format_of[voice], name)
            if part:
                shared.parts[voice] = part
            elif voice not in silent:
                return _Shared(shares, refused=voice)
        return shared

    def _read_whole(self, lines: Lines, name: str, shared: _Shared, numbers: Sequence[int]) -> list[Part]:
        """Give each format the lines above its own too, and say which lines above all of them nobody reads."""
        by_first_line = {
            voice: shared.parts[voice] for voice in sorted(shared.parts, key=lambda one: shared.shares[one][0])
        }
        parts = by_first_line | self._with_lines_above(lines, shared, name)
        first = min(share[0] for share in shared.shares.values())
        read = min((int(row["line"]) for part in parts.values() for row in measured(part.parsed)), default=0)
        if read > first and any(map(str.strip, lines.texts[:first])):
            note = f"lines {numbers[0]}-{numbers[first - 1]}{UNRECOGNISED}"
            next(iter(parts.values())).parsed.note(note)
        return list(parts.values())

    def _with_lines_above(self, lines: Lines, shared: _Shared, name: str) -> dict[int, Part]:
        """Give formats the lines above the first that they open, down from the last that is read, if they read them.

        Forms have theirs already.
        """
        read = {voice: [int(row["line"]) for row in measured(part.parsed)] for voice, part in shared.parts.items()}
        found: dict[int, Part] = {}
        for voice, part in shared.parts.items():
            place, first = self.openings.format_of[voice], shared.shares[voice][0]
            if len(self.openings.voices_of[place].intersection(shared.parts)) > 1:
                continue
            last = max((at for other in read if other != voice for at in read[other] if at <= first), default=0)
            if any(map(str.strip, lines.texts[last:first])):
                more = self._part(lines.chosen([*range(last, first), *shared.shares[voice]]), place, name)
                if more and score_of(more.parsed) > score_of(part.parsed) and _reads_no_more_below(more, part, first):
                    found[voice] = more
        return found

    def _part(self, lines: Lines, place: int, name: str) -> Part | None:
        """Read lines by a parser if it claims them and can read anything there."""
        parser, text = self.parsers[place], lines.text
        if not any(claims(parser, window, name) for window in windows(text)):
            return None
        try:
            parsed = read_by(parser, text)
        except ParseError:
            return None
        return None if parsed.is_empty() else Part(parser.FORMAT, relined(parsed, lines.numbers))


def _numbers_of(shared: _Shared) -> tuple[bool, int]:
    """Return whether every voice reads its lines, and how many numbers all of them find."""
    return shared.refused is None, sum(score_of(part.parsed)[0] for part in shared.parts.values())


def _reads_no_more_below(more: Part, part: Part, first: int) -> bool:
    """Whether what is read besides stands above a line: lines of others may hide what a tool prints twice."""
    lines, before = ([row["line"] for row in measured(one.parsed)] for one in (more, part))
    return sum(int(line) > first for line in lines) <= len(before)


def _is_ours(parser: Parser) -> bool:
    """Whether a parser, a module or an object, is one of those that know of each other's logs."""
    return getattr(parser, "__name__", type(parser).__module__).startswith("storagelab.parsers.")


def _names(pattern: str, name: str) -> bool:
    """Whether a pattern is found in a file's name, and is more than the absence of others."""
    found = re.search(pattern, name)
    return bool(found and found[0])


def _finds(parser: Parser, text: str) -> bool:
    try:
        return not read_by(parser, text).is_empty()
    except ParseError:
        return False


def _placed(error: ParseError, lines: Lines) -> ParseError:
    at = lines.numbers[error.line - 1] if 0 < error.line <= len(lines.numbers) else error.line
    placed = ParseError(error.expected, error.found, at, error.file)
    placed.__cause__ = error.__cause__
    return placed


def _told(best: tuple[Part, Lines]) -> tuple[Format, Parsed]:
    """Return a reading with the lines of the log, and say what was taken away."""
    part, lines = best
    parsed = relined(part.parsed, lines.numbers)
    if lines.steps:
        parsed.header["wrapping"] = ", ".join(lines.steps)
    return part.format, parsed
