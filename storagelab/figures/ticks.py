"""Where an axis has its ticks, and how they are written."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from storagelab.wording.quantities import Scale, say


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
