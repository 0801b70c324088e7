"""What the best of n values owes to n alone.

Source: H. A. David and H. N. Nagaraja, "Order statistics" (3rd edition, 2003), sections 2.1 and 4.2.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import ArrayLike
from scipy import special


@functools.cache
def expected_maximum(n: int) -> float:
    """Expected largest of n standard normal values: ``n`` integral of ``x phi(x) Phi(x)^(n-1)``.

    Examples
    --------
    >>> [round(expected_maximum(n), 2) for n in (2, 3, 4)]
    [0.56, 0.85, 1.03]
    """
    from scipy import integrate

    def weighted(x: float) -> float:
        return float(n * x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * special.ndtr(x) ** (n - 1))

    return float(integrate.quad(weighted, -np.inf, np.inf)[0])


def unbiased_deviation(values: ArrayLike) -> float:
    """Estimate the standard deviation of normal values without bias: ``s / c4(n)``; NaN for fewer than two.

    ``c4(n) = sqrt(2 / (n - 1)) Gamma(n / 2) / Gamma((n - 1) / 2)`` is how much the sample standard deviation of n
    values is too small on average: 0.80 for 2, 0.89 for 3 (W. A. Shewhart, "Economic control of quality", 1931).
    """
    x = np.asarray(values, dtype=np.float64)
    if x.size < 2:
        return np.nan
    c4 = np.sqrt(2 / (x.size - 1)) * np.exp(special.gammaln(x.size / 2) - special.gammaln((x.size - 1) / 2))
    return float(x.std(ddof=1) / c4)


def expected_excess(values: ArrayLike) -> float:
    """By how much the best of as many normal values of the same spread lies beyond their mean, on average."""
    x = np.asarray(values, dtype=np.float64)
    return expected_maximum(x.size) * unbiased_deviation(x)
