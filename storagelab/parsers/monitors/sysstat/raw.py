"""What ``sadf -r`` prints: the counters behind the rates, the previous and the current one, under the rates' names.

``rxkB/s; 21047723623; 21548478260;`` counts bytes, ``rkB/s`` of a disk sectors of 512 bytes; what has one number is a
gauge (load averages times 100). Marks such as ``[BCK]`` behind a name (with ``-O debug``) are passed over. A previous
counter is kept where it is not that of the sample before: it has no time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import datetime

from storagelab.parsers.model import Parsed, Row, columns
from storagelab.parsers.monitors.sysstat import clock, meanings
from storagelab.parsers.monitors.sysstat.delimited import moment_of
from storagelab.parsers.monitors.sysstat.meanings import Meaning
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.text import number as decimal

_KEYS = {
    "IFACE": "interface", "DEV": "device", "CPU": "cpu", "INTR": "interrupt", "TTY": "device", "FILESYSTEM": "device",
    "FCHOST": "device", "FAN": "sensor", "TEMP": "sensor", "IN": "sensor", "BAT": "sensor",
}  # fmt: skip
_TEXTS = {"DEVICE", "status"}
"""Names of what is no count: the number behind ``status`` is a code."""
_PLUGGED_IN = "manufact"
_FREQUENCY = "freq"
"""Stands before the time that a processor spent at that many kHz, time after time in one line."""
_COUNTERS = {"pck/s": "counter_packets", "kB/s": "counter_bytes", "byt/s": "counter_bytes", "err/s": "counter_errors",
             "drop/s": "counter_drops"}  # fmt: skip
_INTERFACES = {
    f"{letters}{column}": Meaning(operation, name)
    for letters, operation in (("rx", "receive"), ("tx", "transmit"))
    for column, name in _COUNTERS.items()
}
_DISKS = {
    "rkB/s": Meaning("read", "counter_bytes", meanings.SECTOR),
    "wkB/s": Meaning("write", "counter_bytes", meanings.SECTOR),
    "dkB/s": Meaning("trim", "counter_bytes", meanings.SECTOR),
}
_GAUGES = {
    **{name: meaning for name, meaning in meanings.HOST.items() if not name.startswith(("ldavg", "%"))},
    **{f"ldavg-{minutes}": Meaning("", f"load_{minutes}", 0.01) for minutes in (1, 5, 15)},
    "speed": Meaning("", "link_speed", 1e6 / 8),
}
_PREVIOUS, _CURRENT = 0, 1
_IS_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?").fullmatch
_EPOCH = re.compile(r"[0-9]{9,10}")


def read_raw(lines: list[str], parsed: Parsed) -> None:
    """Read what ``sadf -r`` printed into `series`."""
    reader = _Raw(parsed)
    rows = [row for number, line in enumerate(lines, 1) for row in reader.line(line, number)]
    parsed.series = columns(rows) if rows else {}
    reader.finish(len(lines))


class _Raw:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self._parsed = parsed
        self._last: dict[tuple[str, ...], float] = {}
        self._epoch = 0
        self._clock = math.nan
        self._day = 0
        self._origin = math.nan
        self._items: list[set[tuple[str, ...]]] = []

    def line(self, line: str, number: int) -> Iterator[Row]:
        """Yield the rows of a line."""
        cells = [cell.strip() for cell in line.rstrip().removesuffix(";").split(";")]
        if line.startswith("#"):
            self._comment(cells)
            return
        stamp = _stamp(cells[0])
        if math.isnan(stamp) or len(cells) < 2:
            if line.strip():
                remark(self._parsed, "not a line of sadf -r", number, lost=";" in line)
            return
        time = self._seconds(stamp, "UTC" in cells[0])
        if not cells[1].startswith(("LINUX-RESTART", "COM ", _PLUGGED_IN)):
            yield from self._counters(cells[1:], time, number)

    def _comment(self, cells: list[str]) -> None:
        if "ust_time" in cells[:-1] and not self._epoch:
            text = cells[cells.index("ust_time") + 1]
            self._epoch = int(text) if text.isdecimal() and len(text) < 12 else 0

    def _seconds(self, time: float, is_utc: bool) -> float:
        if math.isnan(self._origin):
            self._origin = time
            if time > clock.DAY:
                self._parsed.header["started"] = moment_of(f"{time:.0f}").isoformat()
            elif self._epoch and is_utc:
                start = moment_of(str(self._epoch))
                first = datetime.fromisoformat(f"{start.date()}T{clock.clock_text(time)}+00:00")
                self._parsed.header["started"] = first.isoformat()
        if clock.past_midnight(self._clock, time):
            self._day += 1
        if time != self._clock:
            self._items.append(set())
        self._clock = time
        return self._day * clock.DAY + time - self._origin

    def _counters(self, cells: list[str], time: float, number: int) -> Iterator[Row]:
        kind, keys, names = _keys_of(cells)
        known = _INTERFACES if kind == "IFACE" else _DISKS if kind == "DEV" else {}
        rows: tuple[dict[str, Row], dict[str, Row]] = ({}, {})
        for name, numbers in _named(names):
            if not numbers or len(numbers) > 2:
                remark(self._parsed, f"{name}: one or two numbers wanted, found {len(numbers)}", number, lost=True)
                continue
            meaning = known.get(name) if len(numbers) == 2 else _GAUGES.get(name)
            identity = (kind, _label(kind, cells), *map(str, keys.values()), name)
            self._items[-1].add(identity)
            if len(numbers) == 2 and self._last.get(identity) != numbers[0]:
                _put(rows[_PREVIOUS], name, meaning, numbers[0])
            _put(rows[_CURRENT], name, meaning, numbers[-1])
            self._last[identity] = numbers[-1]
        for side, moment in ((_PREVIOUS, math.nan), (_CURRENT, time)):
            for row in rows[side].values():
                yield {"time": moment, "statistic": "single", **keys, **_labelled(row, kind, cells), "line": number}

    def finish(self, number: int) -> None:
        """Say whether the last sample has all that the one before has."""
        if len(self._items) > 1 and not self._items[-1] >= self._items[-2]:
            self._parsed.incomplete("the last sample lacks an item that the one before has", number)


def _stamp(cell: str) -> float:
    """Read a time of day, or with ``-U`` the seconds since 1970; NaN where it is neither."""
    if _EPOCH.fullmatch(cell):
        return float(cell)
    found = clock.time_of_day(cell.split()) if cell else None
    return found[0] if found else math.nan


def _keys_of(cells: list[str]) -> tuple[str, Row, list[str]]:
    """Kind of the item, its keys, and the rest of the cells."""
    if cells[0] == "major":
        cells = cells[4:]
    kind = cells[0].partition(" ")[0] if cells else ""
    name = _KEYS.get(kind, "")
    if not name or len(cells) < 2:
        return "", {}, cells
    item = cells[1].strip('"')
    if _label(kind, cells):
        return kind, {}, cells[2:]
    return kind, {name: "all" if kind == "CPU" and item == "-1" else item}, cells[2:]


def _label(kind: str, cells: list[str]) -> str:
    """Which interrupt, fan or the like a line is of: it goes behind the metric's name."""
    return cells[1] if _KEYS.get(kind) in ("interrupt", "sensor") else ""


def _named(cells: list[str]) -> Iterator[tuple[str, list[float]]]:
    """Each name with the numbers behind it."""
    frequency = ""
    for name, numbers in _pairs(cells):
        if name == _FREQUENCY and len(numbers) == 1:
            frequency = f" {numbers[0]:.0f}"
        elif name not in _TEXTS:
            yield f"{name}{frequency}", numbers


def _pairs(cells: list[str]) -> Iterator[tuple[str, list[float]]]:
    """Each name with the numbers behind it; what is a text has none."""
    name, numbers = "", list[float]()
    for cell in cells:
        if name in _TEXTS and not numbers:
            yield name, []
            name = ""
        elif _IS_NUMBER(cell):
            numbers.append(decimal(cell))
        else:
            if name:
                yield name, numbers
            name, numbers = cell.partition(" [")[0], []
    if name:
        yield name, numbers


def _put(rows: dict[str, Row], name: str, meaning: Meaning | None, number: float) -> None:
    if meaning is None:
        rows[f"metric {name}"] = {"operation": "", "metric": name, "unit": "", "value": number}
    else:
        rows.setdefault(meaning.operation, {"operation": meaning.operation})[meaning.name] = number * meaning.factor


def _labelled(row: Row, kind: str, cells: list[str]) -> Row:
    """Name the interrupt or the sensor that a number is of."""
    if kind == "INTR" and "metric" in row:
        cpu = str(row["metric"]).removeprefix("CPU")
        return {**row, "metric": f"interrupts {cells[1]}", "cpu": cpu}
    label = _label(kind, cells)
    return {**row, "metric": f"{row['metric']} {label}"} if label else row
