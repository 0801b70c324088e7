"""The first line of sar, iostat and mpstat: ``Linux 6.1.0 (host) <tab>11/20/26 <tab>_x86_64_<tab>(2 CPU)``.

Versions before 7 print neither architecture nor processors.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from storagelab.parsers.model import Parsed
from storagelab.parsers.monitors.sysstat import clock

_BANNER = re.compile(r"Linux \S+ \((?P<host>[^()\s]*)\)\s+(?P<date>[^\s()]*\d[^\s()]*)(?:\s+(?P<machine>\S+))?[^\n]*")


class Banner(NamedTuple):
    """Host and date (ISO 8601, "" where it cannot be read) of a banner."""

    host: str
    date: str


def opens_with_banner(head: str) -> bool:
    """Whether the first ``Linux`` of a text opens a banner."""
    at = head.find("Linux ")
    return at >= 0 and _BANNER.match(head, at) is not None


def is_banner(line: str) -> bool:
    """Whether a line is a banner."""
    return line.startswith("Linux ") and _BANNER.match(line) is not None


def read_banner(line: str, number: int, parsed: Parsed, day_first: bool | None) -> Banner | None:
    """Read a banner; None where the line is none. A date that leaves a doubt is noted.

    `day_first` is as in `clock.day`.
    """
    match = _BANNER.match(line) if line.startswith("Linux ") else None
    if not match:
        return None
    iso, guessed = clock.day(match["date"], day_first)
    if guessed:
        parsed.note(f"the date {match['date']} is read as month/day, the order of the locale en_US", number)
    elif not iso:
        parsed.note(f"the date {match['date']} cannot be read: times count from the first sample", number)
    return Banner(match["host"], iso)
