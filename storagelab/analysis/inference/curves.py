"""Curves of a rate over clients or sizes, fitted on the log scale, with the region of parameters that the runs allow.

Runs scatter in proportion to what they measure, so ``log A`` of a run is the log of the model plus noise. Least squares
on the logs then gives the plateau of geometric means. Each level counts once, however many runs it has. The height of
every model is one factor, best solved as a mean; the one or two others are searched on a grid that narrows. Kinks, flat
valleys and bounds, on which gradients fail, cost nothing there, and all parameters that t does not refuse are seen.

Two things make the runs of a level poor witnesses of how far its mean may be off. Its spread may be another than that
of other levels; and all its runs may share an offset (a placement, a set-up, a model that is not quite right), which no
repeat shows. So a curve is refused only where two t tests refuse it: one over the runs, each level with a spread of its
own, and one over the level means, whose misses of the model tell how far they are off.

Sources: N. J. Gunther, "Guerrilla capacity planning" (2007), chapters 4 to 6, for the universal scalability law;
D. M. Bates, D. G. Watts, "Nonlinear regression analysis and its applications" (1988), section 6.1, for profile
intervals; H. White, "A heteroskedasticity-consistent covariance matrix estimator" (Econometrica, 1980) and
F. E. Satterthwaite, "An approximate distribution of estimates of variance components" (Biometrics Bulletin, 1946) for
unequal spread; N. R. Draper, H. Smith, "Applied regression analysis" (3rd edition, 1998), section 2.1, for lack of fit
and pure error; T. Kalibera, R. Jones, "Rigorous benchmarking in reasonable time" (ISMM, 2013), for means of the highest
level that varies as units; K. P. Burnham, D. R. Anderson, "Model selection and multimodel inference" (2002), section
7.4, for AICc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from storagelab.analysis.inference.distributions import f_above, f_quantile
from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Floats, Interval
from storagelab.analysis.inference.mean_differences import squares
from storagelab.analysis.inference.processor_independent import exp, log, weighted_sum
from storagelab.analysis.significant_digits import first_extreme, significant

Shape = Callable[[Floats, Floats], Floats]
"""Log of a curve of height one at n: (n of shape (L,), parameters of shape (..., p - 1)) -> shape (..., L)."""

Quantity = Callable[[Floats], Floats]
"""What parameters of shape (..., p - 1) say, shape (...)."""

End = Literal["lowest", "highest"]

POINTS = {1: 401, 2: 61}
"""Values tried of each parameter, for models of one and of two besides the height."""

PASSES = {1: 3, 2: 4}
"""How often the grid is narrowed: to a thousandth of a thousandth of the best value, or less."""

FLAT = 1e-12
"""Relative difference of sums of squares that does not tell two points of a grid apart: the first of them is taken."""

FITTED = 6
"""Significant digits of what is fitted: near its minimum a sum of squares does not tell more of a parameter."""


@dataclass(frozen=True, slots=True)
class Model:
    """A curve whose height is a free factor.

    Attributes
    ----------
    name : str
        As it is chosen and shown.
    shape : callable
        See `Shape`.
    axes : callable
        Values first tried of each other parameter, for given levels; rising.
    closed : tuple of bool
        For each, whether its first value is a bound of the parameter itself (0 for a share), not of the search.
    """

    name: str
    shape: Shape
    axes: Callable[[Floats], list[Floats]]
    closed: tuple[bool, ...]

    @property
    def parameters(self) -> int:
        """How many the model has, with its height."""
        return len(self.closed) + 1


def _knee_shape(n: Floats, rest: Floats) -> Floats:
    return np.asarray(np.minimum(0.0, np.log(n) - np.log(rest[..., :1])), dtype=np.float64)


def _half_shape(n: Floats, rest: Floats) -> Floats:
    return np.asarray(np.log(n) - np.log(n + rest[..., :1]), dtype=np.float64)


def _law_shape(n: Floats, rest: Floats) -> Floats:
    contention, coherency = rest[..., :1], rest[..., 1:2]
    return np.asarray(np.log(n) - np.log1p(contention * (n - 1) + coherency * n * (n - 1)), dtype=np.float64)


def _from_zero(top: float) -> Floats:
    return np.concatenate([[0.0], np.geomspace(1e-5 * top, top, POINTS[2] - 1)])


KNEE = Model("plateau and knee", _knee_shape, lambda n: [np.geomspace(n[0], n[-1], POINTS[1])], (False,))
HALF = Model(
    "saturation", _half_shape, lambda n: [np.geomspace(n[0] / 1e3, n[-1] * 1e3, POINTS[1])], (False,)
)  # fmt: skip
LAW = Model(
    "universal scalability law", _law_shape,
    lambda n: [_from_zero(1.0), _from_zero(min(1.0, 100 / n[-1] ** 2))], (True, True),
)  # fmt: skip
MODELS: Mapping[str, Model] = {model.name: model for model in (KNEE, HALF, LAW)}


@dataclass(frozen=True, slots=True)
class Means:
    """Logs of the runs of each level: their means, numbers, and sums of squares about the mean."""

    n: Floats
    logs: Floats
    runs: Floats
    within: Floats

    @classmethod
    def of(cls, n: Floats, values: Floats) -> Means:
        """Gather positive values, one a run, by the level at which each was measured."""
        levels, place = np.unique(n, return_inverse=True)
        logs, runs = log(values), np.bincount(place).astype(np.float64)
        means = np.bincount(place, logs) / runs
        within = [squares(logs[place == level]) for level in range(levels.size)]
        return cls(levels, means, runs, np.array(within))

    @property
    def total(self) -> float:
        """How many runs."""
        return float(self.runs.sum())

    @property
    def inside(self) -> float:
        """Sum of squares inside the levels."""
        return float(self.within.sum())

    @property
    def repeated(self) -> float:
        """Degrees of freedom inside the levels."""
        return self.total - self.n.size

    def variances(self) -> tuple[Floats, Floats]:
        """Variance of the mean of each level, and its degrees of freedom; a level of one run has those of all others.

        NaN where no level has two runs.
        """
        freedom = np.where(self.runs > 1, self.runs - 1, self.repeated)
        inside = np.where(self.runs > 1, self.within, self.inside)
        of_runs = np.divide(inside, freedom, out=np.full(freedom.shape, np.nan), where=freedom > 0)
        return of_runs / self.runs, freedom


@dataclass(frozen=True, slots=True)
class Region:
    """Curves that miss the level means by at most a limit: parameters besides the height, best height, squares."""

    limit: float
    rest: Floats
    heights: Floats
    squares: Floats


@dataclass(frozen=True, slots=True)
class Fit:
    """A model, its best parameters, and all that the runs and the levels allow.

    Attributes
    ----------
    means : Means
        What was fitted.
    model : Model
    height : float
        Log of the height of the curve.
    rest : ndarray, shape (p - 1,)
        Its other parameters.
    between : float
        Sum of squared misses of the level means on the log scale.
    squares : float
        Smallest sum of squared misses of the runs on the log scale, for criteria and the test of the model.
    confidence : float
        Nominal coverage of the intervals.
    """

    means: Means
    model: Model
    height: float
    rest: Floats
    between: float
    squares: float
    confidence: float = CONFIDENCE

    @property
    def known(self) -> bool:
        """Whether there is a spread to judge by."""
        return self.squares > 1e-18 * self.means.total

    @property
    def rmse(self) -> float:
        """Root mean square of the misses of the runs, on the log scale: near the relative miss where it is small."""
        return float(np.sqrt(self.squares / self.means.total))

    @property
    def aicc(self) -> float:
        """Akaike's criterion with its correction for few runs; NaN where these are too few even for that."""
        n, k = self.means.total, self.model.parameters + 1
        if n <= k + 1 or self.squares <= 0:
            return np.nan
        return float(n * log(self.squares / n) + 2 * k + 2 * k * (k + 1) / (n - k - 1))

    @property
    def levels_left(self) -> float:
        """Levels less parameters: degrees of freedom of the misses of the level means."""
        return float(self.means.n.size - self.model.parameters)

    def p_misfit(self) -> float:
        """P of misses of the level means as large as these, were the model right; NaN without repeated runs."""
        within = self.means.repeated
        if self.levels_left < 1 or within < 1 or self.means.inside <= 0:
            return np.nan
        missed = max(self.squares - self.means.inside, 0.0) / self.levels_left
        return f_above(missed / (self.means.inside / within), self.levels_left, within)

    def parameter(self, which: int) -> tuple[float, Interval]:
        """Return one of the other parameters with its profile interval; an end that is open is NaN."""
        value, (low, high) = self.of_shape(lambda rest: rest[..., which])
        axis = self.model.axes(self.means.n)[which]
        first, last = _fitted(axis[0]), _fitted(axis[-1])
        open_low = low <= first and not self.model.closed[which]
        return value, (np.nan if open_low else low, np.nan if high >= last else high)

    def of_shape(self, quantity: Quantity) -> tuple[float, Interval]:
        """Return a quantity of the other parameters with its profile interval."""
        low, high = self._interval(quantity, with_height=False)
        return _fitted(float(quantity(self.rest))), (_fitted(low), _fitted(high))

    def of_curve(self, quantity: Quantity) -> tuple[float, Interval]:
        """Return exp(height + quantity(other parameters)) with its profile interval."""
        low, high = self._interval(quantity, with_height=True)
        return _fitted(exp(self.height + quantity(self.rest))), (_fitted(exp(low)), _fitted(exp(high)))

    def log_curve(self, n: Floats) -> tuple[Floats, Floats, Floats]:
        """Log of the curve at n, and the lowest and highest that the allowed parameters give there (pointwise)."""
        best = self.height + self.model.shape(n, self.rest)
        ends = [self._interval(partial(self._shape_at, at), with_height=True) for at in n]
        low, high = np.array(ends).reshape(-1, 2).T
        return best, low, high

    def _shape_at(self, n: float, rest: Floats) -> Floats:
        return self.model.shape(np.array([n]), rest)[..., 0]

    def _interval(self, quantity: Quantity, *, with_height: bool) -> Interval:
        """Lowest and highest of a quantity that is not refused, plus the log of the height where that is part of it.

        How far t refuses depends on which levels a curve moves. So a first region by the pooled spread shows the curve
        at each end, and a second one goes as far as t allows in its direction.
        """
        if not self.known:
            return NO_INTERVAL
        first = self._region(self._limit(np.ones(self.means.n.size)))
        found = []
        for end in ("lowest", "highest"):
            _, curve = self._end(first, quantity, end, with_height=with_height)
            gone = self._region(self._limit(curve - self._levels(self.height, self.rest)))
            found.append(self._end(gone, quantity, end, with_height=with_height)[0])
        return found[0], found[1]

    def _limit(self, direction: Floats) -> float:
        """Sum of squares up to which curves in a direction are not refused by both tests.

        The squares rise by the square of the sum of the level means with the direction, of length one, as weights. By
        the runs that sum has the variance of its parts; by the misses, that of any level mean.
        """
        missed = f_quantile(self.confidence, self.levels_left) * self.between / self.levels_left
        variances, freedom = self.means.variances()
        parts = direction**2 * variances
        if not parts.sum() > 0:
            return self.between + missed
        of_runs = f_quantile(self.confidence, float(parts.sum() ** 2 / (parts**2 / freedom).sum()))
        return self.between + max(missed, of_runs * float(parts.sum() / (direction**2).sum()))

    def _levels(self, height: float, rest: Floats) -> Floats:
        return np.asarray(height + self.model.shape(self.means.n, rest), dtype=np.float64)

    def _region(self, limit: float) -> Region:
        return _region(self.model, self.means, limit, self.rest)

    def _end(self, region: Region, quantity: Quantity, end: End, *, with_height: bool) -> tuple[float, Floats]:
        """Lowest or highest of a quantity in a region, and the curve at the levels where it is that."""
        slacks = np.sqrt(np.maximum(region.limit - region.squares, 0.0) / self.means.n.size)
        heights = region.heights
        if with_height:
            heights = heights + slacks if end == "highest" else heights - slacks
        values = quantity(region.rest) + (heights if with_height else 0.0)
        place = first_extreme(values, end)
        return float(values[place]), self._levels(heights[place], region.rest[place])


def _fitted(value: float) -> float:
    return float(significant(value, FITTED))


def fit(model: Model, means: Means, confidence: float = CONFIDENCE) -> Fit:
    """Fit a model by least squares on the means of the logs of each level.

    Intervals are profile intervals: of all parameters whose sum of squares is below ``S_min + t^2 v``, by the larger of
    two ``t^2 v``. In one, v is the variance of the runs, each level with its own spread, weighted as the curve moves
    there (degrees of freedom of Satterthwaite). In the other it is that of the level means about the model, with levels
    less parameters as degrees of freedom. They claim their coverage for the right model and independent runs with noise
    in proportion to the rate, where either the spread differs from level to level, or an offset that all runs of a
    level share is drawn anew for each level. They do not claim an offset that all levels share.

    Parameters
    ----------
    model : Model
    means : Means
        At least as many levels as the model has parameters, and one.
    confidence : float
        Nominal coverage of each interval.
    """
    rest, height, between = _best(model, means, np.ones(means.n.size))
    alike = means.runs.min() == means.runs.max()
    missed = between * means.runs[0] if alike else _best(model, means, means.runs)[2]
    return Fit(means, model, height, rest, between, missed + means.inside, confidence)


def _best(model: Model, means: Means, weights: Floats) -> tuple[Floats, float, float]:
    """Parameters with the smallest sum of squares: the others, the height, and that sum."""
    axes = model.axes(means.n)
    for _ in range(PASSES[len(axes)]):
        squares, _ = _squares(model, means, weights, axes)
        axes = _around(axes, squares <= squares.min() * (1 + FLAT))
    squares, heights = _squares(model, means, weights, axes)
    first = np.flatnonzero(squares.ravel() <= squares.min() * (1 + FLAT))[0]
    place = np.unravel_index(first, squares.shape)
    rest = np.array([axis[i] for axis, i in zip(axes, place, strict=True)])
    return rest, float(heights[place]), float(squares[place])


def _region(model: Model, means: Means, limit: float, rest: Floats) -> Region:
    """Parameters whose sum of squares is below a limit: a grid narrowed to them."""
    starts, weights = model.axes(means.n), np.ones(means.n.size)
    axes = [np.unique(np.append(axis, value)) for axis, value in zip(starts, rest, strict=True)]
    for _ in range(PASSES[len(starts)]):
        squares, heights = _squares(model, means, weights, axes)
        inside = squares <= limit * (1 + FLAT)
        kept = np.argwhere(inside)
        last, axes = axes, [np.unique(np.append(new, v)) for new, v in zip(_around(axes, inside), rest, strict=True)]
    grid = np.stack(np.meshgrid(*last, indexing="ij"), axis=-1)[tuple(kept.T)]
    return Region(limit, grid, heights[inside], squares[inside])


def _squares(model: Model, means: Means, weights: Floats, axes: list[Floats]) -> tuple[Floats, Floats]:
    """Sum of weighted squares with the best height, and that height, at every point of a grid."""
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    gaps = means.logs - model.shape(means.n, grid)
    heights = weighted_sum(weights, gaps) / weights.sum()
    return weighted_sum(weights, (gaps - heights[..., None]) ** 2), heights


def _around(axes: list[Floats], kept: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[Floats]:
    """Refine each axis between the neighbours of the points that are kept."""
    found = []
    for i, axis in enumerate(axes):
        places = np.flatnonzero(kept.any(axis=tuple(j for j in range(len(axes)) if j != i)))
        low, high = axis[max(places[0] - 1, 0)], axis[min(places[-1] + 1, axis.size - 1)]
        found.append(np.linspace(low, high, POINTS[len(axes)]))
    return found
