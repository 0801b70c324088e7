"""Which number of a line in IOzone's automatic table belongs to which column.

A line that has every column is read by order, and so is one that has as many numbers as the tests chosen with ``-i``
print. Otherwise the columns are found the way IOzone printed them: each test prints its numbers or, where it did not
run, blanks, which in newer versions are narrower than the numbers, so that a number may end left of its heading. In old
versions numbers as wide as their column touch.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable

from storagelab.parsers.benchmarks.iozone.operations import COLUMNS, TESTS

Placed = list[tuple[int, str]]

_STANDARD = ("write", "rewrite", "read", "reread", "read", "write", "read", "rewrite", "read", *COLUMNS[9:])
_QUALIFIED = {
    "random read": "random_read",
    "random write": "random_write",
    "bkwd read": "backward_read",
    "record rewrite": "record_rewrite",
    "stride read": "stride_read",
}
_WIDTHS = (
    (8, 8, 9, 9, 8, 8, 8, 8, 8, 9, 9, 8, 9),  # 3.2xx
    (8, 8, 9, 9, 8, 8, 8, 9, 9, 9, 9, 8, 9),  # 3.3xx
    (9, 9, 9, 9, 9, 9, 9, 10, 10, 9, 9, 9, 9, 9, 9, 8, 9),  # 3.4xx
    (10, 10, 10, 10, 10, 10, 10, 11, 11, 10, 10, 10, 10, 10, 10, 10, 10),  # from about 3.49x
)
LONGEST = 11
LOST = "\ufffd"
MANY = 1000
_BLANKS = (18, 18, 18, 9, 10, 10, 18, 18, 18, 18)
"""What IOzone prints for a test of the table that did not run, where that differs from the width of its columns."""
_OLD_BLANKS = (16, 18, 16, 8, 8, 8, 18, 16, 17, 17)
"""The same up to 3.4xx."""


@functools.lru_cache(maxsize=64)
def heading_words(heading: str) -> list[tuple[str, int]]:
    """Return the words of a heading and where they end; signs that took the place of blanks count as blanks."""
    found = []
    for token in re.finditer(r"\S+", heading):
        parts = [(part[0], token.start() + part.end()) for part in re.finditer("[a-z]+", token[0])]
        known = all(word in _STANDARD for word, _ in parts)
        found += parts if known else [(token[0], token.end())]
    return found


@functools.lru_cache(maxsize=64)
def name_columns(heading: str, above: str) -> tuple[str, ...]:
    """Return the operations of the columns, from the words of the heading and the qualifiers in the line above it.

    One or two damaged words do not matter where the others stand in IOzone's order; "" is a column that has no name.
    """
    words = heading_words(heading)
    if not words:
        return COLUMNS[:13]
    odd = sum(word != known for (word, _), known in zip(words, _STANDARD, strict=False))
    if len(words) <= len(COLUMNS) and odd <= min(2, len(words) // 3):
        return COLUMNS[: len(words)]
    if LOST in heading + above or len(words) > len(COLUMNS):
        return ("",) * len(words)
    names = [_name_column(word, end, above) for word, end in words]
    return tuple(name if names.count(name) == 1 else "" for name in names)


def _name_column(word: str, end: int, above: str) -> str:
    qualifier = above[max(end - len(word) - 3, 0) : end + 3].split()
    name = _QUALIFIED.get(" ".join([*qualifier[-1:], word]), word)
    return name if name in COLUMNS else ""


@functools.lru_cache(maxsize=64)
def layout(heading: str, columns: int, tests: tuple[int, ...]) -> Layout:
    """Return the layout of a heading: logs of one study share it, with what was found out about its lines."""
    return Layout(heading, columns, tests)


class Layout:
    """Where the columns of one table end, counted from the end of the record size."""

    def __init__(self, heading: str, columns: int, tests: tuple[int, ...]) -> None:
        self.ends = [end for _, end in heading_words(heading)]
        self.columns = columns
        self.widths = _printed_widths(self.ends) if "  " in heading else ()
        self.column_width = self.widths[0] if self.widths else 10
        self.chosen = _columns_of(tests)
        self.known: dict[tuple[int, ...], list[int] | None] = {}

    def place(self, cells: str) -> Placed | None:
        """Assign the numbers of a line to columns; None if they cannot be told."""
        if len(self.known) > MANY:
            self.known.clear()
        words = cells.split()
        if len(words) == self.columns and all(len(word) <= LONGEST for word in words):
            return list(enumerate(words))
        if any(len(word) >= self.column_width for word in words) and (cut := self._cut(cells)):
            return cut
        if any(len(word) > LONGEST for word in words):
            return None
        ends = tuple(match.end() for match in re.finditer(r"\S+", cells))
        if ends not in self.known:
            self.known[ends] = self._place(ends, cells)
        columns = self.known[ends]
        return None if columns is None else list(zip(columns, words, strict=True))

    def goes_on(self, cells: str, column: int) -> bool:
        """Whether these numbers end where those from a column on end."""
        ends = tuple(match.end() for match in re.finditer(r"\S+", cells))
        return ends == tuple(itertools.accumulate(self.widths[column : column + len(ends)]))

    def ends_whole(self, cells: str) -> bool:
        """Whether the last number ends where a column ends, so that what touches it is no part of it."""
        return len(cells) in itertools.accumulate(self.widths)

    def _place(self, ends: tuple[int, ...], cells: str) -> list[int] | None:
        if not ends:
            return []
        if len(ends) > self.columns:
            return None
        if not self.ends:
            return list(range(len(ends))) if _touching(ends) else None
        if self.widths and (printed := self._printed(ends)):
            return printed
        if len(ends) == len(self.chosen):
            return self.chosen
        return self._nearest(ends) if "  " in cells else None

    def _cut(self, cells: str) -> Placed | None:
        """Cut numbers that touch at the widths with which they were printed, of the tests chosen or of all."""
        for blanks in (_BLANKS, _OLD_BLANKS):
            columns, ends = self._print(self._stated(), blanks)
            placed = self._slice(cells, columns, ends)
            if placed and len(placed) == len(columns) and ends[-1] == len(cells.rstrip()):
                return placed
        return self._slice(cells, *self._print((True,) * _tests_in(self.columns), None)) or None

    def _slice(self, cells: str, columns: list[int], ends: tuple[int, ...]) -> Placed | None:
        """Cut a line into columns that end so; None if a number is not at the end of its column, or outside of all."""
        pieces = [cells[end - self.widths[column] : end] for column, end in zip(columns, ends, strict=True)]
        placed = [(column, piece.strip()) for column, piece in zip(columns, pieces, strict=True) if piece.strip()]
        aligned = all(piece.endswith(piece.strip()) and piece.strip().isdecimal() for piece in pieces if piece.strip())
        whole = sum(len(value) for _, value in placed) == sum(map(len, cells.split()))
        return placed if aligned and whole else None

    def _stated(self) -> tuple[bool, ...]:
        """Return for each test of the table whether ``-i`` chose it."""
        return tuple(COLUMNS.index(operations[0]) in self.chosen for operations in TESTS[: _tests_in(self.columns)])

    def _printed(self, ends: tuple[int, ...]) -> list[int] | None:
        """Find the choice of tests that prints numbers that end exactly here, with as few as possible missing."""
        stated = self._stated()
        return self._fewest_missing(ends, [stated]) or self._fewest_missing(
            ends, itertools.product((True, False), repeat=len(stated))
        )

    def _fewest_missing(self, ends: tuple[int, ...], choices: Iterable[tuple[bool, ...]]) -> list[int] | None:
        best: dict[int, int] = {}
        for ran, blanks in itertools.product(choices, (None, _BLANKS, _OLD_BLANKS)):
            columns, printed = self._print(ran, blanks)
            if set(ends) <= set(printed) and (not best or len(printed) < len(best)):
                best = dict(zip(printed, columns, strict=True))
        return [best[end] for end in ends] if best else None

    def _print(self, ran: tuple[bool, ...], blanks: tuple[int, ...] | None) -> tuple[list[int], tuple[int, ...]]:
        columns: list[int] = []
        ends: list[int] = []
        end = column = 0
        for test, (runs, operations) in enumerate(zip(ran, TESTS, strict=False)):
            widths = self.widths[column : column + len(operations)]
            if runs:
                ends += [end + width for width in itertools.accumulate(widths)]
                columns += range(column, column + len(widths))
            end += sum(widths) if runs or blanks is None else blanks[test]
            column += len(operations)
        return columns, tuple(ends)

    def _nearest(self, ends: tuple[int, ...]) -> list[int] | None:
        """Take the nearest heading for each number, carrying along how far the one before stood from its own."""
        columns: list[int] = []
        ahead = 0
        for end in ends:
            rest = range(columns[-1] + 1 if columns else 0, self.columns)
            if not rest:
                return None
            column = min(rest, key=lambda candidate: abs(self.ends[candidate] - end - ahead))
            if abs(self.ends[column] - end - ahead) > 4:
                return None
            ahead = self.ends[column] - end
            columns.append(column)
        return columns


def _columns_of(tests: tuple[int, ...]) -> list[int]:
    """Return the columns that ``-i`` fills; none where it also names a test whose number differs between versions."""
    if any(test > 7 for test in tests):
        return []
    return [COLUMNS.index(operation) for test in tests for operation in TESTS[test]]


def _touching(ends: tuple[int, ...]) -> bool:
    """Whether no column can have been left out between these ends."""
    return all(right - left <= 14 for left, right in itertools.pairwise((0, *ends)))


def _printed_widths(ends: list[int]) -> tuple[int, ...]:
    """Return the widths with which the version prints that has this heading, or () for a heading made by hand."""
    if not ends:
        return _WIDTHS[-1]
    for widths in _WIDTHS:
        printed = itertools.accumulate(widths)
        if len(ends) <= len(widths) and all(abs(a - b) <= 1 for a, b in zip(ends, printed, strict=False)):
            return widths
    return ()


def _tests_in(columns: int) -> int:
    ends = list(itertools.accumulate(len(test) for test in TESTS))
    return next((count for count, end in enumerate(ends, 1) if end >= columns), len(TESTS))
