"""Histograms: a title with two columns of numbers, for reads and for writes, and a line a bucket.

``pages per bulk r/w     rpcs  % cum % |  rpcs        % cum %`` and below it ``1K:    0   0   0   |    8  88 100``.
Those of metadata clients (``modify``) have one side only.
"""

from __future__ import annotations

import re

from storagelab.parsers.model import Row
from storagelab.parsers.trusted import finite, metric

_SIDE = r"(?:rpcs|ios|calls|maps|extents|reqs)\s+% cum ?%"
HEADING = re.compile(rf"\s*(\S+(?: \S+){{0,6}})\s+{_SIDE}(\s+\|\s+{_SIDE})?\s*$")
BUCKET = re.compile(r"\s*(\d\w{0,12}(?: - \d?\w{1,12})?)\s*:(.{0,200})$")
_DIRECTIONS = ("read", "write")
_CELLS = 3


class Table:
    """A histogram whose heading has been read."""

    def __init__(self, heading: re.Match[str]) -> None:
        self._title = heading[1]
        self._directions = _DIRECTIONS if heading[2] else ("",)

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
        return [
            metric(self._title, side[0], "1", at, operation=operation, label=bucket[1])
            for operation, side in zip(self._directions, counts, strict=True)
        ]
