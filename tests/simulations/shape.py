"""The noise of this field: what flags a cap, modes, stalls, what holds on them; spread that cells lend each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np

from storagelab.analysis.inference.bounded_intervals import log_deficits, typical_below
from storagelab.analysis.inference.correction import ALPHA, holm
from storagelab.analysis.inference.intervals import t_interval
from storagelab.analysis.inference.mean_differences import Difference, Side
from storagelab.analysis.inference.moderation import moderated
from storagelab.analysis.inference.noise_shape import shape_of
from storagelab.analysis.inference.quantile_comparison import quantile_ratio, shift_function
from tests.simulations.model import RUNS, Floats, Simulation, covers, lognormal

SPREAD = 0.05
CELLS = 20
TABLE = 60
SHARE, STALL = 0.05, 0.2
SLOW_SHARE, SLOW = 0.2, 0.5
SLOWDOWN = float(np.log(0.9))
TABLES = 300

Draw = Callable[[np.random.Generator, tuple[int, ...]], Floats]


def clean(rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
    """Noise as means like it."""
    return rng.normal(1, SPREAD, size)


def capped(rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
    """Runs that crowd below a limit of 1 and lack 5 % of it on average."""
    return 1 - rng.exponential(SPREAD, size)


def modes(rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
    """Four runs of five are fast, the fifth takes twice the time."""
    return clean(rng, size) * np.where(rng.random(size) < SLOW_SHARE, SLOW, 1)


def stalls(rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
    """One run of twenty stalls to a fifth of its rate."""
    return clean(rng, size) * np.where(rng.random(size) < SHARE, STALL, 1)


def by_factors(rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
    """Runs that differ by factors."""
    return lognormal(rng, int(np.prod(size))).reshape(size)


NOISES: Mapping[str, tuple[Draw, float]] = {
    "normal": (clean, 1.0),
    "left skew under a cap": (capped, 1 - SPREAD),
    "two modes, 80 to 20": (modes, 1 - SLOW_SHARE * (1 - SLOW)),
    "stalls of one run in twenty": (stalls, 1 - SHARE * (1 - STALL)),
}
"""Each with its mean."""


def flagged(noise: str, n: int, cells: int) -> Simulation:
    """The t interval of one cell of a table, unless the runs of all its cells together show that it may not cover."""
    draw, truth = NOISES[noise]

    def trial(rng: np.random.Generator) -> float:
        x = draw(rng, (cells, n))
        seen = shape_of(list(x / x.mean(axis=1, keepdims=True)))
        return np.nan if seen.caveat else covers(t_interval(x[0]), truth)

    method = f"mean, t interval; flagged by the shape of {cells} cell{'s' * (cells > 1)}"
    return Simulation(method, "coverage", noise, n, noise == "normal", trial)


def deficit(n: int) -> Simulation:
    """Limit less the geometric mean of what is missing, whose log is that of the mean less Euler's constant."""
    truth = 1 - SPREAD * float(np.exp(-np.euler_gamma))
    return Simulation(
        "limit less what is missing, t interval of the log", "coverage", "left skew under a cap", n, True,
        lambda rng: covers(typical_below(1.0, Side(log_deficits(capped(rng, (n,)), 1.0)))[1], truth),
    )  # fmt: skip


@cache
def median(noise: str) -> float:
    """Median of a noise."""
    return {
        "left skew under a cap": 1 - SPREAD * float(np.log(2)),
        "two modes, 80 to 20": float(np.median(modes(np.random.default_rng(1), (2_000_001,)))),
        "stalls of one run in twenty": float(np.median(stalls(np.random.default_rng(1), (2_000_001,)))),
    }.get(noise, 1.0)


def medians(noise: str, n: int) -> Simulation:
    """Of one side against a clean one."""
    return Simulation(
        "ratio of medians to a side of normal noise, interval by ranks", "coverage", noise, n, True,
        lambda rng: covers(quantile_ratio(NOISES[noise][0](rng, (n,)), clean(rng, (n,))), median(noise)),
    )  # fmt: skip


def shift(noise: str, draw: Draw, n: int) -> Simulation:
    """Whether all nine intervals hold."""

    def trial(rng: np.random.Generator) -> float:
        found = shift_function(draw(rng, (n,)), draw(rng, (n,)), rng)
        return float(((found.low <= 1) & (found.high >= 1)).all())

    return Simulation("shift function, nine deciles together", "coverage", noise, n, True, trial, 1000)


def alike(rng: np.random.Generator) -> Floats:
    """Cells that spread by 5 %."""
    return np.full(TABLE, SPREAD)


def scattered(rng: np.random.Generator) -> Floats:
    """Cells whose spreads scatter, from about 3 to 9 %."""
    return SPREAD * np.sqrt(6 / rng.chisquare(6, TABLE))


def some_noisier(rng: np.random.Generator) -> Floats:
    """One cell in ten spreads by 15 %."""
    return np.where(np.arange(TABLE) % 10, SPREAD, 3 * SPREAD)


SPREADS: Mapping[str, Callable[[np.random.Generator], Floats]] = {
    "60 cells alike": alike,
    "60 cells whose spreads scatter": scattered,
    "60 cells, one in ten three times as noisy": some_noisier,
}


def gaps(rng: np.random.Generator, spreads: Floats, n: int, *, lent: bool) -> list[Difference]:
    """Differences of two sides of n runs in each cell, by the spread of the cell, or the one lent by all."""
    sides = rng.normal(0, spreads[:, None, None], (TABLE, 2, n))
    variances, freedom = sides.var(axis=2, ddof=1).mean(axis=1), np.full(TABLE, 2.0 * (n - 1))
    if lent:
        variances, freedom, _ = moderated(variances, freedom)
    values = sides.mean(axis=2)
    both = zip(values[:, 0] - values[:, 1], np.sqrt(2 * variances / n), freedom, strict=True)
    return [Difference(float(value), float(error), float(d)) for value, error, d in both]


def _of_tables(lent: bool, noise: str, n: int) -> list[Simulation]:
    how = "moderated t" if lent else "t by the spread of each cell"
    spreads = SPREADS[noise]
    honest = not noise.endswith("noisy")

    def coverage(rng: np.random.Generator) -> float:
        return float(np.mean([covers(gap.interval(), 0.0) for gap in gaps(rng, spreads(rng), n, lent=lent)]))

    def family(rng: np.random.Generator) -> float:
        return float((holm([gap.p() for gap in gaps(rng, spreads(rng), n, lent=lent)]) <= ALPHA).any())

    def power(rng: np.random.Generator) -> float:
        found = gaps(rng, spreads(rng), n, lent=lent)
        moved = [Difference(gap.value + SLOWDOWN, gap.error, gap.freedom).p() for gap in found]
        return float((holm(moved) <= ALPHA).mean())

    return [
        Simulation(f"{how}, interval of a cell", "coverage", noise, n, True, coverage, TABLES),
        Simulation(f"{how}, any of the table by Holm", "size", noise, n, not lent or honest, family),
        Simulation(f"{how}, a slowdown of 10 % in each cell by Holm", "power", noise, n, True, power, TABLES),
    ]


def largest(spread: float) -> Simulation:
    """How far the largest of 30 effects with unlike errors lies above what it is in truth."""

    def trial(rng: np.random.Generator) -> float:
        truth, errors = rng.normal(0.03, spread, 30), rng.uniform(0.02, 0.06, 30)
        found = rng.normal(truth, errors)
        place = int(np.argmax(found))
        return float(np.exp(found[place] - truth[place])) - 1

    noise = f"30 effects that differ by {100 * spread:g} %"
    return Simulation("largest of the effects as found", "bias", noise, 1, True, trial)


STUDIES: list[Simulation] = [
    *[flagged(noise, n, cells) for cells in (1, CELLS) for noise in NOISES for n in RUNS],
    *[deficit(n) for n in RUNS],
    *[medians(noise, n) for noise in NOISES for n in (6, 10, 30)],
    *[
        shift(noise, draw, n)
        for noise, draw in (("normal", clean), ("lognormal", by_factors), ("stalls of one run in twenty", stalls))
        for n in (30, 50)
    ],
    *[one for noise in SPREADS for n in (3, 5) for lent in (False, True) for one in _of_tables(lent, noise, n)],
    *[largest(spread) for spread in (0.0, 0.02, 0.1)],
]
