"""What every text format shares: decoding, lines, numbers and dates as tools print them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from storagelab.parsers.wrapping import encodings
from storagelab.units import number as number  # parsers find here all that text formats share


def decode(data: bytes) -> tuple[str, int]:
    r"""Turn bytes into text with ``\n`` line ends, and count the bytes that were not UTF-8.

    Bytes that are not UTF-8 become U+FFFD, so that one of them costs a character and not the log. A lone ``\r`` stays:
    progress bars use it inside a line.
    """
    text, _, damaged = encodings.decoded(data)
    return text, damaged


_MONTHS = {
    name: month
    for month, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), start=1
    )
}


def ctime(text: str) -> str:
    """ISO 8601 of a C ``ctime`` date such as ``Fri Nov 20 17:30:20 2026``, or "" where it is none.

    The log does not say its time zone, so the result carries no offset.
    """
    try:
        _, month, day, clock, year = text.split()
        return datetime.fromisoformat(f"{year}-{_MONTHS[month]:02}-{day:0>2}T{clock}").isoformat()
    except (KeyError, ValueError):
        return ""


def moment(seconds: float) -> datetime:
    """Return the time in UTC so many seconds after 1970 began.

    Raises
    ------
    ValueError
        If no calendar has it.
    """
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError) as error:
        raise ValueError(f"no moment: {seconds}") from error


_PREFIX = re.compile(r"(?!\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d)[^\s=]{1,60}[:>] ?")


def without_prefix(lines: list[str]) -> list[str]:
    """Strip what a launcher put before every line, such as ``190: `` or ``[1,0]<stdout>: ``; a time is none of that."""
    prefix = _PREFIX.match(next(filter(str.strip, lines), ""))
    if not prefix or not all(line.startswith(prefix[0].rstrip()) for line in lines if line.strip()):
        return lines
    return [line[len(prefix[0]) :] for line in lines]
