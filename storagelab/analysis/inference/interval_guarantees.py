"""What each interval claims, and where values are seen not to be of the kind that it claims.

An interval of a mean on the linear scale claims its 95 % for noise that is near normal. By simulation
(docs/simulations.md) it covers 93 % or more of lognormal runs while the standard deviation of their log is 0.3, and no
longer at 0.4. Runs of which more than 0.4 is *found* (the typical run is a factor 1.5 off) are flagged; as these are
the ones with wide intervals, what is left is claimed up to a true 0.2. What few runs cannot show is not claimed: of two
modes, 3 runs lie in one a quarter of the time, close together.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.bca import FEWEST
from storagelab.analysis.inference.intervals import Floats, harmonic_t_interval, spreadless
from storagelab.analysis.inference.processor_independent import log
from storagelab.analysis.inference.quantiles import values_needed

Average = Literal["arithmetic", "geometric", "harmonic", "median"]
Method = Literal["t", "bca", "quantile"]

FACTORS = 0.4
"""Standard deviation of the logs above which values differ by factors."""

BY_FACTORS = "values differ by factors: use scale='log'"
BY_FACTORS_AND_ZERO = "values differ by factors, some are 0: no interval of the mean claims them"


def caveat(values: ArrayLike, average: Average = "arithmetic", method: Method = "t") -> str:
    """Say why the interval of an average may not cover what it says, or why there is none; "" where it claims to.

    Parameters
    ----------
    values : array_like, shape (n,)
        What is averaged, one a run.
    average : {"arithmetic", "geometric", "harmonic", "median"}
        Which middle.
    method : {"t", "bca", "quantile"}
        Which interval.

    Returns
    -------
    str
        A few words.
    """
    x = np.asarray(values, dtype=np.float64)
    missing = _missing(x, average, method)
    if missing or average in ("median", "geometric") or not differ_by_factors(x):
        return missing
    return BY_FACTORS if np.abs(x).min() > 0 else BY_FACTORS_AND_ZERO


def _missing(x: Floats, average: Average, method: Method) -> str:
    """Why there is no interval."""
    if x.size < 2:
        return "one value: no interval"
    if spreadless(x):
        return "values without spread: no interval"
    if average == "median":
        needed = values_needed()
        return f"{x.size} values: an interval of a median needs {needed}" if x.size < needed else ""
    if method == "bca":
        return f"{x.size} values: a bootstrap needs {FEWEST}" if x.size < FEWEST else ""
    if average == "harmonic" and np.isnan(harmonic_t_interval(x)[0]):
        return "values spread too far: a harmonic mean has no upper end"
    return ""


def differ_by_factors(values: ArrayLike) -> bool:
    """Whether the standard deviation of the logs is above 0.4; some 0 among others is infinitely far from them.

    Values of both signs have no logs, and are not judged.
    """
    x = np.asarray(values, dtype=np.float64)
    if x.size < 2 or spreadless(x) or x.min() < 0 < x.max():
        return False
    size = np.abs(x)
    return bool(size.min() == 0 or log(size).std(ddof=1) > FACTORS)
