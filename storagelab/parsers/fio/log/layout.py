"""Which column of a log over time is what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from storagelab.parsers.fio.log.lines import Ints, Samples

DIRECTIONS = ("read", "write", "trim")


@dataclass(frozen=True, slots=True)
class Layout:
    """Places of the columns, from 0; 0 for one that the log does not have (there stands the time)."""

    direction: int
    maximum: int = 0
    offset: int = 0
    priority: int = 0
    issued: int = 0

    @property
    def size(self) -> int:
        """Place of the block size, which follows the direction."""
        return self.direction + 1


def layout_of(samples: Samples) -> Layout:
    """Tell the columns apart by what stands in them.

    They are ``time, value[, maximum], direction, block size[, offset][, priority][, time of issue]``: the maximum with
    ``log_window_value=both`` (3.37), the offset with ``log_offset`` (2.13), the priority always since 3.17, as 0 or 1
    or, with ``log_prio``, in hexadecimal; the time of issue with ``log_issue_time`` (3.37).
    """
    columns = samples.columns
    maximum = 0 if len(columns) < 5 or _is_direction(columns[2]) else 2
    direction = 3 if maximum else 2
    first, *more = range(direction + 2, len(columns)) if len(columns) > direction + 2 else (0,)
    if not first:
        return Layout(direction, maximum)
    if len(more) == 2:
        return Layout(direction, maximum, first, *more)
    if not more:
        return Layout(direction, maximum, *((0, first) if _is_priority(columns[first]) else (first, 0)))
    if _is_priority(columns[more[0]]):
        return Layout(direction, maximum, first, more[0])
    return Layout(direction, maximum, 0, first, more[0])


def _is_direction(column: Ints) -> bool:
    return bool(np.all((column >= 0) & (column < len(DIRECTIONS))))


def _is_priority(column: Ints) -> bool:
    """Whether a column has only what priorities can be: a flag, or a class in the upper 3 of 16 bits and a level."""
    return bool(np.all((column >> 13 <= 3) & (column & 0x1FFF <= 7)))
