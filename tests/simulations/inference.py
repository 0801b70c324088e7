"""The numerical core: t intervals, Welch's and the paired test, equivalence."""

from __future__ import annotations

import numpy as np

from storagelab.analysis.inference.differences import paired, welch
from storagelab.analysis.inference.intervals import log_t_interval, t_interval
from tests.simulations.model import NOISES, RUNS, SKEW, Simulation, covers, finds, lognormal, normal

MEANS = {"normal": 1.0, "lognormal": float(np.exp(SKEW**2 / 2)), "bimodal": 1.0}
MARGIN = float(np.log(1.1))


def _t_intervals() -> list[Simulation]:
    return [
        Simulation(
            "t interval of a mean", "coverage", noise, n, noise == "normal",
            lambda rng, draw=draw, n=n, truth=MEANS[noise]: covers(t_interval(draw(rng, n)), truth),
        )
        for noise, draw in NOISES.items()
        for n in RUNS
    ]  # fmt: skip


def _log_t_intervals() -> list[Simulation]:
    return [
        Simulation(
            "t interval of a geometric mean", "coverage", "lognormal", n, True,
            lambda rng, n=n: covers(log_t_interval(lognormal(rng, n)), 1.0),
        )
        for n in RUNS
    ]  # fmt: skip


def _tests() -> list[Simulation]:
    found = []
    for n in RUNS:
        found += [
            Simulation(
                "Welch's test", "size", "normal", n, True,
                lambda rng, n=n: finds(welch(normal(rng, n), normal(rng, n, 0.1)).p()),
            ),
            Simulation(
                "Welch's test of a difference of 10 %", "power", "normal", n, True,
                lambda rng, n=n: finds(welch(normal(rng, n) * 1.1, normal(rng, n)).p()),
            ),
            Simulation(
                "paired test", "size", "normal", n, True,
                lambda rng, n=n: finds(paired(normal(rng, n), normal(rng, n)).p()),
            ),
            Simulation(
                "equivalence within 10 % (TOST) at a true difference of 10 %", "size", "normal", n, True,
                lambda rng, n=n: finds(
                    welch(np.log(normal(rng, n)) + MARGIN, np.log(normal(rng, n))).p_outside(-MARGIN, MARGIN)
                ),
            ),
        ]  # fmt: skip
    return found


STUDIES: list[Simulation] = [*_t_intervals(), *_log_t_intervals(), *_tests()]
