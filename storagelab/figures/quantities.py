"""How numbers are shown: the one place where SI becomes MB/s, kops/s or ms. Data on the axes stay in SI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator
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

_BINARY = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"))


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit to show numbers in: `factor` of them in SI is one of it."""

    symbol: str
    factor: float

    def number(self, value: float) -> str:
        """Write a value to three digits, without the unit."""
        shown = value / self.factor
        if not np.isfinite(shown):
            return "n/a"
        return f"{shown:,.0f}" if abs(shown) >= 100 else f"{shown:.3g}"

    def __call__(self, value: float) -> str:
        """Write a value to three digits, with the unit."""
        return f"{self.number(value)} {self.symbol}".rstrip()


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
    largest = float(np.max(sizes[np.isfinite(sizes)], initial=0.0))
    steps = [Scale(symbol, units.factor(name, unit) if name else 1.0) for symbol, name in LADDERS[unit]]
    fitting = [step for step in steps if step.factor <= largest]
    plain = next(step for step in steps if step.factor == 1)
    return fitting[-1] if fitting else plain if largest == 0 else steps[0]


def say(unit: str) -> Callable[[float], str]:
    """Write numbers of a unit one by one, each in the unit that fits it: for sentences, not for axes."""
    return lambda value: scale(unit, value)(value)


def compact(unit: str, value: float) -> str:
    """Write a number as short as a cell needs: three digits and the SI prefix, ``56.2k``."""
    if not np.isfinite(value):
        return ""
    fitting = scale(unit, value)
    plain = next(symbol for symbol, name in LADDERS[unit] if not name or units.factor(name, unit) == 1)
    return f"{fitting.number(value)}{fitting.symbol.removesuffix(plain)}"


def binary(size: float) -> str:
    """Write a size as benchmarks give it: 64 KiB, 4 MiB, 512 B."""
    for factor, symbol in _BINARY:
        if size >= factor:
            return f"{size / factor:.4g} {symbol}"
    return f"{size:g} B"


def title(long_name: str, shown: Scale) -> str:
    """Title of an axis: the quantity and its unit."""
    return f"{long_name} ({shown.symbol})" if shown.symbol else long_name


def set_value_axis(axis: Axis, shown: Scale, log: bool = False) -> None:
    """Let an axis whose data are in SI show its ticks in another unit."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / shown.factor:,.6g}"))
    if log:
        set_log_ticks(axis)
    else:
        axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))


def set_log_ticks(axis: Axis) -> None:
    """Tick a log axis at 1, 2, 5 where it spans less than two decades, else at its decades."""
    low, high = axis.get_view_interval()
    decades = float(np.log10(high / low)) if low > 0 else 3.0
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 2.2 else (1.0,), numticks=12))
    axis.set_minor_formatter(NullFormatter())


def set_level_axis(axis: Axis, levels: list[float], words: list[str]) -> None:
    """Tick an axis at the levels of a key and nowhere else."""
    axis.set_major_locator(FixedLocator(levels))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: words[int(np.argmin(np.abs(np.asarray(levels) - value)))]))
