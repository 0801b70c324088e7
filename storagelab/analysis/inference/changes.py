"""Changes of level along a curve or a series: how many, and where.

A curve of few points with repeats is fitted exactly (dynamic programming), and its changes are tested by permutation:
between two changes, all orders of the values of a repeat are equally likely. A long series is one run: its samples
resemble their neighbours, nothing is tested, and the number of changes is what a penalty allows.

Sources: J. Bai, P. Perron, "Estimating and testing linear models with multiple structural changes" (Econometrica 1998)
for testing l + 1 changes against l; K. J. Worsley, "Confidence regions and tests for a change-point" (Biometrika 1986)
for the set of positions that a test does not refuse; Y.-C. Yao, "Estimating the number of change-points via Schwarz'
criterion" (1988) for the penalty; S. Chakar, E. Lebarbier, C. Levy-Leduc, S. Robin, "A robust approach for estimating
change-points in the mean of an AR(1) process" (Bernoulli 2017) for the noise of a series; R. Killick, P. Fearnhead,
I. A. Eckley, "Optimal detection of changepoints" (JASA 2012) and C. Truong, L. Oudre, N. Vayatis, "Selective review of
offline change point detection methods" (2020) for PELT and `ruptures`, which finds the optimum.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from storagelab.analysis.inference.correction import ALPHA
from storagelab.analysis.inference.distance_from_middle import NORMAL
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.processor_independent import log
from storagelab.analysis.significant_digits import significant

DRAWS = 999
"""Orders that are drawn for a test; the smallest p is one over one more."""

MOST_ALIKE = 0.9
"""Correlation of neighbours beyond which a series is taken to step, not to vary slowly."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of a curve.

    Attributes
    ----------
    places : tuple of int
        First point of each new level.
    regions : tuple of (int, int)
        Of each change, the lowest and the highest place that a test does not refuse.
    p : tuple of float
        Of each number of changes from 1 on: p of one fewer. The last is that of the change that was not found, unless
        no more were looked for.
    """

    places: tuple[int, ...]
    regions: tuple[tuple[int, int], ...]
    p: tuple[float, ...]


def changes(curves: Floats, most: int, rng: np.random.Generator, draws: int = DRAWS) -> Changes:
    """Find the changes of level that repeated curves share.

    From none on, one more change is accepted while a permutation test at 5 % refuses that there is none between those
    already there; the positions are then those of least squares of the mean curve. Claims its level for values that are
    independent inside a repeat and equally distributed between two changes, whatever their distribution, and whatever
    a repeat does to all of its values. A curve that slopes breaks that: it is cut into steps.

    Parameters
    ----------
    curves : ndarray, shape (repeats, points)
        Logs of rates, for changes by factors.
    most : int
        Number of changes beyond which none are looked for.
    rng : Generator
        Draws the orders.
    draws : int
        How many.
    """
    places: tuple[int, ...] = ()
    p: list[float] = []
    while len(places) < min(most, curves.shape[1] - 1):
        p.append(_p_of_another(curves, places, rng, draws))
        if p[-1] > ALPHA:
            break
        places = _best_places(curves.mean(axis=0), len(places) + 1)
    edges = (0, *places, curves.shape[1])
    regions = tuple(
        _region(curves[:, before:after], place - before, rng, draws, before)
        for before, place, after in zip(edges, places, edges[2:], strict=False)
    )
    return Changes(places, regions, tuple(p))


def _best_places(curve: Floats, count: int) -> tuple[int, ...]:
    """Positions of least squares of a number of changes: Bellman's optimum, by `ruptures`."""
    model = _ruptures().Dynp(model="l2", min_size=1, jump=1).fit(significant(curve, 10).reshape(-1, 1))
    return tuple(int(place) for place in model.predict(n_bkps=count)[:-1])


def _ruptures() -> Any:
    """Load `ruptures`, which costs more than a second, where it is needed."""
    return importlib.import_module("ruptures")


def _gains(means: Floats) -> Floats:
    """Squares that a change before each point but the first would explain: shape (..., points - 1)."""
    k = means.shape[-1]
    left = np.cumsum(means, axis=-1)[..., :-1]
    total = means.sum(axis=-1, keepdims=True)
    before = np.arange(1, k)
    gains: Floats = (left - total * before / k) ** 2 * k / (before * (k - before))
    return gains


def _p_of_another(curves: Floats, places: Sequence[int], rng: np.random.Generator, draws: int) -> float:
    segments = [part for part in np.split(curves, places, axis=1) if part.shape[1] > 1]
    if not segments:
        return 1.0
    best = np.max([_gains(_drawn(part, rng, draws)).max(axis=-1) for part in segments], axis=0)
    return _p(best)


def _p(statistics: Floats) -> float:
    """Share of the statistics that are as large as the first, which is that of the data."""
    return float((statistics >= statistics[0] - 1e-9 * abs(statistics[0])).mean())


def _drawn(curves: Floats, rng: np.random.Generator, draws: int) -> Floats:
    """Mean curves: that of the data, and those of the values of each repeat in drawn orders."""
    orders = rng.permuted(np.broadcast_to(curves, (draws, *curves.shape)), axis=2)
    means: Floats = np.vstack([curves.mean(axis=0), orders.mean(axis=1)])
    return means


def _region(curves: Floats, found: int, rng: np.random.Generator, draws: int, offset: int) -> tuple[int, int]:
    """Lowest and highest place of the one change of these curves that a permutation test does not refuse."""
    places = range(1, curves.shape[1])
    kept = [place for place in places if place == found or p_of_place(curves, place, rng, draws) > ALPHA]
    return kept[0] + offset, kept[-1] + offset


def p_of_place(curves: Floats, place: int, rng: np.random.Generator, draws: int = DRAWS) -> float:
    """P of another place explaining so much more than this one, where the one change of all curves is at this one."""
    parts = np.split(curves, [place], axis=1)
    gains = _gains(np.hstack([_drawn(part, rng, draws) for part in parts]))
    return _p(gains.max(axis=-1) - gains[:, place - 1])


def segments(values: Floats, penalty: float = 1.0) -> tuple[int, ...]:
    """Cut a long series where its level changes; PELT finds the optimum of the squares and a penalty a change.

    The penalty a change is Schwarz's for a Gaussian mean and its place, ``2 s^2 ln n``, with the variance s^2 of the
    noise over long times: that of an autoregressive process, ``s_0^2 (1 + r) / (1 - r)``. Its correlation r of
    neighbours and variance s_0^2 come from the medians of differences at distance 1 and 2, which steps do not move.
    Claims no level: in a series without a change it finds one the more often, the more slowly its noise varies.

    Parameters
    ----------
    values : ndarray, shape (n,)
        At equal distances.
    penalty : float
        Times the penalty: above 1 finds fewer changes.

    Returns
    -------
    tuple of int
        First value of each new level.
    """
    noise = long_noise(values)[0] if values.size > 3 else 0.0
    if noise == 0:
        return ()
    model = _ruptures().KernelCPD(kernel="linear", min_size=2).fit(significant(values, 10).reshape(-1, 1))
    return tuple(int(place) for place in model.predict(pen=2 * penalty * noise * log(values.size))[:-1])


def long_noise(values: Floats) -> tuple[float, float]:
    """Variance of the noise over long times, and the correlation of neighbours; of a series that seldom moves, 0."""
    near, far = (np.median(np.abs(values[step:] - values[:-step])) for step in (1, 2))
    if near == 0:
        return float(np.mean(np.diff(values) ** 2) / 2), 0.0
    r = float(min(max((far / near) ** 2 - 1, 0.0), MOST_ALIKE))
    return float((near / NORMAL) ** 2 / (2 * (1 - r)) * (1 + r) / (1 - r)), r
