"""How numbers are shown: the one place where SI becomes MB/s, kops/s or ms. Data on the axes stay in SI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from storagelab import units
from storagelab.errors import UnknownNameError

LADDERS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "B/s": (("B/s", "B/s"), ("kB/s", "kB/s"), ("MB/s", "MB/s"), ("GB/s", "GB/s"), ("TB/s", "TB/s")),
    "B": (("B", "B"), ("kB", "kB"), ("MB", "MB"), ("GB", "GB"), ("TB", "TB")),
    "1/s": (("ops/s", "1/s"), ("kops/s", "1/ms"), ("Mops/s", "1/us")),
    "s": (("ns", "ns"), ("\N{MICRO SIGN}s", "us"), ("ms", "ms"), ("s", "s")),
    "1": (("", ""),),
}
"""For each SI unit of the contract: symbol and pint's name of the units it is shown in, from small to large."""

DIGITS = 10
"""Digits of a computed number that are the same on every machine; the last ones depend on the processor."""

ROUNDED = 1.0005
"""999.6 MB/s is shown as 1 GB/s, not as 1,000 MB/s."""

_BINARY = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"))


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit to show numbers in: `factor` of them in SI is one of it. With `each`, every tick says its own unit."""

    symbol: str
    factor: float
    each: str = ""

    def number(self, value: float) -> str:
        """Write a value to three digits, without the unit."""
        shown = steady(value / self.factor)
        if not np.isfinite(shown):
            return "n/a"
        return f"{shown:,.0f}" if abs(shown) >= 100 else f"{shown:.3g}"

    def __call__(self, value: float) -> str:
        """Write a value to three digits, with the unit."""
        return f"{self.number(value)} {self.symbol}".rstrip() if np.isfinite(value) else "n/a"


def steady(value: float) -> float:
    """Round away the digits that depend on the processor: what is printed or compared must not flip on them.

    Examples
    --------
    >>> steady(1.1250000000000002)
    1.125
    """
    return float(f"{value:.{DIGITS}g}")


@cache
def _steps(unit: str) -> tuple[Scale, ...]:
    return tuple(Scale(symbol, units.factor(name, unit) if name else 1.0) for symbol, name in LADDERS[unit])


def scale(unit: str, values: ArrayLike) -> Scale:
    """Choose the unit in which the largest value has one to three digits before the point.

    Raises
    ------
    UnknownNameError
        If the unit is none of the contract's.
    """
    if unit not in LADDERS:
        raise UnknownNameError("unit", unit, LADDERS)
    sizes = np.abs(np.asarray(values, dtype=np.float64))
    largest = steady(float(np.max(sizes[np.isfinite(sizes)], initial=0.0)))
    steps = _steps(unit)
    fitting = [step for step in steps if step.factor <= largest * ROUNDED]
    unprefixed = next(step for step in steps if step.factor == 1)
    return fitting[-1] if fitting else unprefixed if largest == 0 else steps[0]


DECADES = 3.0
"""A log axis longer than this has ticks that say their own units: 0.001 Mops/s helps nobody."""


def for_axis(unit: str, low: float, high: float, log: bool = False) -> Scale:
    """Choose how an axis that shows a range writes its ticks."""
    if log and unit != "1" and low > 0 and steady(high / low) > 10**DECADES:
        return Scale("", 1.0, unit)
    return scale(unit, [low, high])


def say(unit: str) -> Callable[[float], str]:
    """Write numbers of a unit one by one, each in the unit that fits it: for sentences, not for axes."""
    return lambda value: scale(unit, value)(value)


def compact(unit: str, value: float) -> str:
    """Write a number as short as a cell needs: three digits and the SI prefix, ``56.2k``."""
    if not np.isfinite(value):
        return ""
    fitting = scale(unit, value)
    return f"{fitting.number(value)}{fitting.symbol.removesuffix(plain(unit))}"


def plain(unit: str) -> str:
    """Symbol of a unit without a prefix."""
    return next(symbol for symbol, name in LADDERS[unit] if not name or units.factor(name, unit) == 1)


def size(value: float) -> str:
    """Write a size as benchmarks give it: 64 KiB, 4 MiB, 512 B; one that was chosen in powers of ten as 64 MB."""
    if units.is_decimal_size(value):
        return say("B")(value)
    for factor, symbol in _BINARY:
        if value >= factor:
            return f"{value / factor:.4g} {symbol}"
    return f"{value:g} B"


def title(long_name: str, shown: Scale) -> str:
    """Title of an axis: the quantity and its unit."""
    return f"{long_name} ({shown.symbol})" if shown.symbol else long_name
