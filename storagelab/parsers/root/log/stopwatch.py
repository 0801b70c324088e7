"""TStopwatch::Print: ``Real time 0:04:43, CP time 283.780``, on a line of its own or behind other text.

ROOT, core/base/src/TStopwatch.cxx. Without an option the real time is cut to whole seconds, so 0:00:00 is less than
one; with ``m`` it has milliseconds, with ``u`` microseconds. ``, 3 slices`` are starts and stops that were added up.
"""

from __future__ import annotations

import re

from storagelab.parsers.model import Row
from storagelab.parsers.text import number

_PRINT = re.compile(
    r"Real time (\d+):(\d\d):(\d\d(?:[.,]\d+)?), (?:CP )?time (\d+(?:[.,]\d+)?)(?:, (\d+) slices)?(?![\d.,])"
)
_COMMENT = "/#*>|- \t"


def stopwatch_in(text: str) -> tuple[Row, str] | None:
    """Read a print as times and the text before it, which may say what was timed; None if there is none."""
    match = _PRINT.search(text) if "Real time " in text else None
    if not match:
        return None
    hours, minutes, seconds, cpu, slices = match.groups()
    row: Row = {"elapsed": 3600 * int(hours) + 60 * int(minutes) + number(seconds), "cpu_time": number(cpu)}
    if slices:
        row |= {"statistic": "sum", "samples": float(slices)}
    return row, label_in(text[: match.start()])


def label_in(text: str) -> str:
    """What a text says of the time behind it, without the marks of comments."""
    return text.strip(_COMMENT).rstrip(" :=").removeprefix("Time for ").strip()
