"""What the clients of a run moved, from counters of their interfaces: read before and after, or again and again."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from storagelab import counter_differences, schema
from storagelab.errors import ContractError, SidecarError
from storagelab.ingest import contradictions, time_axis
from storagelab.parsers.values_on_several_lines import computed

if TYPE_CHECKING:
    from storagelab.ingest.one_run import RunLog
    from storagelab.parsers import Row

DIRECTIONS = (("receive", "received"), ("transmit", "sent"))

FIRST_LINE, FIRST_LOG = schema.LINE_OF["counter_before"], schema.LOG_OF["counter_before"]


def counter_deltas(logs: Sequence[RunLog]) -> list[Row]:
    """Rows of ``receive`` and ``transmit``: two for each pair of readings, two for each interval of timed readings.

    Raises
    ------
    SidecarError
        If a reading of a pair is missing, readings have no time, or the counters were reset in between.
    """
    pairs: dict[str, dict[str, RunLog]] = defaultdict(dict)
    for read in logs:
        if read.entry.role in contradictions.COUNTERS:
            pairs[str(read.entry.keys.get("client", ""))][read.entry.role] = read
    rows = [row for pair in pairs.values() for row in _of_a_pair(pair)]
    return rows + [row for read in logs if read.entry.role == contradictions.READINGS for row in _of_readings(read)]


def _of_a_pair(pair: Mapping[str, RunLog]) -> Iterator[Row]:
    """What one client's interface received and sent between its two readings."""
    entry = next(iter(pair.values())).entry
    if set(pair) != set(contradictions.COUNTERS):
        message = f"{entry.path}: the other reading of the pair before and after is missing"
        raise SidecarError(entry.file, message, entry.line)
    before, after = (counter_differences.reading(pair[role].log.rows("series")) for role in contradictions.COUNTERS)
    second = pair["netdev_after"]
    known: Row = {"complete": min(read.complete for read in pair.values())}
    yield from _between(before, after, second, known | {FIRST_LOG: pair["netdev_before"].log_id})


def _of_readings(read: RunLog) -> Iterator[Row]:
    """What a client's interface received and sent in each interval between timed readings, with its rate.

    Where there are several intervals, they are the parts of the run, from 1.
    """
    readings = _timed(read)
    for part, (begin, end) in enumerate(itertools.pairwise(sorted(readings)), 1):
        known: Row = {"start_time": begin, "end_time": end, "elapsed": end - begin, "complete": read.complete}
        ordinal: Row = {"part": part} if len(readings) > 2 else {}
        for row in _between(readings[begin], readings[end], read, known | ordinal):
            size = float(row["network_received" if row["operation"] == "receive" else "network_sent"])
            yield row | {"data_size": size} | computed({"throughput": size / (end - begin)})


def _timed(read: RunLog) -> dict[float, counter_differences.Reading]:
    """Readings of a log by their time, in seconds since 1970."""
    start = time_axis.log_start(read)
    samples: dict[float, list[Row]] = defaultdict(list)
    for row in read.log.rows("series"):
        samples[float(row["time"])].append(row)
    if start is None or len(samples) < 2 or any(math.isnan(time) for time in samples):
        message = f"{read.entry.path}: expected two readings or more with their times, found {len(samples)}"
        raise SidecarError(read.entry.file, message, read.entry.line)
    return {start.timestamp() + time: counter_differences.reading(rows) for time, rows in samples.items()}


def _between(
    before: counter_differences.Reading, after: counter_differences.Reading, second: RunLog, known: Row
) -> Iterator[Row]:
    """Yield two rows of what was counted between two readings."""
    try:
        interface = counter_differences.the_interface(before, after, str(second.entry.keys.get("interface", "")))
        for operation, short in DIRECTIONS:
            difference = counter_differences.difference(before, after, interface, operation)
            row: Row = {
                "operation": operation,
                "interface": interface,
                f"network_{short}": difference.bytes,
                f"packets_{short}": difference.packets,
                "counter_before": before[interface, operation]["counter_bytes"],
                "counter_after": after[interface, operation]["counter_bytes"],
                schema.LINE_OF[f"network_{short}"]: schema.COMPUTED,
                FIRST_LINE: difference.line_before,
                "line": difference.line,
            }
            yield second.with_keys(row | known)
    except ContractError as error:
        raise SidecarError(second.entry.file, f"{second.entry.path}: {error}", second.entry.line) from None
