"""Many tests at once, with intervals that agree with their verdicts.

Sources: S. Holm, "A simple sequentially rejective multiple test procedure" (Scandinavian Journal of Statistics, 1979);
Z. Sidak, "Rectangular confidence regions for the means of multivariate normal distributions" (JASA, 1967);
Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate" (JRSS B, 1995) and Y. Benjamini, D. Yekutieli, "False
discovery rate-adjusted multiple confidence intervals for selected parameters" (JASA, 2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.processor_independent import expm1, log1p

ALPHA = 0.05

Correction = Literal["simultaneous", "fdr", "none"]
CORRECTED: dict[Correction, str] = {
    "simultaneous": "simultaneous over the table (Sidak)",
    "fdr": "false discovery rate over the table (Benjamini and Hochberg)",
    "none": "not corrected for the number of comparisons",
}


def sidak(cells: ArrayLike, alpha: float = ALPHA) -> Any:
    """Level of each of so many independent tests at which all of them together err with `alpha`.

    Examples
    --------
    >>> round(float(sidak(60)), 6)
    0.000855
    """
    return -expm1(log1p(-alpha) / np.asarray(cells, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class Family:
    """Tests that are made together.

    Attributes
    ----------
    alpha : float
        Level of each single test: an interval of the confidence ``1 - alpha`` excludes what the test refuses.
    adjusted : ndarray, shape (tests,)
        Corrected p values, to be held against the level of the family; NaN for a test that was not made.
    """

    alpha: float
    adjusted: Floats


def family(p: ArrayLike, correction: Correction = "simultaneous", size: int = 0, alpha: float = ALPHA) -> Family:
    """Correct p values for their number.

    Parameters
    ----------
    p : array_like, shape (tests,)
        NaN for a test that was not made.
    correction : {"simultaneous", "fdr", "none"}
        Whether all intervals of the family hold together in 95 % (Sidak's inequality, whatever the tests have in
        common), or at most 5 % of what is found is wrong on average, or each stands alone.
    size : int, optional
        How many tests might have been made, where those are not all: against the best, of any two.
    alpha : float
        Level of the family.

    Examples
    --------
    >>> round(family([0.01, 0.2, np.nan]).alpha, 4)
    0.0253
    >>> family([0.01, 0.2], "fdr").adjusted.tolist()
    [0.02, 0.2]
    """
    raw = np.asarray(p, dtype=np.float64)
    made = max(size, int(np.isfinite(raw).sum()))
    if correction == "none" or made < 2:
        return Family(alpha, raw)
    if correction == "simultaneous":
        with np.errstate(divide="ignore"):
            return Family(float(sidak(made, alpha)), np.asarray(-expm1(made * log1p(-raw))))
    adjusted = _false_discoveries(raw, made)
    return Family(alpha * max(1, int((adjusted <= alpha).sum())) / made, adjusted)


def _false_discoveries(raw: Floats, made: int) -> Floats:
    known = np.isfinite(raw)
    adjusted = np.full(raw.shape, np.nan)
    not_made = np.ones(made - int(known.sum()))
    adjusted[known] = stats.false_discovery_control([*raw[known], *not_made])[: int(known.sum())]
    return adjusted


def verdicts(p: Floats, direction: NDArray[np.str_]) -> NDArray[np.str_]:
    """Return the direction of each test whose corrected p value is at most 5 %; of all others "undecided".

    Examples
    --------
    >>> verdicts(np.array([0.05, 0.06, np.nan]), np.array(["higher", "lower", "lower"])).tolist()
    ['higher', 'undecided', 'undecided']
    """
    return np.where(p <= ALPHA, direction, "undecided")


def holm(p: ArrayLike, groups: ArrayLike | None = None) -> Floats:
    """Correct p values for their number by Holm's step-down method; NaN (a test not made) is passed through.

    For tests without an interval beside them: Holm refuses more than intervals can show. statsmodels gives the same
    numbers, but has the garbage collector go through the whole process at each call.

    Parameters
    ----------
    p : array_like, shape (tests,)
        NaN for a test that was not made.
    groups : array_like of int, shape (tests,), optional
        Group of each test, where its p holds for the whole group already, as that of a furthest value does: then groups
        are counted, and not tests.

    Examples
    --------
    >>> holm([0.01, np.nan, 0.04, 0.03]).round(2).tolist()
    [0.03, nan, 0.06, 0.06]
    >>> holm([0.01, np.nan, 0.04, 0.03], [0, 0, 1, 1]).round(2).tolist()
    [0.02, nan, 0.04, 0.03]
    """
    raw = np.asarray(p, dtype=np.float64)
    rising = np.argsort(raw)[: int(np.isfinite(raw).sum())]
    corrected = np.full(raw.shape, np.nan)
    left = np.arange(rising.size, 0, -1) if groups is None else _groups_from_each(np.asarray(groups)[rising])
    corrected[rising] = np.minimum(np.maximum.accumulate(raw[rising] * left), 1.0)
    return corrected


def _groups_from_each(groups: np.ndarray) -> np.ndarray:
    """How many groups there are from each place to the end."""
    is_last = np.zeros(groups.size, dtype=np.int64)
    is_last[groups.size - 1 - np.unique(groups[::-1], return_index=True)[1]] = 1
    return np.cumsum(is_last[::-1])[::-1]
