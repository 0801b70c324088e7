"""How much the means of several levels differ, beyond what the noise of their runs makes of it.

Sources: J. H. Steiger, "Beyond the F test: effect size confidence intervals and tests of close fit in the analysis of
variance and contrast analysis" (Psychological Methods 2004), for the interval of the noncentrality of F; unequal n by
the method of unweighted means (their harmonic mean).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storagelab.analysis.inference.distributions import f_above
from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Floats, Interval
from storagelab.analysis.inference.mean_differences import within


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviation of the means of levels, with its interval, and p of equal means."""

    value: float
    interval: Interval
    p: float


def spread_of_levels(levels: Sequence[Floats]) -> Spread:
    """Standard deviation over the levels of their true means.

    ``F = n_h var(means) / s^2`` has a noncentral distribution with ``lambda = n_h (k - 1) v / s^2``, where v is the
    variance of the true means: the values of lambda that F does not refuse give the interval of v, with the pooled s^2
    in place of its true value. Claims its coverage for noise near normal and alike in all levels. The value itself is
    that of the observed means, to which the noise has added; its interval need not hold it.

    Parameters
    ----------
    levels : sequence of ndarray
        Values of each level, one a run.

    Returns
    -------
    Spread
        No interval and no p where no level has two values, or none has any spread.
    """
    means = np.array([level.mean() for level in levels])
    value = float(means.std(ddof=1))
    noise, freedom = within(levels)
    if not np.isfinite(noise):
        return Spread(value, NO_INTERVAL, np.nan)
    k, n = means.size, len(levels) / sum(1 / level.size for level in levels)
    f = n * means.var(ddof=1) / noise
    ends = (_noncentrality(f, k - 1, freedom, (1 + side * CONFIDENCE) / 2) for side in (1, -1))
    low, high = (float(np.sqrt(end * noise / (n * (k - 1)))) for end in ends)
    return Spread(value, (low, high), f_above(f, k - 1, freedom))


def _noncentrality(f: float, between: float, freedom: float, share: float) -> float:
    """Noncentrality at which an F at most this large has a given chance; 0 where even then it has less."""
    from scipy import optimize, stats

    if stats.f.cdf(f, between, freedom) <= share:
        return 0.0
    top = 1.0
    while stats.ncf.cdf(f, between, freedom, top) > share:
        top *= 2
    return float(optimize.brentq(lambda at: stats.ncf.cdf(f, between, freedom, at) - share, 0, top))
