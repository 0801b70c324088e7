"""Least squares of statsmodels, behind a door that says what comes through: it has no types of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.differences import Difference
from storagelab.analysis.inference.intervals import Floats

ROUNDING = 1e-24
"""Share of the squares of the data below which what is left of them is rounding."""


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
        variance = float(w @ self.shape[: w.size, : w.size] @ w) * self.noise
        return Difference(float(w @ self.parameters[: w.size]), float(np.sqrt(variance)), self.freedom)


def least_squares(y: ArrayLike, design: Floats) -> Fit | None:
    """Fit a design by ordinary least squares; None where its columns do not tell their effects apart."""
    from statsmodels.regression import linear_model

    if np.linalg.matrix_rank(design.T @ design, hermitian=True) < design.shape[1]:
        return None
    models: Any = linear_model
    found = models.OLS(np.asarray(y, dtype=np.float64), design).fit(method="qr")
    squares = float(found.ssr) if found.ssr > ROUNDING * found.uncentered_tss else 0.0
    return Fit(np.asarray(found.params), np.asarray(found.normalized_cov_params), squares, float(found.df_resid))


def indicators(codes: ArrayLike) -> Floats:
    """Columns of a design, one a code from 0: 1 in the rows that have it, 0 in all others."""
    places = np.asarray(codes, dtype=np.intp)
    return np.asarray(np.eye(int(places.max()) + 1)[places], dtype=np.float64)
