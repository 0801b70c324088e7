"""An interval that holds whenever one looks: runs may be added until it is as narrow as asked.

A t interval claims its coverage for a number of runs that was fixed before. Who looks after each run, and stops when it
is narrow (or when it excludes what one hopes it to), stops where the spread happens to be small, and covers less. The
interval here is the set of means that no mixture likelihood ratio refuses. For normal values, with m their mean less
the one that is tested, in standard deviations,

``L = (1 + n g)^(-1/2) ((1 + t^2 / f) / (1 + t^2 / (f (1 + n g))))^(n / 2)``,  f = n - 1,

is the likelihood ratio of ``m ~ Normal(0, g)`` against m = 0, the standard deviation integrated out of both (right Haar
prior). It is a martingale of mean 1 where m = 0, so that the chance of its ever reaching 1 / alpha is at most alpha
(Ville's inequality), however often one looks and whatever makes one stop.

Sources: H. Robbins, "Statistical methods related to the law of the iterated logarithm" (Annals of Mathematical
Statistics 1970); T. L. Lai, "On confidence sequences" (Annals of Statistics 1976); J. N. Rouder et al., "Bayesian t
tests for accepting and rejecting the null hypothesis" (Psychonomic Bulletin & Review 2009), for the ratio; H. Wang, A.
Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance" (2023).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Interval, spreadless
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.errors import AnalysisError

PRIOR = 5.0
"""Variance g of the mixture. It decides where intervals are narrow, not whether they hold: 5 suits 4 to 20 runs."""


@dataclass(frozen=True, slots=True)
class Sequential:
    """Where a campaign stands: the middle of its runs, the interval, and whether that is as narrow as asked."""

    value: float
    interval: Interval
    half_width: float
    enough: bool


def anytime_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Interval of a mean that covers at every number of runs at once.

    Claims its coverage for independent values near normal, whatever made one stop after them. It is wider than that of
    `storagelab.analysis.inference.intervals.t_interval`: 1.8 times at 10 runs, 1.7 times at 30.

    Parameters
    ----------
    values : array_like, shape (n,)
        In the order in which they were measured, though only their mean and spread count.
    confidence : float
        Nominal coverage.

    Returns
    -------
    tuple of float
        Lower and upper end; NaN for fewer than 4 values, which refuse no mean, and for values without spread.
    """
    x = np.asarray(values, dtype=np.float64)
    if x.size < 2 or spreadless(x):
        return NO_INTERVAL
    prior = 1 + x.size * PRIOR
    most = float(exp((log(prior) - 2 * log(1 - confidence)) / x.size))
    if most >= prior:
        return NO_INTERVAL
    t_squared = (x.size - 1) * (most - 1) / (1 - most / prior)
    half = float(np.sqrt(t_squared / x.size) * x.std(ddof=1))
    return float(x.mean() - half), float(x.mean() + half)


def enough(values: ArrayLike, width: float, confidence: float = CONFIDENCE) -> Sequential:
    """Say whether runs are enough for a geometric mean that is known to a relative width; ask after every run.

    Parameters
    ----------
    values : array_like, shape (n,)
        Positive values, one a run: all there are so far.
    width : float
        How far the upper end of the interval may lie above its middle: 0.05 is 5 %.
    confidence : float
        Nominal coverage, at whatever run the campaign stops.

    Returns
    -------
    Sequential
        The geometric mean and its interval by `anytime_interval` of the logs.

    Raises
    ------
    AnalysisError
        For a width that is none, and for values that are not positive.
    """
    if not 0 < width < np.inf:
        raise AnalysisError(f"an interval is asked to be narrower than a share above 0, not {width:g}: 0.05 is 5 %")
    x = np.asarray(values, dtype=np.float64)
    if (x <= 0).any():
        raise AnalysisError(f"{int((x <= 0).sum())} of {x.size} runs are not positive, logs need that")
    logs = log(x)
    low, high = anytime_interval(logs, confidence)
    middle = float(logs.mean()) if x.size else np.nan
    half = float(exp(high - middle)) - 1
    return Sequential(float(exp(middle)), (float(exp(low)), float(exp(high))), half, half <= width)
