"""One time axis a run: every log's times, and what was done to the run, in seconds since the run's start.

A log says when it began (`started` of its header), with its offset from UTC or by a clock on some wall; the sidecars
say in which time zone that clock hangs (`time_zone`), and when a log began that does not say it itself. The run starts
with the earliest `started` of its sidecars, or else with its first log. An hour that a zone has twice, or never, is
asked for with its offset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from storagelab import study
from storagelab.errors import SidecarError

if TYPE_CHECKING:
    from storagelab.ingest.log_file import Log
    from storagelab.ingest.one_run import RunLog
    from storagelab.study import Entry


def is_timed(log: Log) -> bool:
    """Whether any sample or event of a log has a time."""
    times = next(log.parsed.tables(), {}).get("time", ())
    return any(time == time for time in times) or any("time" in row for row in log.parsed.events)


def start_of(run: Sequence[RunLog]) -> datetime | None:
    """Start of a run, or None where nobody says it with its time zone."""
    said = [moment for read in run if (moment := _said_to_start(read.entry))]
    return min(said or [moment for read in run if is_timed(read.log) and (moment := log_start(read))], default=None)


def time_offset(read: RunLog, run: Sequence[RunLog], start: datetime | None) -> float:
    """Seconds to add to the times of a log to count them from the start of its run.

    Where the log's own start is not known, its times stand alone as they are.

    Raises
    ------
    SidecarError
        If it is not known, but other logs of the run have times too, or if the clocks of its zone are changed while it
        runs.
    """
    if not is_timed(read.log):
        return 0.0
    moment = log_start(read)
    if moment and start:
        _check_clock(read, moment)
        return (moment - start).total_seconds()
    others = [other.log.name for other in run if other is not read and is_timed(other.log)]
    if others:
        raise _cannot_place(read, others[0])
    return 0.0


def log_start(read: RunLog) -> datetime | None:
    """When a log began, or None where that or its time zone is not known."""
    said = read.log.parsed.header.get("started")
    return _placed(str(said), read.entry) if said else _said_to_start(read.entry)


def intervention_events(entry: Entry, start: datetime | None) -> Iterator[tuple[str, float, datetime]]:
    """What was done to the run of a log: event, seconds since the run's start, and the moment.

    Raises
    ------
    SidecarError
        If the moment has no time zone, or the run no start.
    """
    for event, text in entry.events.items():
        moment = _placed(text, entry)
        if moment is None or start is None:
            missing = "`time_zone`" if moment is None else "`started` of the run, with its time zone"
            raise SidecarError(entry.file, f"{entry.path}: {event} at {text} needs {missing}", entry.line)
        yield event, (moment - start).total_seconds(), moment


def _said_to_start(entry: Entry) -> datetime | None:
    said = entry.keys.get("started")
    return _placed(str(said), entry) if said else None


def _placed(text: str, entry: Entry) -> datetime | None:
    """Return a moment with its time zone: its own, or the one that the sidecars say."""
    moment = study.moment("started", text)
    said = entry.keys.get("time_zone")
    if moment.tzinfo is None and said:
        moment = moment.replace(tzinfo=study.zone(str(said)))
        _check_hour(moment, entry)
    return moment if moment.tzinfo else None


def _check_hour(moment: datetime, entry: Entry) -> None:
    """Refuse a wall clock's time that is two moments, or none, as the clocks of its zone were changed."""
    first, second = (moment.replace(fold=fold).utcoffset() or timedelta() for fold in (0, 1))
    if first != second:
        what = "comes twice" if first == max(first, second) else "is skipped"
        text = moment.replace(tzinfo=None).isoformat()
        message = f"{entry.path}: {text} {what} in {moment.tzinfo}: say the offset, as `time_zone: '+01:00'`"
        raise SidecarError(entry.file, message, entry.line)


def _check_clock(read: RunLog, moment: datetime) -> None:
    """Refuse a log by a wall clock that was put forward or back while it ran: its times jump by an hour."""
    said, entry = str(read.log.parsed.header.get("started", "")), read.entry
    if not said or study.moment("started", said).tzinfo:
        return
    if (moment + timedelta(seconds=_last_time(read.log))).utcoffset() != moment.utcoffset():
        message = f"{entry.path}: the clocks of {moment.tzinfo} are changed while it runs: its times cannot be trusted"
        raise SidecarError(entry.file, message, entry.line)


def _last_time(log: Log) -> float:
    sampled = (float(time) for table in log.parsed.tables() for time in table.get("time", ()) if time == time)
    happened = (float(event["time"]) for event in log.parsed.events if "time" in event)
    return max((*sampled, *happened), default=0.0)


def _cannot_place(read: RunLog, other: str) -> SidecarError:
    entry, said = read.entry, read.log.parsed.header.get("started")
    knows = f"says {said} without a time zone" if said else "does not say when it began"
    wanted = "`time_zone: UTC`, or the zone it is," if said else "`started` with its time zone"
    message = f"{entry.path} {knows}, and stands on one time axis with {other}: add {wanted} to its keys"
    return SidecarError(entry.file, message, entry.line)
