"""How often a comparison of two sides finds what is there: before the campaign its power, after it what it could see.

With n runs a side the test of Welch compares ``t = d / sqrt((u + v) / n)``, u and v the variances of the two sides,
with a quantile of Student's t whose degrees of freedom follow from ``u / (u + v)``. For normal noise that is alike on
both sides this share is independent of t and has a beta distribution, and t has a noncentral one with 2 (n - 1) degrees
of freedom: the power is the mean over the share, and nothing in it is approximate.

Sources: J. Cohen, "Statistical power analysis for the behavioral sciences" (2nd edition, 1988), chapter 2; Z. Sidak,
"Rectangular confidence regions for the means of multivariate normal distributions" (JASA 1967); K. F. Phillips, "Power
of the two one-sided tests procedure in bioequivalence" (Journal of Pharmacokinetics and Biopharmaceutics 1990).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from storagelab.analysis.inference.correction import ALPHA, sidak
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.processor_independent import exp
from storagelab.analysis.significant_digits import significant

POWER = 0.8
"""Of what a comparison could have shown: the usual one, a chance of four in five."""

NODES = 8
"""Shares of one side in the spread of both over which is averaged: power to three digits."""
ERRORS = 64
"""Standard errors over which the power of an equivalence test is averaged."""
SCALES = 24
"""Errors, found and true, over which is averaged what could have been shown."""
DIGITS = 6
STEPS = 40


def even(count: int) -> Floats:
    """Probabilities in the middle of equal parts: a mean over quantiles there is one over the distribution."""
    return np.asarray((np.arange(count) + 0.5) / count)


def difference_power(gap: float, spread: ArrayLike, n: int, level: float) -> Floats:
    """Chance that Welch's test shows a difference of two means.

    Parameters
    ----------
    gap : float
        The true difference (of logs: the log of a ratio).
    spread : array_like
        Standard deviation of a run on either side.
    n : int
        Runs a side, 2 or more.
    level : float
        Two-sided level of the test.

    Returns
    -------
    ndarray
        A power for each spread, of a difference in its true direction.
    """
    away = abs(gap) / np.asarray(spread, dtype=np.float64) * np.sqrt(n / 2)
    quantiles = special.stdtrit(_welch_freedom(n), 1 - level / 2)
    return np.asarray(np.mean(1 - special.nctdtr(2.0 * (n - 1), away[..., None], quantiles), axis=-1))


def paired_power(gap: float, spread: ArrayLike, n: int, level: float) -> Floats:
    """Chance that the paired t test of n pairs shows a difference; `spread` is that of one side, pairs taken out."""
    away = abs(gap) / np.asarray(spread, dtype=np.float64) * np.sqrt(n / 2)
    return np.asarray(1 - special.nctdtr(n - 1.0, away, special.stdtrit(n - 1.0, 1 - level / 2)))


def equivalence_power(low: float, high: float, spread: ArrayLike, n: int, level: float, *, paired: bool = False) -> Any:
    """Chance that two one-sided tests show a difference of two equal means to lie between two ends.

    Parameters
    ----------
    low, high : float
        Ends of the margin, one below zero and one above (of logs: those of the ratio).
    spread : array_like
        Standard deviation of a run on either side.
    n : int
        Runs a side, or pairs; 2 or more.
    level : float
        Level of each of the two tests.
    paired : bool
        Whether the runs of both sides are pairs.

    Returns
    -------
    ndarray
        A power for each spread.
    """
    freedom = n - 1.0 if paired else 2.0 * (n - 1)
    quantiles = special.stdtrit(freedom if paired else _welch_freedom(n), 1 - level)
    error = np.asarray(spread, dtype=np.float64)[..., None, None] * np.sqrt(2 / n)
    found = error * np.sqrt(special.chdtri(freedom, even(ERRORS)) / freedom)[:, None]
    above = special.ndtr((high - quantiles * found) / error)
    below = special.ndtr((low + quantiles * found) / error)
    return np.maximum(above - below, 0).mean(axis=(-2, -1))


def smallest_detectable(
    error: ArrayLike,
    freedom: ArrayLike,
    *,
    cells: ArrayLike = 1,
    alpha: float = ALPHA,
) -> Floats:
    """Smallest ratio that a comparison with this error would have shown, in so many of a hundred campaigns.

    Of a comparison that says "undecided" it tells what its noise and its n would have let through, and nothing about
    the ratio that there is. That the error is known by its degrees of freedom only is part of it: the power is the mean
    over what the true error may be (chi-squared).

    Parameters
    ----------
    error, freedom : array_like
        Standard error of the difference of the logs, and its degrees of freedom; of equal sides with spread s and n
        runs ``s sqrt(2 / n)`` and ``2 (n - 1)``.
    cells : array_like
        Comparisons that are corrected together, at Sidak's level: of a family of m, m.
    alpha : float
        Two-sided level of the family.

    Returns
    -------
    ndarray
        Ratios above 1; one over them is the smallest in the other direction. NaN where there is no error.
    """
    error, freedom, cells = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (error, freedom, cells)))
    known = np.isfinite(error) & (error > 0)
    degrees = np.where(known, np.minimum(freedom, MANY), 1.0)
    different, place = np.unique(np.stack([degrees.ravel(), cells.ravel()]), axis=1, return_inverse=True)
    quantiles = special.stdtrit(different[0], 1 - sidak(different[1], alpha) / 2)
    away = _noncentrality(different[0], quantiles)[place.ravel()].reshape(degrees.shape)
    with np.errstate(over="ignore"):
        return significant(np.where(known, exp(np.where(known, away * error, 0.0)), np.nan), DIGITS)


def _noncentrality(freedom: Floats, quantile: Floats) -> Floats:
    """How many of the errors that were found a difference lies from zero that a test shows with `POWER`."""
    scales = np.sqrt(special.chdtri(freedom[..., None], even(SCALES)) / freedom[..., None])
    now, then = scales[..., None], scales[..., None, :]
    low, high = np.zeros(freedom.shape), 20 * quantile + 20
    for _ in range(STEPS):
        middle = (low + high) / 2
        shown = special.ndtr(middle[..., None, None] * now - quantile[..., None, None] * then)
        enough = np.mean(shown, axis=(-2, -1)) >= POWER
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


MANY = 1e6
"""Degrees of freedom that stand for infinitely many."""


def _welch_freedom(n: int) -> Floats:
    """Degrees of freedom that Welch's test finds, by the share of one side in the spread of both."""
    share = special.betaincinv((n - 1) / 2, (n - 1) / 2, even(NODES))
    return np.asarray((n - 1) / (share**2 + (1 - share) ** 2))
