"""What cmsRun prints of a job over one file: messages with wall-clock times, and the times of the whole behind them.

From the request to open the file to its first record, and from there on record by record, are the phases that a job
report lacks. Formats: CMSSW, FWCore/MessageLogger (file messages, records), FWCore/Framework (``wantSummary``),
FWCore/Services (Timing.cc), as releases up to CMSSW 5 print them. The defects that come with it:

- a file message has whole seconds, a record as many decimals as `decimals`: none before CMSSW 5, three since;
- what is begun is printed, not what is done: the last event is in no phase but the total.

The job is steady: its events take equally long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Log:
    """The output of one job.

    Attributes
    ----------
    started : datetime
        When the file was asked for, with a zone and without a part of a second.
    file : str
        Path or URL.
    opening : float
        Seconds from the request to open the file until it was open.
    to_first_record : float
        Seconds from the request to open the file to the first record; not less than `opening`.
    loop : float
        Seconds from the first record until the file was closed.
    elapsed, cpu_time : float
        Seconds of the whole job; not less than the two phases.
    job_events : float
        Events of the job; at least one.
    report_every : int
        Of how many records one is announced.
    decimals : {0, 3}
        Of the seconds at which a record begins.
    """

    started: datetime
    file: str
    opening: float
    to_first_record: float
    loop: float
    elapsed: float
    cpu_time: float
    job_events: float
    report_every: int = 100
    decimals: Literal[0, 3] = 0


def render(log: Log) -> str:
    """Return what the job printed, behind a remark of the script that ran it.

    Raises
    ------
    ReconstructError
        If its times contradict each other, or there is a value that cmsRun cannot print.
    """
    _hold(log)
    return shell.REMARK + "".join((*_messages(log), *_summary(log), *_timing(log)))


def _hold(log: Log) -> None:
    if log.started.tzinfo is None or log.started.microsecond:
        raise ReconstructError(f"started: expected a zone and whole seconds, found {log.started.isoformat()!r}")
    for name in ("opening", "to_first_record", "loop", "elapsed", "cpu_time"):
        printable.amount(name, getattr(log, name))
    printable.positive("job_events", printable.whole("job_events", log.job_events))
    printable.positive("report_every", printable.whole("report_every", log.report_every))
    if log.opening > log.to_first_record:
        raise ReconstructError(f"opening: expected at most to_first_record {log.to_first_record}, found {log.opening}")
    if log.elapsed < log.to_first_record + log.loop:
        phases = log.to_first_record + log.loop
        raise ReconstructError(f"elapsed: expected at least the phases {phases}, found {log.elapsed}")


def _messages(log: Log) -> Iterator[str]:
    file = printable.word("file", log.file)
    yield f"{_stamp(log, 0)}  Initiating request to open file {file}\n"
    yield f"{_stamp(log, log.opening)}  Successfully opened file {file}\n"
    for record in range(1, int(log.job_events) + 1, log.report_every):
        at = log.to_first_record + log.loop * (record - 1) / log.job_events
        stamp = _stamp(log, at, log.decimals)
        yield f"Begin processing the {_ordinal(record)} record. Run 1, Event {record}, LumiSection 1 at {stamp}\n"
    yield f"{_stamp(log, log.to_first_record + log.loop)}  Closed file {file}\n"


def _summary(log: Log) -> Iterator[str]:
    """Yield the summary of the framework: means over events, to microseconds."""
    events = int(log.job_events)
    yield "\nTrigReport ---------- Event  Summary ------------\n"
    yield f"TrigReport Events total = {events} passed = {events} failed = 0\n"
    yield "\nTimeReport ---------- Event  Summary ---[sec]----\n"
    yield f"TimeReport CPU/event = {log.cpu_time / events:.6f} Real/event = {log.loop / events:.6f}\n"
    yield "\nT---Report end!\n\n"


def _timing(log: Log) -> Iterator[str]:
    """Yield the summary of the Timing service, whose numbers have six digits."""
    event = f"{log.loop / log.job_events:g}"
    yield f"TimeReport> Time report complete in {log.elapsed:g} seconds\n"
    yield f" Time Summary: \n - Min event:   {event}\n - Max event:   {event}\n - Avg event:   {event}\n"
    yield f" - Total job:   {log.elapsed:g}\n CPU Summary: \n - Total job:   {log.cpu_time:g}\n"


def _stamp(log: Log, seconds: float, decimals: int = 0) -> str:
    """Return a moment of the job as the message logger prints it; what it has no digits for is cut off."""
    moment = (log.started + timedelta(seconds=seconds)).astimezone(UTC)
    part = f".{moment.microsecond // 1000:03d}" if decimals else ""
    return f"{moment.day:02d}-{_MONTHS[moment.month - 1]}-{moment.year:04d} {moment:%H:%M:%S}{part} UTC"


def _ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th, 11th, ..."""
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
