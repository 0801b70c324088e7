"""What bounds a stream of bytes."""

from __future__ import annotations

from collections.abc import Mapping

from storagelab.errors import ReconstructError

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


def saturating(n: float, alone: float, limit: float, sharpness: float = SHARPNESS) -> float:
    """Return the rate of n clients that would take `alone` each, behind a limit: ``((n a)^-p + L^-p)^(-1/p)``.

    Raises
    ------
    ReconstructError
        If a number is not above 0.
    """
    if min(n, alone, limit, sharpness) <= 0:
        raise ReconstructError(f"expected numbers above 0, found n={n:g}, alone={alone:g}, limit={limit:g}")
    smaller, larger = sorted((n * alone, limit))
    return float(smaller * (1 + (smaller / larger) ** sharpness) ** (-1 / sharpness))


def written(size: float, replicas: float = 1, data: float = 1, parity: float = 0) -> float:
    """Return the bytes that reach disks for the bytes that a client writes: ``size r (k + m) / k``."""
    return size * replicas * (data + parity) / data
