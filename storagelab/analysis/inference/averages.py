"""The middle of one sample with its standard error and interval, in the four ways that measurements are averaged.

Source: R. Jain, "The art of computer systems performance analysis" (1991), chapter 12: costs (times, bytes) are
averaged arithmetically, rates of the same work harmonically, ratios and what spreads by factors geometrically; a median
speaks of the typical run. The three means are the mean on a scale on which values are near normal, taken back from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference import interval_guarantees
from storagelab.analysis.inference.bca import RESAMPLES, bca_interval
from storagelab.analysis.inference.interval_guarantees import Average, Method
from storagelab.analysis.inference.intervals import (
    Floats,
    Interval,
    harmonic_t_interval,
    log_t_interval,
    standard_error,
    t_interval,
)
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.inference.quantiles import quantile_interval
from storagelab.errors import AnalysisError

Mean = Literal["arithmetic", "geometric", "harmonic"]


@dataclass(frozen=True, slots=True)
class Averaged:
    """An average with its standard error and interval; NaN and a caveat where there is none."""

    value: float
    error: float
    interval: Interval
    caveat: str


def averaged(
    values: ArrayLike,
    average: Average = "arithmetic",
    method: Method = "t",
    rng: np.random.Generator | None = None,
    *,
    resamples: int = RESAMPLES,
) -> Averaged:
    """Average values, one a run.

    Parameters
    ----------
    values : array_like, shape (n,)
        Independent values; positive for a geometric and a harmonic mean.
    average : {"arithmetic", "geometric", "harmonic", "median"}
        Which middle.
    method : {"t", "bca", "quantile"}
        Which interval: Student's t on the scale of the mean or a bootstrap for means, "quantile" for a median.
    rng : numpy.random.Generator, optional
        For "bca".
    resamples : int
        For "bca".

    Returns
    -------
    Averaged
        In the unit of the values. The standard error of a geometric and a harmonic mean is that of first order (the
        delta method): G s(ln x) / sqrt(n) and H^2 s(1/x) / sqrt(n). A median has none.

    Raises
    ------
    AnalysisError
        For an interval that is not one of that average, and for a bootstrap without random numbers.
    """
    x = np.asarray(values, dtype=np.float64)
    interval = _interval(x, average, method, rng, resamples)
    return Averaged(
        float(middle_of(x, average)), _error(x, average), interval, interval_guarantees.caveat(x, average, method)
    )


def middle_of(values: Floats, average: Average, axis: int = -1) -> Any:
    """Average of values along an axis."""
    if average == "median":
        return np.median(values, axis=axis)
    onto, back = SCALES[average]
    return back(onto(values).mean(axis=axis))


SCALES: Mapping[Mean, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "arithmetic": (np.positive, np.positive),
    "geometric": (log, exp),
    "harmonic": (np.reciprocal, np.reciprocal),
}
"""The scale on which values are averaged, and the way back from it."""

T_INTERVALS: Mapping[Mean, Callable[[ArrayLike], Interval]] = {
    "arithmetic": t_interval,
    "geometric": log_t_interval,
    "harmonic": harmonic_t_interval,
}

SLOPES: Mapping[Mean, Callable[[float], float]] = {
    "arithmetic": lambda mean: 1.0,
    "geometric": lambda mean: mean,
    "harmonic": lambda mean: mean**2,
}
"""By how much a mean changes with the mean on its scale."""


def _error(x: Floats, average: Average) -> float:
    if average == "median":
        return np.nan
    return SLOPES[average](float(middle_of(x, average))) * standard_error(SCALES[average][0](x))


def _interval(x: Floats, average: Average, method: Method, rng: np.random.Generator | None, resamples: int) -> Interval:
    if (average == "median") != (method == "quantile"):
        raise AnalysisError(f"an interval by {method!r} is none of the {average} average: 'quantile' is for a median")
    if average == "median":
        return quantile_interval(x)
    if method == "t":
        return T_INTERVALS[average](x)
    if rng is None:
        raise AnalysisError("a bootstrap needs a generator of random numbers")
    return bca_interval([x], lambda a, axis=-1: middle_of(a, average, axis), rng, resamples=resamples)
