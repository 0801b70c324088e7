"""RNTuple's metrics: ``RNTupleReader.RPageSourceFile.szUnzip|B|volume after unzipping|444707472``, a line a counter.

ROOT, tree/ntuple (RNTupleMetrics.cxx); printed by ``PrintInfo(ENTupleInfo::kMetrics)``. Name, unit, description and
value are parted by bars. Times are nanoseconds, MB/s are 10^6 bytes per second. Every counter is a sample (`metric`,
`value`, `unit`); those that have a name in the contract also make a row of ``runs`` a page source or sink.
"""

from __future__ import annotations

import math

from storagelab import units
from storagelab.parsers.model import Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on, settled

NAMES: dict[str, str] = {
    "nRead": "operations",
    "szReadPayload": "data_size",
    "szReadOverhead": "data_size_extra",
    "szUnzip": "data_size_uncompressed",
    "timeWallRead": "elapsed",
    "timeWallUnzip": "unzip_time",
    "timeCpuRead": "cpu_time",
    "timeCpuUnzip": "cpu_unzip_time",
    "bwRead": "throughput",
    "bwReadUnzip": "throughput_uncompressed",
    "bwUnzip": "throughput_unzip",
    "nPageCommitted": "operations",
    "szWritePayload": "data_size",
    "szZip": "data_size_uncompressed",
    "timeWallWrite": "elapsed",
    "timeCpuWrite": "cpu_time",
    "bwWrite": "throughput",
}
_COUNTS = frozenset({"operations", "data_size_extra"})
"""Counters of which 0 is a result; another that is 0 was not counted here, but in the source or sink around it."""
_UNITS = {"": 1.0, "B": 1.0, "ns": units.NANOSECOND, "us": units.MICROSECOND, "ms": units.MILLISECOND, "s": 1.0}
_RATES = {"B/s": 1.0, "kB/s": units.KB, "MB/s": units.MB, "GB/s": units.GB}
_FACTORS = _UNITS | _RATES


def counter_in(text: str) -> tuple[str, str, float] | None:
    """Read a counter as its name, its unit and its value as printed; None if it is none."""
    if text.count("|") < 3:
        return None
    name, unit, *_, value = text.split("|")
    if "." not in name or " " in name.strip():
        return None
    try:
        return name.strip(), unit.strip(), number(value.strip())
    except ValueError:
        return None


class Counters:
    """What one page source or sink counted."""

    def __init__(self, owner: str, line: int) -> None:
        self.owner = owner
        self.line = line
        self.names: set[str] = set()
        self.values: Row = {}

    def add(self, name: str, unit: str, value: float, line: int) -> None:
        """Take a counter."""
        self.names.add(name)
        known = NAMES.get(name)
        if known and unit in _FACTORS and math.isfinite(value) and (value or known in _COUNTS):
            self.values |= on(line, {known: value * _FACTORS[unit]})
            if known == "throughput" or "throughput" not in self.values:
                self.line = line

    def row(self) -> Row:
        """Return a row of ``runs``; empty where nothing has a name in the contract."""
        if not self.values:
            return {}
        operation = "write" if "Sink" in self.owner or "Writer" in self.owner else "read"
        named: Row = {"operation": operation, "api": "RNTuple", "label": self.owner}
        return settled(named | self.values | {"line": self.line})


def sample(name: str, unit: str, value: float, line: int) -> Row:
    """Return a counter as a row of ``series``."""
    return {"operation": "", "metric": name, "value": value, "unit": unit, "line": line}
