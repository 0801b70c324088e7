"""What one call of dd reported: records in and out, their timing, and what stands around them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

from storagelab.parsers.benchmarks.dd.command import SIDES, idle_operation, options, record_size
from storagelab.parsers.benchmarks.dd.rate_line import LONGEST, Timing, stands_alone
from storagelab.parsers.line_formats import metric
from storagelab.parsers.model import Row
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.schema import line_of

ROUNDED = 0.5
"""Seconds by which a line of progress, which counts whole ones, may be ahead of the end."""

SIMPLE = 8
"""Reports whose bytes stand in a ratio of such small numbers are of a scan over sizes, not of one run on its way."""


@dataclass(slots=True)
class Report:
    """Two counts and, if this dd prints it, their timing; what `time` says behind it.

    `asked` is the line of the command, 0 where none is shown: two calls of one command are two runs. `sides` are the
    operations that counts are of, as their English words say; of two in another language the first is ``read``.
    """

    command: str
    asked: int = 0
    counts: list[tuple[int, float, float]] = field(default_factory=list)
    sides: list[str] = field(default_factory=list)
    timing: Timing | None = None
    copied: Row = field(default_factory=dict)
    times: Row = field(default_factory=dict)

    def is_whole(self) -> bool:
        """Whether records in and out were counted."""
        return len(self.counts) == 2

    def add_time(self, name: str, seconds: float, line: int) -> None:
        """Keep what `time` says of it; what it says again is of another command, such as the `sync` behind it."""
        if name not in self.times:
            self.times |= on(line, {name: seconds})

    def is_followed_by(self, line: str) -> bool:
        """Whether a line below its counts is of this report: any below two, and below one what surely has a rate."""
        return not self.timing and (self.is_whole() or (len(self.counts) == 1 and stands_alone(line)))

    def goes_on_in(self, later: Report) -> bool:
        """Whether a later report is of the same call: all counts have grown, and bytes not to a round multiple."""
        if not (self.timing and later.timing and self.is_whole() and later.is_whole()):
            return False
        if self.times or later.asked != self.asked:
            return False
        both = zip(self.counts, later.counts, strict=True)
        if any(then > now for before, after in both for then, now in zip(before, after, strict=True)):
            return False
        grown = 0 < self.timing.size < later.timing.size and self.timing.seconds < later.timing.seconds
        round_multiple = grown and Fraction(later.timing.size, self.timing.size).denominator <= SIMPLE
        return grown and not round_multiple and self.may_have_the_records_of(later)

    def may_have_the_records_of(self, other: Report) -> bool:
        """Whether records may be of one size in both: bytes over records, of which partial ones are smaller."""
        (least, most), (other_least, other_most) = self._sizes_of_records(), other._sizes_of_records()
        return max(least, other_least) <= min(most, other_most)

    def _sizes_of_records(self) -> tuple[float, float]:
        _, whole, partial = self.counts[1]
        size = float(self.timing.size) if self.timing else 0.0
        return size / (whole + partial) if whole + partial else 0.0, size / whole if whole else math.inf

    def is_progress_of(self, later: Report) -> bool:
        """Whether it is a line of ``status=progress`` above others of the same call: it counts whole seconds."""
        if not self.timing or self.counts or self.times or later.asked != self.asked:
            return False
        if not later.timing:
            return later.lacks_its_end() and self.timing.seconds.is_integer()
        if not (self.asked or self.timing.seconds.is_integer()):
            return False
        return self.timing.size <= later.timing.size and self.timing.seconds <= later.timing.seconds + ROUNDED

    def ends_in_records(self) -> bool:
        """Whether no line with its bytes is there, though nobody asked dd to leave it out; some versions have none."""
        is_asked_for = "status=no" not in self.command
        return self.is_whole() and not self.timing and not self.copied and is_asked_for

    def lacks_its_end(self) -> bool:
        """Whether the line with its bytes is left out: what has shown progress has had such a line."""
        return self.ends_in_records() and "status=progress" in self.command

    def options(self) -> dict[str, str]:
        """Return what the command above asks for; none where it copies fewer records than were: it is another's."""
        asked = options(self.command)
        limit = asked.get("count", "")
        if self.counts and limit.isdecimal() and len(limit) < LONGEST and sum(self.counts[0][1:]) > int(limit):
            return {}
        return asked

    def rows(self) -> list[Row]:
        """Return the rows of ``read`` and ``write``."""
        options = self.options()
        idle = idle_operation(options)
        keys: Row = on(self.asked, {"record_size": size}) if (size := record_size(options)) else {}
        timed = self.times | self.copied | (on(self.timing.line, self.timing.row()) if self.timing else {})
        if not self.counts:
            return [settled({"operation": operation} | keys | timed) for operation, _ in SIDES]
        if self.is_whole() and self.counts[0][1:] != self.counts[1][1:]:  # the bytes are those that went out
            idle = "read"
        counted = dict(zip(("read", "write") if self.is_whole() else self.sides, self.counts, strict=True))
        return [
            settled({"operation": operation} | _counted(keys, counted.get(operation)) | timing)
            for operation, _ in SIDES
            if (timing := {} if idle == operation else timed) or operation in counted
        ]

    def sample(self, timing: Timing) -> Row:
        """Return a sample on the way: of what is written, unless the command says that only reading is of storage."""
        return timing.sample("read" if idle_operation(options(self.command)) == "write" else "write")

    def waited(self) -> list[Row]:
        """Return what the shell says went by, where dd says its own seconds."""
        if not self.timing or "elapsed" not in self.times:
            return []
        return [metric("real", float(self.times["elapsed"]), "s", line_of(self.times, "elapsed"))]


def _counted(keys: Row, count: tuple[int, float, float] | None) -> Row:
    """Return keys with the records of a count, on whose line they stand; a damaged report may lack one."""
    if not count:
        return keys
    line, whole, partial = count
    return {"line": line, **keys} | on(line, {"records": whole, "records_partial": partial})
