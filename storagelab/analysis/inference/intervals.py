"""Intervals of the mean of one sample, on the scale on which its values are near normal.

Source: W. A. Gosset, "The probable error of a mean" (1908).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from storagelab.analysis.inference.distributions import t_quantile
from storagelab.analysis.inference.processor_independent import exp, log

CONFIDENCE = 0.95

Floats = NDArray[np.float64]
Interval = tuple[float, float]
NO_INTERVAL: Interval = (np.nan, np.nan)


ROUNDING = 1e-12
"""Spread over size below which values are equal but for rounding."""

LEAST = 1e-14
"""The same where their size is that of rounding itself, as of logs near 0: no clock or counter resolves it."""


def spreadless(values: ArrayLike, size: float | None = None) -> bool:
    """Whether values do not differ, but for what rounding leaves of equal ones.

    Parameters
    ----------
    values : array_like
    size : float, optional
        Size of the numbers that they were computed from, where that is not their own (differences).
    """
    x = np.asarray(values, dtype=np.float64)
    if not x.size:
        return True
    return bool(np.ptp(x) <= ROUNDING * (np.abs(x).max() if size is None else size) + LEAST)


def standard_error(values: ArrayLike) -> float:
    """Standard error of a mean, s / sqrt(n), in the unit of the values; NaN for fewer than two, 0 for equal ones."""
    x = np.asarray(values, dtype=np.float64)
    if x.size < 2:
        return np.nan
    return 0.0 if spreadless(x) else float(x.std(ddof=1) / np.sqrt(x.size))


def t_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Interval of a mean by Student's t.

    Claims its coverage for values whose distribution is near normal; `caveat` in
    `storagelab.analysis.inference.interval_guarantees` says where they are seen not to be. One value, or values without
    any spread (a tool that prints few digits), give no interval: NaN, never a width of zero.

    Parameters
    ----------
    values : array_like, shape (n,)
        Independent values, one a run.
    confidence : float
        Nominal coverage.

    Returns
    -------
    tuple of float
        Lower and upper end, in the unit of the values.
    """
    x = np.asarray(values, dtype=np.float64)
    if x.size < 2 or spreadless(x):
        return NO_INTERVAL
    half = t_quantile(confidence, x.size - 1) * float(x.std(ddof=1)) / np.sqrt(x.size)
    return float(x.mean() - half), float(x.mean() + half)


def log_t_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Interval of a geometric mean: Student's t on the logs of positive values; claims lognormal data."""
    low, high = t_interval(log(np.asarray(values, dtype=np.float64)), confidence)
    return float(exp(low)), float(exp(high))


def harmonic_t_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Interval of a harmonic mean: Student's t on the reciprocals of positive values, inverted.

    The harmonic mean of rates is the rate of the whole where each run does the same work: the reciprocal of the mean
    time of a byte. Claims its coverage where the reciprocals (the times) are near normal. Where the interval of the
    reciprocals reaches 0, a harmonic mean has no upper end: NaN.
    """
    low, high = t_interval(1 / np.asarray(values, dtype=np.float64), confidence)
    return (1 / high, 1 / low) if low > 0 else NO_INTERVAL
