"""Which column of a log over time is what."""

from __future__ import annotations

from collections.abc import Collection
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


def layout_of(samples: Samples, hexadecimal: Collection[int]) -> Layout:
    """Tell the columns apart by what stands in them.

    They are ``time, value[, maximum], direction, block size[, offset][, priority][, time of issue]``: the maximum with
    ``log_window_value=both`` (3.37), the offset with ``log_offset`` (2.13), the priority always since 3.17, as 0 or 1
    or, with ``log_prio``, in hexadecimal; the time of issue with ``log_issue_time`` (3.37).

    Parameters
    ----------
    samples : Samples
        The first of the log.
    hexadecimal : collection of int
        Places of the columns that are written so.
    """
    columns = samples.columns

    def is_priority(place: int) -> bool:
        return place in hexadecimal or bool(np.all(columns[place] <= 1))

    maximum = 0 if len(columns) < 5 or _is_direction(columns[2]) else 2
    direction = 3 if maximum else 2
    first, *more = range(direction + 2, len(columns)) if len(columns) > direction + 2 else (0,)
    if not first:
        return Layout(direction, maximum)
    if len(more) == 2:
        return Layout(direction, maximum, first, *more)
    if not more:
        return Layout(direction, maximum, *((0, first) if is_priority(first) else (first, 0)))
    if is_priority(more[0]):
        return Layout(direction, maximum, first, more[0])
    return Layout(direction, maximum, 0, first, more[0])


def _is_direction(column: Ints) -> bool:
    """Whether most of a column are directions: a damaged line or two must not turn it into something else."""
    return bool(2 * np.count_nonzero(column < len(DIRECTIONS)) >= len(column))
