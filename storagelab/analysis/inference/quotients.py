"""Ratios of two sums of means, such as a share of a difference.

Sources: E. C. Fieller, "Some problems in interval estimation" (JRSS B, 1954); F. E. Satterthwaite, "An approximate
distribution of estimates of variance components" (Biometrics Bulletin 1946).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from storagelab.analysis.inference.distributions import t_quantile
from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Floats, Interval, spreadless


def ratio_of_sums(samples: Sequence[Floats]) -> tuple[float, Interval]:
    """Ratio of the sum of some means to the sum of others, with the interval that a t test does not refuse.

    ``theta`` is not refused where ``top - theta bottom``, a sum of means of independent samples, is not told from zero.
    Claims its coverage for values near normal; the degrees of freedom are those of Satterthwaite at the estimate.

    Parameters
    ----------
    samples : sequence of array, each of shape (n, 2)
        Independent samples; the first column of each enters the sum above, the second that below.

    Returns
    -------
    tuple
        The ratio, and its interval: NaN for a sample of one, no spread, or a sum below that is not told from zero.
    """
    top, bottom = np.sum([x.mean(axis=0) for x in samples], axis=0)
    value = float(top / bottom) if bottom else np.nan
    if min(len(x) for x in samples) < 2 or not np.isfinite(value):
        return value, NO_INTERVAL
    errors = [_covariance(x) / len(x) for x in samples]
    weights = np.array([1.0, -value])
    parts = np.array([(np.outer(weights, weights) * error).sum() for error in errors])
    if not parts.sum() > 0:
        return value, NO_INTERVAL
    freedom = parts.sum() ** 2 / (parts**2 / np.array([len(x) - 1 for x in samples])).sum()
    quantile = t_quantile(CONFIDENCE, float(freedom))
    return value, fieller(float(top), float(bottom), np.sum(errors, axis=0), quantile)


def _covariance(x: Floats) -> Floats:
    rest = np.column_stack([np.zeros(len(x)) if spreadless(column) else column - column.mean() for column in x.T])
    return np.array([[(a * b).sum() for b in rest.T] for a in rest.T]) / (len(x) - 1)


def fieller(top: float, bottom: float, covariance: Floats, quantile: float) -> Interval:
    """Interval of top / bottom: all theta with (top - theta bottom)^2 <= quantile^2 var(top - theta bottom).

    NaN where it is not bounded, as bottom is not told from zero.
    """
    wide = quantile**2 * covariance
    a, b, c = bottom**2 - wide[1, 1], top * bottom - wide[0, 1], top**2 - wide[0, 0]
    if a <= 0:
        return NO_INTERVAL
    root = np.sqrt(max(0.0, float(b**2 - a * c)))
    return float((b - root) / a), float((b + root) / a)
