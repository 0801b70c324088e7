"""Times as monitors print them before their samples: of a day, or dated, with or without their zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from storagelab.parsers.model import Row

CLOCK = re.compile(r"(\d\d?):(\d\d):(\d\d(?:[.,]\d+)?)")
DAY = 86400.0


class Clock:
    """Turns ``HH:MM:SS`` into seconds since the first time it was shown, over any number of midnights."""

    def __init__(self) -> None:
        self._first: float | None = None
        self._last = 0.0
        self._midnights = 0

    def seconds(self, text: str) -> float:
        """Seconds since the first time; NaN for what is no time of day.

        A step back by more than half a day is a midnight; a smaller one is a clock that was set.
        """
        match = CLOCK.fullmatch(text)
        if not match:
            return float("nan")
        now = 3600.0 * int(match[1]) + 60.0 * int(match[2]) + float(match[3].replace(",", "."))
        if self._first is None:
            self._first = self._last = now
        if now < self._last - DAY / 2:
            self._midnights += 1
        self._last = now
        return now + self._midnights * DAY - self._first


_ZONE = re.compile(r"[+-]\d\d(?::?\d\d)?")


def offset(zone: str) -> str:
    """Offset behind a zone's name for ISO 8601; "" where the name alone does not tell it, as with CET."""
    return "+00:00" if zone in ("UTC", "GMT", "Z") else zone if _ZONE.fullmatch(zone) else ""


def since_start(moment: datetime, header: Row) -> Row:
    """`time` of a sample: seconds since the log's `started`, which is the first sample's moment."""
    started = datetime.fromisoformat(str(header.setdefault("started", moment.isoformat())))
    if (started.tzinfo is None) != (moment.tzinfo is None):
        return {}
    return {"time": (moment - started).total_seconds()}


class Dates:
    """Dates alone on lines: ``-T d`` and ``-T u`` of Solaris print one above each report, scripts one above some.

    Each is of the report under it, and of no other.
    """

    def __init__(self) -> None:
        self._next: datetime | None = None
        self._dated = self._undated = 0

    def add(self, line: str) -> bool:
        """Take a line that is a date; False where it is none."""
        moment = _date(line)
        self._next = moment or self._next
        return moment is not None

    def of_report(self) -> datetime | None:
        """Return the date of a report that begins, None without one."""
        moment, self._next = self._next, None
        self._dated += moment is not None
        self._undated += moment is None
        return moment

    @property
    def tell_no_times(self) -> bool:
        """Whether reports are without a date, or one report is all that has any."""
        return self._dated == 1 or bool(self._undated)


def _date(line: str) -> datetime | None:
    """Read a line that is a date alone; the name of a zone says no offset, and is not read."""
    if line[:1] not in _BEGIN_DATES:
        return None
    words = line.split()
    if len(words) == 1 and _SECONDS.fullmatch(words[0]):
        return datetime.fromtimestamp(float(line), UTC)
    if len(words) not in _WORDS_OF_DATES:
        return None
    if words[0].endswith("day,"):
        return _moment(words[1:6], "%B %d, %Y %I:%M:%S %p")
    return _moment([*words[:4], words[-1]], "%a %b %d %H:%M:%S %Y")


_BEGIN_DATES = frozenset("MTWFS1")
_SECONDS = re.compile(r"1\d{9}")
_WORDS_OF_DATES = (5, 6, 7)
"""``Fri Nov 20 14:00:05 2026``, with its zone before the year, ``Friday, November 20, 2026 02:00:05 PM JST``."""


def _moment(words: list[str], written: str) -> datetime | None:
    try:
        return datetime.strptime(" ".join(words), written)
    except ValueError:
        return None
