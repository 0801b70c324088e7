"""How many digits a result keeps: fewer than a processor can change.

Two machines agree in a computed number up to its last bits: their logarithms, their matrix products and what their
compilers contract differ. What is decided or printed must not depend on those, so that

- a result of an analysis is rounded to `RESULT` significant digits where it becomes a dataset;
- what leaves the program (facts, tables, figures) is rounded to `PRINTED`.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESULT = 12
PRINTED = 9

SAME = 1e-10
"""Relative difference below which two computed numbers are the same number."""

_POWERS = np.array([float(f"1e{power}") for power in range(301)])


def significant(values: ArrayLike, digits: int = RESULT) -> NDArray[np.float64]:
    """Round to significant digits, but never whole numbers: bytes are counted, however many there are.

    The result is the nearest float of a decimal, whatever the last bits of the value were.

    Examples
    --------
    >>> significant([0.1 + 0.2, 1.0201276783286892e9], 9).tolist()
    [0.3, 1020127678.0]
    """
    x = np.asarray(values, dtype=np.float64)
    size = np.abs(x)
    known = np.isfinite(x) & (size > 1e-280) & (size < 1e280)
    if not known.any():
        return x
    power = np.minimum(np.floor(np.log10(np.where(known, size, 1.0))).astype(np.intp) - digits + 1, 0)
    scale = _POWERS[-power]
    return np.where(known, np.rint(x * scale) / scale, x)


def first_extreme(values: ArrayLike, end: Literal["lowest", "highest"]) -> int:
    """Place of the lowest or highest value; of those that are the same but for rounding the first.

    Missing values (NaN) are passed over; there must be one that is not.

    Examples
    --------
    >>> first_extreme([2.0, 3.0, 3.0000000000000004], "highest")
    1
    """
    x = np.asarray(values, dtype=np.float64)
    best = np.nanmin(x) if end == "lowest" else np.nanmax(x)
    near = np.abs(x - best) <= SAME * abs(best) if np.isfinite(best) else x == best
    return int(np.argmax(near))


def printed(value: float) -> float:
    """Round a number to what leaves the program.

    Examples
    --------
    >>> printed(1.0201276783286892)
    1.02012768
    """
    return float(significant(value, PRINTED))
