"""Sums of level means with given weights, and where along the levels such a sum may be zero.

A curve between two levels is straight over the log of the level, so its height there, less a share of its peak or less
another curve, is a sum of level means with known weights. Student's t tells it from zero or not; the levels at which it
does not are the interval of the level where it is zero.

Sources: F. E. Satterthwaite, "An approximate distribution of estimates of variance components" (Biometrics Bulletin,
1946) for the degrees of freedom; E. C. Fieller, "Some problems in interval estimation" (Journal of the Royal
Statistical Society B, 1954) for the interval as the set of all values that a t test does not refuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from storagelab.analysis.inference.intervals import CONFIDENCE, Floats

STEPS = 2001
"""Positions between the first and the last level at which a sum is tried."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Runs of several levels as means, variances of these, and degrees of freedom (0 where one run has no spread)."""

    at: Floats
    means: Floats
    variances: Floats
    freedom: Floats

    @classmethod
    def of(cls, at: Sequence[float], samples: Sequence[Floats]) -> Levels:
        """Gather the runs of each level; levels rise."""
        means = np.array([sample.mean() for sample in samples])
        spread = [sample.var(ddof=1) / sample.size if sample.size > 1 else np.nan for sample in samples]
        freedom = np.array([sample.size - 1.0 for sample in samples])
        return cls(np.asarray(at, dtype=np.float64), means, np.array(spread), freedom)

    def joined(self, other: Levels, sign: float = 1.0) -> Levels:
        """Put the means of others behind these, with a sign, so that sums may hold both."""
        return Levels(
            self.at,
            np.concatenate([self.means, sign * other.means]),
            np.concatenate([self.variances, other.variances]),
            np.concatenate([self.freedom, other.freedom]),
        )

    def positions(self) -> Floats:
        """Positions to try: even on the log scale, with the levels themselves."""
        even = np.geomspace(self.at[0], self.at[-1], STEPS)
        return np.unique(np.concatenate([even[1:-1], self.at]))

    def weights(self, positions: Floats) -> Floats:
        """Weights of the level means in the height of the curve at each position, shape (positions, levels)."""
        logs = np.log(self.at)
        return np.array([np.interp(np.log(positions), logs, unit) for unit in np.eye(self.at.size)]).T

    def signs(self, weights: Floats, constant: float = 0.0, confidence: float = CONFIDENCE) -> NDArray[np.int_]:
        """Tell sums of the means from zero.

        Parameters
        ----------
        weights : ndarray, shape (m, means)
        constant : float
            Added to each sum.
        confidence : float
            Of Student's t with the degrees of freedom of Satterthwaite.

        Returns
        -------
        ndarray of int, shape (m,)
            1 above zero, -1 below, 0 where they are not told apart or have no spread to judge by.
        """
        parts = weights**2 * self.variances
        parts = np.where(weights == 0, 0.0, parts)
        error = parts.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = error**2 / np.where(parts > 0, parts**2 / self.freedom, 0.0).sum(axis=1)
            t = (weights @ self.means + constant) / np.sqrt(error)
            told = np.abs(t) > stats.t.ppf((1 + confidence) / 2, freedom)
        return np.where(told & (error > 0), np.sign(t), 0).astype(int)


def first_crossing(at: Floats, gaps: Floats) -> float:
    """First position where a curve of gaps, straight over the log between the levels, reaches zero or changes sign.

    NaN where it never does.

    Examples
    --------
    >>> round(first_crossing(np.array([1.0, 4.0, 16.0]), np.array([-2.0, -1.0, 1.0])), 6)
    8.0
    """
    turns = np.flatnonzero(np.sign(gaps[:-1]) * np.sign(gaps[1:]) < 0)
    zeros = np.flatnonzero(gaps == 0)
    found = [float(at[i]) for i in zeros[:1]]
    for i in turns[:1]:
        part = gaps[i] / (gaps[i] - gaps[i + 1])
        found.append(float(np.exp(np.log(at[i]) + part * np.log(at[i + 1] / at[i]))))
    return min(found, default=np.nan)


def changes(signs: NDArray[np.int_]) -> int:
    """How often a row of signs changes, zeros left out."""
    told = signs[signs != 0]
    return int((told[1:] != told[:-1]).sum())
