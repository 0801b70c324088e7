"""Rows of numbers that were not read: of a table whose heading is lost, or of one that no format knows yet."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterator, Mapping, Sequence

from storagelab import schema
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.rows import Rows

_IS_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?:[KMGTPkmgt]i?B?|%)?").fullmatch
_IS_DECIMAL = re.compile(r"\d{1,15}\.\d{1,15}").fullmatch
_WORDS = re.compile(r"[^\s,;|]+").findall
_BESIDE = re.compile(r"\d[KMGTkmgti%B]{0,3}+[ \t,;|]++[+-]?\.?\d[\w.%+-]*+[ \t,;|]++[+-]?\.?\d").search
"""Finds the end of a number, and two words behind it that begin with digits."""
_SETTING = re.compile(r"\s*+(?:[\w.-]{1,60}+ *+=|for \w{1,60}+ in )").match
"""Begins what is no row: a setting that has a list of numbers, or a loop of a shell over one."""
_FEWEST = 3
"""Numbers of a row."""
_LONG = 4
"""Characters from which a number is hardly the same as another by chance, unless it is 0."""
_SHOWN = 80
_NEVER = r"(?!)"
_LINE = operator.itemgetter("line")


def no_numbers_unread(parsed: Parsed, text: str, aside: str, rests: Mapping[int, int]) -> None:
    """Say where a whole log has rows of numbers that nothing was read from.

    Such a row has three numbers, or more, of which three stand beside each other, and no more other words. One that
    repeats what other lines say is none; of a cut log it is known that something is lost.

    Parameters
    ----------
    parsed : Parsed
        What was read, with the lines of the text.
    text : str
        The log.
    aside : str
        A regular expression of lines that hold no results (`Checks.numbers_aside`).
    rests : mapping of int to int
        Of lines that go on with one above them, the number of that one: who read it has read them.
    """
    if not parsed.complete or parsed.blocks:
        return
    lines = text.split("\n")
    read = _with_rests({*_lines(parsed)}, rests)
    is_aside = re.compile(aside or _NEVER).search
    rows = ((at, line) for at, line in enumerate(lines, 1) if at not in read and _BESIDE(line) and not is_aside(line))
    unread = [at for at, row in rows if _is_of_numbers(row)]
    if not unread:
        return
    read = _with_rests(read.union(_other_lines(parsed)), rests)
    known = Known(lines, read)
    unread = [at for at in unread if at not in read and not known.says(lines[at - 1])]
    if unread:
        found = repr(lines[unread[0] - 1].strip()[:_SHOWN])
        more = f" and {len(unread) - 1} more such lines" if len(unread) > 1 else ""
        parsed.note(f"expected a table that is known, found the numbers {found}{more}, which were not read", unread[0])


def _with_rests(read: set[int], rests: Mapping[int, int]) -> set[int]:
    """Return lines that were read with those that go on with one of them."""
    return read.union(rest for rest, line in rests.items() if line in read)


def may_have_a_row(text: str) -> bool:
    """Whether three numbers stand beside each other in a line; `no_numbers_unread` says whether that is a row."""
    return bool(_BESIDE(text))


class Known:
    """The numbers of the lines that were read, collected where somebody asks for them."""

    def __init__(self, lines: Sequence[str], read: set[int]) -> None:
        self._lines, self._read = lines, read

    def says(self, row: str) -> bool:
        """Whether lines that were read have each number of a row; a short one may be there by chance."""
        numbers = {word for word in _WORDS(row) if len(word) >= _LONG and _IS_NUMBER(word)}
        return any(word.strip("0.") for word in numbers) and numbers <= self._numbers

    @functools.cached_property
    def _numbers(self) -> set[str]:
        """Words of the lines that were read, and their decimals rounded: some tools print both, and round twice."""
        words = {word for at, line in enumerate(self._lines, 1) if at in self._read for word in _WORDS(line)}
        decimals = [float(word) for word in words if _IS_DECIMAL(word)]
        return words.union(*({f"{value:.0f}", f"{int(value)}"} for value in decimals))


def _is_of_numbers(row: str) -> bool:
    words = [] if _SETTING(row) else _WORDS(row)
    return sum(map(bool, map(_IS_NUMBER, words))) >= max(_FEWEST, len(words) / 2)


def lines_of_numbers(parsed: Parsed) -> set[int]:
    """Return the lines of runs, shares and samples, and of their values: all that is no event."""
    rows = [*parsed.runs, *parsed.clients]
    names = ("line", *schema.VALUE_AT)
    of_rows = {int(row[name]) for row in rows for name in names if name in row}
    of_samples = (parsed.series[name] for name in names if name in parsed.series)
    return of_rows.union(int(line) for lines in of_samples for line in lines if line == line)


def _lines(parsed: Parsed) -> Iterator[int]:
    """Yield the line of each row, sample and event."""
    for rows in (parsed.runs, parsed.clients, parsed.events):
        for part in rows.parts if isinstance(rows, Rows) else [rows]:
            yield from part["line"] if isinstance(part, dict) else map(_LINE, part)  # type: ignore[misc]
    yield from parsed.series.get("line", ())  # type: ignore[misc]


def _other_lines(parsed: Parsed) -> Iterator[int]:
    """Yield the lines of values that stand elsewhere than their row, and those that something was said of."""
    rows: list[Row] = [parsed.header, *parsed.runs, *parsed.clients, *parsed.events]
    yield from (int(line) for row in rows for name, line in row.items() if name in schema.VALUE_AT)
    for name in parsed.series.keys() & schema.VALUE_AT.keys():
        yield from (int(line) for line in parsed.series[name] if line == line)
    yield from (note.line for note in parsed.notes)
