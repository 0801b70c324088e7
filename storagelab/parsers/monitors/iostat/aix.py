"""AIX' ``iostat``: terminals and processors, then disks, adapters and paths; with ``-D`` the times of each disk.

A report is ``tty: ... avg-cpu: ...`` over a line of numbers, and ``Disks: % tm_act Kbps tps Kb_read Kb_wrtn`` over a
line a disk (``Adapter:``, ``Vadapter:`` and ``System:`` with ``-a`` and ``-s``, ``FS Name:`` with ``-f`` and ``-F``,
where `device` is the file system). ``-D`` prints a block a disk, with ``xfer:``, ``read:``, ``write:`` and ``queue:``
over their numbers, and with ``-l`` a line a disk. ``-T`` puts the time of day behind: `time` is from the first on.
Documented in iostat(1) of AIX 5.3 to 7.3.

Kbps is 1024 bytes a second. Numbers of ``-D`` are bytes a second and milliseconds; the suffixes K, M, G and T are
powers of 1000 behind those of ``xfer:``, and behind times S, M and H are seconds, minutes and hours. The first report
is since boot; `iteration` counts reports from 0. There is no end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from storagelab.parsers.line_formats import fill, metric, trusted_lines
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.clock import Clock
from storagelab.parsers.monitors.snapshot import is_prompt
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.text import number
from storagelab.units import KIB, MILLISECOND, PERCENT, powers

MARKS = ("tm_act", "%tm ", "tty:")
_HEADING = re.compile(
    r"^[ \t]{0,8}(?:(?:Disks?|Drives|FS Name):? +% ?tm_act +[KB]|\S+ +xfer: +%tm_act +bps"
    r"|%tm +bps +tps +bread +bwrtn +rps|tty: +tin +tout +avg-cpu:)",
    re.MULTILINE,
)
_SPLIT_NAME = re.compile(r"% (?=[a-z])")
_TIMES = re.compile(r"\d\d:\d\d:\d\d")
_ANY_NUMBER = re.compile(r"([+-]?\d{1,18}(?:\.\d{1,6})?)([KMGTSH]?)")
_SIZES = powers(1000.0, "KMGT")
_DURATIONS = {"S": 1.0, "M": 60.0, "H": 3600.0}


class _Meaning(NamedTuple):
    """What a column is: operation, name in the contract or "", factor to SI, and the unit of a metric."""

    operation: str
    name: str
    factor: float = 1.0
    unit: str = ""
    is_time: bool = False


_PROCESSORS = {
    "%user": _Meaning("", "cpu_user", PERCENT),
    "%sys": _Meaning("", "cpu_system", PERCENT),
    "%idle": _Meaning("", "cpu_idle", PERCENT),
    "%iowait": _Meaning("", "cpu_iowait", PERCENT),
    "%entc": _Meaning("", "", unit="%"),
    "physc": _Meaning("", ""),
}
_TERMINALS = {"tin": _Meaning("", "", unit="1/s"), "tout": _Meaning("", "", unit="1/s")}
_DEVICES = {
    "%tm_act": _Meaning("", "utilisation", PERCENT),
    "Kbps": _Meaning("", "throughput", KIB),
    "tps": _Meaning("", "operation_rate"),
    "Kb_read": _Meaning("read", "data_size", KIB),
    "Kb_wrtn": _Meaning("write", "data_size", KIB),
    "bps": _Meaning("", "throughput"),
    "bread": _Meaning("read", "throughput"),
    "bwrtn": _Meaning("write", "throughput"),
    "rps": _Meaning("read", "operation_rate"),
    "wps": _Meaning("write", "operation_rate"),
    "bkread": _Meaning("read", "operation_rate"),
    "bkwrtn": _Meaning("write", "operation_rate"),
    "partition-id": _Meaning("", ""),
}
_SERVICE = {"avgserv": "latency", "minserv": "latency_min", "maxserv": "latency_max"}
_FILE_SYSTEMS = "FS Name:"
_NOT_COUNTED = "-"
"""How long a file system was active, for one."""
_TABLES = (
    _FILE_SYSTEMS,
    "Disks:",
    "Disk:",
    "Drives:",
    "Adapter:",
    "Vadapter:",
    "System:",
    "Paths/Disks:",
    "Path/Disk:",
)
_SECTIONS = {
    "xfer:": ("%tm_act", "bps", "tps", "bread", "bwrtn"),
    "read:": ("rps", "avgserv", "minserv", "maxserv", "timeouts", "fails"),
    "write:": ("wps", "avgserv", "minserv", "maxserv", "timeouts", "fails"),
    "queue:": ("avgtime", "mintime", "maxtime", "avgwqsz", "avgsqsz", "sqfull"),
}
_BEGINS = ["System", "configuration:"]
_LONG = ["%tm", "bps", "tps", "bread", "bwrtn", "rps"]
_LONG_COLUMNS = tuple((section, name) for section, names in _SECTIONS.items() for name in names)


def sniff(head: str) -> bool:
    """Whether disks of AIX' iostat stand here."""
    return any(mark in head for mark in MARKS) and _HEADING.search(head) is not None


def read(text: str) -> Parsed:
    """Read every report into `series`.

    Raises
    ------
    ParseError
        If no numbers stand under the columns.
    """
    reports = _Reports()
    for at, line in trusted_lines(text, reports.parsed):
        words = _SPLIT_NAME.sub("%", line).split()
        if words[:2] == _FILE_SYSTEMS.split():
            words[:2] = [_FILE_SYSTEMS]
        if words:
            reports.read(line, words, at)
    reports.end()
    return fill(reports.parsed, reports.rows, "a disk under '% tm_act Kbps tps' or 'xfer: %tm_act bps tps'", text)


class _Reports:
    """What has been read so far."""

    def __init__(self) -> None:
        self.parsed = Parsed({"tool": "iostat"})
        self.rows: list[Row] = []
        self.is_awaited = False
        self._columns: tuple[tuple[str, str], ...] = ()
        self._device = ""
        self._is_named = self._is_of_file_systems = False
        self._part = 1
        self._is_begun = False
        self._iteration = 0
        self._seen: set[str] = set()
        self._section = ""
        self._devices: set[str] = set()
        self._before: set[str] = set()
        self._clock = Clock()

    def read(self, line: str, words: list[str], at: int) -> None:
        """Take a line: columns, or the numbers under them."""
        section = next((place for place, word in enumerate(words[:2]) if word in _SECTIONS), None)
        if words[0] == "tty:" or words[0] in _TABLES:
            self._table(words, at)
        elif section is not None:
            self._block(words, section, at)
        elif words[: len(_LONG)] == _LONG:
            self._open(_LONG_COLUMNS, is_named=True)
        elif is_prompt(line) or words[:2] == _BEGINS:
            self._part += bool(self.rows) and not self._is_begun
            self._is_begun = True
            self._end_of_block()
            self._end_of_report()
            self._iteration, self._columns, self._seen = 0, (), set()
            self._devices = self._before = set()
            self._clock = Clock()
        elif words[0] != "System" and not line.startswith("--") and words[0] != "act":
            self._numbers(words, at)

    def _open(self, columns: tuple[tuple[str, str], ...], *, is_named: bool) -> None:
        self._columns, self._is_named, self._device = columns, is_named, ""
        self._is_of_file_systems = False
        self.is_awaited = True

    def _table(self, words: list[str], at: int) -> None:
        if "xfers" in words:
            return
        self._begin(words[0])
        names = tuple(word for word in words[1:] if word not in ("avg-cpu:", "time"))
        self._open(tuple(("", name) for name in names), is_named=words[0] != "tty:")
        self._is_of_file_systems = words[0] == _FILE_SYSTEMS
        known = (*_PROCESSORS, *_TERMINALS, *_DEVICES)
        if not all(name in known for name in names):
            remark(self.parsed, "columns that iostat of AIX does not have", at, lost=True)
            self._columns = ()

    def _block(self, words: list[str], place: int, at: int) -> None:
        section, names = words[place], tuple(words[place + 1 :])
        device = words[0] if place else self._device
        if place:
            self._end_of_block()
            self._begin(device)
        is_known = _DEVICES.keys() | _SECTIONS[section] >= set(names)
        if not is_known or not device:
            remark(self.parsed, "columns that iostat of AIX does not have, or a disk without name", at, lost=True)
        self._open(tuple((section, name) for name in names if is_known), is_named=False)
        self._device, self._section = device, section if names == _SECTIONS[section] else ""

    def _end_of_block(self) -> None:
        if self._section not in ("", "queue:"):
            self.parsed.incomplete(f"a disk ends with {self._section!r}")
        self._section = ""

    def end(self) -> None:
        """Say what the last report lacks."""
        self._end_of_block()
        self._end_of_report()
        if self.is_awaited:
            self.parsed.incomplete("columns without numbers under them")

    def _end_of_report(self) -> None:
        if not self._devices >= self._before:
            self.parsed.incomplete("a report lacks a disk that the one before has")
        self._before, self._devices = self._devices, set()

    def _begin(self, title: str) -> None:
        """Begin another report where the title of one comes again."""
        if title in self._seen:
            self._iteration += 1
            self._seen = set()
            self._end_of_report()
        self._seen.add(title)

    def _numbers(self, words: list[str], at: int) -> None:
        time = words.pop() if _TIMES.fullmatch(words[-1]) else ""
        try:
            device, cells = (words[0], words[1:]) if self._is_named else (self._device, words)
            if len(cells) != len(self._columns):
                raise ValueError(f"{len(self._columns)} numbers wanted, found {len(cells)}")
            when: Row = {"time": self._clock.seconds(time)} if time else {}
            self.rows += [when | row for row in self._of_line(device, cells, at)]
            self.is_awaited = self._is_begun = False
            self._devices.add(device)
        except ValueError as error:
            lost = any(map(_ANY_NUMBER.fullmatch, words[1:] or words))
            remark(self.parsed, f"not a line of the table: {error}", at, lost=lost)

    def _of_line(self, device: str, cells: Sequence[str], at: int) -> Iterator[Row]:
        """A row a direction of each section, and one for each column that the contract has no name for."""
        common: Row = {"part": float(self._part)} if self._part > 1 else {}
        common |= {"iteration": float(self._iteration), "statistic": "single", "line": at}
        common["phase"] = "" if self._iteration else "since boot"
        found: dict[str, Row] = {}
        for (section, name), cell in zip(self._columns, cells, strict=True):
            meaning = _meaning(section, name)
            if cell == _NOT_COUNTED and self._is_of_file_systems:
                continue
            own: Row = {"device": device} if device else {"cpu": "all"} if meaning.name.startswith("cpu") else {}
            value = _value(cell, meaning)
            if meaning.name:
                key = f"{meaning.operation} {section}"
                found.setdefault(key, {**common, "operation": meaning.operation, **own})[meaning.name] = value
            else:
                title = f"{section[:-1]} {name}".strip()
                found[title] = {**metric(title, value, meaning.unit, at), **common, **own}
        yield from found.values()


def _meaning(section: str, name: str) -> _Meaning:
    if name in _SERVICE:
        return _Meaning(section[:-1], _SERVICE[name], MILLISECOND, is_time=True)
    if name in ("avgtime", "mintime", "maxtime"):
        return _Meaning("", "", MILLISECOND, "s", is_time=True)
    known = _PROCESSORS | _TERMINALS | _DEVICES
    return known.get(name, _Meaning("", ""))


def _value(cell: str, meaning: _Meaning) -> float:
    """Return a number in SI; a suffix takes the place of the column's unit.

    Raises
    ------
    ValueError
        If the cell is no number, or its suffix none of the column.
    """
    found = _ANY_NUMBER.fullmatch(cell)
    suffix = found[2] if found else ""
    suffixes = _DURATIONS if meaning.is_time else _SIZES
    if not found or (suffix and suffix not in suffixes):
        raise ValueError(f"no number: {cell}")
    return (
        number(found[1])
        * (suffixes[suffix] if suffix else 1.0)
        * (1.0 if suffix and meaning.is_time else meaning.factor)
    )
