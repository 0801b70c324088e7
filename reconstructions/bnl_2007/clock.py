"""When the host pages were saved and the tests began: boot time and uptime are printed, and so are times of day."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from storagelab.study.testbed import TestBed


def saved(page: int, bed: TestBed) -> datetime:
    """Return the moment at which a host page was saved: boot time + uptime, which is printed to a minute."""
    booted = parsedate_to_datetime(bed.text("ganglia", "boottime"))
    return booted + timedelta(seconds=bed.si(f"page{page}.uptime"))


def at(page: int, time_of_day: float, bed: TestBed) -> float:
    """Return a time of day [s after midnight] on the day of a page, in seconds since 1970."""
    midnight = saved(page, bed).replace(hour=0, minute=0, second=0)
    return midnight.timestamp() + time_of_day


def on_a_step(seconds: float, bed: TestBed) -> float:
    """Return the last step of the monitor that ended by then, in seconds since 1970."""
    step = bed.chosen("step")
    return seconds // step * step


def local(seconds: float, bed: TestBed) -> datetime:
    """Return seconds since 1970 as the clock of the server shows them."""
    return datetime.fromtimestamp(seconds, parsedate_to_datetime(bed.text("ganglia", "boottime")).tzinfo)
