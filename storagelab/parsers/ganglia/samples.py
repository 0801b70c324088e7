"""Samples on their way from a table of times to columns: what all formats of this family share."""

from __future__ import annotations

import math
import operator
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress

from storagelab import schema
from storagelab.parsers.model import Columns, Parsed, Row, Value
from storagelab.parsers.text import number, utc

_NO_DATA = ("nan", "1.#", "null", "unkn", "u")


def reading(text: str) -> float:
    """Read a number as rrdtool and PHP print it; NaN where they say that there is none (``-nan``, ``null``, ``U``).

    Raises
    ------
    ValueError
        If the text is not a number.
    """
    try:
        return number(text)
    except ValueError:
        bare = text.strip().strip('"').lower()
        if bare.lstrip("+-").startswith(_NO_DATA):
            return math.nan
        return number(bare)


class LineNumbers:
    """The line of any place in a text, for formats that are not read line by line."""

    def __init__(self, text: str) -> None:
        self._ends = [match.start() for match in re.finditer("\n", text)]

    def at(self, place: int) -> int:
        """Return the 1-based line that holds the character at `place`."""
        return bisect_left(self._ends, place) + 1


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
        self.extend((time,), (value,), (line,))

    def extend(self, times: Sequence[float], values: Sequence[float], lines: Sequence[int]) -> None:
        """Add samples; those that are not finite are none."""
        finite = list(map(math.isfinite, values))
        if not all(finite):
            times, values, lines = (list(compress(column, finite)) for column in (times, values, lines))  # type: ignore[assignment]
        self.times += times
        self.values += values if self.factor == 1.0 else [value * self.factor for value in values]
        self.lines += lines


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
    cells: list[Sequence[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def row(self, time: float, cells: Sequence[str], line: int) -> None:
        """Take a row; one with too few or too many cells makes the log incomplete."""
        if len(cells) != len(self.series):
            self.parsed.incomplete(f"a row wants {len(self.series)} values, found {len(cells)}", line)
            return
        self.times.append(time)
        self.cells.append(cells)
        self.lines.append(line)

    def close(self) -> None:
        """Turn cells into samples; a cell that is no number makes the log incomplete, and so does a missing row.

        These tables have a row for every step, also where there are no data.
        """
        for series, cells in zip(self.series, zip(*self.cells, strict=True), strict=False):
            series.extend(self.times, self._values(cells), self.lines)
        steps = set(map(operator.sub, self.times[1:], self.times))
        if len(steps) > 1:
            self.parsed.incomplete(f"rows are missing, or their step changes: {min(steps):g} s to {max(steps):g} s")

    def _values(self, cells: Sequence[str]) -> list[float]:
        try:
            return list(map(number, cells))
        except ValueError:
            return [self._value(cell, line) for cell, line in zip(cells, self.lines, strict=True)]

    def _value(self, cell: str, line: int) -> float:
        try:
            return reading(cell)
        except ValueError:
            self.parsed.incomplete("a value is no number", line)
            return math.nan


def foreign(parsed: Parsed, line: str, number: int) -> None:
    """Say that a line is not of the table; one with damaged bytes may have been."""
    if "\ufffd" in line:
        parsed.incomplete("bytes of this line are no text", number)
    else:
        parsed.note("neither headings nor a row under them", number)


def finish(parsed: Parsed, tables: Sequence[Table], are_parts: bool = True) -> None:
    """Write the start of the header and the columns of `series`; several tables are parts 1, 2, ... of a log.

    A table without any value is whole, but says so.
    """
    for part, table in enumerate(tables, 1):
        table.close()
        for series in table.series if are_parts and len(tables) > 1 else ():
            series.keys["part"] = float(part)
    started = next((table.times[0] for table in tables if table.times), math.nan)
    if utc(started):
        parsed.header["started"] = utc(started)
    parsed.series = columns([series for table in tables for series in table.series], started)
    if not parsed.series:
        parsed.note(f"none of the {sum(len(table.times) for table in tables)} rows holds a value")
