"""The envelope of all curves that satisfy what a text says of them: the least and the most that each point may be.

Everything that a text fixes of a curve has one of two forms: a point lies between two numbers, or a point is at most so
many times another (a curve that rises, one that never passes another, a ratio). For such a system the bounds follow by
handing them on from point to point until none changes. They are exact: the highest values that are left are one curve
that satisfies everything, and so are the lowest (shortest paths, R. Bellman, Quart. Appl. Math. 16, 1958, in products
instead of sums).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from storagelab.errors import ReconstructError

Spot = TypeVar("Spot", bound=Hashable)
Bounds = dict[Spot, tuple[float, float]]

STEADY = 1e-9
"""Relative difference below which two bounds are the same."""


@dataclass(frozen=True, slots=True)
class Link:
    """The value at one spot is at most `times` the value at another."""

    one: Hashable
    other: Hashable
    times: float = 1.0


def envelope(bounds: Mapping[Spot, tuple[float, float]], links: Sequence[Link]) -> Bounds[Spot]:
    """Narrow bounds until they are the lowest and the highest value that any permitted curve has at each spot.

    Parameters
    ----------
    bounds : mapping of spot to (low, high)
        What is said of each spot by itself: 0 and infinity where nothing is.
    links : sequence of Link
        What is said of two spots together.

    Returns
    -------
    dict of spot to (low, high)
        Infinity where nothing that is said bounds a spot from above.

    Raises
    ------
    ReconstructError
        If no curve satisfies all that is said; names a spot where it cannot be.

    Examples
    --------
    >>> envelope({1: (0.0, 9.0), 2: (5.0, 5.0), 3: (0.0, 9.0)}, [Link(1, 2), Link(2, 3)])  # it rises
    {1: (0.0, 5.0), 2: (5.0, 5.0), 3: (5.0, 9.0)}
    """
    found = dict(bounds)
    for _ in range(len(found) + 1):
        if not _handed_on(found, links):
            return found
        for spot, (low, high) in found.items():
            if low > high * (1 + STEADY):
                where = " at ".join(map(str, spot)) if isinstance(spot, tuple) else spot
                said = f"{where} is at least {low:g} and at most {high:g}"
                raise ReconstructError(f"no curve satisfies all that is said: {said}")
    raise ReconstructError("no curve satisfies all that is said: its bounds narrow without end")


def _handed_on(found: Bounds[Spot], links: Sequence[Link]) -> bool:
    """Hand bounds on along all links once; say whether any changed."""
    changed = False
    for link in links:
        (one_low, one_high), (other_low, other_high) = found[link.one], found[link.other]  # type: ignore[index]
        most = link.times * other_high if math.isfinite(other_high) else math.inf
        least = one_low / link.times
        if most < one_high * (1 - STEADY):
            found[link.one] = one_low, most  # type: ignore[index]
            changed = True
        if least > other_low * (1 + STEADY):
            found[link.other] = least, other_high  # type: ignore[index]
            changed = True
    return changed


def ranked(count: int, mean: float, least: float, most: float) -> list[tuple[float, float]]:
    """Bound each of so many values in rising order, of which only mean, least and most are known.

    The k-th is highest where all below it are as low as they may be and all above it equal it; it is lowest where all
    above it are as high as they may be and all below it equal it.

    Parameters
    ----------
    count : int
        How many values there are.
    mean : float
        Of all of them.
    least, most : float
        None lies beyond; whether one lies there is not asked.

    Returns
    -------
    list of (low, high)
        From the lowest to the highest value.

    Raises
    ------
    ReconstructError
        If the mean lies beyond the ends.

    Examples
    --------
    >>> ranked(3, 2.0, 1.0, 4.0)
    [(1.0, 2.0), (1.0, 2.5), (2.0, 4.0)]
    """
    if not least <= mean <= most:
        raise ReconstructError(f"the mean {mean:g} does not lie between {least:g} and {most:g}")
    total = count * mean
    return [
        (
            max(least, (total - (count - place) * most) / place),
            min(most, (total - (place - 1) * least) / (count - place + 1)),
        )
        for place in range(1, count + 1)
    ]
