"""How many bits vnstat's kbit/s counts in: version 2 prints 1000, but version 1 changed from 1024 to 1000 on its way.

No form of version 1 says which it is. A period does whose traffic, mean rate and seconds are known: the traffic over
the seconds is the rate, or 1.024 times what is printed.
"""

from __future__ import annotations

import calendar
import re
from datetime import datetime

OLD = 1.024
"""Of an old kbit to one of 1000 bits; its Mbit is 1000 of its kbit (vnstat 1.11, src/misc.c, getrate)."""
_NEAR = 0.008
"""Less than half of what the two differ by."""
_DAY = 86400.0
_DATE = re.compile(r"\d\d[/.-]\d\d[/.-]\d\d(?:\d\d)?|\d{4}-\d\d-\d\d")
_MONTH = re.compile(r"([A-Z][a-z]{2}) '(\d\d)")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_UPDATED = re.compile(r"^Database updated: +[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d\d?) (\d\d):(\d\d):(\d\d) (\d{4})\s*$")


class Kilobit:
    """What the periods of a report say of it; where they say nothing, what is known without them."""

    def __init__(self, otherwise: float | None) -> None:
        self._otherwise = otherwise
        self._updated: datetime | None = None
        self._last = ("", 0.0, 0.0)
        self._votes: list[float] = []

    def read(self, line: str) -> None:
        """Take when the database was updated, if a line says it as version 1 does."""
        if (found := _UPDATED.match(line)) and found[1] in _MONTHS:
            year, month = int(found[6]), _MONTHS.index(found[1]) + 1
            try:
                day, hour, minute, second = map(int, found.groups()[1:5])
                self._updated = datetime(year, month, day, hour, minute, second)
            except ValueError:
                self._updated = None

    def period(self, table: str, label: str, size: float, rate: float) -> None:
        """Take a period by its label, with its bytes and its rate in bytes a second, as if a kbit were 1000 bits.

        A day or a month is whole when another one follows it in its table.
        """
        above, whole, per_second = self._last
        if table == above and _whole(label):
            self._vote(per_second, whole)
        self._last = table, _whole(label), size / rate if rate else 0.0
        self._vote(self._last[2], self._seconds(label))

    @property
    def factor(self) -> float | None:
        """`OLD`, 1 for a kbit of 1000 bits, or None where nothing tells."""
        old, new = (sum(abs(vote / factor - 1.0) < _NEAR for vote in self._votes) for factor in (OLD, 1.0))
        return self._otherwise if old == new else OLD if old > new else 1.0

    def watched(self, seconds: float, half_a_digit: float, size: float, rate: float) -> None:
        """Take what ``vnstat -l`` watched, if its seconds are printed with digits enough to tell the two."""
        if half_a_digit < _NEAR / 2 * seconds and rate:
            self._vote(size / rate, seconds)

    def _vote(self, per_second: float, seconds: float) -> None:
        if seconds:
            self._votes.append(per_second / seconds)

    def _seconds(self, label: str) -> float:
        """Seconds of a period; of that which goes on, those until the database was updated. 0 where it is not known."""
        if label == "yesterday":
            return _DAY
        if label == "today" and self._updated:
            return (self._updated - self._updated.replace(hour=0, minute=0, second=0)).total_seconds()
        if not (month := _month(label)) or not self._updated:
            return 0.0
        return max(0.0, min((self._updated - month).total_seconds(), _whole(label)))


def _month(label: str) -> datetime | None:
    """When the month of a label began."""
    found = _MONTH.fullmatch(label)
    return datetime(2000 + int(found[2]), _MONTHS.index(found[1]) + 1, 1) if found and found[1] in _MONTHS else None


def _whole(label: str) -> float:
    """Seconds that a day or a month has; 0 where the label is that of neither."""
    if month := _month(label):
        return _DAY * calendar.monthrange(month.year, month.month)[1]
    return _DAY if _DATE.fullmatch(label) else 0.0
