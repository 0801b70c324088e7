"""A small model of a test bed: stages with capacities, fair shares, caches, copies and processors.

Each function is one equation of docs/reconstruction.md. Rates are in B/s, sizes in B, times in s.
"""

from storagelab.reconstruct.model.bottlenecks import narrowest, saturating, written
from storagelab.reconstruct.model.caches import behind_cache, with_read_ahead
from storagelab.reconstruct.model.jobs import cpu_share, with_start
from storagelab.reconstruct.model.sharing import fair_shares, on_targets

__all__ = [
    "behind_cache",
    "cpu_share",
    "fair_shares",
    "narrowest",
    "on_targets",
    "saturating",
    "with_read_ahead",
    "with_start",
    "written",
]
