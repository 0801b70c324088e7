"""Events of a log on one time axis: seconds since the log's first message.

Where the log says its time zone, prints seconds since 1970, or names the deadline of a request that expired (Lustre
does), `event_time` is known too. Kernels print seconds since boot: they stand in `uptime`, and are the axis where the
log has nothing better.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from storagelab.parsers.messages.stamps import DAY, Clock, Stamp
from storagelab.parsers.model import Parsed, Row

QUARTER = 900.0
"""Time zones are whole quarters of an hour from UTC."""

EARLY, LATE = -5.0, 120.0
"""Seconds after its deadline in which an expired request is reported; ``dmesg -T`` drifts by as much."""

_BEST: tuple[Clock, ...] = ("epoch", "local", "yearless", "boot", "day")
_HALF_A_YEAR = 180 * DAY


@dataclass(frozen=True, slots=True)
class Event:
    """An event with the time at the head of its message."""

    stamp: Stamp
    row: Row


def place(parsed: Parsed, events: Sequence[Event], first: Stamp | None = None) -> None:
    """Put events on the time axis of their log, which begins with its first stamp.

    Parameters
    ----------
    parsed : Parsed
        Gets its `events`, and in its header `started`, where the log knows a date.
    events : sequence of Event
        In the order of the log.
    first : Stamp, optional
        The first stamp of the log, of an event or not.
    """
    present = {event.stamp.clock for event in events} | ({first.clock} if first and not events else set())
    clock: Clock = next((clock for clock in _BEST if clock in present), "")
    if not clock:
        parsed.events = [event.row for event in events]
        return
    begin = [Event(first, {})] if first and first.clock == clock else []
    on_axis = [*begin, *(event for event in events if event.stamp.clock == clock)]
    year, zone = _year_and_zone(on_axis, parsed) if clock in ("local", "yearless") else (0, None)
    moments = list(_moments(clock, on_axis, year, parsed))
    if (moments and clock in ("epoch", "local")) or (clock == "yearless" and year):
        offset = timezone(timedelta(seconds=zone)) if zone is not None else UTC
        started = datetime.fromtimestamp(moments[0] - (zone or 0.0), offset)
        known = clock == "epoch" or zone is not None
        parsed.header["started"] = (started if known else started.replace(tzinfo=None)).isoformat()
    absolute = 0.0 if clock == "epoch" else zone
    times = dict(zip(map(id, on_axis), moments, strict=False))
    parsed.events = [_timed(event, times.get(id(event)), moments, absolute) for event in events]


def _timed(event: Event, moment: float | None, moments: Sequence[float], zone: float | None) -> Row:
    row: Row = {}
    if moment is not None:
        row["time"] = round(moment - moments[0], 6)
        if zone is not None:
            row["event_time"] = round(moment - zone, 6)
    if event.stamp.uptime is not None:
        row["uptime"] = event.stamp.uptime
    return row | event.row


def _moments(clock: Clock, events: Sequence[Event], year: int, parsed: Parsed) -> Iterator[float]:
    """Seconds of each event by one clock that never starts anew: years, days and reboots are seen by its falling."""
    before, turns = 0.0, 0
    for event in events:
        seconds = event.stamp.seconds
        if (clock == "yearless" and before - seconds > _HALF_A_YEAR) or (clock == "day" and before - seconds > DAY / 2):
            turns += 1
        elif clock == "boot" and seconds < before - 1:
            parsed.note("the seconds since boot begin anew: later events have no time", int(event.row["line"]))
            return
        before = seconds
        yield _within_year(seconds, year + turns) if clock == "yearless" else seconds + turns * DAY


def _within_year(seconds: float, year: int) -> float:
    """Seconds since 1970 of a date that was counted within the leap year 2000; without a year since that year began."""
    in_leap_year = datetime(2000, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    try:
        return in_leap_year.replace(year=year if year > 1 else 2000 + year).timestamp()
    except ValueError:
        return in_leap_year.replace(year=year if year > 1 else 2000 + year, day=28).timestamp() + DAY


def _year_and_zone(events: Sequence[Event], parsed: Parsed) -> tuple[int, float | None]:
    """Year and zone of a log that prints neither, from requests that expired: their deadlines are seconds since 1970.

    The year is 0 and the zone None where no request expired, or where two of them disagree.
    """
    found = {answer for event in events if (answer := _by_deadline(event)) is not None}
    if len(found) != 1:
        return 0, None
    year, zone = found.pop()
    parsed.note("the time zone is taken from the deadlines of requests that expired")
    return year, zone


def _by_deadline(event: Event) -> tuple[int, float] | None:
    deadline = event.row.get("deadline_time")
    if not isinstance(deadline, float):
        return None
    near = datetime.fromtimestamp(deadline, UTC).year
    yearless = event.stamp.clock == "yearless"
    for year in (near, near - 1, near + 1) if yearless else (0,):
        local = _within_year(event.stamp.seconds, year) if yearless else event.stamp.seconds
        zone = ((local - deadline - EARLY) // QUARTER) * QUARTER
        if abs(zone) <= 14 * 3600 and local - deadline - zone <= LATE:
            return year, zone
    return None
