"""TTreePerfStats::Print: a line a quantity, ``ReadTotal = 7.14763 MBytes``.

ROOT, tree/treeplayer/src/TTreePerfStats.cxx. All prefixes are decimal: MBytes are 10^6 bytes, KBytes 10^3. The cache
size is divided as an integer, so 0 MBytes is less than one. With the option ``unzip`` four lines more are printed.
Rates over a CPU time that prints as 0.000 are ``inf``; the time for
decompression is real time, so what is left of the CPU time (``Strm Time``) may be negative, as may be its rate.
"""

from __future__ import annotations

import math

from storagelab import units
from storagelab.parsers.model import Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import computed, on, settled

FIELDS: dict[str, tuple[str, float]] = {
    "TreeCache": ("cache_size", units.MB),
    "N leaves": ("leaves", 1.0),
    "ReadTotal": ("data_size", units.MB),
    "ReadUnZip": ("data_size_uncompressed", units.MB),
    "ReadCalls": ("operations", 1.0),
    "ReadSize": ("request_size", units.KB),
    "Readahead": ("read_ahead", units.KB),
    "Readextra": ("data_extra_share", units.PERCENT),
    "Real Time": ("elapsed", 1.0),
    "CPU Time": ("cpu_time", 1.0),
    "Disk Time": ("disk_time", 1.0),
    "Disk IO": ("disk_throughput", units.MB),
    "ReadUZRT": ("throughput_uncompressed", units.MB),
    "ReadUZCP": ("throughput_uncompressed_cpu", units.MB),
    "ReadRT": ("throughput", units.MB),
    "ReadCP": ("throughput_cpu", units.MB),
}
WITH_UNZIP: dict[str, tuple[str, float]] = {
    "Strm Time": ("cpu_stream_time", 1.0),
    "UnzipTime": ("cpu_unzip_time", 1.0),
    "ReadStrCP": ("throughput_stream", units.MB),
    "ReadZipCP": ("throughput_unzip", units.MB),
}
_ALL = FIELDS | WITH_UNZIP
_STARTS = frozenset(label[:4] for label in _ALL)
FIRST = "TreeCache"
_DIGITS = 6
"""More than any number has behind the point once it is in SI, and few enough that 8.1918 MBytes are 8191800 bytes."""


def field_in(text: str) -> tuple[str, float] | None:
    """Read a line of the print as its label and the number as printed; None if it is none."""
    if text[:4] not in _STARTS:
        return None
    label, _, rest = text.partition("=")
    label = " ".join(label.split())
    words = rest.split()
    if label not in _ALL or not words or "pu Time" in rest:
        return None
    try:
        return label, number(words[0])
    except ValueError:
        return None


def is_sensible(value: float) -> bool:
    """Whether a time or a rate can be what is printed."""
    return math.isfinite(value) and value >= 0


class Block:
    """One print while its lines come in: what each label says, and where."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.printed: dict[str, float] = {}
        self._lines: dict[str, int] = {}

    def add(self, label: str, value: float, line: int) -> None:
        """Take a line."""
        self.printed[label] = value
        self._lines[label] = line
        if label == "ReadRT" or not self.printed.keys() & {"ReadRT"}:
            self.line = line

    def missing(self) -> list[str]:
        """Labels that every print has and this one lacks."""
        wanted = _ALL if self.printed.keys() & WITH_UNZIP.keys() else FIELDS
        return [label for label in wanted if label not in self.printed]

    def row(self) -> Row:
        """Return a row of ``runs``; its `line` is that of the compressed bytes over real time."""
        row: Row = {"operation": "read"}
        for label, value in self.printed.items():
            if is_sensible(value):
                name, factor = _ALL[label]
                row |= on(self._lines[label], {name: round(value * factor, _DIGITS)})
        return settled(row | _utilisation(row) | {"line": self.line})


def _utilisation(row: Row) -> Row:
    elapsed, cpu = row.get("elapsed"), row.get("cpu_time")
    return computed({"cpu_utilisation": float(cpu) / float(elapsed)} if elapsed and cpu is not None else {})
