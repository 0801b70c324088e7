"""Many comparisons at once of sides that spread unlike each other: how often any of a table of equals is told apart."""

from __future__ import annotations

from functools import partial

import numpy as np

from storagelab.analysis.inference.correction import sidak
from storagelab.analysis.inference.mean_differences import welch
from tests.simulations.model import Simulation, normal

SPREAD = 0.01
CELLS = (10, 60)
TIMES = (1, 5, 10)
TABLES = {10: 2000, 60: 300}


def any_told_apart(rng: np.random.Generator, n: int, cells: int, times: int) -> float:
    """Whether Welch's test tells the sides of any cell of a table apart, at the level at which `compare` holds it."""
    level = float(sidak(cells))
    return float(any(welch(normal(rng, n, SPREAD), normal(rng, n, times * SPREAD)).p() <= level for _ in range(cells)))


STUDIES: list[Simulation] = [
    Simulation(
        f"any of {cells} equal cells told apart", "size", f"one side spreads {times} times as much", n,
        times == 1, partial(any_told_apart, n=n, cells=cells, times=times), campaigns=TABLES[cells],
    )
    for cells in CELLS
    for times in TIMES
    for n in (3, 5, 10)
]  # fmt: skip
