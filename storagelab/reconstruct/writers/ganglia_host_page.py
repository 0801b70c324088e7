"""The host page of Ganglia's web front end, saved as HTML: the tables of strings and constants of one host.

Format: ganglia-web 3, host_view.php and templates/default/host_overview.tpl, without the frame and the pictures around
the tables. The defects that come with it: memory is in KB of 1024 B, the clock of a processor in whole MHz, and ages in
whole seconds; the moment of the page is when somebody looked, not when gmond reported (boot time and uptime say that).
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from datetime import datetime, timedelta

from storagelab import units
from storagelab.errors import ReconstructError
from storagelab.reconstruct.log import MARK
from storagelab.reconstruct.writers import printable

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True)
class HostPage:
    """A host as Ganglia shows it.

    Attributes
    ----------
    host : str
        Its name.
    reported : datetime
        When gmond reported last, with a zone and without a part of a second.
    uptime : float
        Seconds since it was booted; whole.
    processors : float
        How many it has.
    clock_rate : float
        Their clock [Hz].
    memory_total, swap_total : float
        Bytes; multiples of 1024.
    os_name, os_release, machine_type : str
        What uname says.
    last_reported : float
        Seconds from gmond's last report to the page; whole.
    """

    host: str
    reported: datetime
    uptime: float
    processors: float
    clock_rate: float
    memory_total: float
    swap_total: float = 0.0
    os_name: str = "Linux"
    os_release: str = "2.6.18"
    machine_type: str = "x86_64"
    last_reported: float = 0.0


def render(log: HostPage) -> str:
    """Return the page, behind a comment.

    Raises
    ------
    ReconstructError
        If the moment has no zone, or there is a value that the page cannot show.
    """
    if log.reported.tzinfo is None or log.reported.microsecond:
        raise ReconstructError(f"reported: expected a zone and whole seconds, found {log.reported.isoformat()!r}")
    host = html.escape(printable.word("host", log.host))
    shown = _date(log.reported + timedelta(seconds=printable.whole("last_reported", log.last_reported)))
    return (
        f"<!-- {MARK} -->\n<!-- Begin header.tpl -->\n<!doctype html>\n<html>\n  <head>\n"
        f"    <title>Ganglia:: {host} Host Report</title>\n"
        f'</head><body>\n              <b id="page_title">{host} Host Report at {shown}</b>\n<br>\n'
        "This host is up and running.\n\n"
        f'<table border="0" width="100%">\n{_title("Time and String Metrics")}{_rows(_strings(log))}\n'
        f"<tr><td>&nbsp;</td></tr>\n\n{_title('Constant Metrics')}{_rows(_constants(log))}\n</table>\n</body></html>\n"
    )


def _title(text: str) -> str:
    return f'<tr>\n  <td colspan="2" class="title">{text}</td>\n</tr>\n\n'


def _rows(cells: dict[str, str]) -> str:
    form = '<tr>\n <td class="footer" width="30%">{}</td><td>{}</td>\n</tr>\n'
    return "".join(form.format(name, html.escape(value)) for name, value in cells.items())


def _strings(log: HostPage) -> dict[str, str]:
    booted = log.reported - timedelta(seconds=printable.whole("uptime", log.uptime))
    return {
        "Last Boot Time": _date(booted),
        "Last Reported": f"{_age(log.last_reported)} ",
        "Machine Type": f"{printable.line('machine_type', log.machine_type)} ",
        "Operating System": f"{printable.line('os_name', log.os_name)} ",
        "Operating System Release": f"{printable.line('os_release', log.os_release)} ",
        "Uptime": f"{_age(log.uptime)} ",
    }


def _constants(log: HostPage) -> dict[str, str]:
    processors = printable.whole("processors", printable.positive("processors", log.processors))
    return {
        "CPU Count": f"{processors} CPUs",
        "CPU Speed": f"{round(printable.positive('clock_rate', log.clock_rate) / units.MB)} MHz",
        "Memory Total": f"{_kilobytes('memory_total', log.memory_total)} KB",
        "Swap Space Total": f"{_kilobytes('swap_total', log.swap_total)} KB",
    }


def _kilobytes(name: str, value: float) -> int:
    return printable.whole(f"{name} in KB", value / units.KIB)


def _age(seconds: float) -> str:
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"{days} days, {hour}:{minute:02d}:{second:02d}"


def _date(moment: datetime) -> str:
    """Return a date as PHP's ``date("r")`` writes it (RFC 2822)."""
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    return f"{day}, {moment.day:02d} {month} {moment.year:04d} {moment:%H:%M:%S %z}"
