"""Tables of IOR's text report whose lines a terminal or a mail broke into several: headers and rows, joined again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from storagelab.parsers.benchmarks.ior import tables

Lines = Iterator[tuple[int, str]]
Numbered = tuple[int, str]
_BELOW = re.compile(r"\S+ +[-\d]")
"""A line of a table, below its header: no header has a second word that begins so."""


def whole_header(line: str, lines: Lines, goes_on: Callable[[str], bool]) -> tuple[str, Numbered | None]:
    """Join lines as long as what is joined is still a header: a terminal or a mail broke it, at a blank or in a word.

    Returns
    -------
    str
        The header.
    (int, str) or None
        The first line behind it; None at the end of the log.
    """
    for number, more in lines:
        if _BELOW.match(more):
            return line, (number, more)
        joined = [both for both in (line + more, f"{line} {more}") if more.strip() and goes_on(both)]
        if not joined:
            return line, (number, more)
        line = joined[0]
    return line, None


def whole_row(line: str, lines: Lines, width: int, broken_at: int) -> tuple[list[str], Numbered | None]:
    """Join a row that was broken like its header, at the same column or at blanks, to as many words as that has.

    Returns
    -------
    list of str
        The words of the row, or those of its first line where no lines below it make it whole.
    (int, str) or None
        The first line behind it, if it was read.
    """
    parts = [line]
    while True:
        for whole in ("".join(part.ljust(broken_at) for part in parts), " ".join(parts)):
            if len(words := whole.split()) == width:
                return words, None
        following = next(lines, None)
        more = following[1].split() if following else []
        if not following or not more or more[0] in tables.OPERATIONS or len(parts) > width:
            return line.split(), following
        parts.append(following[1])
