"""Planning: campaigns of the size that a pilot asks for, and runs that are added until they are enough."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.confidence_sequences import anytime_interval, enough
from storagelab.analysis.inference.intervals import t_interval
from storagelab.analysis.inference.mean_differences import Difference, paired, welch
from storagelab.analysis.inference.power import sidak, smallest_detectable
from storagelab.analysis.planning.pilot import Pilot, pilot_of
from storagelab.analysis.planning.plan import Power, Sizes, cheapest, questions
from tests.simulations.model import PROMISED, RUNS, Floats, Simulation, covers

FAMILY = 60
EFFECT = 1.1
MARGIN = 0.1
PILOTS = (3, 5, 10)
CELLS = 4
SPREAD = 0.05
ROUND = 0.04
"""Standard deviation of the logs of rounds, where they have one of their own."""
RUNS_A_ROUND = 2
PLANS = 500

Noise = Callable[[np.random.Generator, int, int, int], Floats]
"""Logs of cells, rounds and runs: noise alone."""


def independent(rng: np.random.Generator, cells: int, rounds: int, runs: int) -> Floats:
    """Runs that have nothing in common."""
    return rng.normal(0, SPREAD, (cells, rounds, runs))


def noisy(rng: np.random.Generator, cells: int, rounds: int, runs: int) -> Floats:
    """Runs that differ by 15 %."""
    return 3 * independent(rng, cells, rounds, runs)


def in_rounds(rng: np.random.Generator, cells: int, rounds: int, runs: int) -> Floats:
    """Each cell is set up anew in each round, and its runs share the set-up."""
    return independent(rng, cells, rounds, runs) + rng.normal(0, ROUND, (cells, rounds, 1))


def on_days(rng: np.random.Generator, cells: int, rounds: int, runs: int) -> Floats:
    """All cells of a round share what goes on then."""
    return independent(rng, cells, rounds, runs) + rng.normal(0, ROUND, (1, rounds, 1))


def pilot(noise: Floats, *, shared: bool = True) -> Pilot:
    """What the pilot says of the noise, as `plan_repeats` reads it."""
    cells, rounds, runs = noise.shape
    places = np.indices(noise.shape).reshape(3, -1)
    columns = {"cell": places[0].astype(float), "round": places[1].astype(float), "log": noise.ravel()}
    return pilot_of(Rows(columns, cells * rounds * runs), "log", ["cell"], shared=shared)


def shown(found: Difference, equivalence: bool) -> float:
    """Whether a comparison shows what its campaign was planned for, at the level of its family."""
    level = float(sidak(FAMILY))
    if equivalence:
        return float(found.p_outside(float(np.log1p(-MARGIN)), float(np.log1p(MARGIN))) <= level)
    return float(found.p() <= level and found.value > 0)


def campaign(
    rng: np.random.Generator, noise: Noise, sizes: Sizes, *, equivalence: bool = False, pairs: bool = False
) -> float:
    """Two sides of the size that was planned, both in each round; NaN where nothing was planned."""
    if not np.isfinite(sizes.rounds):
        return np.nan
    sides = noise(rng, 2, int(sizes.rounds), int(sizes.runs)).mean(axis=2)
    gap = 0.0 if equivalence else float(np.log(EFFECT))
    return shown((paired if pairs else welch)(sides[0] + gap, sides[1]), equivalence)


def power_of(*, equivalence: bool = False, pairs: bool = False) -> Power:
    """The question that is planned for."""
    both = [power for _, power in questions(EFFECT, MARGIN, float(sidak(FAMILY)), pairs)]
    return both[equivalence]


def plan(
    words: str,
    noise: Noise,
    n: int,
    *,
    cells: int = CELLS,
    runs: int = 1,
    equivalence: bool = False,
    pairs: bool = False,
    known: bool = False,
) -> Simulation:
    """One pilot, its plan, and one campaign of that size; `known` takes the spread of the pilot for the true one."""
    of = power_of(equivalence=equivalence, pairs=pairs)

    def trial(rng: np.random.Generator) -> float:
        found = pilot(noise(rng, cells, n, runs), shared=not pairs)
        if known:
            found = Pilot(found.between, 1e6, found.within, 0, found.size)
        return campaign(rng, noise, cheapest(of, found, PROMISED, 1.0), equivalence=equivalence, pairs=pairs)

    what = f"equivalence within {100 * MARGIN:g} %" if equivalence else f"a ratio of {EFFECT:g}"
    how = "taking the spread of the pilot for the true one" if known else "by pairs" if pairs else "plan_repeats"
    method = f"plan of {100 * PROMISED:g} % power for {what} in each of {FAMILY} cells, {how}"
    return Simulation(method, "promise", words, n, not known, trial, PLANS)


def _plans() -> list[Simulation]:
    found = []
    for n in PILOTS:
        found += [
            plan(f"pilot of {CELLS} cells, sd 5 %", independent, n),
            plan(f"pilot of {CELLS} cells, sd 15 %", noisy, n),
            plan("pilot of 1 cell, sd 5 %", independent, n, cells=1),
            plan("pilot of 1 cell, sd 5 %", independent, n, cells=1, known=True),
            plan(f"pilot of {CELLS} cells, sd 5 %", independent, n, equivalence=True),
            plan(f"pilot of {CELLS} cells in rounds of 2 with sd 4 % of their own", in_rounds, n, runs=RUNS_A_ROUND),
            plan(f"pilot of {CELLS} cells that share rounds with sd 4 %", on_days, n, pairs=True),
        ]
    return found


WIDTHS = (0.03, 0.05, 0.1)
START, MOST = 3, 60


def stopped(words: str, claims: bool, width: float, hoping: bool) -> Simulation:
    """Runs one by one until the interval is narrow, or excludes the truth of somebody who hopes that it does."""
    interval = anytime_interval if claims else t_interval

    def narrow(logs: Floats) -> bool:
        if claims:
            return enough(np.exp(logs), width).enough
        low, high = t_interval(logs)
        return bool(np.expm1((high - low) / 2) <= width)

    def trial(rng: np.random.Generator) -> float:
        logs = rng.normal(0, SPREAD, MOST)
        for n in range(START, MOST + 1):
            held = covers(interval(logs[:n]), 0.0)
            if narrow(logs[:n]) or (hoping and held == 0):
                return held
        return held

    what = f"{100 * width:g} % narrow" + (" or excludes the truth" if hoping else "")
    return Simulation(f"{words} that stops where it is {what}", "coverage", "normal", START, claims, trial, PLANS * 2)


def _stopped() -> list[Simulation]:
    rules = (("interval at any time", True), ("t interval after every run", False))
    return [
        stopped(words, claims, width, hoping) for words, claims in rules for hoping in (False, True) for width in WIDTHS
    ]


def detectable(n: int, family: int) -> Simulation:
    """What a campaign says it could have shown, in another campaign with that ratio."""
    level = float(sidak(family))

    def trial(rng: np.random.Generator) -> float:
        said, then = (independent(rng, 2, n, 1)[..., 0] for _ in range(2))
        found = welch(*said)
        gap = float(np.log(smallest_detectable(found.error, found.freedom, cells=family)))
        return float(welch(then[0] + gap, then[1]).p() <= level)

    words = "on its own" if family == 1 else f"in a family of {family}"
    return Simulation(f"Welch's test of the smallest detectable ratio, {words}", "power", "normal", n, True, trial)


STUDIES: list[Simulation] = [
    *_plans(),
    *_stopped(),
    *[detectable(n, family) for family in (1, FAMILY) for n in RUNS],
]
