"""How clients share what there is."""

from __future__ import annotations

import random
from collections.abc import Sequence

from storagelab.errors import ReconstructError
from storagelab.reconstruct.draws import normal, standardised


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


def on_targets(n: int, capacities: Sequence[float], alone: float) -> float:
    """Return the rate of n clients whose files lie whole on one target each, dealt out in turn: ``sum min(C, n_t a)``.

    Without stripes a target serves only the clients whose files lie on it: with fewer clients than targets some are
    idle, and with uneven numbers the fuller ones bind first.
    """
    of_target = [len(range(target, n, len(capacities))) for target in range(len(capacities))]
    return sum(min(capacity, count * alone) for capacity, count in zip(capacities, of_target, strict=True))
