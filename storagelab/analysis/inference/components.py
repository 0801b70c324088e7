"""Components of variance: what units (days, blocks) have in common, and what their runs have of their own.

Sources: R. A. Fisher, "Statistical methods for research workers" (1925), chapter 7, for the intraclass correlation by
analysis of variance; S. R. Searle, G. Casella, C. E. McCulloch, "Variance components" (1992), section 3.6, for units of
unequal size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.mean_differences import squares


@dataclass(frozen=True, slots=True)
class Components:
    """Variances, in the square of the unit of the values, each with its degrees of freedom."""

    between: float
    within: float
    freedom_between: float
    freedom_within: float

    @property
    def icc(self) -> float:
        """Intraclass correlation: share of the variance that the runs of a unit have in common; NaN if not known."""
        whole = self.between + self.within
        return self.between / whole if whole > 0 else np.nan


def components(cells: Sequence[Sequence[Floats]], lost: int = 0) -> Components:
    """Split the variance inside cells into that between their units and that within units, by analysis of variance.

    Parameters
    ----------
    cells : sequence of sequences of ndarray
        Of each cell, the runs of each unit.
    lost : int
        Degrees of freedom that other means have taken from the runs within units.

    Returns
    -------
    Components
        A variance between units that comes out negative is 0; NaN where no cell has two units, or no unit two runs.
    """
    told = [[np.asarray(unit, dtype=np.float64) for unit in units if unit.size] for units in cells]
    several = [units for units in told if len(units) > 1]
    inside = sum(squares(unit) for units in told for unit in units)
    freedom = float(sum(unit.size - 1 for units in told for unit in units) - lost)
    apart = float(sum(len(units) - 1 for units in several))
    if not apart or freedom <= 0:
        return Components(np.nan, np.nan, apart, freedom)
    within = inside / freedom
    outside = sum(squares(np.concatenate(units)) - sum(map(squares, units)) for units in several)
    size = sum(_typical(units) * (len(units) - 1) for units in several) / apart
    return Components(max(0.0, (outside / apart - within) / size), within, apart, freedom)


def _typical(units: Sequence[Floats]) -> float:
    """Runs a unit, as they count in the expected mean square: the mean where all units have as many."""
    sizes = np.array([unit.size for unit in units], dtype=np.float64)
    return float((sizes.sum() - (sizes**2).sum() / sizes.sum()) / (sizes.size - 1))


def intraclass_correlation(cells: Sequence[Sequence[Floats]]) -> float:
    """Share of the variance inside cells that the runs of one unit have in common; NaN where it is not known."""
    return components(cells).icc
