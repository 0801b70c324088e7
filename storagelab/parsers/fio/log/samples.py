"""Samples of a log over time as columns of the contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from storagelab.parsers.fio.log.layout import DIRECTIONS, Layout, layout_of
from storagelab.parsers.fio.log.lines import Floats, Ints, Reader, Samples

MILLISECONDS = 1000
"""In a second. Dividing is exact to the last digit; multiplying by 0.001 is not."""
EPOCH = 10**12
"""Milliseconds from which a stamp counts from 1970 (``log_unix_epoch``): no job runs for 30 years."""
JITTER = 10
"""Milliseconds that stamps of one job may fall back by: fio logs reads and writes each on its own."""


@dataclass(slots=True)
class Survey:
    """What the log as a whole is like; to be known before its first sample can be interpreted.

    Attributes
    ----------
    restarts : list of int
        Lines on which the time starts again: another job's samples, or another run's, follow.
    """

    layout: Layout | None = None
    start: int = 0
    count: int = 0
    per_io: bool = True
    one_each: bool = True
    restarts: list[int] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    longest: bool = False
    _latest: int = 0
    _earliest: int = 0

    def read(self, reader: Reader) -> Iterator[Samples]:
        """Read the log's samples, taking note of what they are like."""
        for samples in reader:
            if self.layout is None:
                self.layout = layout_of(samples, reader.hexadecimal)
                self.start = int(samples.columns[0][0])
                self._earliest = self._latest = self.start
            directed = with_direction(samples, self.layout, reader)
            self._see(directed, self.layout)
            yield directed

    def _see(self, samples: Samples, layout: Layout) -> None:
        if not len(samples.lines):
            return
        self.count += len(samples.lines)
        self.per_io = self.per_io and bool(samples.columns[layout.size].all())
        self.one_each = self.one_each and bool((samples.columns[1] == 1).all())
        for place in (layout.size, layout.offset, layout.priority):
            if place and place not in self.used and samples.columns[place].any():
                self.used.add(place)
        self.longest = self.longest or bool((samples.columns[1] > 1000 * samples.columns[0]).any())
        self._find_restarts(samples)

    def may_be_old(self) -> bool:
        """Whether values may be microseconds: no column of fio 3.17, and none that would exceed the time of the job."""
        return not self.longest and not (self.layout and self.layout.priority)

    def _find_restarts(self, samples: Samples) -> None:
        """A new part begins where the time falls back by more than half of what the part has lasted so far."""
        times = np.concatenate(([self._latest], samples.columns[0]))
        falls = np.flatnonzero(np.diff(times) < -JITTER) + 1
        peaks = np.maximum.reduceat(times, np.concatenate(([0], falls)))
        for fall, before, after in zip(falls, peaks, peaks[1:], strict=False):
            self._latest = max(self._latest, int(before))
            if 2 * (self._latest - times[fall]) > self._latest - self._earliest:
                self.restarts.append(int(samples.lines[fall - 1]))
                self._earliest, self._latest = int(times[fall]), int(after)
        self._latest = max(self._latest, int(peaks[-1]))


def with_direction(samples: Samples, layout: Layout, reader: Reader) -> Samples:
    """Return the samples whose direction is one; `reader` takes note of the others."""
    directions = samples.columns[layout.direction]
    keep = directions < len(DIRECTIONS)
    for place in np.flatnonzero(~keep):
        reader.skip(int(samples.lines[place]), f"data direction {directions[place]}")
    return samples.where(keep)


def iso(milliseconds: int) -> str:
    """ISO 8601 of a stamp that counts from 1970."""
    seconds, rest = divmod(milliseconds, MILLISECONDS)
    try:
        return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest * 1000).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def times(samples: Samples, start: int) -> Floats:
    """Seconds since the start of the job, or since the first sample where stamps count from 1970."""
    milliseconds: Floats = (samples.columns[0] - (start if start >= EPOCH else 0)).astype(float)
    return milliseconds / MILLISECONDS


def parts(samples: Samples, restarts: Sequence[int]) -> Ints:
    """Ordinal of the part that each sample belongs to, from 1."""
    return np.searchsorted(np.array(restarts, dtype=np.int64), samples.lines, side="right") + 1
