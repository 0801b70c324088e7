"""Lines that tools print together: where one of them is missing, a piece of the log was lost.

A tool that prints a block of lines for each test prints each of them as often as the others. `missing` counts them: a
line that is there less often than its companions is said, with the place of the first block that lacks it. So is one
that is not below each title, as the lines of a banner are (`missing_below`). Which lines these are each format declares
(`checks.Checks`).
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from storagelab.parsers.declared_checks import Line
from storagelab.parsers.text import line_at

Together = tuple[tuple[Line, ...], ...]


@functools.cache
def _pattern(labels: tuple[Line, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"({label.pattern})" for label in labels))


def misshapen(text: str, lines: Sequence[Line]) -> list[tuple[str, int]]:
    """Say which lines are not as lines that begin so are, the first of each kind."""
    return [said for line in lines if (said := _misshapen(text, line))]


def whole_line(line: Line) -> str:
    """Return the expression of a line and nothing beside it."""
    return rf"[ \t]*(?:{line.pattern})\s*"


def _misshapen(text: str, line: Line) -> tuple[str, int] | None:
    whole = _compiled(whole_line(line))
    for start in _lines_with(text, line.shown):
        end = text.find("\n", start)
        found = text[start : end if end >= 0 else len(text)]
        if found.lstrip(" \t").startswith(line.shown) and not whole.fullmatch(found):
            said = f"expected a whole line {line.shown.strip()!r}, found {found.strip()[:80]!r}"
            return said, line_at(text, start)
    return None


def _lines_with(text: str, literal: str) -> Iterator[int]:
    """Yield where each line begins that holds a literal."""
    at = text.find(literal)
    while at >= 0:
        yield text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        at = text.find(literal, end) if end >= 0 else -1


def missing(text: str, together: Together) -> list[tuple[str, int]]:
    """Say which lines of a log lack their companions, each with its place."""
    counted = Text(text)
    return [said for labels in together if (said := _missing(counted, labels))]


def _missing(counted: Text, labels: tuple[Line, ...]) -> tuple[str, int] | None:
    text = counted.text
    if _shared(labels) not in text or not any(map(text.__contains__, _literals(labels))):
        return None
    if len({count(counted) for count in _counts(labels)}) == 1:
        return None
    found = [((match.lastindex or 1) - 1, match.start()) for match in _pattern(labels).finditer(text)]
    counts = Counter(label for label, _ in found)
    most = max(counts.values(), default=0)
    rare = next((label for label in range(len(labels)) if counts[label] < most), None)
    if rare is None:
        return None
    companion = next(label for label, count in counts.items() if count == most)
    expected = f"expected {labels[rare].shown!r} as often as {labels[companion].shown!r} ({most})"
    line = line_at(text, _first_block_without(rare, found))
    return f"{expected}, found {counts[rare]}: a piece of the log is missing", line


def missing_beside(text: str, alike: Together) -> list[tuple[str, int]]:
    """Say which lines stand less often than others that are printed with them, if they stand at all."""
    counted = Text(text)
    printed = [
        tuple(label for label, count in zip(labels, _counts(labels), strict=True) if count(counted)) for labels in alike
    ]
    return [said for labels in printed if labels and (said := _missing(counted, labels))]


def missing_below(text: str, below: Together) -> list[tuple[str, int]]:
    """Say which lines a tool prints below a title and are not there, each with the place of the title that lacks it."""
    counted = Text(text)
    return [said for labels in below if (said := _missing_below(counted, labels))]


def _missing_below(counted: Text, labels: tuple[Line, ...]) -> tuple[str, int] | None:
    titles, *counts = (count(counted) for count in _counts(labels))
    lacking = next((label for label, count in zip(labels[1:], counts, strict=True) if count < titles), None)
    if lacking is None:
        return None
    text, title = counted.text, labels[0]
    starts = [match.start() for match in _compiled(title.pattern).finditer(text)]
    ends, label = [*starts[1:], len(text)], _compiled(lacking.pattern)
    alone = next(start for start, end in zip(starts, ends, strict=True) if not label.search(text, start, end))
    said = f"expected {lacking.shown!r} below {title.shown!r}, found none: a piece of the log is missing"
    return said, line_at(text, alone)


@functools.cache
def _shared(labels: tuple[Line, ...]) -> str:
    """Return the end that the literals of lines share: without it, none of them is there."""
    one, *others = [label.literal for label in labels]
    ends = (one[at:] for at in range(len(one) + 1))
    return next(end for end in ends if all(other.endswith(end) for other in others))


@functools.cache
def _literals(labels: tuple[Line, ...]) -> list[str]:
    """Return the literals of lines: without any, none of them is there."""
    return [label.literal for label in labels]


@functools.cache
def _counts(labels: tuple[Line, ...]) -> list[Callable[[Text], int]]:
    return [_count(label) for label in labels]


def _count(label: Line) -> Callable[[Text], int]:
    """Return what counts where a line stands: its literal is found ten times as fast as the expression."""
    literal, matches = label.literal, re.compile(label.pattern)
    if label.begins == "key":
        return lambda text: text.keys()[literal]
    if label.begins == "option":
        return lambda text: text.options()[literal]
    if label.pattern == re.escape(literal):
        return lambda text: text.text.count(literal)
    if label.begins == "line":
        return lambda text: sum(1 for start in _lines_with(text.text, literal) if matches.match(text.text, start))
    if label.begins == "literal":
        return lambda text: sum(1 for start in _occurrences(text.text, literal) if matches.match(text.text, start))
    return lambda text: sum(1 for _ in matches.finditer(text.text)) if literal in text.text else 0


class Text:
    """A log whose lines are counted."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._keys: Counter[str] | None = None
        self._options: Counter[str] | None = None

    def keys(self) -> Counter[str]:
        """Return how often each key of JSON stands in it."""
        if self._keys is None:
            self._keys = Counter(_KEY.findall(self.text) if '"' in self.text else ())
        return self._keys

    def options(self) -> Counter[str]:
        """Return how often each name stands in front of a line's first colon or equals sign."""
        if self._options is None:
            self._options = Counter(name.rstrip(" ") for name in _OPTION.findall(f"\n{self.text}"))
        return self._options


_OPTION = re.compile(r"\n[ \t]*+([^:=\n]++)[:=]")
_KEY = re.compile(r'("[^"\\\s:]{1,80}")\s*:')


def _occurrences(text: str, literal: str) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _first_block_without(label: int, found: list[tuple[int, int]]) -> int:
    """Return where the first block begins that lacks a label: blocks end where a label comes again."""
    start, seen = 0, set[int]()
    for one, place in found:
        if one in seen:
            if label not in seen:
                break
            seen = set()
        if not seen:
            start = place
        seen.add(one)
    return start
