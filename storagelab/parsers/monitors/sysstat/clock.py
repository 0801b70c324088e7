"""Dates and times of day as sysstat prints them: ``%x`` and ``%X`` of whatever locale, or ISO 8601."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from datetime import MAXYEAR, date, datetime, timedelta

DAY = 86400.0
_HALF_DAY = DAY / 2
_BEFORE_NOON = {"am", "a.m.", "上午", "午前", "오전"}
_AFTER_NOON = {"pm", "p.m.", "下午", "午後", "오후"}
_HALVES_ABROAD = {
    "AM": ("πμ", "ص", "पूर्वाह्न", "পূর্বাহ্ণ", "म.पू.", "સવારે", "காலை", "രാവിലെ", "ጡዋት"),
    "PM": ("μμ", "م", "अपराह्न", "অপরাহ্ণ", "म.नं.", "સાંજે", "மாலை", "വൈകു", "ከሰዓት"),
}
"""In Greek, Arabic, Hindi, Bengali, Marathi, Gujarati, Tamil, Malayalam and Amharic; their dates begin with the day."""
ZONE = r"(?:(?!BAT)[A-Z]{2,3}T|UTC|MSK|[+-]\d\d(?:\d\d)?)"
"""What locales as en_IN print behind a time of day; of the columns of sysstat, batteries are called so."""
_ZONE = re.compile(ZONE)
_ENGLISH_HALVES = {word: half for half, words in _HALVES_ABROAD.items() for word in words}
_HALF_ABROAD = "|".join(map(re.escape, _ENGLISH_HALVES))
_HOURS = r"\d\d?:\d\d:\d\d"
_NOON_ABROAD = re.compile(
    rf"(?<!\S)(?:(?P<before>{_HALF_ABROAD}) (?P<clock>{_HOURS})"
    rf"|(?:(?P<zone>{ZONE}) )?(?P<hours>{_HOURS}) (?P<behind>{_HALF_ABROAD}))(?!\S)"
)
"""Arabic has the zone in front of the clock, Tamil the half of the day."""
_CLOCK = re.compile(r"([^\d\s]{0,4})(\d{1,2})[:.](\d\d)[:.](\d\d)")
_DATE = re.compile(r"(\d{1,4})([-/.])(\d{1,2})[-/.](\d{1,4})\.?", re.ASCII)
_BUDDHIST = 543
"""What a year of the locale th_TH is ahead: no log is from after `_LAST_YEAR`."""
_LAST_YEAR = 2400
_EASTERN_CLOCK = re.compile(r"(\d{1,2}) ?[时時시] ?(\d\d) ?[分분] ?(\d\d) ?[秒초]")
_EASTERN_DATE = re.compile(r"(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]")
"""With the blanks that pages put between digits and characters."""
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_LONG_INDIAN_DATE = re.compile(
    rf"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day (\d\d) ({'|'.join(_MONTHS)}) (\d{{4}})\b"
)
_DIGIT = r"(?![0-9])\d"
_ABROAD = re.compile(
    rf"(?<!\S)(?:(?P<year>{_DIGIT}{_DIGIT})/{_DIGIT}{{1,2}}/{_DIGIT}{_DIGIT}?"
    rf"|(?:{_DIGIT}){{1,4}}[-/.](?:{_DIGIT}){{1,2}}[-/.](?:{_DIGIT}){{1,4}}|{_DIGIT}{_DIGIT}?(?::{_DIGIT}{_DIGIT}){{2}})(?!\S)"
)
"""Dates and times in Persian, Arabic and Indian digits."""
_WIDE = "："
_WIDE_COLON = re.compile(rf"^([ \t]{{0,99}}(?:avg-cpu|Device)){_WIDE}", re.MULTILINE)
_NOON = re.compile(r":(?<=\d\d:\d\d:)\d\d[ \u202f][AaPp]\.?[Mm]")
_ZONED_NOON = re.compile(rf":(?<=\d\d:\d\d:)\d\d ++[AP]M {ZONE}\s")
_DECIMAL_COMMA = re.compile(r"\s\d+,\d\d?\s")
_LONG_DATE_AND_CLOCK = re.compile(
    r"\s\d{1,2}/\d{1,2}/\d{4}\s(?s:(?:(?!\s\d{1,2}/\d{1,2}/\d{4}\s).)*?)\s\d\d:\d\d:\d\d\s"
)
_LONG_DATE = re.compile(r"/\d{1,2}/\d{4}\s")
_OPENING = 8192


def plain(text: str) -> str:
    """Write Chinese, Japanese and Korean dates and times, and dates of en_IN, with digits and marks alone.

    Clocks of 12 hours say AM and PM in all other languages too.

    Names of columns lose the backslashes that Markdown puts before their ``_``, headings the wide colon of a Chinese
    page. Lines stay where they are.
    """
    text = text.replace("\\_", "_")
    if _WIDE in text:
        text = _WIDE_COLON.sub(r"\1:", text)
    if "day " in text:
        text = _LONG_INDIAN_DATE.sub(lambda found: f"{found[3]}-{_MONTHS.index(found[2]) + 1:02}-{found[1]}", text)
    if not text.isascii():
        text = _NOON_ABROAD.sub(_in_english, text)
        text = _ABROAD.sub(_in_our_digits, text)
    if not any(mark in text for mark in "\u79d2\ucd08\u5e74\ub144"):
        return text
    return _EASTERN_DATE.sub(r"\1-\2-\3", _EASTERN_CLOCK.sub(r"\1:\2:\3", text))


def _in_our_digits(found: re.Match[str]) -> str:
    """Write a date or time of fa_IR and its like in ASCII's digits: its dates have the year in front, of two digits."""
    printed = "".join(str(int(letter)) if letter.isdecimal() else letter for letter in found[0])
    date, year = _DATE.fullmatch(printed), found["year"]
    return f"20{date[1]}-{date[3]:>02}-{date[4]:>02}" if date and year else printed


def _in_english(noon: re.Match[str]) -> str:
    half = _ENGLISH_HALVES[noon["before"] or noon["behind"]]
    return " ".join(filter(None, (noon["clock"] or noon["hours"], half, noon["zone"])))


def time_of_day(words: Sequence[str]) -> tuple[float, int, bool] | None:
    """Read the time of day a line begins with.

    Returns
    -------
    seconds, words, twelve_hours : tuple of float, int and bool, or None
        Seconds since midnight, how many words the time takes, and whether the clock says AM or PM; None where the
        line begins with something else.
    """
    first = _clock(words[0])
    if first is None:
        return _time_behind_half(words)
    seconds, is_complete = first
    if is_complete or len(words) < 2:
        return seconds, 1, is_complete
    half = words[1].lower()
    if half in _HALVES:
        return _in_half(seconds, half), 2 + _has_zone(words[2:3]), True
    return seconds, 1 + (words[1].isalpha() and _has_zone(words[1:2])), False


def _has_zone(words: Sequence[str]) -> bool:
    return any(map(_ZONE.fullmatch, words))


_HALVES = _BEFORE_NOON | _AFTER_NOON


def _time_behind_half(words: Sequence[str]) -> tuple[float, int, bool] | None:
    """Read a Korean time: the half of the day stands before it."""
    if words[0] not in _HALVES or len(words) < 2:
        return None
    found = _clock(words[1])
    return (_in_half(found[0], words[0]), 2, True) if found else None


@functools.lru_cache(maxsize=4096)
def _clock(word: str) -> tuple[float, bool] | None:
    """Seconds of a clock, and whether the half of the day stands in the same word."""
    match = _CLOCK.fullmatch(word)
    if not match or (match[1] and match[1] not in _HALVES):
        return None
    hours, minutes, rest = (int(match[group]) for group in (2, 3, 4))
    if hours > 23 or minutes > 59 or rest > 59:
        return None
    seconds = hours * 3600.0 + minutes * 60 + rest
    return (_in_half(seconds, match[1]), True) if match[1] else (seconds, False)


def _in_half(seconds: float, half: str) -> float:
    return seconds % _HALF_DAY + (_HALF_DAY if half in _AFTER_NOON else 0.0)


def day_comes_first(text: str) -> bool | None:
    """Whether a report's dates with slashes begin with the day; None where nothing in it tells.

    The locale C prints 11/20/26 and en_US 11/20/2026 with AM and PM; where the numbers have commas, or a year of four
    digits comes with a clock of 24 hours, or the zone stands behind AM or PM (en_IN), the locale is another, and those
    begin with the day.
    """
    head = text[:_OPENING]
    if not head.isascii() and _NOON_ABROAD.search(head):
        return True
    if _ZONED_NOON.search(head):
        return True
    if _NOON.search(head):
        return False
    has_comma = "," in head and _DECIMAL_COMMA.search(head)
    return True if has_comma or (_LONG_DATE.search(head) and _LONG_DATE_AND_CLOCK.search(head)) else None


@functools.lru_cache(maxsize=1024)
def day(text: str, day_first: bool | None = None) -> tuple[str, bool]:
    """ISO 8601 of a date, and whether that took a guess which number is the month.

    A year of four digits in front, dots and dashes leave no doubt (20.11.2026 and 20-11-26 begin with the day). With
    slashes `day_first` decides, unless the number is too large to be a month; where it is None the month comes first,
    as in the locales C (which has years of two digits) and en_US.
    """
    match = _DATE.fullmatch(text)
    if not match:
        return "", False
    first, mark, second, third = match[1], match[2], match[3], match[4]
    if len(first) == 4:
        return _iso(first, second, third), False
    if mark != "/" or int(first) > 12 or (day_first and int(second) <= 12):
        return _iso(third, second, first), False
    doubtful = day_first is None and len(third) == 4 and int(second) <= 12 and int(first) != int(second)
    return _iso(third, first, second), doubtful


def _iso(year: str, month: str, day_of_month: str) -> str:
    number = int(year) + (2000 if len(year) < 3 else 0)
    try:
        return date(number - (_BUDDHIST if number > _LAST_YEAR else 0), int(month), int(day_of_month)).isoformat()
    except ValueError:
        return ""


def days_between(first: str, second: str) -> int:
    """Days from one ISO date to another; 0 where one is not known."""
    return (date.fromisoformat(second) - date.fromisoformat(first)).days if first and second else 0


def clock_text(seconds: float) -> str:
    """``hh:mm:ss`` of seconds since midnight."""
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def past_midnight(before: float, now: float) -> bool:
    """Whether a clock that showed `before` and shows `now` has passed midnight, and was not merely set back."""
    return before - now > _HALF_DAY


def are_alike(first: datetime, second: datetime) -> bool:
    """Whether both know their zone, or both do not: else they have no difference."""
    return (first.tzinfo is None) == (second.tzinfo is None)


def is_set_back(before: datetime, now: datetime) -> bool:
    """Whether a clock without date, last seen at `before`, has passed midnight."""
    return are_alike(before, now) and before - now > timedelta(hours=12)


def next_day(before: datetime, now: datetime) -> datetime:
    """Return the time of day `now` on the first day on which it comes after `before`; the last day has no next."""
    if before.year == MAXYEAR:
        return now
    moment = now + timedelta(days=(before.date() - now.date()).days)
    return moment + timedelta(days=1) if is_set_back(before, moment) else moment
