"""Verdicts on claims, from the quantities that a dataset gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.inference.correction import holm
from storagelab.analysis.inference.intervals import Interval
from storagelab.analysis.inference.mean_differences import Difference
from storagelab.analysis.significant_digits import first_extreme, significant
from storagelab.analysis.verdicts.claim import Claim, accepted
from storagelab.errors import AnalysisError

SUPPORTED, NOT_SUPPORTED = "supported", "not supported"
INCONSISTENT, NOT_TESTABLE, NOT_REPORTED = "internally inconsistent", "not testable", "not reported"
WORDINGS = {
    SUPPORTED: "consistent with the printed text",
    NOT_SUPPORTED: "not consistent with the printed text",
}
"""What may be said where the logs were rendered from the printed numbers: the pipeline was tested, not the paper."""


def verdicts(quantities: xr.Dataset, claims: Sequence[Claim]) -> xr.Dataset:
    """Judge claims by their operators and tolerances.

    The value decides the verdict; its interval, and p of lying outside of what supports the claim (the larger of two
    one-sided t tests), say how sure that is. p values are corrected by Holm over the claims that were tested.

    Parameters
    ----------
    quantities : Dataset, dimension obs
        From `claim_quantity`, at most one row a claim. A claim without a row, or without a value, is not reported.
    claims : sequence of Claim
        All claims of a study: those that contradict each other must be among them.

    Returns
    -------
    Dataset, dimension obs
        One row a claim, in their order: keys ``claim``, ``unit``; ``value`` with interval, ``value_error``, ``n``,
        ``level``; ``accepted_low``, ``accepted_high``; ``claim_margin`` [1]; ``interval_is``; ``p_outside``,
        ``p_outside_holm``; ``verdict``: supported, not supported, internally inconsistent (it contradicts a claim with
        which it does not hold together), not testable (an opinion, or a tolerance in standard errors where none is
        known), not reported; ``wording``: the verdict as the origin of the data allows to say it; ``caveat``.

    Raises
    ------
    AnalysisError
        If two quantities speak of one claim, of none, or in another unit than the claim; if a claim contradicts one
        that is not there; or if origins are mixed.
    """
    table.require(quantities, "claim", "value", "value_low", "value_high", "value_error", "unit", "level", "n")
    known = {claim.id: claim for claim in claims}
    found = table.frame(quantities).set_index("claim")
    _refuse_unknown(found, known)
    given = {str(row["claim"]): row for row in table.rows(quantities).records()}
    rows = pd.DataFrame([_judged(claim, given.get(claim.id)) for claim in claims])
    rows["p_outside_holm"] = holm(rows["p_outside"])
    rows = _contradicted(rows, known)
    reconstructed = table.origin(quantities) == "reconstructed"
    rows["wording"] = [WORDINGS.get(word, word) if reconstructed else word for word in rows["verdict"]]
    tests = "the pipeline, not the paper" if reconstructed else "the claim"
    method = "operator and tolerance of each claim on its value, t test of lying outside, Holm-corrected"
    return table.dataset(rows, quantities, ["claim", "unit"], method=method, tests=tests)


def _refuse_unknown(found: pd.DataFrame, known: dict[str, Claim]) -> None:
    for claim in found.index[found.index.duplicated()]:
        raise AnalysisError(f"claim {claim}: several quantities, expected one")
    for name in found.index.difference(list(known)):
        raise AnalysisError(f"claim {name}: a quantity, but no such claim")
    for claim in known.values():
        for other in claim.contradicts:
            if other not in known:
                raise AnalysisError(f"claim {claim.id} contradicts {other!r}, which is no claim of this study")
    for name, row in found.iterrows():
        _refuse_unit(known[str(name)], row["unit"])


def _refuse_unit(claim: Claim, unit: str) -> None:
    if claim.operator != "argmax" and unit != claim.unit:
        raise AnalysisError(f"claim {claim.id}: the quantity is in {unit!r}, the claim in {claim.unit!r}")


def verdict_alone(claim: Claim, quantity: Mapping[str, Any]) -> dict[str, float | str]:
    """Judge one claim that contradicts no other.

    Parameters
    ----------
    claim : Claim
    quantity : mapping
        Columns of `claim_quantity`.

    Returns
    -------
    dict
        Columns of `verdicts` but for ``wording``, which depends on the origin of the data.

    Raises
    ------
    AnalysisError
        If the quantity is in another unit than the claim.
    """
    _refuse_unit(claim, quantity["unit"])
    found = _judged(claim, _rounded(quantity))
    return _rounded({**found, "p_outside_holm": found["p_outside"]})


def _rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    """Round the numbers of a row to the digits of a result."""
    numbers = {name: value for name, value in row.items() if not isinstance(value, str)}
    return {**row, **dict(zip(numbers, significant(list(numbers.values())).tolist(), strict=True))}


def _judged(claim: Claim, row: Mapping[str, Any] | None) -> dict[str, float | str]:
    """One claim on its own."""
    nan = np.nan
    line: dict[str, float | str] = {
        "claim": claim.id, "unit": claim.unit, "value": nan, "value_low": nan, "value_high": nan, "value_error": nan,
        "n": nan, "level": "", "accepted_low": nan, "accepted_high": nan, "claim_margin": nan, "interval_is": "",
        "p_outside": nan, "caveat": "",
    }  # fmt: skip
    if row is not None:
        line |= {name: row[name] for name in ("value", "value_low", "value_high", "value_error", "n", "level")}
    if not claim.decidable:
        return line | {"verdict": NOT_TESTABLE}
    if row is None or not (np.isfinite(row["value"]) or row["level"]):
        return line | {"verdict": NOT_REPORTED}
    if claim.operator == "argmax":
        return line | {"verdict": SUPPORTED if row["level"] == claim.level else NOT_SUPPORTED}
    if claim.tolerance.kind == "z" and not np.isfinite([row["value_error"], claim.error]).any():
        return line | {"verdict": NOT_TESTABLE, "caveat": "a tolerance in standard errors, and none is known"}
    return line | _against(accepted(claim, float(row["value_error"])), row)


def _against(region: Interval, row: Mapping[str, Any]) -> dict[str, float | str]:
    low, high = region
    value = float(significant(row["value"]))
    inside = low <= value <= high
    return {
        "accepted_low": low,
        "accepted_high": high,
        "claim_margin": _margin(value, region),
        "interval_is": _place((float(row["value_low"]), float(row["value_high"])), region),
        "p_outside": Difference(value, float(row["value_error"]), float(row["n"]) - 1).p_outside(low, high),
        "verdict": SUPPORTED if inside else NOT_SUPPORTED,
    }


def _margin(value: float, region: Interval) -> float:
    """Distance to the nearer end over the size of that end; negative outside."""
    gaps = [(value - region[0], region[0]), (region[1] - value, region[1])]
    known = [pair for pair in gaps if np.isfinite(pair[1])]
    gap, end = known[first_extreme([gap for gap, _ in known], "lowest")]
    return float(gap / abs(end)) if end else float(gap)


def _place(interval: Interval, region: Interval) -> str:
    if not np.isfinite(interval).all():
        return "no interval"
    if region[0] <= interval[0] and interval[1] <= region[1]:
        return "inside"
    return "outside" if interval[1] < region[0] or region[1] < interval[0] else "across"


def _contradicted(rows: pd.DataFrame, known: dict[str, Claim]) -> pd.DataFrame:
    """Claims that cannot hold together are inconsistent, unless the data show that they do."""
    pairs = {frozenset((claim.id, other)) for claim in known.values() for other in claim.contradicts}
    alone = dict(zip(rows["claim"], rows["verdict"], strict=True))
    rows = rows.set_index("claim", drop=False)
    for pair in sorted(sorted(pair) for pair in pairs):
        if all(alone[name] == SUPPORTED for name in pair):
            rows.loc[pair, "caveat"] = f"said to contradict each other, but the data support both: {', '.join(pair)}"
        elif any(alone[name] in (SUPPORTED, NOT_SUPPORTED) for name in pair):
            tested = [name for name in pair if alone[name] in (SUPPORTED, NOT_SUPPORTED)]
            rows.loc[tested, "verdict"] = INCONSISTENT
    return rows.reset_index(drop=True)
