"""Many tests at once.

Source: S. Holm, "A simple sequentially rejective multiple test procedure" (1979).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.intervals import Floats

ALPHA = 0.05


def holm(p: ArrayLike) -> Floats:
    """Correct p values for their number by Holm's step-down method; NaN (a test not made) is passed through."""
    raw = np.asarray(p, dtype=np.float64)
    made = np.flatnonzero(np.isfinite(raw))
    order = made[np.argsort(raw[made], kind="stable")]
    corrected = np.full(raw.shape, np.nan)
    corrected[order] = np.minimum(1, np.maximum.accumulate(raw[order] * np.arange(order.size, 0, -1)))
    return corrected
