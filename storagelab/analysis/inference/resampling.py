"""Where runs are resampled, and where not: too few of them, or runs that differ by factors."""

from __future__ import annotations

from storagelab.analysis.inference.bca import FEWEST
from storagelab.analysis.inference.interval_guarantees import differ_by_factors
from storagelab.analysis.inference.intervals import Floats, spreadless

BY_FACTORS = "runs differ by factors"


def refusal(*samples: Floats, bounded: bool = False) -> str:
    """Why samples of runs are not resampled; empty where they may be.

    Parameters
    ----------
    *samples : array, each of shape (n,)
        Runs, a side each.
    bounded : bool
        Whether the values have bounds, as an index of fairness has: they may then differ by factors.
    """
    fewest = min(len(x) for x in samples)
    if fewest < FEWEST:
        return f"{fewest} run{'s' * (fewest != 1)}: bootstrap needs {FEWEST}, the runs themselves are the answer"
    if any(map(spreadless, samples)):
        return "runs without any spread"
    return "" if bounded else by_factors(*samples)


def by_factors(*samples: Floats) -> str:
    """Say so where positive runs of a side differ by factors: a mean of few of them has no honest interval."""
    return BY_FACTORS if any(differ_by_factors(x) for x in samples) else ""
