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

from storagelab.errors import ParseError
from storagelab.parsers.fast_path import Ordinary, is_plain
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Parser
from storagelab.parsers.reading import is_sound, read_by
from storagelab.parsers.recognition import HEAD, Recogniser, Vocabulary, claims, windows
from storagelab.parsers.unread_rows import may_have_a_row, no_numbers_unread
from storagelab.parsers.wrapping import markup, prefixes
from storagelab.parsers.wrapping.best_reading import Search, score_of
from storagelab.parsers.wrapping.blocks import in_blocks, in_comments, in_margins
from storagelab.parsers.wrapping.left_out import with_left_out
from storagelab.parsers.wrapping.lines import Lines
from storagelab.parsers.wrapping.literals import in_pieces
from storagelab.parsers.wrapping.log_records import in_records
from storagelab.parsers.wrapping.python_literals import in_python_literals
from storagelab.parsers.wrapping.regions import Openings
from storagelab.parsers.wrapping.same_run_twice import without_repeated
from storagelab.parsers.wrapping.scripts import without_script, without_session
from storagelab.parsers.wrapping.several_tools import Part, joined, relined
from storagelab.parsers.wrapping.sharing import Sharing, part_of

DEPTH = 3
"""Prefixes behind each other that are taken away."""
_FIRST = 8
"""Lines of which most must be of a format that is told by the file's name."""
BRANCHES = 24
"""Readings of a log that are tried."""
FEWEST = 2
AT_MOST = 2**23
"""Characters that are gone through for them, and how many are tried of a log that is larger."""


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
        known = f"a log of one of the {len(self.parsers)} formats of `storagelab formats`"
        raise refusal(known if text.strip() else "a log with text in it", text)

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
        best = search.best()
        format, parsed = _told(best)
        no_numbers_unread(parsed, text, "|".join(format.checks.numbers_aside), best[1].rests)
        if parsed.complete and not parsed.notes and (learn := self._learning.get(format.name)) and is_plain(text):
            learn(text, parsed)
        return format, parsed

    def _read_at_once(self, text: str, name: str, wanted: Parser | None) -> tuple[Format, Parsed] | None:
        """Read a log that is as its tool prints it (`fast_path`), around which nothing can be; None where it is not."""
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
        """Whether an ordinary log is of no other format: only in lines that a user chose may words of others stand.

        A row of numbers may stand there too, which nobody reads.
        """
        if may_have_a_row(chosen):
            return False
        others, may_be_of_others = (self._of_others if self._has_strangers else self._named_in)(
            place, text if self._has_strangers else chosen
        )
        if may_be_of_others:
            return False
        window = text[:HEAD]
        return claims(self.parsers[place], window, name) and not any(claims(other, window, name) for other in others)

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
        if records := in_records(plain):
            yield records
            plain = records
            waiting.append((records, 0))
        for lines in markup.taken_away(plain, lambda: search.reads_returns, lambda: search.is_unread):
            yield lines
            waiting.append((lines, 0))
        while waiting:
            lines, depth = waiting.pop(0)
            guess = guesses and search.is_unread
            looks = guess and lines.size < AT_MOST
            around = [one.line for one in self.openings.find(lines.text)][:3] if looks else []
            for stripped in prefixes.without(lines, around, search.is_of_the_tool, guess=guess):
                if stripped.kept in tried or self._is_of_its_tool(stripped, search, name):
                    continue
                tried.add(stripped.kept)
                before = search.score
                yield stripped
                promises = stripped.everywhere or search.score > before or (guesses and search.is_unread)
                if promises and depth + 1 < DEPTH:
                    waiting.append((stripped, depth + 1))
        yield from _without_frames(plain, search)
        for step in (in_python_literals, in_pieces):
            if search.is_unread and (held := step(plain)):
                yield held

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
            parts = Sharing(self.parsers, self.openings, lines, name, places, found).parts(asked)
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
        if len(claimants) > 1:
            claimants = [parser for parser in claimants if _finds(parser, text)]
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
        return part_of(parser, lines.chosen(range(start, len(texts))), name)


def _without_frames(plain: Lines, search: Search) -> Iterator[Lines]:
    """Yield a text whose log is not whole without what a session, a script or a document prints around it."""
    if search.is_cut and (session := without_session(search.lines)):
        yield session
    if search.may_be_in_a_script and (bare := without_script(search.lines)):
        yield bare
    if (search.is_cut or search.is_refused or search.first_read[:1].isspace()) and (blocks := in_blocks(plain)):
        yield blocks
    if search.may_be_in_comments and (comments := in_comments(plain)):
        yield comments
    if indented := in_margins(plain, search.first_read, is_refused=search.is_refused):
        yield indented


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
