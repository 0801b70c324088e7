"""The first line of sar, iostat and mpstat: ``Linux 6.1.0 (host) <tab>11/20/26 <tab>_x86_64_<tab>(2 CPU)``.

Versions before 7 print neither architecture nor processors. The sar of Solaris, AIX and HP-UX begins with what uname
says, and a date that has the month in front: ``SunOS host 5.11 11.1 sun4v    11/20/2026``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from storagelab.parsers.model import Parsed
from storagelab.parsers.monitors.sysstat import clock

_BANNER = re.compile(
    r"Linux \S+ \((?P<host>[^()\s]*)\)\s+(?P<date>(?:[^\s()\d]+ )?[^\s()]*\d[^\s()]*)(?:\s+(?P<machine>\S+))?[^\n]*"
)
SHAPE = r"Linux \S++ \("
"""How a banner begins: the word alone stands in logs of many tools, which say what machine they ran on."""
_UNIX = re.compile(r"(?:SunOS|AIX|HP-UX) (?P<host>\S{1,255}) [^\n]{0,200}?\s(?P<date>\d\d/\d\d/\d{2,4})\s*")
_NAMES_OF_UNIX = ("SunOS ", "AIX ", "HP-UX ")


class Banner(NamedTuple):
    """Host and date (ISO 8601, "" where it cannot be read) of a banner."""

    host: str
    date: str


def opens_with_banner(head: str) -> bool:
    """Whether the first ``Linux`` of a text opens a banner."""
    at = head.find("Linux ")
    return at >= 0 and _BANNER.match(head, at) is not None


def opens_with_unix(head: str) -> bool:
    """Whether a line of a text is the banner of another Unix."""
    if not any(name in head for name in _NAMES_OF_UNIX):
        return False
    return any(_UNIX.fullmatch(line) for line in head.split("\n") if line.startswith(_NAMES_OF_UNIX))


def is_banner(line: str) -> bool:
    """Whether a line is a banner."""
    if line.startswith(_NAMES_OF_UNIX):
        return _UNIX.fullmatch(line) is not None
    return line.startswith("Linux ") and _BANNER.match(line) is not None


def read_banner(line: str, number: int, parsed: Parsed, day_first: bool | None) -> Banner | None:
    """Read a banner; None where the line is none. A date that leaves a doubt is noted.

    `day_first` is as in `clock.day`.
    """
    unix = _UNIX.fullmatch(line) if line.startswith(_NAMES_OF_UNIX) else None
    if unix:
        return Banner(unix["host"], clock.day(unix["date"], day_first=False)[0])
    match = _BANNER.match(line) if line.startswith("Linux ") else None
    if not match:
        return None
    iso, guessed = clock.day(match["date"], day_first)
    if guessed:
        parsed.note(f"the date {match['date']} is read as month/day, the order of the locale en_US", number)
    elif not iso:
        parsed.note(f"the date {match['date']} cannot be read: times count from the first sample", number)
    return Banner(match["host"], iso)
