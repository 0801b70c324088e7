"""The database of vnstat 1 as ``--exportdb`` (``--dumpdb`` of old) prints it: a field a line, then periods.

``d;0;DATE;rx;tx;rx;tx;used``: a day, its date in seconds, what came and went in MiB, the KiB beyond that, and whether
the place is in use; ``m`` is a month, ``t`` one of the top days. ``h;0;DATE;rx;tx`` is an hour, in KiB. An interface
has 30 days, 12 months, 10 top days and 24 hours, which end it. Printed by dbshow.c (exportdb); vnstat(1).
"""

from __future__ import annotations

import re

from storagelab.parsers.line_formats import trusted_lines
from storagelab.parsers.model import Parsed, Row
from storagelab.units import KIB, MIB

_COUNT = r"(\d{1,20})"
_FIELD = re.compile(r"(interface|totalrxk?|totaltxk?);(\S{1,64})$")
_PERIOD = re.compile(rf"([dmt]);\d\d?;{_COUNT};{_COUNT};{_COUNT};{_COUNT};{_COUNT};([01])$")
_HOUR = re.compile(rf"h;(\d\d?);{_COUNT};{_COUNT};{_COUNT}$")
_ASIDE = re.compile(r"(?:version|active|nick|created|updated|currx|curtx|btime);")
_OF_DATABASE = re.compile(r"[a-z]{1,9};")
_PHASES = {"d": "daily", "m": "monthly", "t": "top"}
_DIRECTIONS = {"rx": "receive", "tx": "transmit"}
_LAST_HOUR = "23"


def is_exported(text: str) -> bool:
    """Whether the totals of a database stand here."""
    return "totalrxk;" in text and "interface;" in text


def read(text: str, parsed: Parsed) -> list[Row]:
    """Make rows of every interface."""
    database = _Database(parsed)
    for at, line in trusted_lines(text, parsed):
        database.take(line.strip(), at)
    database.leave()
    return database.samples


class _Database:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self.samples: list[Row] = []
        self._parsed = parsed
        self._interface = ""
        self._totals: dict[str, int] = {}
        self._hour = _LAST_HOUR

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        if found := _FIELD.match(line):
            self._field(found[1], found[2], at)
        elif found := _PERIOD.match(line):
            sizes = [int(found[mib]) * MIB + int(found[kib]) * KIB for mib, kib in ((3, 5), (4, 6))]
            self._add(_PHASES[found[1]], sizes, at, start=int(found[2]) if found[7] == "1" else 0)
        elif found := _HOUR.match(line):
            self._hour = found[1]
            self._add("hourly", [int(found[3]) * KIB, int(found[4]) * KIB], at, start=int(found[2]))
        elif _OF_DATABASE.match(line) and not _ASIDE.match(line):
            self._parsed.incomplete(f"expected a period of vnstat's database, found {line[:60]!r}", at)

    def leave(self) -> None:
        """Say so if the interface lacks its last hours."""
        if self._hour != _LAST_HOUR:
            self._parsed.incomplete(f"the hours of {self._interface or 'an interface'} end before {_LAST_HOUR}")

    def _field(self, name: str, value: str, at: int) -> None:
        if name == "interface":
            self.leave()
            self._interface, self._totals, self._hour = value, {}, ""
        elif not value.isdecimal():
            self._parsed.incomplete(f"expected a count behind '{name};', found {value[:40]!r}", at)
        elif name.endswith("k") and (mib := self._totals.get(name[:-1])) is not None:
            self._row("since", _DIRECTIONS[name[5:7]], mib * MIB + int(value) * KIB, at)
        else:
            self._totals[name] = int(value)

    def _add(self, phase: str, sizes: list[float], at: int, *, start: int) -> None:
        """Take a period of both directions; a place without a date is not in use."""
        for operation, size in zip(_DIRECTIONS.values(), sizes, strict=True) if start else ():
            self._row(phase, operation, size, at, start_time=float(start))

    def _row(self, phase: str, operation: str, size: float, at: int, **keys: float) -> None:
        row: Row = {"interface": self._interface, "phase": phase, "operation": operation, "data_size": size, "line": at}
        self.samples.append({**row, **keys})
