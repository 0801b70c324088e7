"""Counters of calls: ``open 136 samples [usecs] 0 172 3393 8836``, ``open: { samples: 136, unit: usecs, ... }``.

The number of samples is always there; then come lowest, highest, sum and sum of squares, as far as the version and the
kind of the counter print them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from storagelab.parsers.file_system_calls import operation_of
from storagelab.parsers.line_formats import metric
from storagelab.parsers.model import Row
from storagelab.parsers.text import finite
from storagelab.units import KIB, MICROSECOND, MILLISECOND, NANOSECOND

LINE = re.compile(
    r"\s*(?P<name>[A-Za-z_][\w/-]{0,60}(?: [A-Za-z][\w/-]{0,40}){0,5})\s+(?P<samples>\d{1,20}) samples "
    r"\[(?P<unit>[\w/]{0,20})\](?P<rest>.*)"
)
OF_JOB = re.compile(
    r"\s*(?P<name>[A-Za-z_]\w{0,60}):\s+\{ *samples:\s*(?P<samples>\d{1,20}), *"
    r"unit: *(?P<unit>\w{1,20})(?P<rest>.*)"
)
_PAIR = re.compile(r"\b(min|max|sum|sumsq): *(\d{1,30})")
_NAMES = ("min", "max", "sum", "sumsq")
_NEVER_SET = float(2**63 - 1)
"""What the lowest value begins with, in 63 or 64 bits: there was none where it is printed."""
_BYTES = {"bytes": 1.0, "kbytes": KIB}
_TIMES = {
    "nsecs": NANOSECOND, "nsec": NANOSECOND, "usecs": MICROSECOND, "usec": MICROSECOND, "msecs": MILLISECOND,
    "msec": MILLISECOND, "secs": 1.0, "sec": 1.0,
}  # fmt: skip


class Counter(NamedTuple):
    """A call, how often it was counted, in which unit, and what is printed of its values."""

    name: str
    samples: float
    unit: str
    values: Mapping[str, float]


def is_torn(line: str) -> bool:
    """Whether a line that was not read looks like a counter, or is the name of a call and nothing else."""
    return (" samples" in line and ("[" in line or "unit:" in line)) or operation_of(line.strip()) != ""


def read(found: re.Match[str]) -> Counter:
    """Read a line of which the beginning is known.

    Raises
    ------
    ValueError
        If what follows are not numbers, or the line of a job is not closed.
    """
    rest = found["rest"]
    if found.re is OF_JOB:
        if not rest.rstrip().endswith("}"):
            raise ValueError(repr(rest.strip()[-60:]))
        values = {name: finite(value) for name, value in _PAIR.findall(rest.partition("hist:")[0])}
    else:
        values = dict(zip(_NAMES, map(finite, rest.split()), strict=False))
    return Counter(found["name"], finite(found["samples"]), found["unit"], values)


def impossible(counter: Counter) -> str:
    """Say what cannot be of the values of a counter: their mean lies from the lowest to the highest; "" if it does."""
    if not counter.samples or not {"min", "max", "sum"} <= counter.values.keys():
        return ""
    low, high, whole = (counter.values[name] for name in ("min", "max", "sum"))
    if low * counter.samples <= whole <= high * counter.samples:
        return ""
    expected = f"a sum of {counter.samples:.12g} values from {low:.12g} to {high:.12g}"
    return f"{counter.name}: expected {expected}, found {whole:.12g}"


def rows(counter: Counter, operation: str, at: int) -> list[Row]:
    """Make a row of what has names in the contract, and others of what has none."""
    row: Row = {"operation": operation, "label": counter.name, "operations": counter.samples}
    if counter.unit in _BYTES:
        row |= _sizes(counter, _BYTES[counter.unit])
        rest = _metrics(counter, ("min", "max"), "B", _BYTES[counter.unit])
    elif counter.unit in _TIMES:
        row |= _latencies(counter, _TIMES[counter.unit])
        rest = _metrics(counter, ("sum",), "s", _TIMES[counter.unit])
    else:
        rest = _metrics(counter, ("min", "max", "sum"), "1", 1.0)
    others = [metric(f"{counter.name} {which}", value, unit, at, operation=operation) for which, value, unit in rest]
    return [row | {"line": at}, *others]


def _metrics(counter: Counter, names: tuple[str, ...], unit: str, factor: float) -> list[tuple[str, float, str]]:
    values = {name: value for name, value in counter.values.items() if counter.samples or value < _NEVER_SET}
    return [(name, values[name] * factor, unit) for name in names if name in values]


def _sizes(counter: Counter, factor: float) -> Row:
    if "sum" not in counter.values:
        return {}
    moved = counter.values["sum"] * factor
    row: Row = {"counter_bytes": moved}
    return row | ({"request_size": moved / counter.samples} if counter.samples else {})


def _latencies(counter: Counter, factor: float) -> Row:
    """Latencies of calls; the deviation is left out where the sum of squares has run over."""
    values, count = counter.values, counter.samples
    row: Row = {f"latency_{name}": values[name] * factor for name in ("min", "max") if name in values and count}
    if count and "sum" in values:
        mean = values["sum"] / count
        row["latency"] = mean * factor
        if "sumsq" in values and (variance := values["sumsq"] / count - mean * mean) >= 0:
            row["latency_std"] = math.sqrt(variance) * factor
    return row
