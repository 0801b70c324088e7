"""Relative spreads against each other, and values against an even spread over a range.

Sources: M. B. Brown, A. B. Forsythe, "Robust tests for the equality of variances" (JASA 1974); F. J. Massey, "The
Kolmogorov-Smirnov test for goodness of fit" (JASA 1951).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def same_spread(a: ArrayLike, b: ArrayLike) -> float:
    """P of two relative spreads being the same: Levene's test about the median (Brown and Forsythe).

    NaN for fewer than three values a side, or where no value is away from its median. It holds its level from three
    values on, but finds next to nothing below ten.

    Parameters
    ----------
    a, b : array_like, shape (n,)
        Independent positive values, each side over its own mean. Not over its median: where values fall into two
        modes, it jumps from one to the other.
    """
    from scipy import stats

    sides = [np.asarray(side, dtype=np.float64) for side in (a, b)]
    away = [np.abs(x - np.median(x)) for x in sides if x.size > 2]
    if len(away) < 2 or all(np.ptp(x) == 0 for x in away):
        return np.nan
    return float(stats.levene(*sides, center="median").pvalue)


def uniform_distance(values: ArrayLike, low: float, high: float) -> tuple[float, float]:
    """Kolmogorov-Smirnov distance of values to the uniform distribution between two ends, and its p."""
    from scipy import stats

    found = stats.kstest(np.asarray(values, dtype=np.float64), stats.uniform(low, high - low).cdf)
    return float(found.statistic), float(found.pvalue)
