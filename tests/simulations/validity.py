"""Checks of a campaign: drift, outliers, change points, robustness; and segments and messages of its monitors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from storagelab.analysis.inference.between_levels import spread_of_levels
from storagelab.analysis.inference.changes import changes, segments
from storagelab.analysis.inference.correction import ALPHA
from storagelab.analysis.inference.distance_from_middle import modified_z, p_furthest
from storagelab.analysis.inference.trend_tests import Trend, p_of_rounds, trend
from tests.simulations.model import NOISES, RUNS, Floats, Simulation, covers, finds, normal

Draw = Callable[[np.random.Generator, int], Floats]

SIZES, STEP = 10, 6
"""Points of a curve, and where its level changes."""

FEWER, DRAWS = 500, 199
"""Campaigns of what takes many permutations, and orders that are drawn in each test."""

STEPS = {"normal": 1.1, "lognormal": 5.0, "bimodal": 2.0}
"""Ratio of two levels that is not always found in this noise."""


def _trend(rng: np.random.Generator, draw: Draw, n: int, slope: float = 0.0) -> Trend:
    """Three runs stand for ten cells of three: one cell of three has no test."""
    order = np.arange(float(n))
    cells = [(order, np.log(draw(rng, n)) + slope * order) for _ in range(10 if n == 3 else 1)]
    return trend(cells, rng)


def _flagged_trend(rng: np.random.Generator, n: int) -> float:
    """Ten cells whose runs share as much as they differ by; flagged where the rounds are seen to differ."""
    values = np.log(normal(rng, 10 * n)).reshape(10, n) + rng.normal(0, 0.05, n)
    if p_of_rounds(values) <= ALPHA:
        return np.nan
    return finds(trend([(np.arange(float(n)), cell) for cell in values], rng).p)


def _trends() -> list[Simulation]:
    found = []
    for n in RUNS:
        name = "trend over time" + (", ten cells of 3 runs" if n == 3 else "")
        found += [
            Simulation(name, "size", noise, n, True, lambda rng, draw=draw, n=n: finds(_trend(rng, draw, n).p))
            for noise, draw in NOISES.items()
        ]
        found += [
            Simulation(
                f"{name}, median slope", "coverage", noise, n, True,
                lambda rng, draw=draw, n=n: covers(_trend(rng, draw, n, 0.02).interval, 0.02),
            )
            for noise, draw in NOISES.items()
        ]  # fmt: skip
        found += [
            Simulation(
                f"{name}, 10 % from first to last run", "power", "normal", n, True,
                lambda rng, n=n: finds(_trend(rng, normal, n, np.log(1.1) / (n - 1)).p),
            ),
        ]  # fmt: skip
    found.append(
        Simulation(
            "trend over time, ten cells of 3 runs", "size", "normal, and as much shared by a round", 3, False,
            lambda rng: _flagged_trend(rng, 3),
        )
    )  # fmt: skip
    return found


def _outlier(rng: np.random.Generator, draw: Draw, n: int, factor: float = 1.0) -> float:
    values = draw(rng, n)
    values[0] *= factor
    p = p_furthest(modified_z(np.log(values)), n)
    return finds(float(p[0] if factor != 1 else p.min()))


def _outliers() -> list[Simulation]:
    found = []
    for n in RUNS:
        found += [
            Simulation(
                "outlier by modified z", "size", noise, n, n > 3 and noise != "bimodal",
                lambda rng, draw=draw, n=n: _outlier(rng, draw, n),
            )
            for noise, draw in NOISES.items()
        ]  # fmt: skip
        found.append(
            Simulation(
                "outlier by modified z, one run 1.5 times as fast", "power", "normal", n, n > 3,
                lambda rng, n=n: _outlier(rng, normal, n, 1.5),
            )
        )  # fmt: skip
    return found


def _curves(rng: np.random.Generator, draw: Draw, n: int, ratio: float = 1.0) -> Floats:
    """Logs of curves that change their level by a ratio, each repeat with a level of its own."""
    noise = np.log(draw(rng, n * SIZES)).reshape(n, SIZES) + rng.normal(0, 0.1, (n, 1))
    return noise + np.where(np.arange(SIZES) >= STEP, np.log(ratio), 0.0)


def _change(
    rng: np.random.Generator, draw: Draw, n: int, ratio: float = 1.0, most: int = 1
) -> tuple[int, float, float]:
    """How many changes, by how much the place of a single one is off, and whether its region holds the truth."""
    found = changes(_curves(rng, draw, n, ratio), most, rng, DRAWS)
    if len(found.places) != 1:
        return len(found.places), np.nan, np.nan
    return 1, found.places[0] / STEP - 1, covers(found.regions[0], STEP)


def _change_points() -> list[Simulation]:
    found: list[Simulation] = []
    for n in (1, 3, 10):
        for noise, draw in NOISES.items():
            step = STEPS[noise]
            found += [
                Simulation(
                    "change point", "size", noise, n, True,
                    lambda rng, draw=draw, n=n: float(_change(rng, draw, n)[0] > 0), 1000,
                ),
                Simulation(
                    f"region of a change point, a step by {step:g}", "coverage", noise, n, True,
                    lambda rng, draw=draw, n=n, step=step: _change(rng, draw, n, step)[2], FEWER,
                ),
            ]  # fmt: skip
        found += [
            Simulation(
                "change point, a step by 1.1", "power", "normal", n, True,
                lambda rng, n=n: float(_change(rng, normal, n, 1.1)[0] > 0), FEWER,
            ),
            Simulation(
                "place of a change point, a step by 1.1", "bias", "normal", n, True,
                lambda rng, n=n: _change(rng, normal, n, 1.1)[1], FEWER,
            ),
            Simulation(
                "change point besides a step by 1.5", "size", "normal", n, True,
                lambda rng, n=n: float(_change(rng, normal, n, 1.5, 2)[0] > 1), FEWER,
            ),
        ]  # fmt: skip
    return found


def _levels(rng: np.random.Generator, draw: Draw, n: int, spread: float) -> tuple[float, float]:
    means = spread * np.array([-1.0, -1 / 3, 1 / 3, 1.0]) / np.std([-1.0, -1 / 3, 1 / 3, 1.0], ddof=1)
    found = spread_of_levels([np.log(draw(rng, n)) + mean for mean in means])
    return covers(found.interval, spread), finds(found.p)


def _robust() -> list[Simulation]:
    found = []
    for n in RUNS:
        for noise, draw in NOISES.items():
            claims, spread = noise != "bimodal", 1.0 if noise == "lognormal" else 0.05
            found += [
                Simulation(
                    "variation over 4 levels that are equal", "size", noise, n, claims,
                    lambda rng, draw=draw, n=n: _levels(rng, draw, n, 0.0)[1], 1000,
                ),
                Simulation(
                    f"variation over 4 levels, {spread:g} on the log", "coverage", noise, n, claims,
                    lambda rng, draw=draw, n=n, spread=spread: _levels(rng, draw, n, spread)[0], 1000,
                ),
            ]  # fmt: skip
    return found


def _series(rng: np.random.Generator, n: int, alike: float, height: float = 0.0) -> tuple[int, ...]:
    """A test between two rests, in noise of which each value keeps a part of the one before."""
    noise = rng.normal(size=n)
    for place in range(1, n):
        noise[place] += alike * noise[place - 1]
    test = (np.arange(n) >= n // 3) & (np.arange(n) < 2 * n // 3)
    return segments(noise + height * test)


def _segments() -> list[Simulation]:
    found = []
    for alike, noise in ((0.0, "independent samples"), (0.5, "neighbours alike (r = 0.5)")):
        for n in (60, 300):
            found += [
                Simulation(
                    f"segments of a series of {n} samples without a change", "size", noise, 1, False,
                    lambda rng, n=n, alike=alike: float(len(_series(rng, n, alike)) > 0), FEWER,
                ),
                Simulation(
                    f"segments of a series of {n} samples: both ends of a test to 2 samples", "power", noise, 1, True,
                    lambda rng, n=n, alike=alike: _ends_found(_series(rng, n, alike, 10.0), n), FEWER,
                ),
            ]  # fmt: skip
    return found


def _ends_found(places: tuple[int, ...], n: int) -> float:
    return float(len(places) == 2 and abs(places[0] - n // 3) <= 2 and abs(places[1] - 2 * n // 3) <= 2)


def _messages(rng: np.random.Generator, n: int, burst: int) -> float:
    from statsmodels.stats.proportion import proportion_confint

    plain = burst * rng.binomial(n // burst, 0.3)
    return covers(proportion_confint(plain, n, method="wilson"), 0.3)


def _shares() -> list[Simulation]:
    return [
        Simulation(
            "Wilson's interval of a share of 0.3 of messages", "coverage", noise, n, burst == 1,
            lambda rng, n=n, burst=burst: _messages(rng, n, burst),
        )
        for burst, noise in ((1, "each by itself"), (5, "bursts of 5"))
        for n in (20, 50, 200)
    ]  # fmt: skip


STUDIES: list[Simulation] = [
    *_trends(), *_outliers(), *_change_points(), *_robust(), *_segments(), *_shares(),
]  # fmt: skip
