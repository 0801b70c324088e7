"""Headings of dstat's samples on a terminal: how they are told, and a line cut into groups below them.

Two lines: titles of groups between dashes, and names of columns; ``|`` stands between groups, and ``:`` between the
devices of one, in the headings and in each sample.
"""

from __future__ import annotations

import re
from itertools import pairwise

from storagelab.parsers.monitors.dstat_columns import OF_DISKS, TIMES_OF_DAY, is_text

_TITLES = re.compile(r" *-+[a-z][\w/. -]*+>?\s*+\Z", re.IGNORECASE)
_KNOWN = frozenset(
    ("usr", "read", "recv", "in", "int", "used", "run", "1m", "epoch", *TIMES_OF_DAY, "util", "#recv", "#read", "majpf")
)
_KNOWN_TWO = (
    *(["files", "inodes"], ["pos", "lck"], ["msg", "sem"], ["lis", "act"], ["dgm", "str"], ["tot", "tcp"]),
    *(["total", "used"], ["open", "clos"], ["call", "retr"], ["call", "erca"], ["steal", "scanK"]),
)
_DRAWN = str.maketrans({"\u2502": "|", "\u250a": ":", "\u2504": "-", "\u252c": " "})
"""Bars, dashes and what joins the titles, as dool draws them since 1.1."""
SEPARATOR = re.compile(r"[|:]")
_DASHES = re.compile(r"-{2,}")
_ANY_WORD = re.compile(r"\S++")
LONGEST_HEADING = 2**15
"""Characters of a line of headings: those of a thousand processors."""


def redrawn(text: str) -> str:
    """Draw dool's lines as dstat's."""
    return text.translate(_DRAWN)


def are_titles(line: str) -> bool:
    """Whether a line holds names of groups between dashes, the last of which it ends with."""
    return bool(_TITLES.match(line)) and line.rstrip("> \t\r").endswith("-")


def begins(titles: str, names: str) -> bool:
    """Whether two lines are those of the headings: groups between dashes, and names of columns below them."""
    if len(names) > LONGEST_HEADING:
        return False
    words = SEPARATOR.sub(" ", names.rstrip(" >\r")).split()
    if not words or not (are_titles(titles) or (words[-1] in OF_DISKS and _TITLES.match(titles))):
        return False
    if "-interrupts-" in titles or "-per-cpu-usage-" in titles:
        words = [word for word in words if not word.isdigit()] or ["int"]
    return (words[0] in _KNOWN or words[:2] in _KNOWN_TWO or "process" in words[:3]) and not any(
        word[0].isdigit() and word not in ("1m", "5m", "15m") for word in words
    )


def are_in(text: str) -> bool:
    """Whether headings stand in a text."""
    return any(begins(*two) for two in pairwise(redrawn(text).split("\n")) if "-" in two[0])


def groups(titles: str, names: str) -> list[str]:
    """Names of the groups: as many as the headings have pieces, else what stands above each piece."""
    found = [title for word in titles.split() for title in _DASHES.split(word.strip("->"))]
    pieces = cut(titles, names)
    if len(found) != len(pieces):
        found = [piece.strip(" ->") for piece in pieces]
    worded = [title.replace("-", " ") for title in found]
    return [words if "/" not in words or is_text(words) else title for title, words in zip(found, worded, strict=True)]


def is_aligned(line: str, names: str) -> bool:
    """Whether the separators of the headings stand in a line where they stand in the headings."""
    return all(line.startswith(found[0], found.start()) for found in SEPARATOR.finditer(names))


def split(line: str, names: str) -> list[str]:
    """Split a line, some of whose blanks were lost, at the separators of the headings."""
    pieces = []
    for separator in SEPARATOR.findall(names):
        piece, _, line = line.partition(separator)
        pieces.append(piece)
    return [*pieces, line]


def cut(line: str, names: str) -> list[str]:
    """Cut a line where the separators of the headings stand."""
    ends = [found.start() for found in SEPARATOR.finditer(names)]
    return [line[start:end] for start, end in zip([0, *(end + 1 for end in ends)], [*ends, None], strict=True)]


def below(heading: str, piece: str) -> list[str]:
    """Return the word below each name of a heading, "" where none is; nothing at all if a word is below no name."""
    words = list(_ANY_WORD.finditer(piece))[::-1]
    found = []
    for name in _ANY_WORD.finditer(heading):
        is_below = bool(words) and words[-1].start() < name.end() and name.start() < words[-1].end()
        found.append(words.pop()[0] if is_below else "")
    return [] if words else found
