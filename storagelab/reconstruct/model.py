"""A small model of a test bed: stages with capacities, fair shares, caches and starts.

Each function is one equation of docs/reconstruction.md. Rates are in B/s, sizes in B, times in s.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from storagelab.errors import ReconstructError
from storagelab.reconstruct.draws import normal, standardised

SHARPNESS = 8.0
"""How sharply a curve bends where it saturates: at the bend it lies 8 % below both straight lines."""


def narrowest(capacities: Mapping[str, float]) -> float:
    """Return the capacity of the stage that binds: ``min C_s``.

    Raises
    ------
    ReconstructError
        If there are no stages.
    """
    if not capacities:
        raise ReconstructError("a path without stages has no capacity")
    return min(capacities.values())


def saturating(n: float, alone: float, limit: float) -> float:
    """Return the rate of n clients that would take `alone` each, behind a limit: ``((n a)^-p + L^-p)^(-1/p)``.

    Raises
    ------
    ReconstructError
        If a number is not above 0.
    """
    if min(n, alone, limit) <= 0:
        raise ReconstructError(f"expected numbers above 0, found n={n:g}, alone={alone:g}, limit={limit:g}")
    smaller, larger = sorted((n * alone, limit))
    return float(smaller * (1 + (smaller / larger) ** SHARPNESS) ** (-1 / SHARPNESS))


def on_targets(n: int, capacities: Sequence[float], alone: float) -> float:
    """Return the rate of n clients whose files lie whole on one target each, dealt out in turn: ``sum min(C, n_t a)``.

    Without stripes a target serves only the clients whose files lie on it: with fewer clients than targets some are
    idle, and with uneven numbers the fuller ones bind first.
    """
    of_target = [len(range(target, n, len(capacities))) for target in range(len(capacities))]
    return sum(min(capacity, count * alone) for capacity, count in zip(capacities, of_target, strict=True))


def fair_shares(total: float, n: int, unevenness: float, draw: random.Random) -> list[float]:
    """Share a rate fairly up to an unevenness: n shares with sum `total` and coefficient of variation `unevenness`.

    Raises
    ------
    ReconstructError
        If there are no clients, or a share would not be above 0.
    """
    if n < 1 or total <= 0:
        raise ReconstructError(f"expected a rate above 0 for a client or more, found {total:g} for {n}")
    if n == 1 or unevenness == 0:
        return [total / n] * n
    shares = [total / n * (1 + unevenness * z) for z in standardised(normal(n, draw))]
    if min(shares) <= 0:
        raise ReconstructError(f"an unevenness of {unevenness:g} leaves one of {n} clients nothing")
    return shares


def behind_cache(size: float, memory: float, fast: float, slow: float) -> float:
    """Return the rate of a file of which as much as fits comes from memory: ``1 / (h / fast + (1 - h) / slow)``.

    ``h = min(1, memory / size)``.

    Raises
    ------
    ReconstructError
        If a number is not above 0; a memory of 0 is none.
    """
    if min(size, fast, slow) <= 0 or memory < 0:
        raise ReconstructError(f"expected numbers above 0, found size={size:g}, fast={fast:g}, slow={slow:g}")
    hit = min(1.0, memory / size)
    return 1 / (hit / fast + (1 - hit) / slow)


def with_start(size: float, start: float, rate: float) -> float:
    """Return the seconds of a transfer that starts before it moves bytes: ``t0 + size / rate``."""
    return start + size / rate
