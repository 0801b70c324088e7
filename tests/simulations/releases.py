"""Campaign after campaign: what `compare_campaigns` and `change_points` name where nothing changed, and where it did.

Six releases, or two campaigns, of two or six levels with four cells, five runs of each in rounds of all cells. Runs
resemble the ones before them in the order in which they were made, whatever their cell (AR(1)), or share half of their
variance with their round.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import xarray as xr

from storagelab.analysis import compare_campaigns
from storagelab.analysis.comparison.history import change_points
from tests.simulations.dependence import campaign, correlated
from tests.simulations.model import Simulation

Generator = np.random.Generator
Place = tuple[int, int, int]

SPREAD = 0.05
CELLS = 4
WEEK = 7 * 86400.0
START = 1.7e9
CAMPAIGNS = 100
RELEASES = 6
WORSE = {"slower", "faster", "differs in part"}

NOISES: dict[str, tuple[float, float, bool]] = {
    "independent": (0.0, 0.0, False),
    "AR(1) 0.6, in rounds": (0.6, 0.0, False),
    "rounds with ICC 0.5": (0.0, 0.5, False),
    "AR(1) 0.6, cell by cell": (0.6, 0.0, True),
}
"""Correlation of neighbours, share that a round has in common, and whether the runs of a cell are made in one go."""


def in_order(levels: int, runs: int, by_cell: bool) -> Iterator[Place]:
    """Level, cell and repeat of each run, in the order in which they are made."""
    if by_cell:
        return ((level, cell, run) for level in range(levels) for cell in range(CELLS) for run in range(runs))
    return ((level, cell, run) for run in range(runs) for level in range(levels) for cell in range(CELLS))


def measured(
    rng: Generator, noise: str, *, levels: int, runs: int, start: float = START, slower: float = 0.0
) -> xr.Dataset:
    """One campaign; its first level may be slower."""
    rho, of_round, by_cell = NOISES[noise]
    places = list(in_order(levels, runs, by_cell))
    own, shared = correlated(rng, len(places), rho), rng.standard_normal(runs)
    rows: list[dict[str, float | str]] = []
    for number, ((level, cell, run), value) in enumerate(zip(places, own.tolist(), strict=True)):
        error = np.sqrt(1 - of_round) * value + np.sqrt(of_round) * float(shared[run])
        log = SPREAD * float(error) + (np.log1p(-slower) if level == 0 else 0.0)
        rows.append(
            {
                "filesystem": f"f{level}", "clients": 2.0**cell, "repeat": run + 1.0, "run_id": f"{level}.{cell}.{run}",
                "start_time": start + number * 10.0, "throughput": 1e8 * float(np.exp(log)),
            }
        )  # fmt: skip
    return campaign(rows)


def _pair(rng: Generator, noise: str, n: int, slower: float = 0.0) -> float:
    """Whether a level is named: the slower one, or, without one, any that no caveat speaks against."""
    before = measured(rng, noise, levels=6, runs=n)
    after = measured(rng, noise, levels=6, runs=n, start=START + WEEK, slower=slower)
    levels = compare_campaigns(before, after, "throughput").levels
    if slower:
        return float(levels["verdict"].values[0] == "slower")
    return float((np.isin(levels["verdict"], list(WORSE)) & (levels["caveat"] == "").values).any())


def _history(rng: Generator, noise: str, n: int, slower: float = 0.0) -> float:
    """Whether a change is named; where the first level became slower in the last release, whether that one is."""
    releases = {
        f"v{place}": measured(
            rng, noise, levels=2, runs=n, start=START + place * WEEK, slower=slower if place == RELEASES - 1 else 0.0
        )
        for place in range(RELEASES)
    }
    levels = change_points(releases, "throughput").levels
    if slower:
        return float(any(change.release == f"v{RELEASES - 1}" for change in levels[0].changes))
    return float(any(level.changes for level in levels))


TOO_MUCH = {*NOISES} - {"independent"}
"""Rounds, or means of cells, of a history resemble their neighbours too, as its output says that they are taken not to;
and rounds that all cells share look by chance like runs that resemble the ones before in each of them."""

STUDIES: list[Simulation] = [
    *(
        Simulation(
            "two campaigns without a change, any level named without a caveat", "silent", noise, 5, True,
            partial(_pair, noise=noise, n=5), campaigns=CAMPAIGNS,
        )
        for noise in NOISES
    ),
    Simulation(
        "two campaigns, a level slower by 10 % is named", "power", "AR(1) 0.6, in rounds", 5, True,
        partial(_pair, noise="AR(1) 0.6, in rounds", n=5, slower=0.1), campaigns=CAMPAIGNS,
    ),
    *(
        Simulation(
            "six releases without a change, any named", "size", noise, 5, noise not in TOO_MUCH,
            partial(_history, noise=noise, n=5), campaigns=CAMPAIGNS,
        )
        for noise in NOISES
    ),
    Simulation(
        "six releases, the last slower by 10 %, is named", "power", "AR(1) 0.6, in rounds", 5, True,
        partial(_history, noise="AR(1) 0.6, in rounds", n=5, slower=0.1), campaigns=CAMPAIGNS,
    ),
]  # fmt: skip
