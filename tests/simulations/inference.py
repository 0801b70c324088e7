"""The numerical core: Welch's and the paired test, equivalence."""

from __future__ import annotations

import numpy as np

from storagelab.analysis.inference.mean_differences import paired, welch
from tests.simulations.model import RUNS, Simulation, finds, normal

MARGIN = float(np.log(1.1))


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


STUDIES: list[Simulation] = _tests()
