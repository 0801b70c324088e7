"""The largest of several differences, each with its error.

Source: O. J. Dunn, "Multiple comparisons among means" (Journal of the American Statistical Association, 1961) for
intervals that hold all at once. A bootstrap of the maximum is no way out: where several levels are near the top, it
resamples around a maximum that is already too high, and covers far less than it says (docs/simulations.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from storagelab.analysis.inference.intervals import CONFIDENCE, Interval
from storagelab.analysis.inference.mean_differences import Difference
from storagelab.analysis.significant_digits import first_extreme


def largest(gaps: Sequence[Difference], confidence: float = CONFIDENCE) -> tuple[int, Interval]:
    """Find the largest of k differences, and an interval of it that makes up for its having been chosen.

    All k intervals at the level ``1 - (1 - confidence) / k`` hold together with the nominal confidence. Then the true
    difference at the place found lies in its own, and the largest true one above the lower end of that and below the
    highest of all upper ends: from the one to the other is an interval of both. It is wide where the errors are.

    Returns
    -------
    tuple of int and Interval
        Place of the largest; lower and upper end, NaN where any of the differences has no interval.
    """
    place = first_extreme([gap.value for gap in gaps], "highest")
    ends = np.array([gap.interval(1 - (1 - confidence) / len(gaps)) for gap in gaps])
    return place, (float(ends[place, 0]), float(ends[:, 1].max())) if np.isfinite(ends).all() else (np.nan, np.nan)
