"""Shapes that both tools share: curves through printed points, the sides of the study."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

from storagelab.errors import ReconstructError
from storagelab.reconstruct.log import Key
from storagelab.study.testbed import TestBed

GPFS, LUSTRE = "gpfs", "lustre"
FILESYSTEMS = (GPFS, LUSTRE)


def through(anchors: Mapping[float, float], nodes: float, tail: float) -> float:
    """Return a curve at a number of nodes: straight between anchors in the logs of both, and falling behind the last.

    Parameters
    ----------
    anchors : mapping of float to float
        Nodes to rates, rising in nodes.
    nodes : float
        Not below the first anchor.
    tail : float
        Share that it loses with each doubling of the nodes behind the last anchor.

    Raises
    ------
    ReconstructError
        If the number of nodes lies before the first anchor.
    """
    if nodes < min(anchors):
        raise ReconstructError(f"expected at least {min(anchors):g} nodes, found {nodes:g}")
    for (left, low), (right, high) in pairwise(anchors.items()):
        if left <= nodes <= right:
            return geometric(low, high, along(nodes, left, right))
    last = max(anchors)
    return float(anchors[last] * (1 - tail) ** math.log2(nodes / last))


def along(value: float, first: float, last: float) -> float:
    """Return how far a value lies from the first to the last on a log scale, 0 to 1."""
    return math.log(value / first) / math.log(last / first)


def geometric(low: float, high: float, share: float) -> float:
    """Return the number that lies a share of the way from low to high on a log scale; its ends exactly."""
    return low if share == 0 else high if share == 1 else low * (high / low) ** share


def doublings(first: float, last: float) -> list[int]:
    """List the powers of two times the first number, up to the last."""
    return [round(first * 2**power) for power in range(round(math.log2(last / first)) + 1)]


def filesystem_keys(bed: TestBed, filesystem: str) -> dict[str, Key]:
    """Return what is the same in all runs of a file system."""
    common: dict[str, Key] = {"filesystem": filesystem, "filesystem_version": bed.text(filesystem, "version")}
    if filesystem == GPFS:
        return {**common, "striping": "round-robin", "stripe_size": bed.si("gpfs.network_block")}
    return {**common, **striped(bed.si("lustre.stripes"))}


def striped(stripes: float) -> dict[str, Key]:
    """Return the keys of a file of Lustre."""
    return {"striping": f"{stripes:g}-way", "stripe_count": stripes}
