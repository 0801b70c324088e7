"""A table whose lines begin with a time of day, and whether the averages that end it are there."""

from __future__ import annotations

from collections.abc import Iterable

from storagelab.parsers.model import Value
from storagelab.parsers.monitors.sysstat import clock
from storagelab.parsers.monitors.sysstat.report_lines import SIZES_OF_TABLES
from storagelab.parsers.monitors.sysstat.sheet import Sheet

STAMP = ("part", "time", "statistic", "phase")
Stamp = tuple[Value, ...]
SINCE_BOOT = "since boot"
INTERRUPTS = "INTR"
"""Its samples have a column for each processor that was online then, its averages one for each that ever was."""


class TimedTable(Sheet):
    """A sheet that follows the clock of its lines over midnight.

    Parameters
    ----------
    columns : tuple of str
        The columns as printed, without the time before them.
    day : int
        On which day of the report it begins, from 0.
    time : float
        Seconds since that day's midnight.
    """

    def __init__(self, columns: tuple[str, ...], day: int, time: float) -> None:
        super().__init__(columns, STAMP)
        self.day = day
        self.opened = 0.0
        self._last = time

    def seconds(self, time: float) -> float:
        """Seconds since midnight of the first day."""
        if clock.past_midnight(self._last, time):
            self.day += 1
        self._last = time
        return self.day * clock.DAY + time

    @property
    def is_of_interrupts(self) -> bool:
        """Whether a line is an interrupt."""
        return self.layout.columns[0] == INTERRUPTS

    def averaged(self) -> set[tuple[str, ...]]:
        """Return the items that have an average."""
        last = self._last_sample()
        return {
            self.keys_of(place) for place, stamp in enumerate(self.stamps) if stamp[2] != "single" and stamp != last
        }

    def first_unsampled(self, tables: Iterable[TimedTable]) -> int:
        """Return the line of the first average whose item has no sample in any of some tables; 0 without one."""
        averaged = self.averaged()
        unsampled = averaged.difference(*(table.sampled(averaged) for table in tables))
        if not unsampled:
            return 0
        averages = (place for place, stamp in enumerate(self.stamps) if stamp[2] != "single")
        return next(self.lines[place] for place in averages if self.keys_of(place) in unsampled)

    def sampled(self, wanted: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
        """Return items that have a sample: those of the last one are enough where they are all that is wanted."""
        last = self._last_sample()
        recent = {self.keys_of(place) for place, stamp in enumerate(self.stamps) if stamp == last}
        if recent >= wanted:
            return recent
        return {self.keys_of(place) for place, stamp in enumerate(self.stamps) if stamp[2] == "single"}

    def has_averages(self, averaged: set[tuple[str, ...]]) -> bool:
        """Whether every item of the last sample is averaged; samples since boot and sizes of tables never are."""
        last = self._last_sample()
        return (
            SINCE_BOOT in last
            or SIZES_OF_TABLES in self.layout.columns
            or averaged.issuperset(self.keys_of(place) for place, stamp in enumerate(self.stamps) if stamp == last)
        )

    def _last_sample(self) -> Stamp:
        return next((stamp for stamp in reversed(self.stamps) if stamp[2] == "single"), ())
