"""Intervals below a known limit: the log of what is missing to it.

Rates that crowd below the limit of a link have a tail to the slow side only: a mean of them has no symmetric noise, and
its t interval covers 88 % at three runs. What is missing to the limit is positive and spreads by factors, so that its
logs are near normal. The interval is that of their mean, taken back: it speaks of the limit less the geometric mean of
what is missing, which is the typical run and lies above the arithmetic mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.intervals import Floats, Interval
from storagelab.analysis.inference.mean_differences import Side, mean_of
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.errors import AnalysisError


def typical_below(limit: float, log_deficits: Side) -> tuple[float, Interval]:
    """Typical run below a limit, with its interval: Student's t on the logs of what is missing.

    Claims its coverage for deficits that are lognormal or exponential.

    Parameters
    ----------
    limit : float
        What no run can exceed, in the unit of the runs; it must be known, not the highest run.
    log_deficits : Side
        What `log_deficits` makes of the runs, and what these lack in independence.

    Returns
    -------
    tuple of float and tuple of float
        The value, and its lower and upper end, in the unit of the limit; the ends are NaN for one run, and where all
        miss the same.
    """
    mean = mean_of(log_deficits)
    low, high = mean.interval()
    return float(limit - exp(mean.value)), (float(limit - exp(high)), float(limit - exp(low)))


def log_deficits(values: ArrayLike, limit: float) -> Floats:
    """Logs of what is missing to a limit.

    Raises
    ------
    AnalysisError
        If a value reaches the limit, or there is none.
    """
    x = np.asarray(values, dtype=np.float64)
    if np.isinf(limit):
        raise AnalysisError("a limit of inf is none: nothing is missing to it")
    if (x >= limit).any():
        raise AnalysisError(f"{int((x >= limit).sum())} of {x.size} runs reach the limit of {limit:g}: it is none")
    return np.asarray(log(limit - x))
