"""Intervals below a known limit: the log of what is missing to it.

Rates that crowd below the limit of a link have a tail to the slow side only: a mean of them has no symmetric noise, and
its t interval covers 88 % at three runs. What is missing to the limit is positive and spreads by factors, so that its
logs are near normal. The interval is that of their mean, taken back: it speaks of the limit less the geometric mean of
what is missing, which is the typical run and lies above the arithmetic mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.elementary import exp, log
from storagelab.analysis.inference.intervals import CONFIDENCE, Floats, Interval, t_interval
from storagelab.errors import AnalysisError


def log_deficit_interval(values: ArrayLike, limit: float, confidence: float = CONFIDENCE) -> Interval:
    """Interval of the typical run below a limit: Student's t on the logs of what is missing.

    Claims its coverage for deficits that are lognormal or exponential.

    Parameters
    ----------
    values : array_like, shape (n,)
        Independent values, one a run, all below the limit.
    limit : float
        What no run can exceed, in the unit of the values; it must be known, not the highest run.
    confidence : float
        Nominal coverage.

    Returns
    -------
    tuple of float
        Lower and upper end, in the unit of the values; NaN for one value, and where all miss the same.

    Raises
    ------
    AnalysisError
        If a value reaches the limit.
    """
    low, high = t_interval(log_deficits(values, limit), confidence)
    return float(limit - exp(high)), float(limit - exp(low))


def log_deficits(values: ArrayLike, limit: float) -> Floats:
    """Logs of what is missing to a limit.

    Raises
    ------
    AnalysisError
        If a value reaches the limit.
    """
    x = np.asarray(values, dtype=np.float64)
    if (x >= limit).any():
        raise AnalysisError(f"{int((x >= limit).sum())} of {x.size} runs reach the limit of {limit:g}: it is none")
    return np.asarray(log(limit - x))
