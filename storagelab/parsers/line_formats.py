"""What formats of lines share: lines that can be trusted, rules that take them, and samples put into a log."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed, Row, columns
from storagelab.parsers.text import without_prefix

LONGEST = 20_000
"""Characters of the longest line that a tool prints; what is longer is no line of a table."""

Rule = tuple[re.Pattern[str], Callable[[re.Match[str], int], None]]
"""What lines of one kind look like, and what takes one and its number."""


def apply(rules: Sequence[Rule], line: str, at: int) -> bool:
    """Hand a line to the first rule whose pattern it begins with, and say whether there was one."""
    for pattern, take in rules:
        if found := pattern.match(line):
            take(found, at)
            return True
    return False


def trusted_lines(text: str, parsed: Parsed) -> list[tuple[int, str]]:
    """Return the lines of a log with their numbers, without a launcher's prefix; what is left out is said.

    Left out are a last line that has no end, lines that are damaged and lines of more than `LONGEST` characters.
    """
    *lines, rest = text.split("\n")
    if rest:  # blanks too: no tool ends its output with the indentation of a line
        parsed.incomplete("the last line has no end and is not trusted", len(lines) + 1)
    found = []
    for at, line in enumerate(without_prefix(lines), 1):
        if "\ufffd" in line or len(line) > LONGEST:
            parsed.incomplete("the line is damaged or too long", at)
        else:
            found.append((at, line))
    return found


def in_its_words(found: re.Match[str]) -> str:
    """Return the line in which a tool tells its failure, as far as a note shows it."""
    return found.string.strip()[:120]


def metric(name: str, value: float, unit: str, at: int, **keys: str) -> Row:
    """Return the row of a quantity that the contract has no name for; `value` is in SI."""
    return {"operation": "", **keys, "metric": name, "value": value, "unit": unit, "line": at}


def fill(parsed: Parsed, samples: Sequence[Row], expected: str, text: str) -> Parsed:
    """Put samples into `series`.

    Raises
    ------
    ParseError
        If the log holds neither samples nor anything else that was measured.
    """
    if samples:
        parsed.series = columns(samples)
    if parsed.is_empty():
        raise refusal(expected, text)
    return parsed


def with_parts(parsed: Parsed, expected: str, text: str) -> Parsed:
    """Number the results of a log of several as its parts.

    Raises
    ------
    ParseError
        If the log holds nothing that was measured, and nothing of it was left out.
    """
    if parsed.is_empty() and parsed.complete:
        raise refusal(expected, text)
    if len(parsed.runs) > 1:
        for part, row in enumerate(parsed.runs, start=1):
            row["part"] = float(part)
    return parsed


def refusal(expected: str, text: str) -> ParseError:
    """Say what a log should have held, and show the first line that it holds instead."""
    line, at = next(((line, at) for at, line in enumerate(text.split("\n"), 1) if line.strip()), ("", 1))
    return ParseError(expected, line.strip()[:80], at)
