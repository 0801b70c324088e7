"""The shape of noise that means do not stand: a tail of slow runs, as of a link's limit, of modes, or of rare stalls.

Three values cannot show the shape of their noise, whatever is asked of them: of runs of which one in twenty stalls,
three show none in 86 % of the cases, and then cover nothing. But a table has many cells whose noise is of one kind, and
together their residuals show it. Two statistics are held against those of normal noise in cells of the same sizes:

- the skewness of all residuals about the means of their cells, towards the slow side;
- the slowest residual over the spread of the quietest quarter of the cells, which modes and stalls make large where a
  cell has them, and leave small where it does not.

Their distribution for normal noise is simulated, the same every time; a table is flagged in 5 % of the cases where
nothing is wrong with it. Cells that differ much in their spread are flagged as well: then the noise is not of one kind.

Source: the coefficient of skewness as a test of normality is K. Pearson's; R. B. D'Agostino, E. S. Pearson, "Tests for
departure from normality" (Biometrika 1973).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.correction import ALPHA
from storagelab.analysis.inference.intervals import Floats, spreadless
from storagelab.analysis.inference.processor_independent import expm1, log
from storagelab.analysis.inference.seeds import generator

Slow = Literal["low", "high"]

SKEWED = 0.7 * ALPHA
"""Level of the skewness, the more telling of the two; the rest is that of the slowest run."""
DRAWS = 1999
QUARTER = 0.25
FEWEST = 3
"""Values of a cell that show a shape."""
TAILED = "runs have a tail to the slow side"
APART = "some runs are far slower than the rest, or cells are of unlike spread"


@dataclass(frozen=True, slots=True)
class Shape:
    """What the residuals of cells show.

    Attributes
    ----------
    skewness, slowest : float
        Coefficient of skewness, negative towards slow runs; slowest residual over the spread of the quiet cells.
    p_skewness, p_slowest : float
        Chance of as much for normal noise.
    runs : int
        Values in all cells that have three or more.
    """

    skewness: float
    slowest: float
    p_skewness: float
    p_slowest: float
    runs: int

    @property
    def caveat(self) -> str:
        """Why an interval of a mean may not cover; empty where nothing is seen."""
        found = [
            words
            for words, p, level in (
                (TAILED, self.p_skewness, SKEWED),
                (APART, self.p_slowest, ALPHA - SKEWED),
            )
            if p <= level
        ]
        return " and ".join(found) + ": means may not cover, look at the median" if found else ""


UNKNOWN = Shape(np.nan, np.nan, np.nan, np.nan, 0)


def shape_of(samples: Sequence[ArrayLike], slow: Slow = "low") -> Shape:
    """Hold the residuals of cells against those of normal noise.

    Parameters
    ----------
    samples : sequence of array_like, each of shape (n,)
        The runs of each cell, on a scale on which cells spread alike: logs, or values over the mean of their cell.
        Cells with fewer than three, or without spread, say nothing. One cell is a sequence of one.
    slow : {"low", "high"}
        Which side is slow: low of rates, high of times.

    Returns
    -------
    Shape
        NaN, and no caveat, where no cell says anything.
    """
    known = [np.asarray(x, dtype=np.float64) for x in samples if len(np.atleast_1d(x)) >= FEWEST]
    known = sorted((x for x in known if not spreadless(x)), key=len)
    if not known:
        return UNKNOWN
    sizes = tuple(x.size for x in known)
    sign = 1.0 if slow == "low" else -1.0
    skewness, slowest = (float(one[0]) for one in _statistics(sign * np.concatenate(known)[None], sizes))
    skewnesses, slowests = _normal(sizes)
    return Shape(skewness, slowest, _p(-skewnesses, -skewness), _p(slowests, slowest), sum(sizes))


def missed(share: float, runs: ArrayLike) -> Floats:
    """Chance that so many runs show none of a kind that comes in this share of them: 0.86 for one in twenty and 3."""
    return np.asarray((1 - share) ** np.asarray(runs, dtype=np.float64))


def unseen_share(runs: ArrayLike) -> Floats:
    """Return the largest share of runs of a kind that so many runs show none of with a chance of 5 %: 0.095 for 30.

    For many runs it is 3 / n, the rule of three (J. A. Hanley, A. Lippman-Hand, "If nothing goes wrong, is everything
    all right?", JAMA 1983).
    """
    return np.asarray(-expm1(log(0.05) / np.asarray(runs, dtype=np.float64)))


def _statistics(values: Floats, sizes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Skewness and slowest residual of tables, a line each, whose cells stand side by side."""
    n = np.array(sizes)
    starts = np.cumsum(n) - n
    off = values - np.repeat(np.add.reduceat(values, starts, axis=1) / n, n, axis=1)
    squares = np.add.reduceat(off**2, starts, axis=1)
    spread = np.sqrt(squares.sum(axis=1) / (n - 1).sum())
    quiet = np.quantile(np.sqrt(squares / (n - 1)), QUARTER, axis=1)
    return (off**3).mean(axis=1) / spread**3, -off.min(axis=1) / quiet


@lru_cache(maxsize=256)
def _normal(sizes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Both statistics of normal noise in cells of these sizes, sorted."""
    noise = generator("shape", *map(str, sizes)).standard_normal((DRAWS, sum(sizes)))
    return _statistics(noise, sizes)


def _p(drawn: Floats, found: float) -> float:
    """Share of what was drawn that is as large as what was found, which is counted too."""
    return float((1 + (drawn >= found).sum()) / (1 + drawn.size))
