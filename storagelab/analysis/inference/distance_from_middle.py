"""How far a value lies from the middle of its sample, measured so that the value itself does not hide it.

Source: B. Iglewicz, D. C. Hoaglin, "How to detect and handle outliers" (ASQC 1993) for the modified z. Its usual limit
of 3.5 marks a value in one of five clean samples of five; so the limit is found here by simulation, for each n.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.intervals import LEAST, ROUNDING, Floats
from storagelab.analysis.inference.seeds import generator

NORMAL = 0.6745
"""Median of the absolute deviations of normal values, in standard deviations."""

FEWEST = 5
"""Values below which the middle half is one value or two, and nothing stands out from it."""

DRAWN = 400_000
"""Normal values that are drawn to know how far out the furthest of n lies."""


def modified_z(values: ArrayLike) -> Floats:
    """Deviation from the median over the median absolute deviation, in units of a normal's standard deviation.

    Samples lie along the last axis. NaN for fewer than `FEWEST` values, and where half of them are equal.
    """
    x = np.asarray(values, dtype=np.float64)
    if x.shape[-1] < FEWEST:
        return np.full(x.shape, np.nan)
    away = x - np.median(x, axis=-1, keepdims=True)
    middle = np.median(np.abs(away), axis=-1, keepdims=True)
    spread = middle > ROUNDING * np.abs(x).max(axis=-1, keepdims=True) + LEAST
    return NORMAL * away / np.where(spread, middle, np.nan)


def of_others(values: Floats, estimator: Callable[..., Any]) -> Floats:
    """For each value what an estimator makes of the others of its sample; samples lie along the last axis."""
    others = (np.delete(values, place, axis=-1) for place in range(values.shape[-1]))
    return np.stack([estimator(rest, axis=-1) for rest in others], axis=-1)


def p_furthest(z: ArrayLike, n: int) -> Floats:
    """Return p of a furthest value at least so far out in a sample of n normal values without an outlier.

    Claims its level for values near normal (of rates: their logs). The smallest p is n over `DRAWN`.
    """
    furthest = _furthest(n)
    beyond = furthest.size - np.searchsorted(furthest, np.abs(np.asarray(z, dtype=np.float64)))
    p: Floats = np.where(np.isfinite(z), (beyond + 1) / (furthest.size + 1), np.nan)
    return p


@lru_cache
def _furthest(n: int) -> Floats:
    draws = generator("modified z", str(n)).normal(size=(max(DRAWN // n, 4000), n))
    away = np.abs(draws - np.median(draws, axis=1, keepdims=True))
    return np.sort(NORMAL * away.max(axis=1) / np.median(away, axis=1))
