"""Histograms: a title with two columns of numbers, for reads and for writes, and a line a bucket.

``pages per bulk r/w     rpcs  % cum % |  rpcs        % cum %`` and below it ``1K:    0   0   0   |    8  88 100``.
Those of metadata clients (``modify``) have one side only. Buckets of ``extents_stats`` are ``   4K -    8K :``, the
last one ``  64M -  128M+:``; ``extents_stats_per_process`` counts from 0 behind each ``PID: 4711``.
"""

from __future__ import annotations

import copy
import re

from storagelab.parsers.line_formats import metric
from storagelab.parsers.model import Row
from storagelab.parsers.text import finite

_SIDE = r"[a-z]{2,12}\s+%%? cum ?%%?"
"""What is counted (rpcs, ios, calls, maps, extents, count); some versions double the signs."""
HEADING = re.compile(rf"\s*(\S+(?: \S+){{0,6}})\s+{_SIDE}(\s+\|\s+{_SIDE})?\s*$")
BUCKET = re.compile(r"\s*(\d\w{0,12}(?: - {1,6}\d?\w{1,12}\+?)?)\s*:(.{0,200})$")
TORN = re.compile(r"[^:|]{1,60}:[\s\d]{1,100}\|[\s\d]{1,100}$")
"""Counts of a bucket that is not one."""
PROCESS = re.compile(r"PID: (\d{1,10})\s*$")
_DIRECTIONS = ("read", "write")
_CELLS = 3
_WHOLE = 100.0


class Table:
    """A histogram whose heading has been read."""

    def __init__(self, heading: re.Match[str]) -> None:
        self._title = heading[1]
        self._directions = _DIRECTIONS if heading[2] else ("",)
        self._so_far = [0.0] * len(self._directions)
        self.lacks = ""

    @property
    def is_cut(self) -> bool:
        """Whether a direction that has counts does not end with its last bucket, which brings it to 100 %."""
        return any(0 < share < _WHOLE for share in self._so_far)

    def again(self) -> Table:
        """Return the histogram of another process, under the same heading."""
        table = copy.copy(self)
        table._so_far, table.lacks = [0.0] * len(self._directions), ""
        return table

    def _add_up(self, bucket: str, counts: list[list[float]]) -> None:
        """Hold the share up to here against that of the bucket before; both are cut to whole percents."""
        for side, before in zip(counts, self._so_far, strict=True):
            if not 0 <= side[2] - before - side[1] <= 1:
                said = f"{self._title}: expected {before + side[1]:g} % up to {bucket}, found {side[2]:g} %"
                self.lacks = self.lacks or f"{said}: a bucket is missing or changed"
        self._so_far = [side[2] for side in counts]

    def rows(self, bucket: re.Match[str], at: int) -> list[Row]:
        """Make a row a direction.

        Raises
        ------
        ValueError
            If a direction has not three numbers: its count, its share, and the share up to here.
        """
        counts = [[finite(word) for word in side.split()] for side in bucket[2].split("|")]
        if [len(side) for side in counts] != [_CELLS] * len(self._directions):
            raise ValueError(repr(bucket[0].strip()[:60]))
        label = " ".join(bucket[1].split())
        self._add_up(label, counts)
        return [
            metric(self._title, side[0], "1", at, operation=operation, label=label)
            for operation, side in zip(self._directions, counts, strict=True)
        ]
