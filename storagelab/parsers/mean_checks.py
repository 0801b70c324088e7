"""Means and deviations held against the lowest and the highest of the same values, and against their sum."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from storagelab import units
from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.model import Columns, Grouped, Parsed, Row, grouped
from storagelab.parsers.row_checks import one_by_one

_SPARE = {"throughput": 0.02 * units.MIB, "operation_rate": 0.02, "elapsed": 0.002}
"""How far two of these may be apart for being rounded, beside a thousandth of them."""
_NUMBERS = (int, float)


def means_fit(parsed: Parsed, checks: Checks, rows: Sequence[Grouped] | None = None) -> None:
    """Hold the mean of each row, its deviation and its sum against the lowest and the highest.

    `rows` are its rows as `model.grouped` returns them, where they are there already.
    """
    asked = _OF_SUMS if checks.sums else _OF_MEANS if checks.means else ()
    of_all = parsed.header.get("statistic")
    for part in (grouped(parsed) if rows is None else rows) if asked else ():
        for row in one_by_one(part) if any(name in table for table in part.tables for name in asked) else ():
            if checks.sums:
                _sum_fits(parsed, row)
            elif row.get("statistic", of_all) == "mean":
                mean_fits(parsed, row, repetitions(parsed, row.get("samples")))


_OF_SUMS, _OF_MEANS = ("throughput_mean",), tuple(f"{name}_min" for name in _SPARE)
"""Without any of these names in a table, nothing is asked of its rows."""


def repetitions(parsed: Parsed, count: object) -> float:
    """Return of how many values lowest, mean and highest are; 0 where a log does not tell.

    Before 4.0, mdtest took the lowest and the highest of all ranks, and counted repetitions all the same.
    """
    said = parsed.header
    of_ranks = said.get("tool") == "mdtest" and not str(said.get("tool_version", "")).startswith("4")
    return float(count) if isinstance(count, _NUMBERS) and not of_ranks else 0.0


def _sum_fits(parsed: Parsed, row: Row) -> None:
    """Hold the rate of all processes against their mean rate."""
    whole, mean, count = (row.get(name) for name in ("throughput", "throughput_mean", "processes"))
    if not (isinstance(whole, _NUMBERS) and isinstance(mean, _NUMBERS) and isinstance(count, _NUMBERS)):
        return
    if not math.isclose(whole, mean * count, rel_tol=0.001, abs_tol=_SPARE["throughput"] * count):
        expected = f"expected {count:g} processes with a mean of {mean:.6g} to have {mean * count:.6g}"
        parsed.incomplete(f"{expected}, found {whole:.6g} ({row.get('operation', '')})", int(row.get("line", 0)))


def mean_fits(parsed: Parsed, row: Row, count: float) -> None:
    """Hold a mean and a deviation of `count` values against lowest and highest: of up to three, one follows.

    Of how many values they are is not known where `count` is 0.
    """
    for name, spare in _SPARE.items():
        low, mean, high = (row.get(f"{name}{end}") for end in ("_min", "", "_max"))
        if not (isinstance(low, _NUMBERS) and isinstance(mean, _NUMBERS) and isinstance(high, _NUMBERS)):
            continue
        of = f"of {name} from {low:.9g} to {high:.9g}"
        if not _is_mean(mean, low, high, spare, count):
            parsed.incomplete(
                f"expected a mean {of}, found {mean:.9g} ({row.get('operation', '')})", int(row.get("line", 0))
            )
        deviation = row.get(f"{name}_std")
        values = _values(low, mean, high, count)
        if isinstance(deviation, _NUMBERS) and not _is_deviation(deviation, values, spare, are_all=count in (1, 2, 3)):
            parsed.incomplete(
                f"expected a deviation {of}, found {deviation:.9g} ({row.get('operation', '')})",
                int(row.get("line", 0)),
            )


def fit(parsed: Parsed, means: Columns) -> bool:
    """Whether `mean_fits` has nothing to say of a table of means.

    Each has the number of its values, and with a deviation a lowest and a highest.
    """
    known = {count: repetitions(parsed, count) for count in set(means["samples"])}
    counts = [known[count] for count in means["samples"]]
    for names, spare in _OF_A_MEAN:
        if (names[0] in means or names[-1] in means) and not all(
            map(_fits, *map(means.__getitem__, names), counts, itertools.repeat(spare))
        ):
            return False
    return True


_OF_A_MEAN = [((f"{name}_min", name, f"{name}_max", f"{name}_std"), spare) for name, spare in _SPARE.items()]


def _fits(low: Any, mean: Any, high: Any, deviation: Any, count: float, spare: float) -> bool:
    if low == mean == high and not deviation:
        return True
    if not _is_mean(mean, low, high, spare, count):
        return False
    away = high - low
    if count == 2:
        if abs(deviation - _ROOT_OF_HALF * away) <= spare or abs(deviation - 0.5 * away) <= spare:
            return True
    elif count not in (1, 3) and deviation <= _NEARLY_LARGEST * away:
        return True
    values = _values(low, mean, high, count)
    return _is_deviation(deviation, values, spare, are_all=count in (1, 2, 3))


_ROOT_OF_HALF = math.sqrt(0.5)
_NEARLY_LARGEST = 0.7
"""Two values deviate by the root of a half of what they are apart, and no values between them by more."""


def _is_mean(mean: float, low: float, high: float, spare: float, count: float) -> bool:
    """Whether a number is the mean of so many values, one of which is the lowest and one the highest."""
    spare += high * 1e-6
    share = (high - low) / count if count > 1 else 0.0
    return low + share - spare <= mean <= high - share + spare and (count != 1 or high - low <= spare)


def _values(low: float, mean: float, high: float, count: float) -> list[float]:
    """Return up to three values whose lowest, mean and highest are known; of more the lowest and the highest."""
    return [low, 3 * mean - low - high, high] if count == 3 else [low] if count == 1 else [low, high]


def _is_deviation(deviation: float, values: list[float], spare: float, *, are_all: bool) -> bool:
    """Whether a number is the deviation of some values, over all or over all but one, or may be that of more values."""
    mean = sum(values) / len(values)
    away = math.hypot(*(value - mean for value in values))
    largest = away / math.sqrt(max(len(values) - 1, 1))
    spare = 3 * spare + max(values) * 1e-6
    if not are_all:
        return deviation <= largest + spare
    return min(abs(deviation - largest), abs(deviation - away / math.sqrt(len(values)))) <= spare
