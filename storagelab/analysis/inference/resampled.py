"""Bootstrap intervals over runs, from ten runs on: below that the runs themselves are the answer.

Sources: B. Efron, "Better bootstrap confidence intervals" (JASA 1987) for BCa; T. C. Hesterberg, "What teachers should
know about the bootstrap" (The American Statistician 2015), section 4, for levels expanded to those of Student's t.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import stats

from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Floats, Interval

FEWEST = 10
"""Runs a side below which nothing is resampled."""

RESAMPLES = 2000
FACTORS = 3.0
"""Highest over lowest run from which runs differ by factors: resampling then sees too little of the tail."""

Statistic = Callable[..., Any]


def bca(
    samples: Sequence[Floats],
    statistic: Statistic,
    rng: np.random.Generator,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
) -> Interval:
    """BCa interval of a statistic of one or two independent samples, at a level expanded for few runs.

    Resampling n runs underestimates their spread by sqrt((n - 1) / n) and takes the normal for Student's t; the level
    is raised so that the interval of a mean of normal data would be that of t. Without this, ten runs cover 88 to 91 %.

    Parameters
    ----------
    samples : sequence of array, each of shape (n,)
        Runs, a side each.
    statistic : callable
        Of as many arrays, with a keyword ``axis``.
    rng : Generator
        See `storagelab.analysis.inference.seeds`.

    Returns
    -------
    tuple of float
        In the unit of the statistic; NaN where `refusal` says why. It does not claim its coverage for a statistic that
        has no bounds, where runs differ by factors: see `differ_by_factors`.
    """
    if refusal(*samples):
        return NO_INTERVAL
    level = expanded(min(len(x) for x in samples), confidence)
    found = stats.bootstrap(
        tuple(samples), statistic, vectorized=True, method="BCa", n_resamples=resamples, confidence_level=level,
        random_state=rng,
    ).confidence_interval  # fmt: skip
    return float(found.low), float(found.high)


def expanded(n: int, confidence: float) -> float:
    """Level at which the bootstrap of a mean of n normal values is as wide as Student's t."""
    quantile = float(stats.t.ppf((1 + confidence) / 2, n - 1))
    return float(1 - 2 * stats.norm.sf(np.sqrt(n / (n - 1)) * quantile))


def refusal(*samples: Floats) -> str:
    """Why samples are not resampled; empty where they may be."""
    fewest = min(len(x) for x in samples)
    if fewest < FEWEST:
        return f"{runs(fewest)}: bootstrap needs {FEWEST}, the runs themselves are the answer"
    if any(np.ptp(x) == 0 for x in samples):
        return "runs without any spread"
    return ""


def differ_by_factors(*samples: Floats) -> str:
    """Say so where runs of a side differ by factors, so that what is not bounded is not resampled; else empty."""
    return "runs differ by factors" if any(x.max() > FACTORS * x.min() for x in samples) else ""


def runs(n: int) -> str:
    """Count runs in words."""
    return f"{n} run" if n == 1 else f"{n} runs"
