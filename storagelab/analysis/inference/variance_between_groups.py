"""How much of the variance of values lies between groups.

Source: W. H. Kruskal, W. A. Wallis, "Use of ranks in one-criterion variance analysis" (JASA, 1952): of ranks, the share
is H over n - 1.
"""

from __future__ import annotations

import numpy as np

from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.key_codes import Places


def explained(values: Floats, code: Places) -> float:
    """Share of the variance of values that lies between groups."""
    n = np.bincount(code)
    off = values - values.mean()
    sums = np.bincount(code, off)
    total = float((off**2).sum())
    return float((sums[n > 0] ** 2 / n[n > 0]).sum()) / total if total > 0 else 0.0
