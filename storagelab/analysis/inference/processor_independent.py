"""Logarithms, exponentials and weighted sums whose last bit does not depend on the processor, and quotients.

numpy computes a logarithm by other instructions on other processors, and a matrix product by whatever kernel of BLAS
fits; their results differ in the last bits. Here a function is computed with the longer numbers of the C library and
rounded once, and a weighted sum is added up in the order of its terms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def log(x: ArrayLike) -> Any:
    """Natural logarithm."""
    return _rounded(np.log, x)


def exp(x: ArrayLike) -> Any:
    """Exponential."""
    return _rounded(np.exp, x)


def log1p(x: ArrayLike) -> Any:
    """Natural logarithm of one more than x."""
    return _rounded(np.log1p, x)


def expm1(x: ArrayLike) -> Any:
    """Exponential less one."""
    return _rounded(np.expm1, x)


def weighted_sum(weights: ArrayLike, values: ArrayLike) -> Any:
    """Sum of weights times values over the last axis, without BLAS."""
    return (np.asarray(weights) * np.asarray(values)).sum(axis=-1)


def divided(over: ArrayLike, under: ArrayLike) -> Any:
    """Quotient, NaN where the divisor is 0: what nothing was measured of has no rate and no share."""
    divisor = np.asarray(under, dtype=np.float64)
    return np.asarray(over) / np.where(divisor == 0, np.nan, divisor)


def _rounded(function: np.ufunc, x: ArrayLike) -> Any:
    found = function(np.asarray(x, dtype=np.longdouble)).astype(np.float64)
    return found[()]
