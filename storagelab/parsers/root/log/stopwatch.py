"""TStopwatch::Print: ``Real time 0:04:43, CP time 283.780``, on a line of its own or behind other text.

ROOT, core/base/src/TStopwatch.cxx. Without an option the real time is cut to whole seconds, so 0:00:00 is less than
one; with ``m`` it has milliseconds, with ``u`` microseconds. ``, 3 slices`` are starts and stops that were added up.

Also what programs print of a stopwatch themselves, in seconds: TBenchmark (``hsimple   : Real Time =   0.03 seconds
Cpu Time =   0.02 seconds``), ROOT's test programs (``RealTime=1.5 seconds, CpuTime=1.4 seconds``) and macros in their
manner (``Real time 12.3 s, CPU time 11.9 s``).
"""

from __future__ import annotations

import re

from storagelab.parsers.model import Row
from storagelab.parsers.text import printf_number as number

_PRINT = re.compile(
    r"Real time (\d{1,9}):(\d\d):(\d\d(?:[.,]\d+)?), (?:CP )?time (\d+(?:[.,]\d+)?)(?:, (\d+) slices)?(?![\d.,])"
)
_SECONDS = re.compile(
    r"Real ?[Tt]ime ?[=:]? *(\d+(?:[.,]\d+)?) ?s(?:ec(?:onds)?)?[,;]? +(?:and )?"
    r"(?:CP|CPU|Cpu) ?[Tt]ime ?[=:]? *(\d+(?:[.,]\d+)?) ?s"
)
_COMMENT = "/#*>|- \t"


def stopwatch_in(text: str) -> tuple[Row, str] | None:
    """Read a print as times and the text before it, which may say what was timed; None if there is none."""
    match = _PRINT.search(text) if "Real time " in text else None
    if not match:
        return _in_seconds(text)
    hours, minutes, seconds, cpu, slices = match.groups()
    row: Row = {"elapsed": 3600 * int(hours) + 60 * int(minutes) + number(seconds), "cpu_time": number(cpu)}
    if slices:
        row |= {"statistic": "sum", "samples": float(slices)}
    return row, label_in(text[: match.start()])


def _in_seconds(text: str) -> tuple[Row, str] | None:
    match = _SECONDS.search(text)
    if not match:
        return None
    return {"elapsed": number(match[1]), "cpu_time": number(match[2])}, label_in(text[: match.start()])


def label_in(text: str) -> str:
    """What a text says of the time behind it, without the marks of comments."""
    return text.strip(_COMMENT).rstrip(" :=").removeprefix("Time for ").strip()
