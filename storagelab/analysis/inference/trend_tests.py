"""A trend over an order, from the pairs of values that were taken under the same conditions.

Kendall's score S counts the pairs that rise, less those that fall; only pairs inside a cell count, so that what one
cell differs from another by is no trend. Without a trend all orders inside a cell are equally likely, which gives the
exact distribution of S: its number of inversions is a sum of independent uniform ones. The median of the slopes of
the pairs is the size of the trend, and the slopes that the test does not refuse are its interval.

Sources: M. G. Kendall, "A new measure of rank correlation" (Biometrika 1938); H. B. Mann, "Nonparametric tests against
trend" (Econometrica 1945); P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau" (JASA 1968);
R. M. Hirsch, J. R. Slack, R. A. Smith, "Techniques of trend analysis for monthly water quality data" (Water Resources
Research 1982) for the sum over cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from storagelab.analysis.inference.distributions import f_above
from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Floats, Interval
from storagelab.analysis.inference.mean_differences import within_blocks
from storagelab.analysis.significant_digits import significant

Sample = tuple[Floats, Floats]
"""Order and value of the runs of one cell."""

DRAWS = 9999
"""Orders that are drawn where values are tied, so that the exact distribution does not hold."""


@dataclass(frozen=True, slots=True)
class Trend:
    """What the pairs say: Kendall's tau, slope a unit of the order with its interval, and p of no trend."""

    tau: float
    slope: float
    interval: Interval
    p: float


NO_TREND = Trend(np.nan, np.nan, NO_INTERVAL, np.nan)


def trend(cells: Sequence[Sample], rng: np.random.Generator, confidence: float = CONFIDENCE) -> Trend:
    """Kendall's test of a trend that all cells share, with the median slope.

    Claims its level for independent runs of any distribution, which need not be the same in all cells. What makes runs
    that follow each other alike (a block of the campaign, a slow change of the machine) is a trend to it.

    Parameters
    ----------
    cells : sequence of (order, values)
        Of each cell, arrays of one length. Cells with one run, or one order, say nothing.
    rng : Generator
        Draws the orders where values are tied.
    confidence : float
        Nominal coverage of the interval of the slope. It is wider than that where there are few pairs, and NaN where
        they are too few for it.

    Returns
    -------
    Trend
        NaN where there is no pair.
    """
    cells = [(order, significant(values)) for order, values in cells]
    steps = [_pairs(*cell) for cell in cells]
    slopes = np.sort(np.concatenate([rise / run for rise, run in steps])) if steps else np.empty(0)
    if not slopes.size:
        return NO_TREND
    score = float(sum(np.sign(rise).sum() for rise, _ in steps))
    scores, chances = _exact(cells) if _all_differ(cells) else _drawn(cells, rng)
    p = float(min(1.0, chances[np.abs(scores) >= abs(score) - 1e-9].sum()))
    interval = _slopes_not_refused(slopes, scores, chances, confidence)
    return Trend(score / slopes.size, float(np.median(slopes)), interval, p)


def p_of_rounds(values: Floats) -> float:
    """P of no difference between rounds beyond what noise makes of their means: two-way analysis of variance.

    Parameters
    ----------
    values : ndarray, shape (cells, rounds)
        The level of each cell drops out. NaN for fewer than two cells or rounds, and without noise.
    """
    noise, freedom = within_blocks(list(values))
    if not np.isfinite(noise):
        return np.nan
    between = float(values.mean(axis=0).var(ddof=1)) * len(values)
    return f_above(between / noise, values.shape[1] - 1, freedom)


def _pairs(order: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Rise and run of each pair, the later less the earlier; pairs of one order are none."""
    place = np.argsort(order, kind="stable")
    first, second = np.triu_indices(len(order), 1)
    run, rise = (x[place][second] - x[place][first] for x in (order, values))
    return rise[run > 0], run[run > 0]


def _all_differ(cells: Sequence[Sample]) -> bool:
    return all(np.unique(x).size == len(x) for cell in cells for x in cell)


def _exact(cells: Sequence[Sample]) -> tuple[Floats, Floats]:
    """Scores and their chances: each value that is added to n others makes 0 to n inversions, all equally likely."""
    chances, pairs = np.ones(1), 0
    for order, _ in cells:
        for others in range(1, len(order)):
            chances = _added(chances, others)
            pairs += others
    return np.arange(-pairs, pairs + 1, 2, dtype=np.float64), chances


def _added(chances: Floats, others: int) -> Floats:
    """Chances of a sum with one more number, which is 0 to `others`, all equally likely."""
    padded = np.concatenate([np.zeros(others), chances, np.zeros(others)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, others + 1)
    return np.asarray(windows.sum(axis=1) / (others + 1))


def _drawn(cells: Sequence[Sample], rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Scores of drawn orders, the one there is among them, so that p is never zero."""
    scores = np.zeros(DRAWS + 1, dtype=np.int32)
    for order, values in cells:
        ranks = np.unique(values, return_inverse=True)[1].astype(np.int32)
        drawn = np.vstack([ranks, rng.permuted(np.tile(ranks, (DRAWS, 1)), axis=1)]).T.copy()
        for first, second in combinations(range(len(order)), 2):
            if order[second] != order[first]:
                later, earlier = (second, first) if order[second] > order[first] else (first, second)
                scores += np.sign(drawn[later] - drawn[earlier])
    return scores.astype(np.float64), np.full(scores.size, 1 / scores.size)


def _slopes_not_refused(slopes: Floats, scores: Floats, chances: Floats, confidence: float) -> Interval:
    """Between which slopes the score of what is left, when a slope is taken out, is not in the tails."""
    sizes, place = np.unique(np.abs(scores), return_inverse=True)
    tails = np.cumsum(np.bincount(place, chances)[::-1])[::-1]
    refused = sizes[tails <= 1 - confidence + 1e-12]
    if not refused.size:
        return NO_INTERVAL
    outside = max(0, int((slopes.size - refused[0]) // 2))
    return float(slopes[outside]), float(slopes[slopes.size - 1 - outside])
