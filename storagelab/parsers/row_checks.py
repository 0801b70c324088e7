"""Rows held against what cannot be: negative rates, a lowest above the highest, amounts over time that are no rate."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import re
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from storagelab import schema
from storagelab.parsers.declared_checks import Agreement, Checks
from storagelab.parsers.model import Columns, Grouped, Parsed, Row, Rows, Sparse, Value, grouped

ROUNDING = 0.01
"""How far a mean may be beyond an extreme: some tools print the one with decimals and the other without."""


_SPANS = (
    ("data_size", "throughput", "elapsed"),
    ("operations", "operation_rate", "elapsed"),
    ("files", "file_rate", "elapsed"),
    ("data_size_stonewall", "throughput_stonewall", "stonewall_time"),
    ("files_stonewall", "file_rate_stonewall", "stonewall_time"),
)
_MEANS = ("latency", "file_latency", "first_byte_latency")
_EXTREMES = (*_MEANS, "throughput", "operation_rate", "elapsed", "operations")
_PERCENTILES = {
    mean: sorted(
        (float(name.removeprefix(f"{mean}_p").replace("_", ".")), name)
        for name in schema.FIELDS
        if re.fullmatch(rf"{mean}_p\d+(?:_\d+)?", name)
    )
    for mean in _MEANS
}
_PARTS = (
    ("throughput_min", "throughput_median", "throughput_max"),
    ("data_size_stonewall", "data_size"),
    ("files_stonewall", "files"),
)


_OF_PROCESSES = "data_size_min"
"""Stands in a sum of processes. Each took its own time, against which its rate is held in its row of `clients`."""
_POSITIVE = frozenset(
    field.name
    for field in [*schema.KEYS, *schema.VARIABLES, *schema.LOG_FIELDS]
    if field.unit in ("B/s", "1/s") or field.name.startswith(("latency", "elapsed", "data_size", "operations"))
)
"""What cannot be below nothing."""
_NUMBERS = (int, float)

Names = tuple[str, ...]


class Questions(NamedTuple):
    """What rows with some names are asked.

    Names of numbers, of what cannot be negative, names whose values rise with how far they may fall for being rounded,
    the same two by two, and those of amounts with their rate and time.
    """

    numbers: Names
    positive: Names
    rising: tuple[tuple[Names, float], ...]
    pairs: tuple[tuple[str, str], ...]
    spans: tuple[Names, ...]


@functools.lru_cache(maxsize=1024)
def questions(names: Names) -> Questions:
    """Return what rows with these names are asked."""
    chains = [
        *(((f"{name}_min", f"{name}_max"), 0.0) for name in _EXTREMES),
        *(((f"{name}_min", name, f"{name}_max"), ROUNDING) for name in _MEANS),
        *((tuple(name for _, name in names), 0.0) for names in _PERCENTILES.values()),
        *((names, ROUNDING) for names in _PARTS),
    ]
    there = [(tuple(name for name in chain if name in names), rounding) for chain, rounding in chains]
    return Questions(
        numbers=tuple(name for name in names if not schema.is_text(name)),
        positive=tuple(name for name in names if name in _POSITIVE),
        rising=tuple((chain, rounding) for chain, rounding in there if len(chain) > 1),
        pairs=tuple(pair for chain, _ in there for pair in itertools.pairwise(chain)),
        spans=tuple(span for span in _SPANS if {*span} <= {*names}),
    )


def are_plain(table: Columns) -> bool:
    """Whether all numbers of a table are that, finite and from 0 on; no is only said to be looked at one by one.

    A number that is missing (None) is as good as 0.
    """
    columns: list[Any] = [table[name] for name in questions(tuple(table)).numbers]
    if array in set(map(type, columns)):
        return False
    found = list(filter(None, itertools.chain.from_iterable(columns)))
    try:
        return not found or (min(found) >= 0 and max(found) < math.inf)
    except TypeError:
        return False


def rows_are_possible(parsed: Parsed, rows: Sequence[Grouped]) -> None:
    """Mark a log incomplete in which a rate, an amount or a time is negative or infinite."""
    for part in rows:
        if not all(map(_are_possible, part.tables)):
            for row in one_by_one(part):
                possible(parsed, row)


def rows_are_in_order(parsed: Parsed, rows: Sequence[Grouped]) -> None:
    """Hold lowest, mean and highest of each row, and its percentiles, against each other."""
    for part in rows:
        if not all(map(_are_in_order, part.tables)):
            for row in one_by_one(part):
                in_order(parsed, row)


def one_by_one(part: Grouped) -> Iterable[Row]:
    """Return the rows of which one may be wrong, in their order."""
    if not isinstance(part.rows, dict):
        return part.rows
    rows = Rows()
    rows.add_columns(part.rows)
    return rows


def _are_possible(table: Columns) -> bool:
    """Whether no value of a table is negative or infinite."""
    return are_plain(table) or all(_is_possible(table[name]) for name in questions(tuple(table)).positive)


def _is_possible(column: Sequence[Value]) -> bool:
    """Whether all of some values are from 0 on and finite; text and numbers together may be anything."""
    if not len(column):
        return True
    if isinstance(column, array):
        numbers = np.frombuffer(column, dtype=column.typecode)
        return bool(numbers.min() >= 0 and numbers.max() < math.inf)
    try:
        return bool(min(column) >= 0 and max(column) < math.inf)  # type: ignore[operator]
    except TypeError:
        return None in column and _is_possible(list(filter(None, column)))


def _are_in_order(table: Columns) -> bool:
    """Whether no value is below one that it must not be below; where one may be, rows are asked one by one."""
    rise = _rise_where_there if isinstance(table, Sparse) else _rise_everywhere
    try:
        for low, high in questions(tuple(table)).pairs:
            if not rise(table[low], table[high]):
                return False
    except TypeError:
        return False
    return True


def _rise_everywhere(low: Sequence[Any], high: Sequence[Any]) -> bool:
    return all(map(operator.le, low, high))


def _rise_where_there(low: Sequence[Any], high: Sequence[Any]) -> bool:
    """Whether no value of a column is above that of another, in rows that have both."""
    return not any(less > more for less, more in zip(low, high, strict=True) if less is not None and more is not None)


def possible(parsed: Parsed, row: Row) -> None:
    """Mark a log incomplete in which a value of a row cannot be."""
    for name in questions(tuple(row)).positive:
        value = row[name]
        if isinstance(value, _NUMBERS) and (value < 0 or value == math.inf):
            parsed.incomplete(f"expected {name} from 0 on and finite, found {value:.6g}", _line(row))


def in_order(parsed: Parsed, row: Row) -> None:
    """Hold lowest, mean and highest, and percentiles, against each other."""
    for names, rounding in questions(tuple(row)).rising:
        _rise(parsed, row, names, rounding)


def _rise(parsed: Parsed, row: Row, names: Names, rounding: float) -> None:
    """Say where a value is below the one before it, by more than rounding; values of one format are rounded alike."""
    found = [(name, value) for name in names if isinstance(value := row[name], _NUMBERS)]
    for (low, less), (high, more) in itertools.pairwise(found):
        if less > more + rounding * abs(more):
            found_there = " and ".join(_told_apart(less, more))
            parsed.incomplete(f"expected {low} <= {high}, found {found_there} ({row.get('operation', '')})", _line(row))


def _told_apart(*values: float) -> list[str]:
    """Format unequal values with six digits, or with as many as it takes to see that they are not equal."""
    formatted = ([f"{value:.{digits}g}" for value in values] for digits in range(6, 18))
    return next(texts for texts in formatted if len({*texts}) == len(values))


def rates_fit(parsed: Parsed, checks: Checks, rows: Sequence[Grouped] | None) -> None:
    """Hold amount over time of each row against its rate, where the format prints all three of one span.

    `rows` are its rows as `model.grouped` returns them, where they are there already.
    """
    if checks.rates is None:
        return
    agreement, rows = checks.rates, grouped(parsed) if rows is None else rows
    for part in rows:
        known = {span for table in part.tables for span in questions(tuple(table)).spans}
        spans = [span for span in _SPANS if span in known]
        if spans and not all(_rates_fit(table, agreement) for table in part.tables):
            for row in one_by_one(part):
                if agreement.statistic in ("", row.get("statistic")):
                    rate_fits(parsed, row, agreement, spans)


def _rates_fit(table: Columns, agreement: Agreement) -> bool:
    """Whether all rows of a table fit that are asked, or none is; no is only said to be looked at one by one."""
    statistics: Sequence[Any] = table.get("statistic", ())
    if agreement.statistic and agreement.statistic not in statistics:
        return True
    for amount, rate, time in questions(tuple(table)).spans:
        size = _size(amount, agreement)
        for moved, printed, seconds in zip(table[amount], table[rate], table[time], strict=True):
            if moved and printed and seconds and not _are_in_agreement(moved, seconds, printed, agreement, size):
                return False
    return True


def _are_in_agreement(moved: Any, seconds: Any, printed: Any, agreement: Agreement, size: float) -> bool:
    try:
        return _agree(moved, seconds, printed, agreement, size)
    except TypeError:
        return False


def _size(amount: str, agreement: Agreement) -> float:
    return agreement.size if amount.startswith("data_size") else 0.0


def rate_fits(parsed: Parsed, row: Row, agreement: Agreement, spans: Sequence[Names]) -> None:
    """Hold amount over time against the rate, where the format prints all three of one span."""
    for amount, rate, time in spans:
        moved, printed, seconds = (
            value if isinstance(value := row.get(name), _NUMBERS) else 0 for name in (amount, rate, time)
        )
        if not (moved and printed and seconds):
            continue
        shortest = 0.0 if _OF_PROCESSES in row and parsed.clients else seconds
        if not _agree(moved, seconds, printed, agreement, _size(amount, agreement), shortest):
            text = f"expected {rate} = {amount} / {time} = {moved / seconds:.6g}, found {printed:.6g}"
            parsed.incomplete(f"{text} ({row.get('operation', '')})", _line(row))


def _agree(
    amount: float, seconds: float, rate: float, agreement: Agreement, of_amount: float, shortest: float = math.inf
) -> bool:
    """Whether any amount and time that are printed so give any rate that is printed as `rate`.

    Rates of processes that took from `shortest` to `seconds` add up to what lies between those of all in either time.
    """
    shortest = min(seconds, shortest) - agreement.seconds
    lowest = (amount - of_amount) / (seconds + agreement.seconds)
    highest = (amount + of_amount) / shortest if shortest > 0 else math.inf
    spare = agreement.rate + agreement.share * max(amount / seconds, rate)
    return lowest - spare <= rate <= highest + spare


def _line(row: Row) -> int:
    return int(row.get("line", 0))
