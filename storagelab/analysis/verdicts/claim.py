"""A claim of a paper as something that a number can support: an operator, what it states, and a tolerance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from storagelab.analysis.inference.intervals import Interval
from storagelab.errors import AnalysisError, nearest

Operator = Literal[
    "==", "approx", "between", "<", "<=", ">", ">=", "equivalent", "compatible", "argmax", "max_approx", "peak_at",
    "knee_at", "crossover", "threshold", "drop_beyond", "trend", "axis_range", "holds",
]  # fmt: skip
ToleranceKind = Literal["exact", "relative", "absolute", "z", "gap", "judgement"]

ROUNDING = 1e-9
"""Relative difference below which two numbers are the same number, computed in two orders."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a quantity may lie from what is stated.

    Attributes
    ----------
    kind : {"exact", "relative", "absolute", "z", "gap", "judgement"}
        "relative" and "absolute": of the stated value, or of both ends of a range. "z": standard errors of the
        difference. "gap": by how much, relative, an ordering must show at least. "judgement": no number decides.
    amount : float
        How much.
    """

    kind: ToleranceKind = "exact"
    amount: float = 0.0


@dataclass(frozen=True, slots=True)
class Claim:
    """What a paper says, in a form that data can support or not.

    Attributes
    ----------
    id, statement : str
        Its name, and the sentence.
    operator : str
        See `Operator`. Of ratios ("equivalent", "compatible" with a base, orderings) the quantity is the ratio.
    stated : float
        The number that the paper prints, in the unit of the quantity. Of an ordering 1, as the quantity is a ratio.
        Of a trend +1 (rising) or -1 (falling), as the quantity is a rank correlation.
    until : float
        Upper end, where a range is stated from `stated` to `until`.
    error : float
        Standard error that the paper prints beside the number.
    unit : str
        SI unit of the quantity.
    level : str
        Of "argmax": who is said to be highest.
    tolerance : Tolerance
    testable : bool
        False for an opinion, or for what no number can decide.
    contradicts : tuple of str
        Ids of claims of the same paper with which this one cannot hold.
    """

    id: str
    operator: Operator
    statement: str = ""
    stated: float = np.nan
    until: float = np.nan
    error: float = np.nan
    unit: str = "1"
    level: str = ""
    tolerance: Tolerance = Tolerance()
    testable: bool = True
    contradicts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse an operator nobody knows, and a claim that states nothing to test."""
        if self.operator not in get_args(Operator):
            hint = nearest(self.operator, get_args(Operator))
            raise AnalysisError(f"claim {self.id}: unknown operator {self.operator!r}{hint}")
        if self.tolerance.kind not in get_args(ToleranceKind):
            known = ", ".join(get_args(ToleranceKind))
            raise AnalysisError(f"claim {self.id}: tolerance {self.tolerance.kind!r}, expected one of {known}")
        if self.decidable and self.operator == "argmax" and not self.level:
            raise AnalysisError(f"claim {self.id}: argmax needs the level that is said to be highest")
        if self.decidable and self.operator != "argmax" and not np.isfinite(self.stated):
            raise AnalysisError(f"claim {self.id}: {self.operator} needs a stated value")
        if self.operator in ("between", "axis_range") and not self.until >= self.stated:
            raise AnalysisError(f"claim {self.id}: a range needs both ends, got {self.stated:g} to {self.until:g}")

    @property
    def decidable(self) -> bool:
        """Whether a number can support it."""
        return self.testable and self.tolerance.kind != "judgement"


def accepted(claim: Claim, error: float = np.nan) -> Interval:
    """Region in which a quantity supports a claim.

    Parameters
    ----------
    claim : Claim
        Any but argmax, whose quantity is no number.
    error : float
        Standard error of the quantity, which a tolerance in standard errors needs: both errors are added in quadrature,
        and an error that is not known counts as none.

    Returns
    -------
    tuple of float
        Lowest and highest value, in the unit of the claim; ends are infinite where the claim sets none.
    """
    return _REGIONS.get(claim.operator, _around)(claim, error)


def _slack(claim: Claim, around: float, error: float) -> float:
    kind, amount = claim.tolerance.kind, claim.tolerance.amount
    if kind == "absolute":
        return amount
    if kind == "z":
        return amount * float(np.hypot(np.nan_to_num(error), np.nan_to_num(claim.error)))
    return max(amount if kind == "relative" else 0.0, ROUNDING) * abs(around)


def _around(claim: Claim, error: float) -> Interval:
    slack = _slack(claim, claim.stated, error)
    return claim.stated - slack, claim.stated + slack


def _range(claim: Claim, error: float) -> Interval:
    return claim.stated - _slack(claim, claim.stated, error), claim.until + _slack(claim, claim.until, error)


def _above(claim: Claim, error: float) -> Interval:
    if claim.tolerance.kind == "gap":
        return claim.stated * (1 + claim.tolerance.amount), np.inf
    return claim.stated - _slack(claim, claim.stated, error), np.inf


def _below(claim: Claim, error: float) -> Interval:
    if claim.tolerance.kind == "gap":
        return -np.inf, claim.stated * (1 - claim.tolerance.amount)
    return -np.inf, claim.stated + _slack(claim, claim.stated, error)


def _trend(claim: Claim, error: float) -> Interval:
    return (0.0, 1.0) if claim.stated > 0 else (-1.0, 0.0)


_REGIONS: Mapping[str, Callable[[Claim, float], Interval]] = {
    "between": _range,
    "axis_range": _range,
    ">": _above,
    ">=": _above,
    "threshold": _above,
    "<": _below,
    "<=": _below,
    "drop_beyond": _below,
    "trend": _trend,
}
