"""Sectors that iostat's JSON calls kB or MB: with ``-x``, sysstat 12.1.4 divided nothing, and 12.2.0 no written bytes.

The version is not printed. But ``w/s`` times ``wareq-sz`` is what was written a second: ``wkB/s`` is twice as much
where it counts sectors of 512 bytes, and ``wMB/s`` 2048 times as much.
"""

from __future__ import annotations

from collections.abc import Iterator

from storagelab.parsers.model import Columns, Parsed
from storagelab.units import KIB

_SECTOR = 512.0
_LAST_DIGIT = 0.01
_SURE = 0.2
"""Of ratios that are rounded more, nothing is said."""


def count_in_bytes(parsed: Parsed, unit: float) -> None:
    """Count the bytes of each operation whose rates and sizes show that what is in `unit` a second is sectors."""
    series = parsed.series
    if not {"operation", "operation_rate", "throughput", "request_size"} <= series.keys():
        return
    for operation in ("read", "write", "trim"):
        rows = [at for at, name in enumerate(series["operation"]) if name == operation]
        if set(_told(series, rows, unit)) == {_SECTOR}:
            throughput = list(series["throughput"])
            for at in rows:
                throughput[at] = float(throughput[at]) / unit * _SECTOR
            series["throughput"] = throughput
            parsed.note(
                f"{operation}: what is called kB or MB a second are sectors of 512 bytes, as rates and sizes show",
                int(series["line"][rows[0]]),
            )


def _told(series: Columns, rows: list[int], unit: float) -> Iterator[float]:
    """Yield the bytes of what each row counts, where its numbers have digits enough to tell."""
    for at in rows:
        rate, size = float(series["operation_rate"][at]), float(series["request_size"][at])
        printed = float(series["throughput"][at]) / unit
        if not (rate > 0.0 and size > 0.0 and printed > 0.0):
            continue
        rounded = _LAST_DIGIT * (1.0 / rate + KIB / size + 1.0 / printed)
        if rounded < _SURE:
            yield from [known for known in (unit, _SECTOR) if abs(rate * size / (printed * known) - 1.0) < rounded]
