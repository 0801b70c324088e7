"""ost-survey of the I/O kit: what single OSTs read and write, and the mean, the worst and the best of them.

MB are 2^20 bytes. Older versions print a line an OST for speeds and one for times, newer ones a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from storagelab.parsers.model import Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import MIB

_NUMBER = r"(\d{1,12}(?:[.,]\d{1,9})?)"
_PAIR = re.compile(rf"\s*Ost index (\d+) Read (speed|time):?\s+{_NUMBER}\s+Write (?:speed|time):?\s+{_NUMBER}\s*$")
_ROW = re.compile(rf"\s*(\d{{1,5}})\s++{_NUMBER}\s++{_NUMBER}\s++{_NUMBER}\s++{_NUMBER}\s*$")
_HEADING = re.compile(r"\s*Ost#\s+Read\(MB/s\)\s+Write\(MB/s\)\s+Read-time\s+Write-time")
_MEAN = re.compile(rf"\s*(?:Average (read|write) Speed|(Read|Write) Average):\s+{_NUMBER}")
_DEVIATION = re.compile(rf" \+/- {_NUMBER} MB/s\s*$")
_INACTIVE = re.compile(r"\s*\d{1,5}\s+Inactive ost\s*$")
_EXTREME = re.compile(rf"\s*(read|write) - (Worst|Best) OST indx (\d+) {_NUMBER} MB/s")
_EXTREME_NEW = re.compile(rf"\s*(Worst|Best) +(Read|Write) OST indx: (\d+) speed: {_NUMBER}")
_LIKE = re.compile(r"OST indx|Ost (?:index|#)|\+/-|(?:Read|Write|ead|rite) Speed:")
_STATISTICS = {"Worst": "min", "Best": "max"}


def sniff(head: str) -> bool:
    """Whether a line of ost-survey stands here."""
    return ("OST indx" in head or "Ost index " in head or "Ost#" in head) and (
        "ead speed" in head or "ead Speed" in head or "Read(MB/s)" in head or " OST indx" in head
    )


class Survey:
    """Goes through the lines of a log."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._in_table = False

    def take(self, line: str, at: int) -> bool:
        """Read one line; whether it is ost-survey's."""
        found = list(self._read(line, at))
        self.rows += found
        self._in_table = self._in_table or bool(_HEADING.match(line))
        return bool(found) or bool(_PAIR.match(line))

    def is_ruin(self, line: str) -> bool:
        """Whether a line that was not read looks like one that ought to be."""
        is_row = self._in_table and line.strip()[:1].isdecimal() and not _INACTIVE.match(line)
        return is_row or bool(_LIKE.search(line) and not _HEADING.match(line))

    def _read(self, line: str, at: int) -> Iterator[Row]:
        if pair := _PAIR.match(line):
            if pair[2] == "speed":
                yield _row("read", pair[1], number(pair[3]), at)
                yield _row("write", pair[1], number(pair[4]), at)
            else:
                self._times(pair[1], number(pair[3]), number(pair[4]), at)
        elif self._in_table and (row := _ROW.match(line)):
            yield _row("read", row[1], number(row[2]), at) | {"elapsed": number(row[4])}
            yield _row("write", row[1], number(row[3]), at) | {"elapsed": number(row[5])}
        elif mean := _MEAN.match(line):
            yield _row((mean[1] or mean[2]).lower(), "", number(mean[3]), at) | {"statistic": "mean"} | _deviation(line)
        elif extreme := _EXTREME.match(line):
            yield _row(extreme[1], extreme[3], number(extreme[4]), at) | {"statistic": _STATISTICS[extreme[2]]}
        elif extreme := _EXTREME_NEW.match(line):
            operation, statistic = extreme[2].lower(), _STATISTICS[extreme[1]]
            yield _row(operation, extreme[3], number(extreme[4]), at) | {"statistic": statistic}

    def _times(self, ost: str, read: float, write: float, at: int) -> None:
        """The times of an OST follow its speeds."""
        for row, seconds in zip(self.rows[-2:], (read, write), strict=False):
            if row.get("target") == ost:
                row |= on(at, {"elapsed": seconds})


def _deviation(line: str) -> Row:
    """Return that of the OSTs, which newer versions print behind their mean."""
    found = _DEVIATION.search(line)
    return {"throughput_std": number(found[1]) * MIB} if found else {}


def _row(operation: str, ost: str, speed: float, at: int) -> Row:
    target: Row = {"target": ost} if ost else {}
    return {"operation": operation, **target, "throughput": speed * MIB, "line": at}
