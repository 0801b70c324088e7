"""Bootstrap intervals of what no t interval fits.

Sources: B. Efron, "Better bootstrap confidence intervals" (Journal of the American Statistical Association, 1987) for
BCa; T. C. Hesterberg, "What teachers should know about the bootstrap" (The American Statistician, 2015), section 3.4,
for the wider nominal level that makes up for what resampling a small sample leaves out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Floats, Interval

ENOUGH = 10
"""Runs a side from which on a bootstrap is made; with fewer, the points themselves are the answer."""

RESAMPLES = 9999


def ratio_of_means(
    a: ArrayLike, b: ArrayLike, rng: np.random.Generator, confidence: float = CONFIDENCE, resamples: int = RESAMPLES
) -> Interval:
    """BCa interval of mean(a) / mean(b) of independent samples, at the level of `expanded`.

    Claims its coverage from 10 values a side, except for values that differ by factors.

    Returns
    -------
    tuple of float
        NaN with fewer than 10 values a side, or without any spread.
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if min(x.size, y.size) < ENOUGH or np.ptp(x) == 0 or np.ptp(y) == 0:
        return NO_INTERVAL
    level = expanded(min(x.size, y.size), confidence)
    found = stats.bootstrap(
        (x, y), _ratio, method="BCa", n_resamples=resamples, confidence_level=level, random_state=rng, vectorized=True
    )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def _ratio(x: Floats, y: Floats, axis: int = -1) -> Floats:
    return np.asarray(x.mean(axis=axis) / y.mean(axis=axis), dtype=np.float64)


def expanded(n: int, confidence: float = CONFIDENCE) -> float:
    """Nominal level at which percentiles of a bootstrap of n values are as wide as Student's t interval of a mean."""
    wide = np.sqrt(n / (n - 1)) * stats.t.ppf((1 + confidence) / 2, n - 1)
    return float(2 * stats.norm.cdf(wide) - 1)
