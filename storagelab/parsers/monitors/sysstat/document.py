"""Documents of sysstat in JSON and XML: hosts, their samples in order, and the time of each."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from datetime import datetime

from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed
from storagelab.parsers.monitors.sysstat import clock, json_tree
from storagelab.parsers.monitors.sysstat.assembly import assemble
from storagelab.parsers.monitors.sysstat.json_tree import Record
from storagelab.parsers.monitors.sysstat.tree import Tables, items

_OF_SADF = ("file-date", "sysdata-version", "file-utc-time", "timezone")
STAMP = ("part", "iteration", "time", "elapsed", "statistic", "phase")


def read_json(text: str, tool: str, sections: Collection[str] = (), first_is_since_boot: bool = False) -> Parsed:
    """Read every JSON document in a text into `series`, of those hosts whose samples have one of `sections`.

    Raises
    ------
    ParseError
        If no document holds a sample.
    """
    parsed = Parsed({"tool": tool})
    roots = []
    for reader in json_tree.documents(clock.plain(text)):
        roots.append(reader.root)
        if reader.fault:
            parsed.incomplete(reader.fault, reader.line)
    hosts = [host for host in hosts_of(roots) if _wrote(tool, sections, host)]
    return fill(parsed, hosts, first_is_since_boot)


def _wrote(tool: str, sections: Collection[str], host: Record) -> bool:
    """Whether a tool wrote this: the data file that only sadf reads has a date, and the others' sections differ."""
    is_of_sadf = any(name in host for name in _OF_SADF)
    samples = host.records("statistics")
    return is_of_sadf == (tool == "sadf") and (
        not sections or any(section in sample for sample in samples for section in sections)
    )


def fill(parsed: Parsed, hosts: Iterable[Record], first_is_since_boot: bool = False) -> Parsed:
    """Read the samples of each host into `series`.

    Raises
    ------
    ParseError
        If there is none.
    """
    tables = Tables(parsed, STAMP)
    origin: datetime | None = None
    for part, host in enumerate(hosts, 1):
        parsed.header.setdefault("host", host.text("nodename"))
        previous: datetime | None = None
        for iteration, sample in enumerate(host.records("statistics")):
            moment = _moment(sample, host, previous)
            origin = origin or moment
            previous = moment or previous
            time = (
                (moment - origin).total_seconds() if moment and origin and clock.are_alike(moment, origin) else math.nan
            )
            boot = first_is_since_boot and iteration == 0
            stamp = (float(part), float(iteration), time, _interval(sample), "single", "since boot" if boot else "")
            for item in items(sample):
                tables.add(item, stamp)
    if origin and origin.year > 1:
        parsed.header["started"] = origin.isoformat()
    parsed.series = assemble(tables.sheets.values())
    if not parsed.series:
        raise ParseError(f"a sample of {parsed.header['tool']} under 'statistics'", "none", 1)
    return parsed


def hosts_of(roots: Iterable[Record]) -> list[Record]:
    """Return the hosts below each root."""
    return [host for root in roots for sysstat in root.records("sysstat") for host in sysstat.records("hosts")]


def _interval(sample: Record) -> float:
    for stamp in (*sample.records("timestamp"), sample):
        try:
            return float(stamp.text("interval"))
        except ValueError:
            continue
    return math.nan


def _moment(sample: Record, host: Record, previous: datetime | None) -> datetime | None:
    """When a sample was taken; of a bare time of day, on the host's day or a later one."""
    for stamp in (*sample.records("timestamp"), sample):
        if stamp.text("time"):
            zone = "+00:00" if stamp.text("utc") == "1" else ""
            return _parsed_time(f"{stamp.text('date')}T{stamp.text('time')}{zone}")
    text = sample.text("timestamp")
    moment = moment_of(text, host.text("date") or host.text("file-date"))
    bare = clock.time_of_day(text.split()) if text.strip() else None
    if moment and previous and bare and clock.is_set_back(previous, moment):
        return clock.next_day(previous, moment)
    return moment


def moment_of(text: str, date: str, day_first: bool | None = None) -> datetime | None:
    """Read a time stamp as iostat and mpstat print it; of a bare time of day, on `date`, or in year 1 without one.

    `day_first` is as in `clock.day`; a date with a year of four digits and a clock of 24 hours begins with the day too.
    """
    iso = _parsed_time(text)
    if iso:
        return iso
    words = text.split()
    has_day = len(words) > 1 and clock.day(words[0])[0] != ""
    time = clock.time_of_day(words[has_day:]) if words else None
    if time is None:
        return None
    if has_day:
        date = words[0]
    day_first = day_first or (not time[2] and re.fullmatch(r".*/\d{4}", date) is not None)
    return _parsed_time(f"{clock.day(date, day_first)[0] or '0001-01-01'}T{clock.clock_text(time[0])}")


def _parsed_time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if len(text) > 12 else None
    except ValueError:
        return None
