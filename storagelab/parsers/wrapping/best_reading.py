"""Readings of one text compared: the one with the most numbers wins."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import cast

from storagelab import schema
from storagelab.errors import ParseError
from storagelab.parsers.model import Format, Parsed, Row, Rows
from storagelab.parsers.wrapping import prefixes
from storagelab.parsers.wrapping.blocks import COMMENTED, is_commented
from storagelab.parsers.wrapping.lines import Lines
from storagelab.parsers.wrapping.markup import TERMINAL
from storagelab.parsers.wrapping.several_tools import Part

Score = tuple[int, bool, int]
"""How good a reading is: numbers found, whether it is whole, and how much is known of all of it."""


NOTHING: Score = (0, False, 0)


class Search:
    """The readings of a text so far: the best, or why there is none."""

    def __init__(self) -> None:
        self._score: Score | None = NOTHING
        self._best: tuple[Part, Lines] | None = None
        self._size = 0
        self._refused: ParseError | None = None

    @property
    def score(self) -> Score:
        """How good the best reading is; of a log that nothing is around nobody asks."""
        if self._score is None and self._best:
            self._score = score_of(self._best[0].parsed)
        return self._score or NOTHING

    @property
    def is_unread(self) -> bool:
        """Whether nobody found a number yet: only then a guess at what was put around the log is better than none."""
        return self._best is None or not (self.is_whole or self.score[0])

    @property
    def is_refused(self) -> bool:
        """Whether nobody knows the text."""
        return self._best is None

    @property
    def is_whole(self) -> bool:
        """Whether the best reading is that of a whole log."""
        return self._best is not None and self._best[0].parsed.complete

    @property
    def is_cut(self) -> bool:
        """Whether the best reading is that of a log that is not whole."""
        return self._best is not None and not self.is_whole

    @property
    def may_be_in_a_script(self) -> bool:
        """Whether a log is not whole, of a tool of which no line looks like those of a script around it."""
        return self._best is not None and self.is_cut and self._best[0].format.in_scripts

    @property
    def may_be_in_comments(self) -> bool:
        """Whether the first number that was read stands on a line of a comment, or what was read as some is not whole.

        Programs show logs in comments of theirs: only the way that takes nothing else leaves the program out.
        """
        if self._best is None:
            return True
        part, lines = self._best
        was_commented = lines.steps[-1:] == (COMMENTED,) and not part.parsed.complete
        return was_commented or is_commented(self.first_read)

    @property
    def first_read(self) -> str:
        """The line of the log on which the first number stands, "" where none was read of it as it is."""
        if self._best is None or self._best[1].steps:
            return ""
        part, lines = self._best
        read = itertools.chain((row.get("line", 0) for row in part.parsed.runs), part.parsed.series.get("line", ()))
        at = int(next(read, 0))
        return lines.texts[at - 1] if 0 < at <= len(lines.texts) else ""

    @property
    def lines(self) -> Lines:
        """The lines of the best reading, which there is."""
        return self.best()[1]

    @property
    def format(self) -> Format | None:
        """The format of the best reading."""
        return self._best[0].format if self._best else None

    @property
    def reads_returns(self) -> bool:
        """Whether the tool writes over its own lines, and its parser reads what it wrote over."""
        return self._best is not None and self._best[0].format.reads_returns

    def is_of_the_tool(self, kind: prefixes.Kind) -> bool:
        """Whether lines of the tool have a kind of prefix by themselves, and the log is read with it.

        A log is if it is whole. One that is cut is if samples are read from most of it, unless the kind is a sure one:
        that says more than a tool prints (a date beside the time). No line of a document has one.
        """
        if self._best is None:
            return False
        part, lines = self._best
        may_have_one = not (kind.sure or _ends_in_a_bracket(lines))
        is_read = part.parsed.complete or (may_have_one and _is_mostly_read(part.parsed, lines))
        return kind.name in part.format.prefixes and is_read

    def found(self, part: Part, lines: Lines) -> None:
        """Take a reading; of equals the first is kept."""
        if self._best is None:
            self._score, self._best, self._size = None, (part, lines), lines.size
            return
        score = score_of(part.parsed)
        if part.format == self._best[0].format and self.score[0] and _names_begin_before(part, lines, self._best[1]):
            return
        if self._lacks_its_own(part, lines, self._best[0]):
            if score[0] <= self.score[0] or (self.score[0] and prefixes.LOGGED in lines.steps):
                return
            if self.score[0] and part.parsed.complete and not self._best[0].parsed.complete:
                part.parsed.incomplete("the log is not whole with the times and processes that its lines begin with")
                score = score_of(part.parsed)
        better = self._is_richer, self._is_cleaner, self._is_named_better
        if any(is_better(part, lines, score) for is_better in better):
            self._score, self._best, self._size = score, (part, lines), lines.size

    @staticmethod
    def _lacks_its_own(part: Part, lines: Lines, before: Part) -> bool:
        """Whether a log of messages is read without times and processes that its tool may have printed itself."""
        put_around = lines.foreign and lines.everywhere and prefixes.RANKS not in lines.steps
        return part.format.stamped and part.format == before.format and not put_around

    def _is_richer(self, part: Part, lines: Lines, score: Score) -> bool:
        """Whether a reading found more than the best so far: more numbers, or that a log is whole, or more about it.

        Where both found as many numbers, what surely is no part of a log is not in the better one. Of the same format
        there are no fewer rows then. What may have been no prefix at all must make a log whole too,
        or be all that can be read; of two guesses the one that finds more is better.
        """
        assert self._best
        before = self._best[0]
        if score[:2] == self.score[:2]:
            if not lines.sure or lines.size >= self._size:
                return False
            differs = part.format == before.format and _content(part.parsed) != _content(before.parsed)
            return score > self.score or (lines.foreign and differs)
        if part.format == before.format and _rows(part.parsed) < _rows(before.parsed):
            return False
        if not (score[0] or lines.sure):
            return False
        mended = score[1] > self.score[1] and score[0] > self.score[0]
        certain = lines.sure or lines.everywhere
        guessed = not (self._best[1].sure or self._best[1].everywhere)
        return score > self.score and (certain or mended or guessed or not self.score[0])

    def _is_cleaner(self, part: Part, lines: Lines, score: Score) -> bool:
        """Whether a reading is that of a log of which something on every line had been read as part of it.

        If a tool may have printed that itself, the reading must know all that is known with it, or be whole at last.
        """
        assert self._best
        before = self._best[0]
        if not lines.everywhere or not score[0] or part.format != before.format or lines.size >= self._size:
            return False
        if part.parsed.complete < before.parsed.complete:
            return False
        if _content(part.parsed) == _content(before.parsed):
            self._size = lines.size
            return False
        mended = part.parsed.complete > before.parsed.complete
        foreign = lines.foreign and lines.steps[-1] not in part.format.prefixes
        return foreign or mended or _known(part.parsed) >= _known(before.parsed)

    def _is_named_better(self, part: Part, lines: Lines, score: Score) -> bool:
        """Whether the best reading took something on every line for the beginning of a name, and this one does not."""
        assert self._best
        before = self._best[0]
        is_around = lines.everywhere or TERMINAL in lines.steps[-1:]
        if not is_around or not score[0] or part.format != before.format:
            return False
        whole = part.parsed.complete >= before.parsed.complete
        return whole and not before.format.stamped and _names_begin_before(*self._best, lines)

    def refused(self, error: ParseError) -> None:
        """Take why a text cannot be read; the first, of the text as it is, is told."""
        self._refused = self._refused or error

    def best(self) -> tuple[Part, Lines]:
        """Return the best reading.

        Raises
        ------
        ParseError
            If there is none.
        """
        if self._best is None:
            raise self._refused or ParseError("a log", "nothing")
        return self._best


def _names_begin_before(part: Part, lines: Lines, bare: Lines) -> bool:
    """Whether a name that was read begins in what other lines of the same text lack, and goes on in what they have."""
    if lines.size <= bare.size:
        return False
    rows = [(_number_of(row, lines), row) for row in (*part.parsed.runs, *part.parsed.clients)]
    texts, left = (dict(zip(one.numbers, one.texts, strict=True)) for one in (lines, bare))
    cuts = {at: texts[at].find(left[at]) for at in {at for at, _ in rows} if left.get(at)}
    return any(
        _begins_before(value, texts[at], cuts[at])
        for at, row in rows
        if cuts.get(at, 0) > 0
        for value in row.values()
        if isinstance(value, str)
    )


def _number_of(row: Row, lines: Lines) -> int:
    """Number in the log of the line on which a row stands, 0 if it does not say."""
    at = int(row.get("line", 0))
    return lines.numbers[at - 1] if 0 < at <= len(lines.numbers) else 0


def _begins_before(name: str, text: str, cut: int) -> bool:
    """Whether a name stands in a line on both sides of a place; only so much of a long line is looked through.

    Examples
    --------
    >>> _begins_before("7:err", "7:err: (groupid=0)", 2)
    True
    >>> _begins_before("err", "7:err: (groupid=0)", 2)
    False
    """
    start = text.find(name, 0, cut + len(name))
    return 0 <= start < cut < start + len(name)


def score_of(parsed: Parsed) -> Score:
    """Return how good a reading is."""
    rows = sum(_numbers(rows) for rows in (parsed.runs, parsed.clients, parsed.events))
    samples = sum(len(column) for name, column in parsed.series.items() if name not in _PLACES)
    return rows + samples, parsed.complete, len(parsed.header.keys() - _PLACES)


def _is_mostly_read(parsed: Parsed, lines: Lines) -> bool:
    """Whether samples stand on a third of the lines that are not blank: between them there may be as many headings."""
    read = set(cast(Sequence[int], parsed.series.get("line", ())))
    return 3 * len(read) > sum(map(bool, map(str.strip, lines.texts)))


def _ends_in_a_bracket(lines: Lines) -> bool:
    """Whether the last line that is not blank is one that may end a document."""
    return next(filter(None, map(str.rstrip, reversed(lines.texts))), "").endswith(("}", "]"))


def _rows(parsed: Parsed) -> int:
    return len(parsed.runs) + len(parsed.clients) + len(parsed.events) + len(parsed.series.get("line", ()))


_PLACES = frozenset({"line", "part", *schema.VALUE_AT})


def _numbers(rows: Iterable[Row] | Rows) -> int:
    """Count what rows hold; on which lines the values stand is no reading of its own."""
    if isinstance(rows, Rows):
        return sum(len(part) * len(part["line"]) if isinstance(part, dict) else _numbers(part) for part in rows.parts)
    found = list(rows)
    with_lines = schema.VALUE_AT.keys() & set().union(*found)
    return sum(map(len, found)) - sum(name in row for name in with_lines for row in found)


def _known(parsed: Parsed) -> set[str]:
    """Names under which anything was read."""
    rows = (row for rows in (parsed.runs, parsed.clients, parsed.events) for row in rows)
    return {*parsed.header, *parsed.series, *(name for row in rows for name in row)}


def _content(parsed: Parsed) -> str:
    """Everything that was read, as text, with the lines on which it stands."""
    return repr((parsed.header, list(parsed.runs), parsed.clients, parsed.series, parsed.events))
