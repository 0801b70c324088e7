"""What every text format shares: decoding, lines, numbers and dates as tools print them."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

import orjson

from storagelab import units
from storagelab.parsers.wrapping import encodings


def decode(data: bytes) -> tuple[str, int]:
    r"""Turn bytes into text with ``\n`` line ends, and count the bytes that were not UTF-8.

    Bytes that are not UTF-8 become U+FFFD, so that one of them costs a character and not the log. A lone ``\r`` stays:
    progress bars use it inside a line.
    """
    text, _, damaged = encodings.decoded(data)
    return text, damaged


class Reading:
    """The log that is being read, as far as it decides what its numbers mean."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.doubtful: dict[str, units.AmbiguousNumberError] = {}

    @functools.cached_property
    def has_decimal_commas(self) -> bool:
        """Whether commas of the log are decimal: one has a number of digits behind it that no thousands have."""
        return bool(_DECIMALS.search(self.text)) and not _GROUPS.search(self.text)

    def line_of(self, found: str) -> int:
        """Return the line on which a number stands; 0 where it stands nowhere so."""
        match = re.search(rf"(?<![\w.,]){re.escape(found.strip())}(?![\d.,])", self.text)
        return line_at(self.text, match.start()) if match else 0


_DECIMALS = re.compile(r"(?<![\w.,])(?:[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})|0,[0-9]+)(?![\d.,])")
_GROUPS = re.compile(r"(?<![\w.,])[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]|,[0-9]{3}(?![\d.,]))")
_READING: ContextVar[Reading | None] = ContextVar("reading", default=None)


@contextmanager
def reading(text: str) -> Iterator[Reading]:
    """Let `number` decide by a whole log what a comma means, while it is read."""
    log = Reading(text)
    token = _READING.set(log)
    try:
        yield log
    finally:
        _READING.reset(token)


def line_at(text: str, place: int) -> int:
    r"""Return the number of the line, from 1, on which a place in a text lies.

    Examples
    --------
    >>> line_at("\nhead\nrow", 7)
    3
    """
    return 1 + text.count("\n", 0, place)


def number(text: str) -> float:
    """Read a number of the log that is being read; see `units.number`.

    Raises
    ------
    NumberError
        If it is none, or none that can be read in one way.
    """
    try:
        return units.number(text)
    except units.AmbiguousNumberError as error:
        log = _READING.get()
        if log is not None and log.has_decimal_commas:
            return units.number(text, has_decimal_commas=True)
        if log is not None:
            log.doubtful.setdefault(text, error)
        raise


def finite(text: str) -> float:
    """Read a number that is finite.

    Raises
    ------
    ValueError
        If the text is no number, or none that is finite.
    """
    value = number(text)
    if not math.isfinite(value):
        raise ValueError(f"no finite number: {text}")
    return value


def floats(words: Sequence[str]) -> list[float]:
    """Read each of some words as `float` does: of many, in a fourth of its time.

    Raises
    ------
    ValueError
        If one is no number.
    """
    return _numbers_of_json(words) or list(map(float, words))


def plain_numbers(words: Sequence[str]) -> list[float]:
    """Read numbers that Python and `number` read alike; [] where any word is something else."""
    if values := _numbers_of_json(words):
        return values
    try:
        values = list(map(float, words))
    except ValueError:
        return []
    printed = "".join(words)
    odd = "_" in printed or not printed.isascii() or math.inf in values or -math.inf in values
    return [] if odd else values


def _numbers_of_json(words: Sequence[str]) -> list[float]:
    """Read numbers that are written as in JSON, whose reader is the fastest; [] where any word is something else."""
    printed = ",".join(words)
    if not printed.isascii() or printed.encode().translate(None, _DIGITS_AND_SIGNS) or "-0" in printed:
        return []  # of -0, JSON's reader forgets the sign
    try:
        values = orjson.loads(f"[{printed}]")
    except orjson.JSONDecodeError:
        return []
    return list(map(float, values)) if len(values) == len(words) else []


def rows_of_numbers(lines: Sequence[str], width: int) -> list[list[float]]:
    """Read lines of so many numbers with commas between them, all at once; [] where any line is something else."""
    printed = "\n".join(lines)
    if not printed.isascii() or printed.encode().translate(None, _DIGITS_AND_SIGNS + b"\n") or "-0" in printed:
        return []
    try:
        rows = orjson.loads(f"[[{printed.replace(chr(10), '],[')}]]")
    except orjson.JSONDecodeError:
        return []
    return [list(map(float, row)) for row in rows] if all(len(row) == width for row in rows) else []


_DIGITS_AND_SIGNS = b"0123456789.,-+eE"


def numbers(words: Sequence[str]) -> list[float]:
    """Read each of some words as `number` does.

    Raises
    ------
    NumberError
        If one is no number, or none that can be read in one way.
    """
    return plain_numbers(words) or list(map(number, words))


def printf_number(text: str) -> float:
    """Read a number that C's ``%.3f`` printed: a comma in it is decimal, since it puts none between thousands.

    Raises
    ------
    NumberError
        If it is none.
    """
    return units.number(text, has_decimal_commas=True)


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


def utc(seconds: float) -> str:
    """ISO 8601 of seconds since 1970, or "" where no calendar has that time."""
    try:
        return moment(seconds).isoformat()
    except ValueError:
        return ""


_PREFIX = re.compile(r"(?!\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d)[^\s=]{1,60}[:>] ?")


def without_prefix(lines: list[str]) -> list[str]:
    """Strip what a launcher put before every line, such as ``190: `` or ``[1,0]<stdout>: ``; a time is none of that."""
    prefix = _PREFIX.match(next(filter(str.strip, lines), ""))
    if not prefix or not all(line.startswith(prefix[0].rstrip()) for line in lines if line.strip()):
        return lines
    return [line[len(prefix[0]) :] for line in lines]


LEFT_OUT = ("...", "\u2026", "[snip]")
"""What stands for lines that somebody left out."""
_LEFT_OUT = re.compile(r"\s*(?:\.{3}|\u2026|\[\.{3}\]|\[snip\])\s*")


def is_left_out(line: str) -> bool:
    """Whether a line stands for others that somebody left out where a log was posted."""
    return _LEFT_OUT.fullmatch(line) is not None
