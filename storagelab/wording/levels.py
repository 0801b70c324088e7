"""In which order the levels of a key are shown: the same in every figure, table and sheet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from storagelab import schema
from storagelab.analysis.aggregation.sums_over_clients import AGGREGATES
from storagelab.analysis.efficiency.jobs import PHASES

KNOWN: Mapping[str, Sequence[str]] = {
    "filesystem": ("ext3", "ext4", "xfs", "btrfs", "zfs", "glusterfs", "lustre", "gpfs"),
    "layout": ("distribute", "distribute+shard", "replicate", "disperse", "single", "raidz", "none"),
    "mount": ("kernel", "fuse", "nfs"),
    "protocol": ("mount", "xrootd", "nfs", "http"),
    "driver_disk": ("loop-direct", "loop-buffered", "virtio", "ide"),
    "driver_net": ("veth", "virtio", "emulated"),
    "server_mode": ("bare-metal", "virtual"),
    "aggregate": tuple(AGGREGATES.values()),
    "phase": tuple(PHASES.values()),
    "study": (
        "cluster-2026",
        "loopback-2026",
        "xrootd-2026",
        "fermicloud-2011",
        "uscms-2009",
        "bnl-2007",
        "llnl-2010",
        "cern-kinetic-2015",
    ),
    "case": ("all", "50 % of entries", "50 % of branches"),
    **schema.VALUES,
}
"""Levels whose place, and so whose colour and order, is fixed for good; others follow in the order of `natural`."""

_NUMBER = re.compile(r"(\d+)")


def ordered(key: str, levels: Sequence[str | float]) -> list[str | float]:
    """Sort the levels of a key as all figures show them: known ones first, numbers by size, the rest by name.

    Examples
    --------
    >>> ordered("filesystem", ["client10", "client9", "xfs"])
    ['xfs', 'client9', 'client10']
    """
    known = list(fixed_order(key))
    return sorted(set(levels), key=lambda level: (known.index(level) if level in known else len(known), natural(level)))


def natural(level: str | float) -> tuple[object, ...]:
    """Sort key of a level by which numbers inside a name count as numbers: 6.8 before 6.11."""
    if not isinstance(level, str):
        return (level,)
    parts = _NUMBER.split(level)
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts)), level


def fixed_order(key: str) -> Sequence[str | float]:
    """Levels whose order is fixed: those of this page, or those that a study declares of a key of its own."""
    own = schema.FIELDS.get(key)
    return own.values if own is not None and own.own else KNOWN.get(key, ())
