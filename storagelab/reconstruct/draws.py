"""Draws that repeat everywhere, and samples whose mean, error or ends are exactly what a paper prints.

Python's own Mersenne Twister, seeded by text, gives the same numbers on every machine and in every version; numpy does
not promise that.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

from storagelab.errors import ReconstructError


def seeded(*names: object) -> random.Random:
    """Return a generator for what the names name: another name, other numbers; the same names, the same numbers."""
    return random.Random("/".join(map(str, names)))


def normal(n: int, draw: random.Random) -> list[float]:
    """Draw n standard normal numbers, by the inverse of their distribution."""
    inverse = statistics.NormalDist().inv_cdf
    return [inverse(min(max(draw.random(), 1e-12), 1 - 1e-12)) for _ in range(n)]


def standardised(values: Sequence[float]) -> list[float]:
    """Shift and scale values to mean 0 and sample standard deviation 1.

    Raises
    ------
    ReconstructError
        If they are fewer than two, or all equal.
    """
    if len(values) < 2 or len(set(values)) == 1:
        raise ReconstructError(f"expected two values or more that differ, found {len(values)}")
    mean, spread = statistics.fmean(values), statistics.stdev(values)
    return [(value - mean) / spread for value in values]


def around(mean: float, error: float, n: int, draw: random.Random) -> list[float]:
    """Draw n values with exactly this mean and exactly this standard error of it: ``s = error sqrt(n)``.

    Raises
    ------
    ReconstructError
        If the error is negative, or not zero with fewer than two values.
    """
    if error == 0:
        return [mean] * n
    if error < 0 or n < 2:
        raise ReconstructError(f"expected an error of at least 0 over two values or more, found {error:g} over {n}")
    return [mean + error * math.sqrt(n) * z for z in standardised(normal(n, draw))]


def spread_between(low: float, high: float, mean: float, n: int) -> list[float]:
    """Lay n rising values from low to high with this mean, as evenly as the mean allows.

    They follow ``low + (high - low) u**p`` at even steps of u from 0 to 1; p is found so that the mean is right.

    Raises
    ------
    ReconstructError
        If there are fewer than three, or no such values have the mean.
    """
    least, most = (low * (n - 1) + high) / n, (low + high * (n - 1)) / n
    if n < 3 or not least < mean < most:
        raise ReconstructError(
            f"{n} values from {low:g} to {high:g} have a mean of {least:g} to {most:g}, not {mean:g}"
        )
    steps = [i / (n - 1) for i in range(n)]

    def values(power: float) -> list[float]:
        return [low + (high - low) * step**power for step in steps]

    small, large = 1e-6, 1e6
    for _ in range(200):
        power = math.sqrt(small * large)
        small, large = (power, large) if statistics.fmean(values(power)) > mean else (small, power)
    return values(small)


def with_best(best: float, spread: float, n: int, draw: random.Random) -> list[float]:
    """Draw n runs with a relative standard deviation, and scale them so that the highest is exactly the best.

    This is what a paper that keeps the best of n has seen: its number is the highest of a sample, not its mean.

    Raises
    ------
    ReconstructError
        If a run would not be above 0.
    """
    runs = [1 + spread * z for z in normal(n, draw)]
    if best <= 0 or min(runs) <= 0:
        raise ReconstructError(f"expected runs above 0, found a best of {best:g} with a spread of {spread:g}")
    return [best * run / max(runs) for run in runs]


def shuffled(values: Sequence[float], draw: random.Random) -> list[float]:
    """Return the values in another order."""
    return draw.sample(list(values), len(values))
