"""Effects of a large table drawn towards their mean: the largest of many is too large, and this says by how much.

Of sixty ratios that are equal in truth, the largest is so by its noise. With estimates ``y ~ Normal(theta, v)`` and
``theta ~ Normal(mean, a)``, both numbers estimated from the table, the best guess of an effect is a weighted mean of
its own estimate and the table's, the more the table's the noisier its own. The intervals know that mean and spread of
the effects are estimates too; they cover on average over the cells of a table, not each cell whatever its effect.

Source: C. N. Morris, "Parametric empirical Bayes inference: theory and applications" (JASA 1983), equations 1.10 to
1.17 and 5.8 for unequal variances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from storagelab.analysis.inference.elementary import weighted_sum
from storagelab.analysis.inference.intervals import CONFIDENCE, Floats
from storagelab.analysis.significant_digits import significant
from storagelab.errors import AnalysisError

FEWEST = 5
"""Effects from which they are drawn together: of four the mean takes one, and three do not tell their spread."""
STEPS = 200
DIGITS = 9


@dataclass(frozen=True, slots=True)
class Shrunken:
    """Effects drawn together, their intervals, and the mean and variance of the effects that were found.

    Attributes
    ----------
    values, low, high : ndarray, shape (cells,)
    mean, variance : float
        Of the true effects, as the table shows them; a variance of 0 where noise explains all differences.
    """

    values: Floats
    low: Floats
    high: Floats
    mean: float
    variance: float


def shrunken(
    values: ArrayLike, errors: ArrayLike, freedom: ArrayLike = np.inf, confidence: float = CONFIDENCE
) -> Shrunken:
    """Draw effects towards their mean (normal-normal empirical Bayes).

    Claims its coverage, on average over the cells, for effects near normal; of effects that are all the same but one,
    that one is drawn too far.

    Parameters
    ----------
    values, errors : array_like, shape (cells,)
        Estimates (differences of logs) and their standard errors; NaN where a cell has none, which stays.
    freedom : array_like
        Degrees of freedom of the errors: intervals are as wide as their t.
    confidence : float
        Nominal coverage.

    Returns
    -------
    Shrunken

    Raises
    ------
    AnalysisError
        For fewer than 5 effects with an error.
    """
    y, error, d = (np.asarray(x, dtype=np.float64) for x in np.broadcast_arrays(values, errors, freedom))
    known = np.isfinite(y) & np.isfinite(error) & (error > 0)
    k = int(known.sum())
    if k < FEWEST:
        raise AnalysisError(f"{k} effects have an error: fewer than {FEWEST} are not drawn together")
    v = error[known] ** 2
    variance = _variance(y[known], v)
    weights = 1 / (v + variance)
    mean = float(weighted_sum(weights, y[known]) / weights.sum())
    drawn = (k - 3) / (k - 1) * v * weights
    middle_variance = float(weighted_sum(weights, v) / weights.sum())
    unsure = 2 / (k - 3) * drawn**2 * (middle_variance + variance) * weights
    off = y[known] - mean
    spread = np.sqrt(v * (1 - (k - 1) / k * drawn) + unsure * off**2)
    t = special.stdtrit(np.minimum(d[known], MANY), (1 + confidence) / 2)
    values_, low, high = (np.full(y.shape, np.nan) for _ in range(3))
    for found, side in ((values_, 0.0), (low, -1.0), (high, 1.0)):
        found[known] = mean + (1 - drawn) * off + side * t * spread
    return Shrunken(values_, low, high, mean, variance)


MANY = 1e6
"""Degrees of freedom that stand for infinitely many."""


def _variance(y: Floats, v: Floats) -> float:
    """Variance of the true effects: the root of Morris's equation, which is met step by step; 0 where there is none."""
    k, a = y.size, max(float(y.var(ddof=1) - v.mean()), 0.0)
    for _ in range(STEPS):
        weights = 1 / (v + a)
        mean = weighted_sum(weights, y) / weights.sum()
        a = max(0.0, float(weighted_sum(weights, k / (k - 1) * (y - mean) ** 2 - v) / weights.sum()))
    return float(significant(a, DIGITS))
