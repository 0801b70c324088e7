"""How numbers are shown: the one place where SI becomes MB/s, kops/s or ms. Data on the axes stay in SI."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator
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


def set_value_axis(axis: Axis, shown: Scale, log: bool = False) -> None:
    """Let an axis whose data are in SI show its ticks in another unit. Call it after the limits are set."""
    if log:
        set_log_ticks(axis)
    else:
        axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    write = say(shown.each) if shown.each else lambda value: f"{value / shown.factor:,.6g}"
    axis.set_major_formatter(FuncFormatter(lambda value, _: write(value)))


def set_log_ticks(axis: Axis) -> None:
    """Tick a log axis at round numbers, as many as are needed to read it. Call it after the limits are set."""
    low, high = sorted(axis.get_view_interval())
    axis.set_major_locator(FixedLocator(log_ticks(low, high)))
    axis.set_minor_locator(NullLocator())


def log_ticks(low: float, high: float) -> list[float]:
    """Choose decades, else 1 2 5, else 1 1.5 2 3 5 7, else even steps: the first that puts three ticks in the range."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    decades = np.array([float(f"1e{power}") for power in powers])
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
        ticks = np.outer(decades, steps).ravel()
        inside = ticks[(ticks >= low * 0.999) & (ticks <= high * 1.001)]
        if inside.size >= 3:
            return [float(tick) for tick in inside]
    even = MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    return [float(tick) for tick in even if low <= tick <= high]


def thinned(words: list[str], room: int) -> list[str]:
    """Blank every second, third, ... word until the rest fits in so many characters; the first one stays."""
    for step, _ in enumerate(words, start=1):
        kept = [word if place % step == 0 else "" for place, word in enumerate(words)]
        if sum(len(word) + 2 for word in kept if word) <= room:
            return kept
    return words


def set_level_axis(axis: Axis, levels: list[float], words: list[str]) -> None:
    """Tick an axis at the levels of a key and nowhere else."""
    axis.set_major_locator(FixedLocator(levels))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: words[int(np.argmin(np.abs(np.asarray(levels) - value)))]))
