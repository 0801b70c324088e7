"""fio's histograms of completion latency over time: ``write_hist_log`` of fio 2.13 to 3.4x, ``_clat_hist.1.log``.

Documented in fio's HOWTO ("log_hist_msec", "log_hist_coarseness") and printed by its iolog.c (flush_hist_samples). A
line is an interval: ``time, direction, block size, count, count, ...``, time in milliseconds, a count a bin. The number
of bins says how they are made: 29 groups of 64 in nanoseconds (fio 3) or 19 in microseconds (fio 2), halved once for
each step of coarseness. The first two groups have bins of 1, each further one bins twice as wide (stat.c,
plat_idx_to_val).

A row has the operations of an interval, and percentiles of latency: the middles of the bins they fall into.

Traps: lines have thousands of columns; some versions print counts out of memory that was never written, whose sums
exceed any number of operations: these lines keep their time and no number. There is no end mark.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence

from storagelab.parsers.fio.log import NUMBERS
from storagelab.parsers.fio.log.layout import DIRECTIONS
from storagelab.parsers.fio.log.samples import EPOCH, MILLISECONDS, iso
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import without_prefix
from storagelab.units import MICROSECOND, NANOSECOND

FORMAT = Format(
    "fio-hist-log",
    "fio",
    "2.13 to 3.4x",
    "operations and percentiles of latency over time",
    "fio HOWTO, log_hist_msec",
    shapes=(NUMBERS,),
)

GROUPS = {29: NANOSECOND, 19: MICROSECOND}
BINS_IN_A_GROUP = 64
MOST = 10**15
"""Operations that no interval has: fio would need weeks for them."""
PERCENTILES = (1, 5, 10, 50, 90, 95, 99, 99.5, 99.9, 99.99)

_BEGINNING = re.compile(r"(?:(?!\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d)[^\s=,]{1,60}[:>] ?)?\d+, ?[012], ?\d+(?:, ?\d+){16}")
_LINE = re.compile(r"\d{1,20}(?:, ?\d{1,20}){2,}")


def sniff(head: str) -> bool:
    """Whether one of the first lines is an interval."""
    return "," in head and any(map(_BEGINNING.match, head.split("\n")[:8]))


def parse(text: str) -> Parsed:
    """Read every interval.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "fio", "statistic": "single"})
    *lines, last = without_prefix(text.split("\n"))
    rows = [row for line, content in enumerate(lines, 1) if content.strip() and (row := _row(content, line, parsed))]
    if not rows:
        raise refusal("a line 'time, direction, block size, counts'", text)
    parsed.cut_line(last, len(lines) + 1)
    start = float(rows[0]["time"])
    if start >= EPOCH:
        parsed.header["started"] = iso(int(start))
    for row in rows:
        row["time"] = (float(row["time"]) - (start if start >= EPOCH else 0)) / MILLISECONDS
    parsed.series = columns(rows)
    return parsed


def _row(content: str, line: int, parsed: Parsed) -> Row:
    """Return one interval, its time in milliseconds; {} where the line is none."""
    if not _LINE.fullmatch(content.strip()):
        parsed.incomplete(f"no interval: {content[:60]!r}", line)
        return {}
    time, direction, size, *counts = map(int, content.split(","))
    if direction >= len(DIRECTIONS) or not edges(len(counts)) or time >= 2**63 or size >= 2**63:
        parsed.incomplete(f"no interval: direction {direction}, {len(counts)} bins", line)
        return {}
    row: Row = {"time": float(time), "operation": DIRECTIONS[direction]}
    if size:
        row["request_size"] = float(size)
    total = sum(counts)
    if total > MOST:
        parsed.note(f"counts of {total:.3g} operations are none: fio printed memory that was never written", line)
    elif total:
        row |= {"operations": float(total), **percentiles(counts)}
    return {**row, "line": line}


def percentiles(counts: Sequence[int]) -> Row:
    """Percentiles of latency, in seconds: the middle of the bin in which the share of operations is reached."""
    limits = edges(len(counts))
    wanted = [(math.ceil(sum(counts) * percent / 100), percent) for percent in PERCENTILES]
    found: Row = {}
    so_far = 0
    for place, count in enumerate(counts):
        so_far += count
        while wanted and so_far >= wanted[0][0] and count:
            percent = wanted.pop(0)[1]
            found[f"latency_p{percent:g}".replace(".", "_")] = (limits[place] + limits[place + 1]) / 2
    return found


@functools.cache
def edges(bins: int) -> tuple[float, ...]:
    """Limits of the bins, in seconds, one more than there are bins; () for a number of bins that fio does not print."""
    for groups, unit in GROUPS.items():
        stride = groups * BINS_IN_A_GROUP / bins if bins else 0
        if stride in (1, 2, 4, 8, 16, 32, 64):
            return tuple(_lower(place * int(stride)) * unit for place in range(bins + 1))
    return ()


def _lower(place: int) -> int:
    """Lowest value of a bin, in the unit of the histogram."""
    if place < 2 * BINS_IN_A_GROUP:
        return place
    shift = place // BINS_IN_A_GROUP - 1
    return (BINS_IN_A_GROUP + place % BINS_IN_A_GROUP) << shift
