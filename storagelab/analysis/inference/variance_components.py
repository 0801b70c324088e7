"""Components of variance: what units (days, blocks) have in common, and what their runs have of their own.

Sources: R. A. Fisher, "Statistical methods for research workers" (1925), chapter 7, for the intraclass correlation by
analysis of variance; S. R. Searle, G. Casella, C. E. McCulloch, "Variance components" (1992), section 3.6, for units of
unequal size.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from storagelab.analysis.inference.intervals import Floats, spreadless
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


def shared_freedom(squares: float, freedom: float, common: float, freedom_common: float) -> float:
    """Degrees of freedom of a mean square to which each round contributes what it does to all cells (Satterthwaite).

    Parameters
    ----------
    squares, freedom : float
        Sum of squares, and its degrees of freedom if rounds did something else to each cell.
    common, freedom_common : float
        Part of both that all cells have in common.
    """
    own, freedom_own = squares - common, freedom - freedom_common
    if freedom_own <= 0 or freedom_common <= 0:
        return freedom
    spread = common**2 / freedom_common + own**2 / freedom_own
    return min(freedom, squares**2 / spread) if spread > 0 else freedom


@dataclass(frozen=True, slots=True)
class InCommon:
    """What the cells of a level have in common by the round in which they were measured.

    Attributes
    ----------
    icc : float
        Correlation of two cells in a round; 0 where it comes out negative, or is not known.
    freedom : float
        Degrees of freedom with which it is known; infinite where no two cells share rounds.
    """

    icc: float
    freedom: float

    def widening(self, cells: int) -> float:
        """By how much it raises the variance of a mean over so many cells."""
        return 1 + (cells - 1) * self.icc


def in_common(tables: Sequence[tuple[Sequence[Hashable], Floats]]) -> InCommon:
    """Estimate what the cells of a level have in common by their rounds, from all levels of a plan.

    Where they have nothing in common, the mean of k cells varies from round to round with a variance that is one in k
    of that of a run; the more they have, the larger. Of few rounds the estimate is a little low: each level is measured
    by its own spread, of which what its cells have in common is a part.

    Parameters
    ----------
    tables : sequence of (rounds, values)
        Of each level and campaign, the names of its rounds, and the values: an array of cells by rounds.
    """
    told = [(rounds, x) for rounds, x in tables if min(x.shape) > 1 and not all(map(spreadless, x))]
    if not told:
        return InCommon(0.0, np.inf)
    means = [_round_means(x) for _, x in told]
    freedoms = [own.size - 1 for own in means]
    apart = [float((own**2).sum() - n) / (len(x) - 1) for own, n, (_, x) in zip(means, freedoms, told, strict=True)]
    freedom = float(sum(freedoms))
    of_rounds: dict[Hashable, list[float]] = {}
    for (rounds, _), own in zip(told, means, strict=True):
        for name, mean in zip(rounds, own.tolist(), strict=True):
            of_rounds.setdefault(name, []).append(mean)
    whole = float(sum((own**2).sum() for own in means))
    common = sum(sum(own) ** 2 / len(own) for own in of_rounds.values())
    left = freedom / sum(own.size for own in means)
    return InCommon(max(0.0, sum(apart) / freedom), shared_freedom(whole, freedom, common, left * len(of_rounds)))


def _round_means(x: Floats) -> Floats:
    """Means of rounds over their cells, in units in which they vary by one where cells have nothing in common."""
    k, n = x.shape
    off = x - x.mean(axis=1, keepdims=True)
    return np.asarray(off.mean(axis=0) * np.sqrt(k * k * (n - 1) / (off**2).sum()))


def _typical(units: Sequence[Floats]) -> float:
    """Runs a unit, as they count in the expected mean square: the mean where all units have as many."""
    sizes = np.array([unit.size for unit in units], dtype=np.float64)
    return float((sizes.sum() - (sizes**2).sum() / sizes.sum()) / (sizes.size - 1))


def intraclass_correlation(cells: Sequence[Sequence[Floats]]) -> float:
    """Share of the variance inside cells that the runs of one unit have in common; NaN where it is not known."""
    return components(cells).icc
