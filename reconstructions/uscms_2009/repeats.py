"""Repeats of a run: only a mean that is printed is met exactly, all others are left to chance."""

from __future__ import annotations

from storagelab.reconstruct.draws import around, normal, seeded


def printed(mean: float, unevenness: float, n: int, *names: object) -> list[float]:
    """Draw n values that have exactly this mean, and exactly this coefficient of variation."""
    return around(mean, mean * unevenness / n**0.5, n, seeded("uscms-2009", *names))


def scattered(mean: float, unevenness: float, n: int, *names: object) -> list[float]:
    """Draw n values from a normal distribution of this mean and coefficient of variation."""
    return [mean * (1 + unevenness * z) for z in normal(n, seeded("uscms-2009", *names))]
