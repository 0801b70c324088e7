"""The time at the head of a message, in the forms in which loggers print it, and the host and program behind it.

Forms: RFC 3164 (``Jun 25 23:57:24``, without year or zone), RFC 5424 and ISO 8601 (rsyslog, ``journalctl -o
short-iso``, ``dmesg --time-format iso``), ``journalctl -o short-full`` and ``-o short-unix``, ``dmesg`` (seconds since
boot), ``dmesg -T``, ``lctl debug_kernel`` (epoch inside a row of colons), and a bare time of day as people leave it in
a mail. Quote marks, indentation and a launcher's ``host: `` may stand in front.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from storagelab.parsers.text import ctime

Clock = Literal["epoch", "local", "yearless", "boot", "day", ""]

DAY = 86400.0
LEAP_YEAR = 2000
"""Dates without a year are counted within this one, which has all days that there are."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What stands before the text of a message; `seconds` is by `clock`: since 1970, the new year, boot or midnight.

    A `local` clock counts as if the local zone were UTC.
    """

    clock: Clock
    seconds: float
    text: str
    host: str = ""
    pid: str = ""
    uptime: float | None = None
    priority: int = -1


_MONTH = "(?P<month>[A-Z][a-z]{2})"
WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_TIME = r"(?P<time>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
_ZONE = r"(?P<zone>Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d\b)?"

_LEAD = re.compile(r"(?:[\s>|#*$]*(?:\[\d+,\d+\]<std(?:out|err)>: ?)?)")
_LAUNCHER = re.compile(r"(?P<host>[A-Za-z0-9][\w.-]{0,60}): {1,2}(?=[\[<A-Z\d])")
_PRIORITY = re.compile(r"<(?P<priority>\d{1,3})>(?:1 )?")
_ISO = re.compile(rf"\[?(?:{WEEKDAY} )?(?P<date>\d{{4}}-\d\d-\d\d)[T ]{_TIME} ?{_ZONE}\]?:?(?:\s+|$)")
_SYSLOG = re.compile(rf"{_MONTH} {{1,2}}(?P<day>\d{{1,2}}) (?:(?P<year>\d{{4}}) )?{_TIME}(?: (?P<late>\d{{4}}))?:?\s+")
_READABLE = re.compile(rf"\[{WEEKDAY} {_MONTH} +(?P<day>\d{{1,2}}) {_TIME} (?P<year>\d{{4}})\] ?")
_BOOT = re.compile(r"\[ *(?P<uptime>\d{1,8}\.\d{3,9})(?:[@,]? *[TC]?\d*)?\] ?")
_EPOCH = re.compile(r"(?P<epoch>1\d{9}\.\d{1,9}):? ")
_DEBUG = re.compile(r"[0-9a-f]{8}:[0-9a-f]{8}:\d+\.\d\w*:(?P<epoch>\d{9,10}\.\d+):\d+:(?P<pid>\d+):\d+:")
_CLOCK = re.compile(rf"{_TIME}\s+(?!\d)")

_KERNEL = re.compile(r"(?P<host>[\w.-]+) kernel: ?")
_PROGRAM = re.compile(r"(?P<host>[\w.:-]+) (?!Lustre|LNet)(?P<program>[\w/().@-]+?)(?:\[(?P<pid>\d+)\])?: {0,3}")
_HOST = re.compile(r"(?P<host>[\w.-]+) (?=Lustre|LNet)")
_RFC_5424 = re.compile(r"(?P<host>\S+) (?P<program>\S+) (?P<pid>\S+) \S+ (?:-|\[[^\]]*\]) ?")


def read(line: str) -> Stamp:
    """Take a line apart; without any time at its head the clock is "" and the text is the line without what led it."""
    lead = _end(_LEAD.match(line))
    launcher = _LAUNCHER.match(line, lead)
    for at in (lead, _end(launcher)) if launcher else (lead,):
        priority = _PRIORITY.match(line, at)
        start = _end(priority) if priority else at
        for pattern, make in _FORMS:
            if found := pattern.match(line, start):
                stamp = make(found)
                if stamp:
                    host = launcher["host"] if launcher and at > lead else ""
                    return _behind(line, found, stamp, host, int(priority["priority"]) if priority else -1)
    return Stamp("", 0.0, line[lead:])


def begins(line: str) -> bool:
    """Whether a line has a time at its head."""
    return read(line).clock != ""


def _end(match: re.Match[str] | None) -> int:
    return match.end() if match else 0


_Made = tuple[Clock, float]


def _behind(line: str, found: re.Match[str], made: _Made, host: str, priority: int) -> Stamp:
    """What stands behind the time: host, program, and the kernel's own time."""
    clock, seconds = made
    at, pid = found.end(), ""
    if clock != "day" and found.re is not _DEBUG:
        bracketed = found.re in (_BOOT, _READABLE)
        forms = (_KERNEL,) if bracketed else (_RFC_5424,) if priority >= 0 and found.re is _ISO else (_PROGRAM, _HOST)
        source = next(filter(None, (form.match(line, at) for form in forms)), None)
        if source:
            at, host = source.end(), source["host"]
            pid = source.groupdict().get("pid") or ""
    if found.re is _DEBUG:
        pid = found["pid"]
    inner = _BOOT.match(line, at) if found.re is not _BOOT else None
    uptime = float(inner["uptime"]) if inner else seconds if clock == "boot" else None
    return Stamp(clock, seconds, line[_end(inner) or at :], host, pid if pid.isdecimal() else "", uptime, priority)


def _iso(found: re.Match[str]) -> _Made | None:
    zone = (found["zone"] or "").replace("UTC", "Z").replace("GMT", "Z")
    try:
        moment = datetime.fromisoformat(f"{found['date']}T{found['time'].replace(',', '.')}{zone}")
    except ValueError:
        return None
    return ("epoch" if zone else "local"), _seconds(moment)


def _syslog(found: re.Match[str]) -> _Made | None:
    groups = found.groupdict()
    year = groups.get("year") or groups.get("late")
    seconds = _seconds_of(found["month"], found["day"], found["time"], year or str(LEAP_YEAR))
    if seconds is None:
        return None
    return ("local", seconds) if year else ("yearless", seconds - _NEW_YEAR)


@functools.lru_cache(maxsize=64)
def _seconds_of(month: str, day: str, clock: str, year: str) -> float | None:
    """Seconds since 1970 of a date; messages come in bursts of one second."""
    moment = ctime(f"- {month} {day} {clock.replace(',', '.')} {year}")
    return _seconds(datetime.fromisoformat(moment)) if moment else None


def _day(found: re.Match[str]) -> _Made | None:
    try:
        seconds = _seconds(datetime.fromisoformat(f"1970-01-01T{found['time'].replace(',', '.')}"))
    except ValueError:
        return None
    return "day", seconds


def _seconds(moment: datetime) -> float:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


_NEW_YEAR = _seconds(datetime(LEAP_YEAR, 1, 1))
_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], _Made | None]], ...] = (
    (_BOOT, lambda found: ("boot", float(found["uptime"]))),
    (_READABLE, _syslog),
    (_SYSLOG, _syslog),
    (_ISO, _iso),
    (_EPOCH, lambda found: ("epoch", float(found["epoch"]))),
    (_DEBUG, lambda found: ("epoch", float(found["epoch"]))),
    (_CLOCK, _day),
)
