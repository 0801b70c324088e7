"""The time stamps of each task that IOR prints under ``-vvv``, and the shares of tasks that follow from them.

``Test 0: Iter=1, Task=3, Time=0.125000, write open start``, and start and stop of open, transfer and close alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from storagelab.parsers.model import Row

_STAMP = re.compile(
    r"Test (\d+): Iter=(\d+), Task=(\d+), Time=(-?\d+\.\d+), (write|read) ((?:open |close )?st(?:art|op))\s*$"
)
_SPANS = (
    ("open_time", "open start", "open stop"),
    ("transfer_time", "start", "stop"),
    ("close_time", "close start", "close stop"),
    ("elapsed", "open start", "close stop"),
)


@dataclass(slots=True)
class Timers:
    """Time stamps by operation, iteration and task, with the line of the first."""

    stamps: dict[tuple[str, int, int], dict[str, float]] = field(default_factory=dict)
    lines: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def add(self, number: int, line: str) -> bool:
        """Keep the time stamp of a line; False if it has none."""
        stamp = _STAMP.match(line)
        if stamp:
            key = (stamp[5], int(stamp[2]), int(stamp[3]))
            self.stamps.setdefault(key, {})[stamp[6]] = float(stamp[4])
            self.lines.setdefault(key, number)
        return bool(stamp)

    def rows(self) -> list[Row]:
        """Return a row for each task, with those spans of which both ends are known."""
        return [_share(key, stamps, self.lines[key]) for key, stamps in self.stamps.items()]


def _share(key: tuple[str, int, int], stamps: dict[str, float], line: int) -> Row:
    operation, iteration, task = key
    row: Row = {"operation": operation, "statistic": "single", "share": "rank", "process": str(task)}
    row |= {"iteration": iteration, "line": line}
    return row | {name: stamps[stop] - stamps[start] for name, start, stop in _SPANS if {start, stop} <= stamps.keys()}
