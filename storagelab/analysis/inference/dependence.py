"""Runs that resemble the ones before them: how much, and what that leaves of n.

The deviations of the runs of a cell from its mean, in the order in which they were made, are taken for a process in
which each carries a share `rho` of the one before (AR(1)). The lag-1 correlation of few runs is biased downwards, as
their mean is taken from them: `rho` is the value at which the expected correlation is the one found. It is shared by
all cells of a call, since three runs alone say next to nothing of it.

Sources: M. S. Bartlett, "On the theoretical specification and sampling properties of autocorrelated time-series"
(Supplement to the Journal of the Royal Statistical Society, 1946); F. H. C. Marriott, J. A. Pope, "Bias in the
estimation of autocorrelations" (Biometrika, 1954); H. J. Thiebaux, F. W. Zwiers, "The interpretation and estimation of
effective sample size" (Journal of Climate and Applied Meteorology, 1984); F. E. Satterthwaite, "An approximate
distribution of estimates of variance components" (Biometrics Bulletin, 1946) for the degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from storagelab.analysis.inference.intervals import Floats, spreadless
from storagelab.analysis.significant_digits import significant

FEWEST = 3
"""Runs of a cell that say something of `rho`: the deviations of two are always opposite."""

DIGITS = 6
"""Significant digits of a correlation."""

LONGEST = 200
"""Runs from which on the formulas for many runs are used."""

COARSEST = 0.5
"""Correlation that independent runs must exclude, one-sided at 5 %, for an estimate to be used: three runs that rise by
chance look like the strongest one."""

NEIGHBOURS = 0.95
"""Correlation of runs that follow each other which nobody expects to be exceeded."""

DOUBT = 3.0
"""Widening of the variance of a mean beyond which what is not excluded is told."""

GRID = np.arange(100) / 100
ONE_SIDED = 1.6448536269514722
"""Normal quantile of 95 %."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """How much runs resemble the ones before.

    Attributes
    ----------
    rho : float
        Lag-1 correlation, at least 0; NaN where the runs are too few to tell (`COARSEST`).
    least, most : float
        Ends of one-sided 95 % intervals; 0 and 1 where nothing is known.
    """

    rho: float
    least: float
    most: float

    @property
    def used(self) -> float:
        """The correlation by which intervals are widened: 0 where none is known."""
        return self.rho if np.isfinite(self.rho) else 0.0

    def apart(self, others: float) -> Dependence:
        """Return what is left to doubt where so many other runs lie between two runs of a cell."""
        return Dependence(self.rho, self.least, min(self.most, max(self.used, NEIGHBOURS ** (others + 1))))


UNKNOWN = Dependence(np.nan, 0.0, 1.0)


def dependence(samples: Sequence[Floats]) -> Dependence:
    """Estimate the lag-1 correlation that several cells share.

    Parameters
    ----------
    samples : sequence of ndarray
        Runs of each cell, in the order in which they were made, on a scale on which their noise is near normal.

    Returns
    -------
    Dependence
    """
    told = [x for x in samples if x.size >= FEWEST and not spreadless(x)]
    if not told:
        return UNKNOWN
    squares = np.array([float(((x - x.mean()) ** 2).sum()) for x in told])
    found = sum(map(_neighbours, told)) / squares.sum()
    shares, sizes = squares / squares.sum(), [x.size for x in told]
    moments = [_moments(n) for n in sizes]
    expected = sum((share * means for share, (means, _) in zip(shares, moments, strict=True)), np.zeros(GRID.size))
    variance = sum((share**2 * spread for share, (_, spread) in zip(shares, moments, strict=True)), np.zeros(GRID.size))
    rho = float(np.interp(found, expected, GRID))
    noise = ONE_SIDED * np.sqrt(variance)
    least, most = GRID[expected + noise < found], GRID[expected - noise <= found]
    if np.interp(expected[0] + noise[0], expected, GRID) > COARSEST:
        return UNKNOWN
    ends = float(least.max(initial=0.0)), float(most.max(initial=rho))
    return Dependence(float(significant([rho], DIGITS)[0]), *ends)


def _neighbours(x: Floats) -> float:
    """Sum of the products of neighbouring deviations."""
    deviations = x - x.mean()
    return float((deviations[1:] * deviations[:-1]).sum())


@lru_cache(maxsize=256)
def _moments(n: int) -> tuple[Floats, Floats]:
    """Expectation and variance of the lag-1 correlation of n runs about their mean, along `GRID`."""
    if n > LONGEST:
        return GRID - (1 + 3 * GRID) / n, (1 - GRID**2) / n
    neighbours = (np.eye(n, k=1) + np.eye(n, k=-1)) / 2
    found = [_ratio(neighbours, _correlations(n, rho)) for rho in GRID.tolist()]
    means, variances = np.array(found).T
    return np.maximum.accumulate(means), variances


def _ratio(form: Floats, correlations: Floats) -> tuple[float, float]:
    """Mean and variance of a quadratic form of deviations over their sum of squares, to first order."""
    centred = _centred(correlations)
    whole = float(np.trace(centred))
    mean = float((form * centred).sum()) / whole
    spread = _neighbours_of(centred) - mean * centred
    return mean, 2 * float((spread * spread.T).sum()) / whole**2


def _centred(matrix: Floats) -> Floats:
    """Covariances of deviations from the mean."""
    return np.asarray(matrix - matrix.mean(axis=0) - matrix.mean(axis=1, keepdims=True) + matrix.mean())


def _neighbours_of(matrix: Floats) -> Floats:
    """Product with the matrix of neighbours: half the sum of the rows above and below."""
    padded = np.pad(matrix, ((1, 1), (0, 0)))
    return (padded[:-2] + padded[2:]) / 2


def _correlations(n: int, rho: float) -> Floats:
    powers = np.concatenate([[1.0], np.cumprod(np.full(n - 1, rho))])
    return np.asarray(powers[np.abs(np.subtract.outer(np.arange(n), np.arange(n)))])


@lru_cache(maxsize=4096)
def widening(n: int, rho: float) -> float:
    """Variance of the mean of n runs over what it were if they were independent and spread as these do.

    ``S (n - 1) / (n - S)``, where ``S = 1 + 2 sum_k (1 - k / n) rho^k``: the sum over the correlations of the runs with
    each other, and ``(n - S) / (n - 1)`` the share of the variance that shows inside the n runs.

    Examples
    --------
    >>> widening(5, 0.0)
    1.0
    >>> round(widening(30, 0.6), 2)
    4.14
    """
    if rho == 0 or n < 2:
        return 1.0
    lags = np.arange(1, n)
    together = 1 + 2 * float(((1 - lags / n) * np.cumprod(np.full(n - 1, rho))).sum())
    return together * (n - 1) / (n - together)


@lru_cache(maxsize=4096)
def freedom(n: int, rho: float) -> float:
    """Degrees of freedom of the variance of n runs (Satterthwaite); n - 1 where they are independent."""
    if rho == 0 or n < FEWEST:
        return n - 1.0
    if n > LONGEST:
        return (n - 1) * (1 - rho**2) / (1 + rho**2)
    centred = _centred(_correlations(n, rho))
    return float(np.trace(centred) ** 2 / (centred * centred).sum())


def doubt(n: int, found: Dependence) -> str:
    """Say where n runs of a cell may depend on each other more than their interval allows for; "" where not.

    What the data do not exclude is told where it would make the variance of the mean three times as large.
    """
    if n < 2 or widening(n, min(found.most, float(GRID[-1]))) <= DOUBT:
        return ""
    return STRONG if found.least > 0 else NOT_EXCLUDED


def says_nothing(n: int, found: Dependence) -> bool:
    """Whether n runs of a cell say less about its mean than one independent run would, which has no interval."""
    return n > 1 and widening(n, found.used) > n


def doubt_if_independent(n: int, found: Dependence) -> str:
    """Say why an interval that takes n runs for independent may not cover; "" where nothing tells so."""
    return TAKEN_FOR_INDEPENDENT if widening(n, found.used) > 1 else doubt(n, found)


LESS_THAN_ONE = "runs depend so much on the ones before that they say less than one: no interval"
NOT_EXCLUDED = "too few runs in order to exclude that they depend on each other"
STRONG = "runs depend on the ones before: the interval is wider for it, and may still be too narrow"
TAKEN_FOR_INDEPENDENT = "runs depend on the ones before, and this interval takes them for independent"
