"""Intervals of a quantile between two of the values: for any continuous distribution, as they count and do not measure.

Between the k-th and the l-th smallest of n independent values lies the q quantile with probability
``P(k <= B < l)``, B binomial with n and q. Source: H. A. David and H. N. Nagaraja, "Order statistics" (3rd edition,
2003), section 7.1. Where two values are equal it covers at least as often.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Interval, spreadless
from storagelab.analysis.inference.processor_independent import log
from storagelab.analysis.significant_digits import significant

MEDIAN = 0.5


def quantile_interval(values: ArrayLike, q: float = MEDIAN) -> Interval:
    """95 % interval of a quantile by order statistics; `quantile_coverage` says how much it covers.

    Parameters
    ----------
    values : array_like, shape (n,)
        Independent values, one a run.
    q : float
        Which quantile, between 0 and 1.

    Returns
    -------
    tuple of float
        Lower and upper end, in the unit of the values; NaN where n is too small (a median needs 6 values for 95 %), or
        the values have no spread.
    """
    x = np.sort(np.asarray(values, dtype=np.float64))
    ranks = _ranks(x.size, q)
    if ranks is None or spreadless(x):
        return NO_INTERVAL
    return float(x[ranks[0] - 1]), float(x[ranks[1] - 1])


def quantile_coverage(n: int, q: float = MEDIAN) -> float:
    """Return the probability that `quantile_interval` of n values covers; NaN where n is too small."""
    from scipy import stats

    ranks = _ranks(n, q)
    if ranks is None:
        return np.nan
    return float(stats.binom.cdf(ranks[1] - 1, n, q) - stats.binom.cdf(ranks[0] - 1, n, q))


def values_needed(q: float = MEDIAN) -> int:
    """Return the smallest n for which an interval of the q quantile lies inside the values: 6 for a median.

    Below the smallest value the quantile is with probability ``(1 - q)^n``, above the largest with ``q^n``.
    """
    tail = (1 - CONFIDENCE) / 2
    return int(np.ceil(significant(log(tail) / log(max(q, 1 - q)))))


def _ranks(n: int, q: float) -> tuple[int, int] | None:
    """Ranks (from 1) of the two values, the closest that leave at most half of the rest on either side."""
    from scipy import stats

    tail = (1 - CONFIDENCE) / 2
    below = stats.binom.cdf(np.arange(n), n, q)
    low, high = int((below <= tail).sum()), int((below < 1 - tail).sum()) + 1
    return (low, high) if low >= 1 and high <= n else None
