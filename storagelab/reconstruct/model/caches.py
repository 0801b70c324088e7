"""What memory changes: bytes that are served from it, and bytes that nobody asked for."""

from __future__ import annotations

from storagelab.errors import ReconstructError


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


def with_read_ahead(wanted: float, amplification: float) -> float:
    """Return the bytes that cross the network for the bytes that a reader wants.

    Raises
    ------
    ReconstructError
        If fewer bytes would cross the network than are wanted.
    """
    if amplification < 1:
        raise ReconstructError(f"expected an amplification of at least 1, found {amplification:g}")
    return wanted * amplification
