"""What a pilot says of the noise: how far runs of a round spread, how far rounds do, and how well both are known.

Model, of logs: ``y = cell + round in the cell + run``. The two variances come from the mean squares of a nested
analysis of variance, pooled over the cells: that between rounds has the expectation ``run + k round``, k its runs.
Rounds that several cells share do the same to all of them, so that they are fewer pieces of evidence than cells times
rounds: the degrees of freedom of their mean square are Satterthwaite's.

What a pilot of few runs does not know of its noise is kept: the variance of a planned round of m runs is not a number
but a distribution, ``squares / chi-squared`` of either mean square, and a power is averaged over it. (A plan by the
upper limit of the spread would promise less than it gives; one by the spread itself gives less than it promises.)

Sources: S. R. Searle, G. Casella, C. E. McCulloch, "Variance components" (1992), chapter 3; F. E. Satterthwaite, "An
approximate distribution of estimates of variance components" (Biometrics Bulletin 1946); T. Kalibera, R. Jones,
"Rigorous benchmarking in reasonable time" (ISMM 2013), on the levels of repetition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from storagelab.analysis.cells import Cells, Rows
from storagelab.analysis.inference.intervals import CONFIDENCE, Floats, Interval
from storagelab.analysis.inference.power import even
from storagelab.analysis.inference.variance_components import shared_freedom

GRID = 24
VARIANCES = 32


@dataclass(frozen=True, slots=True)
class Pilot:
    """Mean squares of a pilot, and their degrees of freedom.

    Attributes
    ----------
    between, freedom : float
        Mean square between the rounds of a cell (times k), and its degrees of freedom.
    within, freedom_within : float
        Mean square between the runs of a round; degrees of freedom 0 where each round has one run.
    size : float
        Runs of a round (k).
    """

    between: float
    freedom: float
    within: float
    freedom_within: float
    size: float

    @property
    def nested(self) -> bool:
        """Whether the spread of rounds can be told from that of their runs."""
        return self.freedom > 0 and self.freedom_within > 0

    @property
    def of_runs(self) -> float:
        """Variance between the runs of a round, or of all runs where each stands in a round of its own."""
        return self.within if self.freedom_within > 0 else self.between

    @property
    def of_rounds(self) -> float:
        """Variance between rounds beyond that of their runs; NaN where it cannot be told."""
        return max(self.between - self.within, 0.0) / self.size if self.nested else np.nan

    def run_spread(self) -> tuple[float, Interval]:
        """Standard deviation of the runs of a round, with its chi-squared interval."""
        freedom = self.freedom_within if self.freedom_within > 0 else self.freedom
        tails = np.array([1 - CONFIDENCE, 1 + CONFIDENCE]) / 2
        low, high = np.sqrt(self.of_runs * freedom / special.chdtri(freedom, tails))
        return float(np.sqrt(self.of_runs)), (float(low), float(high))

    def variances(self, runs: int) -> Floats:
        """Variances that the mean of a planned round of so many runs may have, all equally probable."""
        if not self.nested:
            freedom = max(self.freedom, self.freedom_within)
            return np.asarray(self.of_runs * freedom / special.chdtri(freedom, even(VARIANCES)) / runs)
        within = self.within * self.freedom_within / special.chdtri(self.freedom_within, even(GRID))[:, None]
        between = self.between * self.freedom / special.chdtri(self.freedom, even(GRID))
        found = np.maximum(between - within, 0) / self.size + within / runs
        places = (even(VARIANCES) * found.size).astype(np.intp)
        return np.asarray(np.sort(found, axis=None)[places])


def pilot_of(rows: Rows, variable: str, by: Sequence[str], *, shared: bool) -> Pilot:
    """Split the spread of runs of the same cell into rounds and runs.

    Parameters
    ----------
    rows : Rows
        One row a run, with its round in the column "round".
    variable : str
        Logs.
    by : sequence of str
        Keys that make the cells.
    shared : bool
        Whether what a round does to all its cells alike counts as spread; it does not where sides are compared round
        by round.

    Returns
    -------
    Pilot
        Degrees of freedom are 0 where a mean square has none.
    """
    rounds = rows.cells([*by, "round"])
    means = rounds.results(mean=rounds.mean(variable), runs=rounds.size)
    cells = means.cells(by)
    runs = cells.rows["runs"]
    total = cells.sum_of(runs)
    off = cells.rows["mean"] - np.repeat(cells.sum_of(runs * cells.rows["mean"]) / total, cells.size)
    squares, freedom = float((runs * off**2).sum()), float((cells.size - 1).sum())
    within, freedom_within = float(_squares(rounds, variable).sum()), float((rounds.size - 1).sum())
    size = float((total - cells.sum_of(runs**2) / total).sum() / freedom) if freedom else float(runs.mean())
    common, freedom_common = _common(cells.rows.assign(off=off))
    between, freedom = _pooled(squares, freedom, common, freedom_common, shared)
    return Pilot(between, freedom, within / freedom_within if freedom_within else np.nan, freedom_within, size)


def _squares(cells: Cells, variable: str) -> Floats:
    values = cells.rows[variable]
    return cells.sum_of((values - np.repeat(cells.mean_of(values), cells.size)) ** 2)


def _common(means: Rows) -> tuple[float, float]:
    """Squares of what each round does to all its cells alike, and their degrees of freedom."""
    of_round = means.assign(weighted=means["off"] * means["runs"]).cells(["round"])
    weights = of_round.sum("runs")
    squares = of_round.sum("weighted") ** 2 / weights
    return float(squares.sum()), float(len(of_round) - 1)


def _pooled(squares: float, freedom: float, common: float, freedom_common: float, shared: bool) -> tuple[float, float]:
    """Mean square between rounds with its degrees of freedom, with or without what rounds have in common."""
    own, freedom_own = squares - common, freedom - freedom_common
    if freedom_own <= 0 or freedom_common <= 0:
        return (squares / freedom if freedom else np.nan), (freedom if shared else 0.0)
    if not shared:
        return max(own, 0.0) / freedom_own, freedom_own
    return squares / freedom, shared_freedom(squares, freedom, common, freedom_common)
