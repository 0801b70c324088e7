"""Dates and times of day as sysstat prints them: ``%x`` and ``%X`` of whatever locale, or ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

DAY = 86400.0
_HALF_DAY = DAY / 2
_BEFORE_NOON = {"am", "a.m.", "上午", "午前", "오전"}
_AFTER_NOON = {"pm", "p.m.", "下午", "午後", "오후"}
_CLOCK = re.compile(r"([^\d\s]{0,4})(\d{1,2})([:.时時])(\d\d)[:.分](\d\d)秒?")
_DATE = re.compile(r"(\d{1,4})([-/.年])(\d{1,2})[-/.月](\d{1,4})[日.]?")


def time_of_day(words: Sequence[str]) -> tuple[float, int, bool] | None:
    """Read the time of day a line begins with.

    Returns
    -------
    seconds, words, twelve_hours : tuple of float, int and bool, or None
        Seconds since midnight, how many words the time takes, and whether the clock says AM or PM; None where the
        line begins with something else.
    """
    match = _CLOCK.fullmatch(words[0])
    if not match:
        return None
    half = match[1].lower()
    taken = 1
    if not half and len(words) > 1 and words[1].lower() in _BEFORE_NOON | _AFTER_NOON:
        half, taken = words[1].lower(), 2
    hour = int(match[2])
    if half in _AFTER_NOON:
        hour = hour % 12 + 12
    elif half in _BEFORE_NOON:
        hour %= 12
    elif half:
        return None
    return hour * 3600.0 + int(match[4]) * 60 + int(match[5]), taken, bool(half)


def day(text: str) -> tuple[str, bool]:
    """ISO 8601 of a date, and whether that took a guess which number is the month.

    A year of four digits in front, dots and dashes leave no doubt (20.11.2026 and 20-11-26 begin with the day). With
    slashes the month comes first, as in the locales C and en_US, unless the number is too large to be one.
    """
    match = _DATE.fullmatch(text)
    if not match:
        return "", False
    first, mark, second, third = match[1], match[2], match[3], match[4]
    if len(first) == 4:
        return _iso(first, second, third), False
    if mark != "/":
        return _iso(third, second, first), False
    if int(first) > 12:
        return _iso(third, second, first), False
    return _iso(third, first, second), int(second) <= 12 and first.zfill(2) != second.zfill(2)


def _iso(year: str, month: str, day_of_month: str) -> str:
    try:
        return date(int(year) + (2000 if len(year) < 3 else 0), int(month), int(day_of_month)).isoformat()
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
