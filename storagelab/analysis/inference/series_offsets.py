"""Series that differ as wholes: the offset of each, and two configurations against the spread of their series.

Model, of logs: ``y = level + configuration + series + noise``. A series measures one configuration at several levels
(of a file size, say), and whatever goes on beside it shifts all of it. Then the runs of a series are no independent
evidence on its configuration: the series is the unit, and the spread between series of one configuration is the error
of the comparison. With the few series of a campaign this is tested by t on their offsets, which come from a two-way
least squares fit with fixed effects; intervals of a mixed model take the spread of a handful of series as exact.

Source: R. A. Fisher, "The design of experiments" (1935), on the split-plot design, whose whole plots the series are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from storagelab.analysis.inference.distributions import f_above
from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Floats, Interval
from storagelab.analysis.inference.least_squares import Fit, indicators, least_squares
from storagelab.analysis.inference.mean_differences import Difference, pooled, within
from storagelab.errors import AnalysisError

Codes = NDArray[np.intp]


def fit(y: ArrayLike, level: ArrayLike, group: ArrayLike) -> Fit:
    """Fit ``y = level + group + noise`` by least squares.

    Parameters
    ----------
    y : array_like, shape (n,)
        Logs.
    level, group : array_like of int, shape (n,)
        Codes from 0.

    Returns
    -------
    Fit
        Its first parameters are the effects of the groups, at the first level.

    Raises
    ------
    AnalysisError
        If some groups share no level with the others, directly or through others.
    """
    found = least_squares(y, np.hstack([indicators(group), indicators(level)[:, 1:]]))
    if found is None:
        raise AnalysisError("some series have no level in common with the others: their offsets cannot be told")
    return found


def own_mean(configuration: Codes, place: int) -> Floats:
    """Weights that take the mean over the series of its own configuration from a series."""
    same = configuration == configuration[place]
    return np.asarray(np.eye(configuration.size)[place] - same / same.sum(), dtype=np.float64)


def between(effects: Floats, configuration: Codes, other: int, base: int) -> Difference:
    """Difference of two configurations, by the spread of series that is pooled over all configurations.

    Claims a spread of series that is alike in all configurations, and offsets near normal.
    """
    groups = [effects[configuration == one] for one in np.unique(configuration)]
    return pooled(effects[configuration == other], effects[configuration == base], *within(groups))


def p_of_series(series: Fit, configurations: Fit) -> float:
    """Return p of no offset of any series: the F test of the fit with series against that with configurations.

    NaN where nothing is left beside the series, or no configuration has two of them.
    """
    more = configurations.freedom - series.freedom
    if more <= 0:
        return np.nan
    return f_above((configurations.squares - series.squares) / more / series.noise, more, series.freedom)


def spread(groups: Sequence[ArrayLike], confidence: float = CONFIDENCE) -> tuple[float, Interval]:
    """Standard deviation within several samples, pooled, with its chi-squared interval; claims normal values."""
    from scipy import stats

    variance, freedom = within(groups)
    if not np.isfinite(variance):
        return np.nan, NO_INTERVAL
    quantiles = stats.chi2.ppf(np.array([1 + confidence, 1 - confidence]) / 2, freedom)
    low, high = np.sqrt(variance * freedom / quantiles)
    return float(np.sqrt(variance)), (float(low), float(high))
