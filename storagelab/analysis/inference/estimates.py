"""Two values with their standard errors against each other: compatible or not, and their ratio.

An estimate is a mean of runs, or a value that a paper prints with its error. First-order propagation of the errors to
the ratio: ``e_r = r sqrt((e_a / a)^2 + (e_b / b)^2)``, which is the error of its log times the ratio.

Sources: E. C. Fieller, "Some problems in interval estimation" (Journal of the Royal Statistical Society B, 1954);
F. E. Satterthwaite, "An approximate distribution of estimates of variance components" (Biometrics Bulletin, 1946);
JCGM 100, "Guide to the expression of uncertainty in measurement" (2008), section 5.1 for propagation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from storagelab.analysis.inference import quotients
from storagelab.analysis.inference.distributions import t_quantile
from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Interval
from storagelab.analysis.inference.mean_differences import Difference
from storagelab.analysis.inference.processor_independent import log


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its standard error, and how many runs stand behind both (NaN where nobody says).

    `degrees` are those of the error; NaN for n - 1.
    """

    value: float
    error: float
    n: float = np.nan
    degrees: float = np.nan

    @property
    def weight(self) -> float:
        """How many independent runs have so many degrees of freedom."""
        return self.n if np.isnan(self.degrees) else self.degrees + 1

    @property
    def relative(self) -> float:
        """The error over the value."""
        return self.error / abs(self.value) if self.value else np.nan


def gap(a: Estimate, b: Estimate) -> Difference:
    """Difference a - b. Its value over its error is z; with both n known its freedom is Welch's, otherwise infinite."""
    return _difference(a.value - b.value, (a.error, a.weight), (b.error, b.weight))


def log_gap(a: Estimate, b: Estimate) -> Difference:
    """Difference of the logs of a and b, by first-order propagation of their errors; of positive values only."""
    value = float(log(a.value / b.value)) if min(a.value, b.value) > 0 else np.nan
    return _difference(value, (a.relative, a.weight), (b.relative, b.weight))


def _difference(value: float, a: tuple[float, float], b: tuple[float, float]) -> Difference:
    return Difference(value, float(np.hypot(a[0], b[0])), freedom(a, b))


def freedom(*parts: tuple[float, float]) -> float:
    """Degrees of freedom of a sum of independent parts, each a standard error and its n (Satterthwaite).

    Infinite where an n is not known: the errors are then taken as exact. NaN where an n is 1, which has no error.
    """
    errors, sizes = np.array(parts, dtype=np.float64).T
    known = errors > 0
    if not known.any() or np.isnan(sizes[known]).any():
        return np.inf
    if (sizes[known] < 2).any():
        return np.nan
    below = errors[known] ** 4 / (sizes[known] - 1)
    return float((errors**2).sum() ** 2 / below.sum())


def propagated(a: Estimate, b: Estimate) -> Estimate:
    """Ratio a / b with its standard error, by first-order propagation; n is the smaller one."""
    ratio = a.value / b.value if b.value else np.nan
    return Estimate(ratio, abs(ratio) * float(np.hypot(a.relative, b.relative)), min(a.n, b.n))


def propagation_interval(a: Estimate, b: Estimate, confidence: float = CONFIDENCE) -> Interval:
    """Interval of a / b: Student's t times the propagated error either side.

    Claims its coverage where both means are near normal and the base is known to some per cent: the ratio of two such
    is then near normal too.
    """
    ratio = propagated(a, b)
    return Difference(ratio.value, ratio.error, freedom((a.relative, a.weight), (b.relative, b.weight))).interval(
        confidence
    )


def fieller(a: Estimate, b: Estimate, confidence: float = CONFIDENCE) -> Interval:
    """Interval of a / b by Fieller's theorem: all ratios r for which a t test does not tell ``a - r b`` from zero.

    Claims its coverage for means near normal, as `welch` does, whatever the error of the base. Where the base is not
    told from zero, that set has no ends: no interval. Degrees of freedom are Satterthwaite's at the ratio found.

    Returns
    -------
    tuple of float
        Lower and upper end; NaN where the set is open, or an error is missing.
    """
    ratio = propagated(a, b).value
    errors = np.array([a.error, b.error])
    if not (np.isfinite(errors).all() and errors.any() and np.isfinite(ratio)):
        return NO_INTERVAL
    t = t_quantile(confidence, freedom((a.error, a.weight), (abs(ratio) * b.error, b.weight)))
    return quotients.fieller(a.value, b.value, np.diag(errors**2), t)
