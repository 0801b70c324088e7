"""What one simulation is: a method, the noise it meets, how many runs it has, and what is counted."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Measure = Literal["coverage", "size", "power", "promise", "bias", "silent"]
Trial = Callable[[np.random.Generator], float]

CAMPAIGNS = 2000
RUNS = (3, 5, 10, 30)

COVERS = 0.93
"""A nominal 95 % interval covers at least this much, where it claims to."""

ERRS = 0.07
"""A test at 5 % finds what is not there at most this often: 5 % and four standard errors of 2,000 campaigns."""

PROMISED = 0.9
"""Power that campaigns are planned for; what they have is to be within a tenth of it."""

SKEW = 1.0
"""Standard deviation of the log of the lognormal noise: one run in six is 2.7 times the median, or more."""


def normal(rng: np.random.Generator, n: int, spread: float = 0.05) -> Floats:
    """Runs around 1 whose noise is symmetric and small, as most of ours are."""
    return rng.normal(1.0, spread, n)


def lognormal(rng: np.random.Generator, n: int, spread: float = SKEW) -> Floats:
    """Runs with median 1 and mean exp(spread^2 / 2) that differ by factors."""
    return rng.lognormal(0.0, spread, n)


def bimodal(rng: np.random.Generator, n: int, spread: float = 0.05, gap: float = 0.5) -> Floats:
    """Runs with mean 1 that fall into a fast and a slow mode with equal chance, as with and without a cache."""
    return rng.normal(1.0, spread, n) + gap / 2 * rng.choice([-1.0, 1.0], n)


NOISES: Mapping[str, Callable[[np.random.Generator, int], Floats]] = {
    "normal": normal,
    "lognormal": lognormal,
    "bimodal": bimodal,
}


@dataclass(frozen=True, slots=True)
class Simulation:
    """One line of the table.

    Attributes
    ----------
    method : str
        In the field's words, such as "t interval of a mean".
    measure : {"coverage", "size", "power", "promise", "bias"}
        What the mean over all campaigns means. Coverage, size, power: of trials that return 1 or 0. Promise: the power
        of campaigns that were planned to have 90 %. Bias: of trials that return the estimate over the truth, less one.
    noise : str
        A level of `NOISES`, or other words for what is simulated.
    n : int
        Runs (blocks) a side.
    claims : bool
        Whether the method claims its nominal level here; where it does not, it must flag or refuse.
    trial : callable
        One campaign: NaN where the method refuses or flags it.
    campaigns : int
        How many; fewer than 2,000 for slow methods only.
    """

    method: str
    measure: Measure
    noise: str
    n: int
    claims: bool
    trial: Trial
    campaigns: int = CAMPAIGNS

    @property
    def name(self) -> str:
        """Names the simulation, and seeds it."""
        return f"{self.method}, {self.measure}, {self.noise}, n = {self.n}"

    def run(self, campaigns: int = 0) -> Result:
        """Simulate all campaigns, or so many of the first; the same every time."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        found = np.array([self.trial(rng) for _ in range(campaigns or self.campaigns)])
        answered = found[np.isfinite(found)]
        return Result(float(answered.mean()) if answered.size else np.nan, 1 - answered.size / found.size)


@dataclass(frozen=True, slots=True)
class Result:
    """Mean over the campaigns that were answered, and the share that was flagged or refused."""

    mean: float
    refused: float


def covers(interval: tuple[float, float], truth: float) -> float:
    """1 if an interval holds the truth, 0 if not, NaN if there is none."""
    low, high = interval
    return float(low <= truth <= high) if np.isfinite([low, high]).all() else np.nan


def finds(p: float, alpha: float = 0.05) -> float:
    """1 if a test finds a difference, 0 if not, NaN if it was not made."""
    return float(p <= alpha) if np.isfinite(p) else np.nan
