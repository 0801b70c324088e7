"""Differences of two means with their spread, and the tests on them.

Sources: B. L. Welch, "The generalization of Student's problem" (Biometrika 1947); D. J. Schuirmann, "A comparison of
the two one-sided tests procedure" (1987).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.distributions import t_above, t_quantile
from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Floats, Interval, spreadless


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two means with its standard error and degrees of freedom (Welch and Satterthwaite, or paired)."""

    value: float
    error: float
    freedom: float

    @property
    def known(self) -> bool:
        """Whether there is a spread to judge the difference by."""
        return bool(np.isfinite(self.error) and self.error > 0 and self.freedom > 0)

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """Return the t interval of the difference; NaN where there is no spread to judge by."""
        if not self.known:
            return NO_INTERVAL
        half = t_quantile(confidence, self.freedom) * self.error
        return self.value - half, self.value + half

    def p(self) -> float:
        """Return the two-sided p of no difference."""
        return float(2 * t_above(abs(self.value) / self.error, self.freedom)) if self.known else np.nan

    def p_outside(self, low: float, high: float) -> float:
        """Return p of the difference lying outside [low, high]: the larger of two one-sided tests (TOST)."""
        if not self.known:
            return np.nan
        above = t_above((self.value - low) / self.error, self.freedom)
        below = t_above((high - self.value) / self.error, self.freedom)
        return float(max(above, below))


def squares(values: Floats) -> float:
    """Sum of squares about the mean; exactly zero for values that differ by rounding alone."""
    return 0.0 if spreadless(values) else float(((values - values.mean()) ** 2).sum())


@dataclass(frozen=True, slots=True)
class Side:
    """Runs of one side of a comparison, and what they lack in independence.

    Attributes
    ----------
    values : ndarray, shape (n,)
    widening : float
        By how much dependence raises the variance of the mean (`storagelab.analysis.inference.dependence.widening`);
        infinite where nothing is left of the runs.
    freedom : float
        Degrees of freedom of the variance; NaN for n - 1.
    borrowed : float
        Variance of a run that other cells lend (`storagelab.analysis.inference.moderation`); NaN for its own.
    """

    values: Floats
    widening: float = 1.0
    freedom: float = np.nan
    borrowed: float = np.nan

    @property
    def variance(self) -> float:
        """Variance of a run."""
        return squares(self.values) / (self.values.size - 1) if np.isnan(self.borrowed) else self.borrowed

    @property
    def error(self) -> float:
        """Variance of the mean."""
        return self.widening * self.variance / self.values.size

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the variance."""
        return self.values.size - 1.0 if np.isnan(self.freedom) else self.freedom


def mean_of(side: Side) -> Difference:
    """Mean of one sample, as its difference from nothing."""
    value = float(side.values.mean()) if side.values.size else np.nan
    error = side.error if side.values.size > 1 else np.nan
    return Difference(value, float(np.sqrt(error)), side.degrees)


def welch(a: ArrayLike | Side, b: ArrayLike | Side) -> Difference:
    """Difference mean(a) - mean(b) of independent samples with unequal variances.

    Its interval claims values near normal. It does not claim three values of which one sample falls into two modes
    (they often show one mode only, which nothing in them tells), nor three values that spread more than a larger one.
    """
    sides = [side if isinstance(side, Side) else Side(np.asarray(side, dtype=np.float64)) for side in (a, b)]
    x, y = (side.values for side in sides)
    value = float(x.mean() - y.mean()) if x.size and y.size else np.nan
    if min(x.size, y.size) < 2:
        return Difference(value, np.nan, np.nan)
    parts = np.array([side.error for side in sides])
    if not 0 < parts.sum() < np.inf:
        return Difference(value, np.nan, np.nan)
    freedom = parts.sum() ** 2 / (parts**2 / np.array([side.degrees for side in sides])).sum()
    return Difference(value, float(np.sqrt(parts.sum())), float(freedom))


def paired(a: ArrayLike, b: ArrayLike, widening: float = 1.0, freedom: float = np.nan) -> Difference:
    """Mean of the differences a - b of values measured in pairs; for `widening` and `freedom` see `Side`."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    gaps = x - y
    value = float(gaps.mean()) if gaps.size else np.nan
    if gaps.size < 2 or spreadless(gaps, np.abs([x, y]).max()):
        return Difference(value, np.nan, np.nan)
    side = Side(gaps, widening, freedom)
    return Difference(value, float(np.sqrt(side.error)), side.degrees)


def within(groups: Sequence[ArrayLike]) -> tuple[float, float]:
    """Variance within several samples, pooled, and its degrees of freedom; NaN where no sample has two values."""
    samples = [np.asarray(group, dtype=np.float64) for group in groups]
    freedom = sum(x.size - 1 for x in samples if x.size)
    total = sum(squares(x) for x in samples if x.size)
    return (total / freedom, float(freedom)) if freedom > 0 and total > 0 else (np.nan, np.nan)


def within_blocks(groups: Sequence[ArrayLike]) -> tuple[float, float]:
    """Variance within several samples taken in the same blocks, in which what a block does to all of them is no spread.

    Residuals of a randomised complete block design (R. A. Fisher, "The design of experiments", 1935): each value less
    the mean of its sample and the mean of its block. Claims that a block shifts all samples alike.

    Parameters
    ----------
    groups : sequence of array_like, each of shape (blocks,)
        The samples, the blocks of each in the same order.

    Returns
    -------
    tuple of float
        Variance and degrees of freedom; NaN for fewer than two samples or blocks.
    """
    x = np.asarray(groups, dtype=np.float64)
    if x.ndim != 2 or min(x.shape) < 2:
        return np.nan, np.nan
    rest = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    freedom = float((x.shape[0] - 1) * (x.shape[1] - 1))
    known = not spreadless(rest, np.abs(x).max())
    return (float((rest**2).sum()) / freedom, freedom) if known else (np.nan, np.nan)


def pooled(a: ArrayLike, b: ArrayLike, variance: float, freedom: float) -> Difference:
    """Difference mean(a) - mean(b) of samples that share the variance of `within`; one value a side is enough."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return Difference(float(x.mean() - y.mean()), float(np.sqrt(variance * (1 / x.size + 1 / y.size))), freedom)
