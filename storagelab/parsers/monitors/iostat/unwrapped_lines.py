"""Lines of iostat as they were before a mail wrapped them, and those of Solaris without their commas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from storagelab.parsers.monitors.iostat.headings import is_heading
from storagelab.parsers.monitors.sysstat.cells import is_number

SEPARATED = re.compile(r"^(?:device,r/[si]|r/[si],w/[si]),", re.MULTILINE)
_LATER = frozenset(
    name
    for names in (
        "rrqm/s wrqm/s drqm/s %rrqm %wrqm %drqm d/s dkB/s dMB/s f/s svctm %util",
        "await r_await w_await d_await f_await avgqu-sz aqu-sz",
        "avgrq-sz areq-sz rareq-sz wareq-sz dareq-sz",
        "kB_read kB_wrtn kB_dscd MB_read MB_wrtn MB_dscd",
    )
    for name in names.split()
)
"""Columns that stand behind others."""


def in_columns(lines: list[str]) -> Iterator[str]:
    """Write what Solaris' ``-r`` separates with commas as it stands without; a slice is one word with its disk."""
    columns = 0
    for line in lines:
        words = line.rstrip().rstrip(",").split(",")
        if SEPARATED.match(line):
            columns = len(words)
        elif columns and len(words) == columns + 1:
            words = [",".join(words[:2]), *words[2:]]
        yield " ".join(words) if columns and len(words) == columns else line


def unwrapped(lines: list[str]) -> tuple[list[str], dict[int, int]]:
    """Join the lines of a wrapped table to those that they go on with, and leave nothing where they stood.

    Also says how many words of a joined line stood on the first of the two, by its number.
    """
    found, first = list(lines), dict[int, int]()
    if not any(map(_ends_headings, lines)):
        return found, first
    wanted, begun = 0, -1
    columns: list[str] = []
    for at, line in enumerate(lines):
        words = line.split()
        if words and is_heading(words):
            columns, wanted, begun = words, 0, at
        elif columns and _ends_headings(line):
            columns = [*columns, *words]
            wanted = len(columns)
            found[begun], found[at] = " ".join(columns), ""
        elif wanted and begun == at - 1 and all(map(is_number, words)) and _fit(found[begun], words, wanted):
            first[begun + 1] = len(found[begun].split())
            found[begun], found[at] = f"{found[begun]} {line}", ""
        else:
            columns, begun = [], at if all(map(is_number, words[1:])) and len(words) > 1 else -1
    return found, first


def _ends_headings(line: str) -> bool:
    """Whether a line holds the last columns of a table alone."""
    words = line.split()
    return bool(words) and _LATER.issuperset(words)


def _fit(row: str, words: list[str], wanted: int) -> bool:
    """Whether a row has room for what may be its end."""
    return 0 < len(words) <= wanted - len(row.split())
