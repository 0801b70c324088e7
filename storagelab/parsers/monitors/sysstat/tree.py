"""Statistics in JSON and XML: the same records in both, named otherwise than in the text reports.

Each record becomes a line of the table that a text report would print, under that table's column names, so that the
columns' meaning is said once, in `meanings`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

from storagelab.parsers.model import Parsed, Value
from storagelab.parsers.monitors.sysstat import meanings
from storagelab.parsers.monitors.sysstat.json_tree import Record
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.monitors.sysstat.sheet import Sheet

_KEYS = {
    "iface": "IFACE", "dev": "DEV", "disk-device": "DEV", "disk_device": "DEV", "cpu": "CPU",
    "node": "NODE", "filesystem": "FILESYSTEM", "fsname": "FILESYSTEM", "mountp": "FILESYSTEM",
    "mountpoint": "FILESYSTEM", "fchost": "FCHOST", "device": "DEVICE", "line": "TTY", "core": "CORE", "socket": "SOCK",
}  # fmt: skip
_NUMBERED = {
    "fan-speed": "FAN", "fan": "FAN", "temperature": "TEMP", "temp": "TEMP", "voltage-input": "IN", "in": "IN",
    "battery": "BAT", "bat": "BAT",
}  # fmt: skip
_PERCENT = {
    "usr", "user", "nice", "sys", "system", "iowait", "steal", "irq", "soft", "guest", "gnice", "idle", "util",
    "rrqm", "wrqm", "drqm",
}  # fmt: skip
_PLAIN = ("net-sock", "net-sock6", "queue", "kernel", "filesystems", "filesystem", "load")
_IN_KB = ("memory", "hugepages")
_ALONE = {"frequency": "MHz", "weighted-frequency": "wghMHz", "variation": "cap/min"}
_COUNTED_NOW = "blg_len"
"""The packets that wait: no rate among those of ``softnet``."""
_IN_KB_NAMES = {"inactive": "kbinact"}
_PER_SECOND = (
    "process-and-context-switch", "swap-pages", "paging", "serial", "tty", "softnet", "sum-interrupts",
    "fc-hosts", "fchost",
)  # fmt: skip
_PRESSURES = {"psi-cpu": "cpu", "psi-io": "io", "psi-mem": "mem"}
_BLOCKS = ("bread", "bwrtn", "bdscd")
_ABOUT = ("per", "unit")
_OLD_TWINS = {"rd_sec": "rkB", "wr_sec": "wkB", "dc_sec": "dkB", "avgrq-sz": "areq-sz", "avgqu-sz": "aqu-sz"}
"""Columns that newer versions print twice, in sectors and in kB: the second is read."""


class Item(NamedTuple):
    """One record of numbers: its section, and cells with their lines."""

    section: str
    cells: dict[str, str]
    lines: dict[str, int]
    line: int


def items(record: Record) -> Iterator[Item]:
    """Yield every record of numbers below one sample that ended before the document did, whatever it stands in."""
    for name, value in record.items():
        if name == "timestamp" or isinstance(value, str):
            continue
        for below in [value] if isinstance(value, Record) else value:
            yield from _items(name, below)


def _items(section: str, record: Record) -> Iterator[Item]:
    if section == "io":
        record = _flat(record)
    cells = {name: value for name, value in record.items() if isinstance(value, str) and name not in _ABOUT}
    holds_interrupts = isinstance(record.get("intr"), list)
    if cells and record.is_closed and not holds_interrupts:
        yield Item(section, cells, record.lines, record.line)
    for name, value in record.items():
        for below in [] if isinstance(value, str) else record.records(name):
            if holds_interrupts and name == "intr":
                yield from [_interrupt(below, cells.get("cpu", "all"))] if below.is_closed else []
            else:
                yield from _items(name, below)


def _flat(record: Record) -> Record:
    """Put the directions of ``io`` side by side, as the text report has them."""
    flat = Record(record.line)
    flat.is_closed = record.is_closed
    for name, value in record.items():
        if isinstance(value, str):
            flat.put(name, value, record.lines[name])
        for below in record.records(name):
            for inner in below:
                flat.put(inner, below.text(inner), below.lines[inner])
    return flat


def _interrupt(record: Record, cpu: str) -> Item:
    cells = {"intr": record.text("name"), "cpu": cpu, "value": record.text("value")}
    lines = {"value": record.lines.get("value", record.line)}
    return Item("interrupts", cells, lines, record.line)


class Tables:
    """Gathers items into sheets."""

    def __init__(self, parsed: Parsed, stamp: tuple[str, ...]) -> None:
        self.sheets: dict[tuple[str, ...], Sheet] = {}
        self._parsed = parsed
        self._stamp = stamp

    def add(self, item: Item, stamp: tuple[Value, ...]) -> None:
        """Add a record; one that holds no number is left out, a broken one noted."""
        keys, names, columns = _heading(item.section, tuple(item.cells))
        if not columns:
            return
        sheet = self.sheets.get(columns)
        if sheet is None:
            sheet = self.sheets[columns] = Sheet(columns, self._stamp)
        words = ["all" if text == "-1" else text.strip() for text in map(item.cells.__getitem__, keys)]
        lines = [item.lines.get(name, item.line) for name in names]
        try:
            sheet.add([*words, *map(item.cells.__getitem__, names)], stamp, item.line, lines)
        except ValueError as error:
            remark(self._parsed, f"not a record of {item.section}: {error}", item.line, lost=True)


Names = tuple[str, ...]


@functools.lru_cache(maxsize=256)
def _heading(section: str, cells: Names) -> tuple[Names, Names, Names]:
    """Return the cells that are keys, those that are numbers, and the columns of both; no columns for what has none."""
    read = [name for name in cells if _OLD_TWINS.get(name) not in cells]
    keys = {name: column for name in read if (column := _key(section, name))}
    names = tuple(name for name in read if name not in keys)
    if not names or "BUS" in keys.values() or "idvendor" in read:
        return (), (), ()
    return tuple(keys), names, (*keys.values(), *(_column(section, name) for name in names))


def _key(section: str, name: str) -> str:
    if name == "intr":
        return "INTR" if section in ("interrupts", "irq") else ""
    if name == "number":
        return _NUMBERED.get(section, "CPU")
    if name == "name":
        return "FCHOST" if section == "fchost" else ""
    return _KEYS.get(name, "")


def _column(section: str, name: str) -> str:
    """Name that a text report prints over this number."""
    if name.endswith("-percent"):
        return f"%{name.removesuffix('-percent')}"
    if name.startswith("percent-"):
        return f"%{name.removeprefix('percent-')}"
    if name in _PERCENT:
        return f"%{name}"
    if section in _IN_KB:
        return _IN_KB_NAMES.get(name, f"kb{name}")
    if name in ("intr", "value") and section in ("interrupts", "sum-interrupts", "irq"):
        return "intr/s"
    if name in _ALONE:
        return _ALONE[name]
    if section in _PRESSURES:
        return _pressure(section, name)
    if _is_rate(section, name):
        return f"{name}/s"
    if section in ("disk", "disk-device"):
        return f"{name}/s" if f"{name}/s" in meanings.DISKS and name not in meanings.DISKS else name
    return name


def _pressure(section: str, name: str) -> str:
    """Name a share of stalls as a text report does, which tells some (s) from all (f) and the seconds: ``%scpu-10``."""
    share, _, seconds = name.partition("_avg")
    return "-".join(filter(None, (f"%{share[:1]}{_PRESSURES[section]}", seconds)))


def _is_rate(section: str, name: str) -> bool:
    """Whether a number counts events a second, which its name does not say."""
    of_network = section.startswith("net-") and section not in _PLAIN
    return name in _BLOCKS or ((section in _PER_SECOND or of_network) and name != _COUNTED_NOW)
