"""Sums of level means with given weights, and where along the levels such a sum may be zero.

A curve between two levels is straight over the log of the level, so its height there, less a share of its peak or less
another curve, is a sum of level means with known weights. Student's t tells it from zero or not; the levels at which it
does not are the interval of the level where it is zero.

Sources: F. E. Satterthwaite, "An approximate distribution of estimates of variance components" (Biometrics Bulletin,
1946) for the degrees of freedom; E. C. Fieller, "Some problems in interval estimation" (Journal of the Royal
Statistical Society B, 1954) for the interval as the set of all values that a t test does not refuse; R. A. Fisher, "The
design of experiments" (1935), for differences within a round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from storagelab.analysis.inference.distributions import f_above
from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, ROUNDING, Floats, Interval
from storagelab.analysis.inference.mean_differences import squares
from storagelab.analysis.inference.processor_independent import exp, log, weighted_sum
from storagelab.analysis.significant_digits import SAME, first_extreme

STEPS = 1001
"""Positions between the first and the last level at which a sum is tried."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Runs of several levels as means, variances of these, and degrees of freedom (0 where one run has no spread).

    Where the runs belong to rounds, `rounds` has the mean of each round at each level, shape (rounds, levels).
    """

    at: Floats
    means: Floats
    variances: Floats
    freedom: Floats
    rounds: Floats | None = None

    @classmethod
    def of(cls, at: Sequence[float], samples: Sequence[Floats]) -> Levels:
        """Gather the runs of each level; levels rise."""
        means = np.array([sample.mean() for sample in samples])
        spread = [squares(x) / (x.size - 1) / x.size if x.size > 1 else np.nan for x in samples]
        freedom = np.array([sample.size - 1.0 for sample in samples])
        return cls(np.asarray(at, dtype=np.float64), means, np.array(spread), freedom)

    @classmethod
    def of_rounds(cls, at: Sequence[float], rounds: Floats) -> Levels:
        """Gather rounds of one value a level, shape (rounds, levels), at least two; levels rise."""
        return replace(cls.of(at, list(rounds.T)), rounds=rounds)

    def joined(self, other: Levels, sign: float = 1.0) -> Levels:
        """Put the means of others behind these, with a sign, so that sums may hold both.

        Rounds stay rounds where both have them: the same ones, in the same order.
        """
        both = None if self.rounds is None or other.rounds is None else np.hstack([self.rounds, sign * other.rounds])
        return Levels(
            self.at,
            np.concatenate([self.means, sign * other.means]),
            np.concatenate([self.variances, other.variances]),
            np.concatenate([self.freedom, other.freedom]),
            both,
        )

    def positions(self) -> Floats:
        """Positions to try: even on the log scale, with the levels themselves."""
        even = np.geomspace(self.at[0], self.at[-1], STEPS)
        return np.unique(np.concatenate([even[1:-1], self.at]))

    def weights(self, positions: Floats) -> Floats:
        """Weights of the level means in the height of the curve at each position, shape (positions, levels)."""
        logs = log(self.at)
        return np.array([np.interp(log(positions), logs, unit) for unit in np.eye(self.at.size)]).T

    def signs(self, weights: Floats, constant: float = 0.0) -> NDArray[np.int_]:
        """Tell sums of the means from zero by 95 % of Student's t, with the freedom of Satterthwaite or of the rounds.

        Parameters
        ----------
        weights : ndarray, shape (m, means)
        constant : float
            Added to each sum.

        Returns
        -------
        ndarray of int, shape (m,)
            1 above zero, -1 below, 0 where they are not told apart or have no spread to judge by.
        """
        error, freedom = self._errors(weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (weighted_sum(weights, self.means) + constant) / np.sqrt(error)
            told = 2 * special.stdtr(freedom, -np.abs(t)) < 1 - CONFIDENCE
        return np.where(told & (error > 0), np.sign(t), 0).astype(int)

    def _errors(self, weights: Floats) -> tuple[Floats, Floats]:
        """Variance of each sum, and its degrees of freedom."""
        if self.rounds is not None:
            sums = weighted_sum(weights[:, None, :], self.rounds)
            spread = np.ptp(sums, axis=1) > ROUNDING * np.abs(self.means).max()
            count = sums.shape[1]
            return np.where(spread, sums.var(axis=1, ddof=1) / count, 0.0), np.full(len(weights), count - 1.0)
        parts = np.where(weights == 0, 0.0, weights**2 * self.variances)
        error = parts.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return error, error**2 / np.where(parts > 0, parts**2 / self.freedom, 0.0).sum(axis=1)


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
        found.append(float(exp(log(at[i]) + part * log(at[i + 1] / at[i]))))
    return min(found, default=np.nan)


def _told_from_zero(gaps: Floats, size: Floats) -> Floats:
    """Make gaps zero that are rounding against the numbers whose difference they are."""
    return np.where(np.abs(gaps) <= SAME * np.abs(size), 0.0, gaps)


def changes(signs: NDArray[np.int_]) -> int:
    """How often a row of signs changes, zeros left out."""
    told = signs[signs != 0]
    return int((told[1:] != told[:-1]).sum())


def crossing_interval(levels: Levels, weights: Floats, constant: float = 0.0) -> Interval:
    """Where a rising sum may first reach zero.

    From the last position up to which t shows the sum below zero to the first at which it shows it above. An end that
    lies beyond the levels is NaN. Claims its coverage for means near normal, whatever the spread of each level.

    Parameters
    ----------
    levels : Levels
    weights : ndarray, shape (positions, means)
        Of the sum at each of `Levels.positions`.
    constant : float
        See `Levels.signs`.
    """
    at, signs = levels.positions(), levels.signs(weights, constant)
    from_here, above = np.flatnonzero(signs >= 0), np.flatnonzero(signs > 0)
    low = float(at[from_here[0] - 1]) if from_here.size and from_here[0] > 0 else np.nan
    return low, float(at[above[0]]) if above.size and above[0] > 0 else np.nan


def peaks_possible(levels: Levels) -> list[int]:
    """Places of the highest mean and of all that t does not show below it."""
    top = first_extreme(levels.means, "highest")
    unit = np.eye(levels.means.size)
    return [int(i) for i in np.flatnonzero(levels.signs(unit - unit[top]) >= 0)]


def half_peak_interval(
    levels: Levels, share: float, *, foreign: Levels | None = None, nominal: float | None = None
) -> Interval:
    """Where a curve may first reach a share of a peak: its own, that of a foreign curve, or a nominal one.

    Which level is the peak is not known for sure: the interval is the widest over all that may be.
    """
    curve = levels.weights(levels.positions())
    if nominal is not None:
        return crossing_interval(levels, curve, -share * nominal)
    source = foreign or levels
    joined = levels.joined(foreign) if foreign else levels
    offset = levels.means.size if foreign else 0
    padded = np.pad(curve, ((0, 0), (0, joined.means.size - curve.shape[1])))
    unit = np.eye(joined.means.size)
    ends = [crossing_interval(joined, padded - share * unit[offset + i]) for i in peaks_possible(source)]
    low, high = np.array(ends).T
    return float(low.min()), float(high.max())


@dataclass(frozen=True, slots=True)
class Crossover:
    """Where two curves cross first, and how often; `shown` counts changes of places between points told apart."""

    value: float
    interval: Interval
    crossings: int
    shown: int


def crossover(a: Levels, b: Levels) -> Crossover:
    """Cross two curves over the same levels.

    The interval is closed only where t shows one curve above at the first level, the other at the last, and one change
    between: it reaches over all positions at which t does not tell them apart, to the next at which it does. Claims its
    coverage for means near normal.
    """
    at, curve = a.positions(), a.weights(a.positions())
    signs = a.joined(b, sign=-1.0).signs(np.hstack([curve, curve]))
    gaps = _told_from_zero(a.means - b.means, a.means)
    inside = np.flatnonzero(signs == 0)
    closed = changes(signs) == 1 and signs[0] != 0 and signs[-1] != 0 and inside.size > 0
    ends = (float(at[inside[0] - 1]), float(at[inside[-1] + 1])) if closed else NO_INTERVAL
    turns = changes(np.sign(gaps).astype(int))
    return Crossover(first_crossing(a.at, gaps) if turns else np.nan, ends, turns, changes(signs))


def p_no_shift(rounds: Floats) -> float:
    """P of rounds as different as these if none shifted all its levels alike.

    F of the randomised complete block design (R. A. Fisher, "The design of experiments", 1935).

    Parameters
    ----------
    rounds : ndarray, shape (rounds, levels)
        One run of each level in each round; NaN for fewer than two of either, or without spread.
    """
    if min(rounds.shape) < 2:
        return np.nan
    centred = rounds - rounds.mean(axis=0)
    shift = centred.mean(axis=1, keepdims=True)
    between = rounds.shape[0] - 1, float((shift**2).sum()) * rounds.shape[1]
    within = between[0] * (rounds.shape[1] - 1), float(((centred - shift) ** 2).sum())
    if within[1] <= 0:
        return np.nan
    return f_above(between[1] / between[0] / (within[1] / within[0]), between[0], within[0])
