"""Samples on their way from a table of times to columns: what all formats of this family share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise

from storagelab import schema
from storagelab.parsers.model import Columns, Parsed, Row, Value

_NO_DATA = ("nan", "1.#", "null", "unkn", "u")


def reading(text: str) -> float:
    """Read a number as rrdtool and PHP print it; NaN where they say that there is none (``-nan``, ``null``, ``U``).

    Raises
    ------
    ValueError
        If the text is not a number.
    """
    try:
        return float(text)
    except ValueError:
        bare = text.strip().strip('"').lower()
        if bare.lstrip("+-").startswith(_NO_DATA):
            return math.nan
        return float(bare.replace(",", "."))


def utc(seconds: float) -> str:
    """ISO 8601 of seconds since 1970, or "" where no calendar has that time."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


@dataclass(slots=True)
class Series:
    """The samples of one quantity: `keys` are the same for all, `name` is the variable; times count from 1970."""

    keys: Row
    name: str
    factor: float = 1.0
    times: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def add(self, time: float, value: float, line: int) -> None:
        """Add a sample; what is not finite is no sample."""
        if math.isfinite(value):
            self.times.append(time)
            self.values.append(value * self.factor)
            self.lines.append(line)


def columns(series: Iterable[Series], started: float) -> Columns:
    """Put series behind each other as columns, with times counted from `started`."""
    filled = [one for one in series if one.values]
    if not filled:
        return {}
    table: dict[str, list[Value]] = {"time": [time - started for one in filled for time in one.times]}
    for name in dict.fromkeys(name for one in filled for name in one.keys):
        missing: Value = "" if schema.is_text(name) else math.nan
        table[name] = [value for one in filled for value in [one.keys.get(name, missing)] * len(one.values)]
    for name in dict.fromkeys(one.name for one in filled):
        table[name] = [value for one in filled for value in _values(one, name)]
    table["line"] = [line for one in filled for line in one.lines]
    return dict(table)


def _values(series: Series, name: str) -> list[float]:
    return series.values if series.name == name else [math.nan] * len(series.values)


@dataclass(slots=True)
class Table:
    """A table of rows at equal steps: a time, then a cell for each of `series`."""

    parsed: Parsed
    series: Sequence[Series]
    times: list[float] = field(default_factory=list)

    def row(self, time: float, cells: Sequence[str], line: int) -> None:
        """Take a row; with too few or too many cells, or a cell that is no number, it makes the log incomplete."""
        if len(cells) != len(self.series):
            self.parsed.incomplete(f"a row wants {len(self.series)} values, found {len(cells)}", line)
            return
        try:
            values = [reading(cell) for cell in cells]
        except ValueError:
            self.parsed.incomplete("a value is no number", line)
            return
        self.times.append(time)
        for series, value in zip(self.series, values, strict=True):
            series.add(time, value, line)

    def check_steps(self) -> None:
        """Say where rows are missing: these tables have one for every step, also where there are no data."""
        steps = [later - earlier for earlier, later in pairwise(self.times)]
        if steps and max(steps) > min(steps):
            self.parsed.incomplete(f"rows are missing, or their step changes from {min(steps):g} s to {max(steps):g} s")


def finish(parsed: Parsed, tables: Sequence[Table], are_parts: bool = True) -> None:
    """Write the start of the header and the columns of `series`; several tables are parts 1, 2, ... of a log.

    A table without any value is whole, but says so.
    """
    for part, table in enumerate(tables, 1):
        table.check_steps()
        for series in table.series if are_parts and len(tables) > 1 else ():
            series.keys["part"] = float(part)
    started = next((table.times[0] for table in tables if table.times), math.nan)
    if utc(started):
        parsed.header["started"] = utc(started)
    parsed.series = columns([series for table in tables for series in table.series], started)
    if not parsed.series:
        parsed.note(f"none of the {sum(len(table.times) for table in tables)} rows holds a value")
