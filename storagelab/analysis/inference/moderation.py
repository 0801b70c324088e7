"""Variances of many cells with few runs each, drawn towards what the cells have in common: moderated t.

The variance of a cell of three runs is known by two degrees of freedom, and t at 0.05 / 60 on these finds nothing. What
the other cells of the table say of the noise is worth d0 more: with variances ``s^2 ~ sigma^2 chi2(d) / d`` and
``1 / sigma^2 ~ chi2(d0) / (d0 s0^2)``, that of a cell given its own is ``(d0 s0^2 + d s^2) / (d0 + d)`` on d0 + d
degrees of freedom. Both numbers of the prior are estimated from the mean and the variance of the logs of the variances,
and returned, so that they can be shown: d0 is large where cells are alike, and small where they are not.

d0 is an estimate too, and t on d0 + d degrees of freedom takes it for exact: with the estimate as it is, a table of 60
cells of three runs whose spreads scatter errs in 8 %. So the variance of the logs is taken one standard error larger
than it was found, and d0 is smaller; that costs a quarter of the power where cells are alike.

Source: G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential expression in microarray
experiments" (Statistical Applications in Genetics and Molecular Biology 2004), section 6.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.significant_digits import significant

FEWEST = 3
"""Cells from which there is a prior."""
MANY = 1e6
"""Degrees of freedom that stand for infinitely many: the cells are alike but for chance."""
CAUTION = 1.0
"""Standard errors by which the variance of the logs of variances is taken for larger than it was found."""
DIGITS = 6
STEPS = 50


@dataclass(frozen=True, slots=True)
class Prior:
    """What the cells have in common: variance s0^2, worth d0 degrees of freedom, found from so many cells."""

    variance: float
    freedom: float
    cells: int

    @property
    def words(self) -> str:
        """The prior as a caption may show it."""
        if not self.cells:
            return "no prior: too few cells"
        worth = "all cells alike" if self.freedom >= MANY else f"worth {self.freedom:.3g} degrees of freedom"
        return f"prior spread {np.sqrt(self.variance):.3g}, {worth}, from {self.cells} cells"


def moderated(variances: ArrayLike, freedom: ArrayLike) -> tuple[Floats, Floats, Prior]:
    """Draw the variance of each cell towards that of all.

    Claims its level, for t on the result, where variances of cells scatter like an inverse chi-squared. Where few cells
    are far noisier than all others, theirs are drawn down, and tests of such cells err more often.

    Parameters
    ----------
    variances, freedom : array_like, shape (cells,)
        Variance of each cell, of logs, and its degrees of freedom; NaN, or freedom 0, where a cell has none of its own.

    Returns
    -------
    variances, freedom : ndarray
        Those of the posterior, for ``pooled``; of a cell without its own the prior alone. As given where fewer than 3
        cells have one.
    prior : Prior
        NaN where there is none.
    """
    s2, d = np.broadcast_arrays(np.asarray(variances, dtype=np.float64), np.asarray(freedom, dtype=np.float64))
    own = np.isfinite(s2) & (s2 > 0) & (d > 0)
    if own.sum() < FEWEST:
        return s2.copy(), d.copy(), Prior(np.nan, np.nan, 0)
    prior = _prior(s2[own], d[own])
    weight = np.where(own, d, 0.0)
    drawn = (prior.freedom * prior.variance + weight * np.where(own, s2, 0.0)) / (prior.freedom + weight)
    return drawn, prior.freedom + weight, prior


def _prior(s2: Floats, d: Floats) -> Prior:
    logs = log(s2) - special.digamma(d / 2) + log(d / 2)
    found = float(logs.var(ddof=1)) * (1 + CAUTION * np.sqrt(2 / (s2.size - 1)))
    beyond = found - float(special.polygamma(1, d / 2).mean())
    freedom = min(2 * _inverse_trigamma(beyond), MANY) if beyond > 0 else MANY
    if freedom >= MANY:
        return Prior(float(significant((d * s2).sum() / d.sum(), DIGITS)), MANY, s2.size)
    variance = exp(logs.mean() + special.digamma(freedom / 2) - log(freedom / 2))
    return Prior(float(significant(variance, DIGITS)), float(significant(freedom, DIGITS)), s2.size)


def _inverse_trigamma(value: float) -> float:
    """Where the trigamma function, which falls, has a value: by halving on the scale of logs."""
    low, high = 1e-6, MANY
    for _ in range(STEPS):
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if special.polygamma(1, middle) > value else (low, middle)
    return high
