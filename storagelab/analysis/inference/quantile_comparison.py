"""Two sides by their quantiles: what a typical run, or a slow one, of a side has over that of the other.

A ratio of means speaks of the sum of all runs, and a rare stall moves it; a ratio of medians speaks of the typical run,
and that of the lower deciles of the slow ones. The interval of `quantile_ratio` counts and does not measure. The shift
function looks at all deciles at once, with intervals that hold for all of them together.

Sources: H. A. David, H. N. Nagaraja, "Order statistics" (3rd edition, 2003), section 7.1; G. Y. Zou, A. Donner,
"Construction of confidence limits about effect measures" (Statistics in Medicine 2008), for MOVER; F. E. Harrell, C. E.
Davis, "A new distribution-free quantile estimator" (Biometrika 1982); R. R. Wilcox, "Comparing two independent groups
via multiple quantiles" (The Statistician 1995); G. A. Rousselet, C. R. Pernet, R. R. Wilcox, "Beyond differences in
means" (European Journal of Neuroscience 2017).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from storagelab.analysis.inference.intervals import Floats, Interval, spreadless
from storagelab.analysis.inference.processor_independent import exp, log, weighted_sum
from storagelab.analysis.inference.quantiles import MEDIAN, quantile_interval
from storagelab.errors import AnalysisError

DECILES = np.round(np.arange(1, 10) / 10, 1)
FEWEST = 30
"""Runs a side from which there is a shift function."""
RESAMPLES = 499


def quantile_ratio(a: ArrayLike, b: ArrayLike, q: float = MEDIAN) -> Interval:
    """95 % interval of the ratio of a quantile of two independent sides.

    Each side has an interval by ranks; their arms, on logs, are squared and added (MOVER), so that sides may be of
    unlike spread and shape. Claims its coverage for continuous noise of any kind, and covers more, as only some
    probabilities can be had by counting. `storagelab.analysis.inference.quantiles.values_needed` says how many runs a
    side it takes: 6 for a median, 36 for a decile.

    Parameters
    ----------
    a, b : array_like, shape (n,)
        Positive values, one a run.
    q : float
        Which quantile, between 0 and 1.

    Returns
    -------
    tuple of float
        Ends of the ratio a / b; NaN where a side has too few runs, or no spread.

    Raises
    ------
    AnalysisError
        For values that are not positive.
    """
    (x, below_x, above_x), (y, below_y, above_y) = (_arms(log(_positive(side)), q) for side in (a, b))
    low, high = x - y - np.hypot(below_x, above_y), x - y + np.hypot(above_x, below_y)
    return float(exp(low)), float(exp(high))


def _arms(logs: Floats, q: float) -> tuple[float, float, float]:
    """Quantile, and how far its interval by ranks reaches below and above it."""
    low, high = quantile_interval(logs, q)
    middle = float(np.quantile(logs, q))
    return middle, middle - low, high - middle


def quantile(values: ArrayLike, q: ArrayLike) -> Floats:
    """Quantiles by Harrell and Davis: means of all ordered values, weighted by where the quantile may lie.

    Parameters
    ----------
    values : array_like, shape (..., n)
    q : array_like, shape (k,)

    Returns
    -------
    ndarray, shape (k, ...)
    """
    x = np.sort(np.asarray(values, dtype=np.float64), axis=-1)
    n, shares = x.shape[-1], np.atleast_1d(np.asarray(q, dtype=np.float64))
    edges = special.betainc((n + 1) * shares[:, None], (n + 1) * (1 - shares[:, None]), np.arange(n + 1) / n)
    return np.array([weighted_sum(weights, x) for weights in np.diff(edges, axis=1)])


@dataclass(frozen=True, slots=True)
class Shift:
    """Ratios of the quantiles of two sides, with intervals that hold together."""

    q: Floats
    ratio: Floats
    low: Floats
    high: Floats


def shift_function(a: ArrayLike, b: ArrayLike, rng: np.random.Generator) -> Shift:
    """Ratios a / b of the deciles of two independent sides, with simultaneous 95 % intervals.

    Differences of the logs of Harrell-Davis quantiles, with standard errors by bootstrap and the critical value of
    Wilcox. Claims that all nine deciles hold together from 30 runs a side on (of 20 lognormal ones they do in 91 %).
    Where a side has modes, errors of the quantiles between them are large, and so are the intervals.

    Parameters
    ----------
    a, b : array_like, shape (n,)
        Positive values, one a run; 30 or more a side.
    rng : numpy.random.Generator
        See `storagelab.analysis.inference.seeds.generator`.

    Returns
    -------
    Shift

    Raises
    ------
    AnalysisError
        For fewer than 30 runs a side, runs without spread, and values that are not positive.
    """
    x, y = (log(_positive(side)) for side in (a, b))
    fewest = min(x.size, y.size)
    if fewest < FEWEST:
        raise AnalysisError(f"{fewest} runs a side: a shift function needs {FEWEST}")
    if spreadless(x) or spreadless(y):
        raise AnalysisError("runs without spread have no shift function")
    gap = quantile(x, DECILES) - quantile(y, DECILES)
    variances = [quantile(_resampled(side, rng), DECILES).var(axis=1, ddof=1) for side in (x, y)]
    half = _critical(fewest) * np.sqrt(sum(variances))
    return Shift(DECILES, exp(gap), exp(gap - half), exp(gap + half))


def _critical(n: int) -> float:
    """Errors that all nine deciles stay within, in 95 % (Wilcox 1995)."""
    return 80.1 / n**2 + 2.73


def _resampled(values: Floats, rng: np.random.Generator) -> Floats:
    return np.asarray(values[rng.integers(0, values.size, (RESAMPLES, values.size))])


def _positive(values: ArrayLike) -> Floats:
    x = np.asarray(values, dtype=np.float64)
    if (x <= 0).any():
        raise AnalysisError(f"{int((x <= 0).sum())} of {x.size} runs are not positive, ratios need that")
    return x
