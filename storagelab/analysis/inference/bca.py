"""The bootstrap, for what has no formula: bias-corrected and accelerated, and widened for few runs.

Sources: B. Efron, "Better bootstrap confidence intervals" (Journal of the American Statistical Association 82, 1987);
T. C. Hesterberg, "What teachers should know about the bootstrap" (The American Statistician 69, 2015), on the expanded
interval: the spread of resamples is that of n values with divisor n, and knows nothing of t, so that for the mean of 10
normal values a nominal 95 % covers 91 %. Quantiles further out make up for both.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from storagelab.analysis.inference.distributions import t_quantile
from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Floats, Interval, spreadless

FEWEST = 10
"""Runs below which there is no bootstrap: the points themselves are the answer."""

RESAMPLES = 9999

ROUNDING = 1e-12
"""An interval narrower than this, over its value, is what rounding leaves of a statistic that never changed."""


def bca_interval(
    samples: Sequence[ArrayLike],
    statistic: Callable[..., Any],
    rng: np.random.Generator,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
) -> Interval:
    """Interval of a statistic of one or several samples by the expanded BCa bootstrap.

    Claims its coverage for means, and what is made of means, of runs whose noise is near normal or mildly skewed. It
    does not for measures of spread (a coefficient of variation of 10 runs is covered 87 %, of 30 runs 92 %).

    Parameters
    ----------
    samples : sequence of array_like, each of shape (n,)
        Independent values, one a run, of each sample.
    statistic : callable
        Takes as many arrays as there are samples; with a parameter `axis` it is called once for all resamples.
    rng : numpy.random.Generator
        See `storagelab.analysis.inference.seeds.generator`.
    confidence : float
        Nominal coverage.
    resamples : int
        How many.

    Returns
    -------
    tuple of float
        Lower and upper end, in the unit of the statistic; NaN where a sample has fewer than 10 values or no spread, and
        where the statistic is the same in all resamples.
    """
    from scipy import stats

    data = [np.asarray(sample, dtype=np.float64) for sample in samples]
    fewest = min(x.size for x in data)
    if fewest < FEWEST or any(map(spreadless, data)):
        return NO_INTERVAL
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        found = stats.bootstrap(
            data, statistic, n_resamples=resamples, method="BCa",
            confidence_level=expanded(confidence, fewest), random_state=rng,
        ).confidence_interval  # fmt: skip
    low, high = float(found.low), float(found.high)
    return NO_INTERVAL if np.isclose(low, high, rtol=ROUNDING, atol=0) else (low, high)


def ratio_of_means(
    a: ArrayLike, b: ArrayLike, rng: np.random.Generator, *, confidence: float = CONFIDENCE, resamples: int = RESAMPLES
) -> Interval:
    """Interval of mean(a) / mean(b) of independent samples; see `bca_interval`."""

    def ratio(x: Floats, y: Floats, axis: int = -1) -> Any:
        return x.mean(axis=axis) / y.mean(axis=axis)

    return bca_interval([a, b], ratio, rng, confidence=confidence, resamples=resamples)


def expanded(confidence: float, n: int) -> float:
    """Return the confidence to ask of a bootstrap of n values, so that it is as wide as t: 0.983 for 0.95 and 10."""
    t = t_quantile(confidence, n - 1)
    return float(1 - 2 * special.ndtr(-np.sqrt(n / (n - 1)) * t))
