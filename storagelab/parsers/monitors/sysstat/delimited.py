"""What ``sadf -d`` and ``sadf -p`` print: a line a sample and item, or a line a value.

``-d`` names its columns in a line ``# hostname;interval;timestamp;...``; with ``-h`` a line holds all the items of one
sample, of one table or several (`groups`). ``CPU*`` stands for a column for each processor that was online, whichever
those were. ``-p`` separates host, interval, timestamp, item, column and value by tabs. The timestamp is UTC where it
says so or counts seconds (``-U``), and else local. sysstat 10 and 11 may repeat a terminal's number before each of its
values.
"""

from __future__ import annotations

import functools
import math
import re
from datetime import datetime

from storagelab.parsers.line_formats import LONGEST
from storagelab.parsers.model import Parsed, Value
from storagelab.parsers.monitors.sysstat import clock, meanings
from storagelab.parsers.monitors.sysstat.assembly import assemble
from storagelab.parsers.monitors.sysstat.groups import PROCESSORS, groups, items, with_processors
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.monitors.sysstat.sheet import Sheet
from storagelab.parsers.text import moment
from storagelab.parsers.text import number as decimal

STAMP = ("host", "time", "elapsed", "statistic")
_ABOUT = 3
_NO_GROUPS = {"DEVICE", "BUS"}
"""Keys of sensors and of what is plugged in, which stand among other columns."""
_LEFT_OUT = "..."
_COMMENT = "COM"
_SPECIAL = ("LINUX-RESTART", _COMMENT)
_RESTART = re.compile(r"LINUX-RESTART\s*\(?(\d+)?")
_NETWORK = {"rxcmp/s", "txcmp/s", "rxmcst/s", "coll/s", "txcarr/s", "rxfram/s", "rxfifo/s", "txfifo/s"}
_PROCESSOR = re.compile(r"all|cpu\d+|-1", re.IGNORECASE)
_NUMBERED = {"CPU", "FAN", "TEMP", "IN", "BAT"}
"""Kinds whose items ``-p`` calls by the kind and a number."""
_SENSORS = {
    **dict.fromkeys(("rpm", "drpm"), "FAN"),
    **dict.fromkeys(("degC", "%temp"), "TEMP"),
    **dict.fromkeys(("inV", "%in"), "IN"),
    **dict.fromkeys(("%cap", "cap/min", "status"), "BAT"),
    **dict.fromkeys(("idvendor", "idprod", "maxpower", "manufact", "product"), "BUS"),
}


def read_delimited(lines: list[str], parsed: Parsed) -> None:
    """Read what ``sadf -d`` printed into `series`."""
    table = _Table(parsed)
    columns: tuple[str, ...] = ()
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#") and len(line) > LONGEST:
            columns = ()
            remark(parsed, "the names of the columns are damaged or too long", number, lost=True)
        elif line.lstrip().startswith("#"):
            columns = tuple(line.strip().lstrip("# ").split(";")[_ABOUT:])
            if columns[-1:] == (_LEFT_OUT,):
                remark(parsed, "somebody left out the last columns", number, lost=True)
            if "\ufffd" in line:
                remark(parsed, "a name of a column is not UTF-8", number, lost=True)
            if PROCESSORS in columns:
                remark(
                    parsed,
                    "which processor a column is of, the log does not say: their sum is read",
                    number,
                    lost=False,
                )
        elif line.strip():
            table.delimited(line.split(";"), columns, number)
    table.finish(len(lines))


def read_pairs(lines: list[str], parsed: Parsed) -> None:
    """Read what ``sadf -p`` printed into `series`."""
    table = _Table(parsed)
    for number, line in enumerate(lines, 1):
        if line.strip():
            table.pair(line.split("\t"), number)
    table.finish(len(lines))


_tables = functools.lru_cache(maxsize=16)(groups)


@functools.lru_cache(maxsize=16)
def _are_of_one_item(columns: tuple[str, ...]) -> bool:
    """Whether a line under these columns holds one item of one table, or sensors, which are taken as one."""
    tables = _tables(columns)
    return not any(table.repeats for table in tables) and (len(tables) == 1 or not _NO_GROUPS.isdisjoint(columns))


class _Table:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self._parsed = parsed
        self._sheets: dict[tuple[str, ...], Sheet] = {}
        self._origin: datetime | None = None
        self._last_about: list[str] = []
        self._last_stamp: tuple[Value, ...] = ()

    def delimited(self, cells: list[str], columns: tuple[str, ...], number: int) -> None:
        """Take a line of ``-d``."""
        stamp = self._stamp(cells, number)
        if stamp is None or self._is_special(cells, stamp, number):
            return
        cells = cells[_ABOUT:]
        if _are_of_one_item(columns):
            self._add(columns, cells, stamp, number)
            return
        tables = with_processors(_tables(columns), cells)
        parts = items(tables, cells)
        for names, words in parts:
            self._add(names, words, stamp, number)
        if not parts:
            remark(self._parsed, "a line that its header does not explain", number, lost=True)
        elif len({names for names, _ in parts}) < len({table.columns for table in tables}):
            remark(self._parsed, "which items are of which table, the line does not tell", number, lost=True)

    def pair(self, cells: list[str], number: int) -> None:
        """Take a line of ``-p``."""
        stamp = self._stamp(cells, number)
        if stamp is None or self._is_special(cells, stamp, number):
            return
        if len(cells) != _ABOUT + 3:
            remark(self._parsed, f"{_ABOUT + 3} fields wanted, found {len(cells)}", number, lost=True)
            return
        item, column, value = (cell.strip() for cell in cells[_ABOUT:])
        if "\ufffd" in column:
            remark(self._parsed, "a name of a column is not UTF-8", number, lost=True)
        kind = _kind(item, column)
        if kind == "INTR":
            column = column.upper() if column.startswith("cpu") else column
        words = [item.lower().removeprefix(kind.lower()) if kind in _NUMBERED else item, value]
        self._add((kind, column) if kind else (column,), words if kind else [value], stamp, number)

    def _add(self, columns: tuple[str, ...], words: list[str], stamp: tuple[Value, ...], number: int) -> None:
        if columns[-1:] == (_LEFT_OUT,) and words[-1:] == [_LEFT_OUT]:
            columns, words = columns[:-1], words[:-1]
        if columns[:1] == ("TTY",) and len(words) == 2 * (len(columns) - 1) and len(set(words[::2])) == 1:
            words = [words[0], *words[1::2]]
        if PROCESSORS in columns:
            at = columns.index(PROCESSORS)
            columns, words = (*columns[:at], "all"), words[: at + 1]
        if columns[:1] == ("CPU",) and words[:1] == ["-1"]:
            words = ["all", *words[1:]]
        sheet = self._sheets.get(columns)
        if sheet is None:
            sheet = self._sheets[columns] = Sheet(columns, STAMP)
        try:
            sheet.add(words, stamp, number)
        except ValueError as error:
            if not sheet.layout.is_ignored:
                remark(self._parsed, f"not a line of the table: {error}", number, lost=True)

    def _stamp(self, cells: list[str], number: int) -> tuple[Value, ...] | None:
        """Read host, time and interval; the items of a sample share them."""
        if cells[:_ABOUT] == self._last_about:
            return self._last_stamp
        try:
            host, interval, moment = _behind_stamps(cells[0]), decimal(cells[1]), moment_of(cells[2].strip())
        except (IndexError, ValueError):
            remark(self._parsed, "not a line of sadf: host, interval and time wanted", number, lost=len(cells) > 1)
            return None
        self._origin = self._origin or moment
        alike = clock.are_alike(moment, self._origin)
        time = (moment - self._origin).total_seconds() if alike else math.nan
        self._last_about = cells[:_ABOUT]
        self._last_stamp = host, time, interval if interval >= 0 else math.nan, "single"
        return self._last_stamp

    def _is_special(self, cells: list[str], stamp: tuple[Value, ...], number: int) -> bool:
        """Take a restart, with the processors that the host has since then; pass over a comment."""
        text = cells[_ABOUT] if len(cells) > _ABOUT else ""
        if not text.startswith(_SPECIAL):
            return False
        restart = _RESTART.match(" ".join(cells[_ABOUT:]))
        if restart and restart[1]:
            self._add(("CPUs",), [restart[1]], stamp, number)
        return restart is not None or text.startswith(_COMMENT)

    def finish(self, number: int) -> None:
        """Put the samples into `series`."""
        if any(sheet.lacks_items() for sheet in self._sheets.values()):
            self._parsed.incomplete("the last sample lacks an item that the one before has", number)
        series = assemble(self._sheets.values())
        hosts = set(series.get("host", ()))
        if len(hosts) == 1:
            self._parsed.header["host"] = hosts.pop()
            del series["host"]
        if self._origin:
            self._parsed.header["started"] = self._origin.isoformat()
        self._parsed.series = series


def _behind_stamps(text: str) -> str:
    """Name of the host, which has no blanks, behind the time at which `ts` or a syslog saw the line."""
    return (text.split() or [""])[-1]


def _kind(item: str, column: str) -> str:
    """Which kind of item has this column: the first column of the table that a report would print."""
    if item == "-":
        return ""
    if column in _SENSORS:
        return _SENSORS[column]
    if column in meanings.INTERFACES or column in _NETWORK:
        return "IFACE"
    if column in ("all", "intr/s") or _PROCESSOR.fullmatch(column):
        return "INTR"
    if column in meanings.FILESYSTEMS:
        return "FILESYSTEM"
    if column in meanings.PROCESSORS or _PROCESSOR.fullmatch(item):
        return "CPU"
    return "DEV"


@functools.lru_cache(maxsize=1024)
def moment_of(text: str) -> datetime:
    """Read a timestamp of sadf; it has a zone where the text says UTC or counts seconds.

    Raises
    ------
    ValueError
        If the text is none.
    """
    if text.isdecimal():
        return moment(int(text)) if len(text) < 12 else _refuse(text)
    day, _, rest = text.partition(" ")
    words = rest.split()
    time = clock.time_of_day(words) if words else None
    if time is None:
        return _refuse(text)
    zone = "+00:00" if words[-1] == "UTC" else ""
    return datetime.fromisoformat(f"{clock.day(day)[0]}T{clock.clock_text(time[0])}{zone}")


def _refuse(text: str) -> datetime:
    raise ValueError(f"{text} is no timestamp of sadf")
