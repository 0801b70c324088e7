"""Curves of a rate over clients or sizes, fitted on the log scale, with the region of parameters that the runs allow.

Runs scatter in proportion to what they measure, so ``log A`` of a run is the log of the model plus noise of one spread.
Least squares on the logs is then the fit of highest likelihood, and its plateau that of geometric means. The height of
every model is one factor, best solved as a mean; the one or two others are searched on a grid that narrows. Kinks, flat
valleys and bounds, on which gradients fail, cost nothing there, and all parameters that F does not refuse are seen.

Sources: N. J. Gunther, "Guerrilla capacity planning" (2007), chapters 4 to 6, for the universal scalability law;
D. M. Bates, D. G. Watts, "Nonlinear regression analysis and its applications" (1988), section 6.1, for profile
intervals; K. P. Burnham, D. R. Anderson, "Model selection and multimodel inference" (2002), section 7.4, for AICc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from storagelab.analysis.digits import significant
from storagelab.analysis.inference.differences import squares
from storagelab.analysis.inference.distributions import f_above, f_quantile
from storagelab.analysis.inference.elementary import exp, log, weighted_sum
from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Floats, Interval

Shape = Callable[[Floats, Floats], Floats]
"""Log of a curve of height one at n: (n of shape (L,), parameters of shape (..., p - 1)) -> shape (..., L)."""

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
    """Logs of the runs of each level, as their means, numbers, and the sum of squares inside the levels."""

    n: Floats
    logs: Floats
    runs: Floats
    inside: float

    @classmethod
    def of(cls, n: Floats, values: Floats) -> Means:
        """Gather positive values, one a run, by the level at which each was measured."""
        levels, place = np.unique(n, return_inverse=True)
        logs, runs = log(values), np.bincount(place).astype(np.float64)
        means = np.bincount(place, logs) / runs
        inside = sum(squares(logs[place == level]) for level in range(levels.size))
        return cls(levels, means, runs, float(inside))

    @property
    def total(self) -> float:
        """How many runs."""
        return float(self.runs.sum())


@dataclass(frozen=True, slots=True)
class Fit:
    """A model, its best parameters, and all that the runs allow.

    Attributes
    ----------
    means : Means
        What was fitted.
    model : Model
    height : float
        Log of the height of the curve.
    rest : ndarray, shape (p - 1,)
        Its other parameters.
    squares : float
        Sum of squared misses of the runs on the log scale.
    allowed : ndarray, shape (m, p - 1)
        Values of the other parameters that F does not refuse; empty where there is no spread to judge by.
    heights, slacks : ndarray, shape (m,)
        The best height at each, and how far it can be from it.
    open_low, open_high : tuple of bool
        Whether each of the other parameters is allowed up to the end of the search.
    """

    means: Means
    model: Model
    height: float
    rest: Floats
    squares: float
    allowed: Floats = field(repr=False)
    heights: Floats = field(repr=False)
    slacks: Floats = field(repr=False)
    open_low: tuple[bool, ...] = ()
    open_high: tuple[bool, ...] = ()

    @property
    def freedom(self) -> float:
        """Runs less parameters."""
        return self.means.total - self.model.parameters

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

    def p_misfit(self) -> float:
        """P of misses of the level means as large as these, were the model right; NaN without repeated runs."""
        between, within = self.means.n.size - self.model.parameters, self.means.total - self.means.n.size
        if between < 1 or within < 1 or self.means.inside <= 0:
            return np.nan
        missed = (self.squares - self.means.inside) / between
        return f_above(missed / (self.means.inside / within), between, within)

    def parameter(self, which: int) -> tuple[float, Interval]:
        """Return one of the other parameters with its profile interval; an end that is open is NaN."""
        value = _fitted(self.rest[which])
        if not self.allowed.size:
            return value, NO_INTERVAL
        tried = self.allowed[:, which]
        low, high = _fitted(tried.min()), _fitted(tried.max())
        return value, (np.nan if self.open_low[which] else low, np.nan if self.open_high[which] else high)

    def log_curve(self, n: Floats) -> tuple[Floats, Floats, Floats]:
        """Log of the curve at n, and the lowest and highest that the allowed parameters give there (pointwise)."""
        best = self.height + self.model.shape(n, self.rest)
        if not self.allowed.size:
            return best, np.full(n.shape, np.nan), np.full(n.shape, np.nan)
        curves = self.model.shape(n, self.allowed) + self.heights[:, None]
        low, high = (curves - self.slacks[:, None]).min(axis=0), (curves + self.slacks[:, None]).max(axis=0)
        return best, low, high

    def of_curve(self, quantity: Callable[[Floats], Floats]) -> tuple[float, Interval]:
        """Return exp(height + quantity(other parameters)) with its profile interval.

        Parameters
        ----------
        quantity : callable
            From parameters of shape (..., p - 1) to shape (...).
        """
        value = _fitted(exp(self.height + quantity(self.rest)))
        if not self.allowed.size:
            return value, NO_INTERVAL
        found = self.heights + quantity(self.allowed)
        return value, (_fitted(exp((found - self.slacks).min())), _fitted(exp((found + self.slacks).max())))


def _fitted(value: float) -> float:
    return float(significant(value, FITTED))


def fit(model: Model, means: Means, confidence: float = CONFIDENCE) -> Fit:
    """Fit a model by least squares on the logs of the runs.

    Intervals are profile intervals: of all parameters whose sum of squares is below
    ``S_min (1 + F(confidence; 1, N - p) / (N - p))``. They claim their coverage for the right model, independent runs
    and noise in proportion to the rate, with one spread at all levels.

    Parameters
    ----------
    model : Model
    means : Means
        At least as many levels as the model has parameters, and one.
    confidence : float
        Nominal coverage of each interval.
    """
    starts = model.axes(means.n)
    axes = starts
    for _ in range(PASSES[len(starts)]):
        squares, _ = _squares(model, means, axes)
        axes = _around(axes, squares <= squares.min() * (1 + FLAT))
    rest = np.array([axis[i] for axis, i in zip(axes, _best(model, means, axes), strict=True)])
    (least,), (height,) = _squares(model, means, [rest[i : i + 1] for i in range(rest.size)], flat=True)
    nothing = np.empty((0, rest.size))
    freedom = means.total - model.parameters
    if freedom < 1 or least <= 1e-18 * means.total:
        return Fit(means, model, float(height), rest, float(least), nothing, np.empty(0), np.empty(0))
    limit = float(least * (1 + f_quantile(confidence, 1, freedom) / freedom))
    return Fit(means, model, float(height), rest, float(least), *_region(model, means, limit, rest, starts))


def _region(
    model: Model, means: Means, limit: float, rest: Floats, starts: list[Floats]
) -> tuple[Floats, Floats, Floats, tuple[bool, ...], tuple[bool, ...]]:
    """Parameters whose sum of squares is below a limit: a grid narrowed to them."""
    axes = [np.unique(np.append(axis, value)) for axis, value in zip(starts, rest, strict=True)]
    for _ in range(PASSES[len(starts)]):
        squares, heights = _squares(model, means, axes)
        inside = squares <= limit * (1 + FLAT)
        kept = np.argwhere(inside)
        last, axes = axes, [np.unique(np.append(new, v)) for new, v in zip(_around(axes, inside), rest, strict=True)]
    grid = np.stack(np.meshgrid(*last, indexing="ij"), axis=-1)[tuple(kept.T)]
    slacks = np.sqrt(np.maximum(limit - squares[inside], 0.0) / means.total)
    reach = [(grid[:, i].min(), grid[:, i].max()) for i in range(rest.size)]
    low = [at <= axis[0] and not shut for (at, _), axis, shut in zip(reach, starts, model.closed, strict=True)]
    high = [at >= axis[-1] for (_, at), axis in zip(reach, starts, strict=True)]
    return grid, heights[inside], slacks, tuple(low), tuple(high)


def _squares(model: Model, means: Means, axes: list[Floats], *, flat: bool = False) -> tuple[Floats, Floats]:
    """Sum of squares with the best height, and that height, at every point of a grid."""
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    gaps = means.logs - model.shape(means.n, grid)
    heights = weighted_sum(means.runs, gaps) / means.total
    squares = weighted_sum(means.runs, (gaps - heights[..., None]) ** 2) + means.inside
    return (squares.ravel(), heights.ravel()) if flat else (squares, heights)


def _best(model: Model, means: Means, axes: list[Floats]) -> tuple[int, ...]:
    squares, _ = _squares(model, means, axes)
    first = np.flatnonzero(squares.ravel() <= squares.min() * (1 + FLAT))[0]
    return tuple(int(i) for i in np.unravel_index(first, squares.shape))


def _around(axes: list[Floats], kept: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[Floats]:
    """Refine each axis between the neighbours of the points that are kept."""
    found = []
    for i, axis in enumerate(axes):
        places = np.flatnonzero(kept.any(axis=tuple(j for j in range(len(axes)) if j != i)))
        low, high = axis[max(places[0] - 1, 0)], axis[min(places[-1] + 1, axis.size - 1)]
        found.append(np.linspace(low, high, POINTS[len(axes)]))
    return found
