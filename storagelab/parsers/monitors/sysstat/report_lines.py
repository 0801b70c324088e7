"""Lines of a report as its tables are read from: what a mail wrapped is joined, what one cell holds twice is apart."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from storagelab.parsers.monitors.sysstat import clock
from storagelab.parsers.monitors.sysstat.cells import is_number
from storagelab.parsers.monitors.sysstat.meanings import DISKS, HOST, KEYS, TRANSFERS, unit_of
from storagelab.parsers.text import without_prefix

COLONS = ":："
"""Behind the title of averages: a Chinese page may have a wide one."""
SIZES_OF_TABLES = "proc-sz"
"""The first column of ``sar -v`` of Solaris and AIX."""
_COLUMN = r"(?:[a-z]{2,12}/s|%[a-z]{2,8}|await|svctm|a(?:vg)?(?:re?q|qu)-sz|kb[a-z]{4,8})"
_ENDS_COLUMNS = re.compile(rf"^[ \t]*{_COLUMN}(?:[ \t]+{_COLUMN})*[ \t]*$", re.MULTILINE)
"""A line that holds the last columns of a wrapped table alone."""
_OF_SYSSTAT = ("%", "kb", "runq-sz")
"""How the first columns of tables begin that have no items, and none of another tool."""
_ITEMS = ("CPU", "NODE", "IFACE", "DEV", "INTR")
_OF_MOST = re.compile(r"\d{1,18}/\d{1,18}")


class ReportLines(NamedTuple):
    """The lines of a report, what stands behind the end of the last, and how many words of joined ones came first.

    Those words are the ones behind the time, by the number of the line.
    """

    lines: list[str]
    rest: str
    first_words: Mapping[int, int]


def report_lines(text: str) -> ReportLines:
    """Return the lines of a report, each in its place; what was joined to another leaves an empty one."""
    *lines, rest = clock.plain(text).split("\n")
    if not any(map(_has_time, lines)):
        lines = without_prefix(lines)
    if SIZES_OF_TABLES in text:
        lines = list(_apart(lines))
    return _unwrapped(lines, rest) if _ENDS_COLUMNS.search(text) else ReportLines(lines, rest, {})


def _apart(lines: list[str]) -> Iterator[str]:
    """Write ``sar -v`` of Solaris and AIX with a column for each number of ``89/30000`` and each ``ov``."""
    sizes = 0
    for line in lines:
        words = line.split()
        if SIZES_OF_TABLES in words:
            sizes, table, columns = 0, "", list[str]()
            for word in words:
                table = word.removesuffix("-sz") if word.endswith("-sz") else table
                sizes += word.endswith("-sz")
                columns += [word, f"{table}-max"] if word.endswith("-sz") else [f"{table}-ov" if word == "ov" else word]
            yield " ".join(columns)
        elif sizes and sum(map(bool, map(_OF_MOST.fullmatch, words))) == sizes:
            yield " ".join(" ".join(word.split("/")) for word in words)
        else:
            yield line


def _has_time(line: str) -> bool:
    """Whether a line begins with a time, or with the title of averages that stands in its place over their columns."""
    words = line.split(maxsplit=2)
    is_titled = len(words) > 1 and words[0][-1] in COLONS and is_column(words[1])
    return is_titled or (bool(words) and clock.time_of_day(words) is not None)


@functools.lru_cache(maxsize=256)
def is_column(word: str) -> bool:
    """Whether a word is the name of a column."""
    return word in KEYS or word in HOST or word in TRANSFERS or word.endswith("/s")


@functools.lru_cache(maxsize=256)
def are_columns(words: tuple[str, ...]) -> bool:
    """Whether these are the columns of a table from which the time was cut off."""
    begins = words[0] in _ITEMS or (is_column(words[0]) and words[0].startswith(_OF_SYSSTAT))
    return len(words) > 1 and begins and all(is_column(word) or unit_of(word) or word in DISKS for word in words[1:])


def _unwrapped(lines: list[str], rest: str) -> ReportLines:
    """Join what a mail or a page wrapped, columns and then numbers, to what it goes on with; leave nothing there."""
    found, first = list(lines), dict[int, int]()
    wanted, begun, on_first = 0, -1, 0
    for at, line in enumerate(lines):
        words = line.split()
        taken = _before(words)
        if taken:
            begun, on_first = at, len(words) - taken
            wanted = wanted if any(map(is_number, words[taken:])) else 0
        elif begun == at - 1 and _ENDS_COLUMNS.match(line) and not any(map(is_number, words)):
            wanted = on_first + len(words)
            found[begun], found[at] = f"{found[begun]} {line}", ""
        elif begun == at - 1 and 0 < len(words) <= wanted - on_first and all(map(is_number, words)):
            first[begun + 1] = on_first
            found[begun], found[at] = f"{found[begun]} {line}", ""
    return ReportLines(found, rest, first)


def _before(words: list[str]) -> int:
    """How many words of a line are its time, or the title that stands in its place."""
    found = clock.time_of_day(words) if words else None
    return found[1] if found else int(bool(words) and words[0][-1] in COLONS)
