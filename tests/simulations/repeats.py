"""Repetitions of one point: averages, their intervals and what these do not claim, and the best of N."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_args

import numpy as np
from scipy import stats

from storagelab.analysis.inference.averages import averaged, middle_of
from storagelab.analysis.inference.bca import FEWEST
from storagelab.analysis.inference.extremes import expected_excess
from storagelab.analysis.inference.interval_guarantees import Average, Method
from storagelab.analysis.inference.intervals import t_interval
from storagelab.analysis.inference.quantiles import values_needed
from tests.simulations.model import NOISES, RUNS, SKEW, Floats, Simulation, covers, lognormal

Draw = Callable[[np.random.Generator, int], Floats]

SPREAD, GAP = 0.05, 0.5
"""Of the normal noise and each mode, and between the modes of the bimodal."""

SKEWS = (0.2, 0.3, 0.5, SKEW)
"""Standard deviations of the log, from runs that differ by a fifth to such that differ by factors."""

CLAIMED_SKEW = 0.2
CLIENTS = 10
RESAMPLES = 999

MODES: Mapping[str, tuple[float, ...]] = {"normal": (1.0,), "bimodal": (1 - GAP / 2, 1 + GAP / 2)}


def skewed(spread: float) -> str:
    """Name of the noise."""
    return "lognormal" if spread == SKEW else f"lognormal, sd of log {spread:g}"


DRAWS: Mapping[str, Draw] = {
    "normal": NOISES["normal"],
    **{skewed(spread): lambda rng, n, spread=spread: lognormal(rng, n, spread) for spread in SKEWS},
    "bimodal": NOISES["bimodal"],
}


@cache
def truth(average: Average, noise: str) -> float:
    """What an average of ever more runs comes to, by integration over the density of the noise."""
    if average == "median":
        return 1.0
    scales: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
        "arithmetic": (float, float),
        "geometric": (np.log, np.exp),
        "harmonic": (np.reciprocal, np.reciprocal),
    }
    onto, back = scales[average]
    if noise in MODES:
        parts = [_expected(stats.norm(mode, SPREAD), onto, mode) for mode in MODES[noise]]
        return float(back(float(np.mean(parts))))
    spread = next(one for one in SKEWS if skewed(one) == noise)
    return float(np.exp({"arithmetic": 1, "geometric": 0, "harmonic": -1}[average] * spread**2 / 2))


def _expected(density: Any, of: Callable[[float], Any], mode: float) -> float:
    return float(density.expect(of, lb=mode - 10 * SPREAD, ub=mode + 10 * SPREAD))


def interval(average: Average, method: Method, noise: str, n: int, claims: bool) -> Simulation:
    """Coverage of one interval, by what `summarise` reports; flagged or refused where it has a caveat."""
    expected, draw = truth(average, noise), DRAWS[noise]

    def trial(rng: np.random.Generator) -> float:
        found = averaged(draw(rng, n), average, method, rng, resamples=RESAMPLES)
        return np.nan if found.caveat else covers(found.interval, expected)

    return Simulation(f"{WORDS[average]}, {INTERVALS[method]}", "coverage", noise, n, claims, trial)


WORDS: Mapping[Average, str] = {
    "arithmetic": "mean",
    "geometric": "geometric mean",
    "harmonic": "harmonic mean",
    "median": "median",
}
INTERVALS: Mapping[Method, str] = {"t": "t interval", "bca": "BCa bootstrap", "quantile": "interval by ranks"}
NEAR_NORMAL = ("normal", skewed(CLAIMED_SKEW))


def _by_t() -> list[Simulation]:
    on_linear: tuple[Average, ...] = ("arithmetic", "harmonic")
    linear = [
        interval(average, "t", noise, n, noise in NEAR_NORMAL) for average in on_linear for noise in DRAWS for n in RUNS
    ]
    return linear + [interval("geometric", "t", noise, n, noise != "bimodal") for noise in NOISES for n in RUNS]


def _by_ranks() -> list[Simulation]:
    sizes = sorted({*RUNS, values_needed()})
    return [interval("median", "quantile", noise, n, n >= values_needed()) for noise in NOISES for n in sizes]


def _by_bootstrap() -> list[Simulation]:
    noises = ("normal", skewed(CLAIMED_SKEW), "lognormal", "bimodal")
    return [
        interval("arithmetic", "bca", noise, n, noise in NEAR_NORMAL and n >= FEWEST) for noise in noises for n in RUNS
    ]


def _over_clients() -> list[Simulation]:
    """Clients of a run share what the run does to all: 5 % of noise between runs, 5 % between clients of one."""

    def clients(rng: np.random.Generator, n: int) -> float:
        runs = rng.normal(1, SPREAD, (n, 1))
        return covers(t_interval(rng.normal(runs, SPREAD, (n, CLIENTS)).ravel()), 1.0)

    name = f"t interval over {CLIENTS} clients of each run as if they were runs (flagged by repetition_units)"
    return [Simulation(name, "coverage", "normal", n, False, lambda rng, n=n: clients(rng, n)) for n in RUNS]


def _bias(name: str, noise: str, n: int, of: Callable[[Floats], float], expected: float) -> Simulation:
    draw = DRAWS[noise]
    return Simulation(name, "bias", noise, n, False, lambda rng: of(draw(rng, n)) / expected - 1)


def _biases() -> list[Simulation]:
    averages: tuple[Average, ...] = get_args(Average)
    middles = [
        _bias(WORDS[average], noise, n, lambda x, average=average: float(middle_of(x, average)), truth(average, noise))
        for average in averages
        for noise in NOISES
        for n in RUNS
    ]
    best: dict[str, Callable[[Floats], float]] = {
        "best of n for the mean": lambda x: float(x.max()),
        "best of n less its expected excess, for the mean": lambda x: float(x.max()) - expected_excess(x),
    }
    return middles + [
        _bias(name, noise, n, of, truth("arithmetic", noise))
        for name, of in best.items()
        for noise in NOISES
        for n in RUNS
    ]


STUDIES: list[Simulation] = [*_by_t(), *_by_ranks(), *_by_bootstrap(), *_over_clients(), *_biases()]
