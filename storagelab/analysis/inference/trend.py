"""Whether values rise or fall over ordered levels, by their ranks, and by how much.

Sources: M. G. Kendall, "A new measure of rank correlation" (Biometrika, 1938); A. R. Jonckheere, "A distribution-free
k-sample test against ordered alternatives" (Biometrika, 1954) for its exact distribution with several runs a level.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from storagelab.analysis.inference.intervals import NO_INTERVAL, Floats, Interval
from storagelab.analysis.inference.least_squares import least_squares
from storagelab.analysis.inference.processor_independent import expm1, log

EXACT = 40
"""Runs up to which the exact distribution is used; beyond, the normal one is close."""


def rank_trend(levels: Floats, values: Floats) -> tuple[float, float]:
    """Kendall's tau-b of values over levels, and the two-sided p of no trend.

    Exact for up to 40 values without ties among them, else by the normal approximation of `scipy.stats.kendalltau`.
    NaN where there are fewer than two levels or no two different values.
    """
    from scipy import stats

    if np.unique(levels).size < 2 or np.unique(values).size < 2:
        return np.nan, np.nan
    found = stats.kendalltau(levels, values)
    if values.size > EXACT or np.unique(values).size < values.size:
        return float(found.statistic), float(found.pvalue)
    sizes = tuple(int(size) for size in np.unique(levels, return_counts=True)[1])
    later = levels[:, None] < levels[None, :]
    falling = int((later & (values[:, None] > values[None, :])).sum())
    pairs = int(later.sum())
    tail = sum(_arrangements(sizes)[: min(falling, pairs - falling) + 1])
    return float(found.statistic), min(1.0, 2 * tail / sum(_arrangements(sizes)))


@lru_cache(maxsize=64)
def _arrangements(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """How many orders of the runs of levels of these sizes have 0, 1, 2, ... falling pairs.

    Coefficients of the Gaussian multinomial, built one run at a time: each takes a factor (1 - q^j) and divides by one.
    """
    found, placed = [1], 0
    for size in sizes:
        for i in range(1, size + 1):
            found = _divided(_multiplied(found, placed + i), i)
        placed += size
    return tuple(found)


def _multiplied(counts: list[int], by: int) -> list[int]:
    """Multiply a polynomial by 1 - q^by."""
    longer = [*counts, *[0] * by]
    return [c - (longer[i - by] if i >= by else 0) for i, c in enumerate(longer)]


def _divided(counts: list[int], by: int) -> list[int]:
    """Divide a polynomial by 1 - q^by, which divides it."""
    found: list[int] = []
    for i, c in enumerate(counts):
        found.append(c + (found[i - by] if i >= by else 0))
    return found[: len(counts) - by]


def per_doubling(levels: Floats, values: Floats) -> tuple[float, Interval]:
    """Relative change of positive values with each doubling of the level, by least squares of the logs.

    The t interval claims its coverage for a straight line on log axes and noise in proportion to the value; NaN from
    fewer than three values or without spread.
    """
    line = least_squares(log(values), np.column_stack([log(levels) / log(2), np.ones(levels.size)]))
    if line is None:
        return np.nan, NO_INTERVAL
    slope = line.contrast([1.0])
    low, high = slope.interval()
    return float(expm1(slope.value)), (float(expm1(low)), float(expm1(high)))


def lowest_p(sizes: tuple[int, ...]) -> float:
    """Lowest p that `rank_trend` can give for levels of these sizes: that of a perfect order."""
    return 2 / sum(_arrangements(sizes))
