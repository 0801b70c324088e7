"""Ordinary least squares of small designs, the same to the last digit on every machine.

The normal equations are solved by elimination in the longer numbers of the C library and rounded once: a factorisation
by LAPACK differs between processors in the last digits, which grow in what is computed from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.mean_differences import Difference
from storagelab.analysis.inference.processor_independent import weighted_sum

ROUNDING = 1e-24
"""Share of the squares of the data below which what is left of them is rounding."""

DEPENDENT = 1e-12
"""Share of its own square below which what is left of a column, the others taken out, is rounding."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A fit: its parameters, their covariance over the variance of the noise, and what is left of the data."""

    parameters: Floats
    shape: Floats
    squares: float
    freedom: float

    @property
    def noise(self) -> float:
        """Variance of the noise; NaN where no value is left to judge it by, or nothing is left at all."""
        return self.squares / self.freedom if self.freedom > 0 and self.squares > 0 else np.nan

    def contrast(self, weights: ArrayLike) -> Difference:
        """Weighted sum of the parameters, the last ones left out where there are fewer weights."""
        w = np.asarray(weights, dtype=np.float64)
        variance = float((np.outer(w, w) * self.shape[: w.size, : w.size]).sum()) * self.noise
        return Difference(float(weighted_sum(w, self.parameters[: w.size])), float(np.sqrt(variance)), self.freedom)


def least_squares(y: ArrayLike, design: Floats) -> Fit | None:
    """Fit a design by ordinary least squares; None where its columns do not tell their effects apart."""
    x, data = np.asarray(design, dtype=np.longdouble), np.asarray(y, dtype=np.longdouble)
    shape = _inverse((x[:, :, None] * x[:, None, :]).sum(axis=0))
    if shape is None:
        return None
    parameters = (shape * (x * data[:, None]).sum(axis=0)).sum(axis=1)
    left = ((data - (x * parameters).sum(axis=1)) ** 2).sum()
    squares = float(left) if left > ROUNDING * (data**2).sum() else 0.0
    return Fit(parameters.astype(np.float64), shape.astype(np.float64), squares, float(len(data) - x.shape[1]))


def _inverse(squares: np.ndarray) -> np.ndarray | None:
    """Invert a symmetric matrix by Gauss and Jordan's elimination; None where a column is a sum of others."""
    size = len(squares)
    both = np.concatenate([squares, np.eye(size, dtype=squares.dtype)], axis=1)
    for place in range(size):
        pivot = both[place, place]
        if pivot <= DEPENDENT * squares[place, place]:
            return None
        both[place] /= pivot
        others = np.arange(size) != place
        both[others] -= both[others, place, None] * both[place]
    return both[:, size:]


def indicators(codes: ArrayLike) -> Floats:
    """Columns of a design, one a code from 0: 1 in the rows that have it, 0 in all others."""
    places = np.asarray(codes, dtype=np.intp)
    return np.asarray(np.eye(int(places.max()) + 1)[places], dtype=np.float64)
