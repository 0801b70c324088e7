"""What a verdict is evidence of: which rows of the ledger could have come out otherwise, and which could not.

The part of a row follows from what stands in the row, so that anybody can work it out again from claims.json.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from storagelab.analysis.verdicts.verdicts import NOT_REPORTED, NOT_TESTABLE
from storagelab.claims.record import Row
from storagelab.errors import StoragelabError

FALSIFIABLE, TRANSCRIPTION, IDENTITY, MODEL = "falsifiable", "transcription", "identity", "model"

TESTS: Mapping[str, str] = {
    FALSIFIABLE: "whether printed numbers agree",
    TRANSCRIPTION: "the pipeline: the number was put in",
    IDENTITY: "nothing: it cannot come out otherwise",
    MODEL: "nothing: the model was made so",
}
"""What a verdict tests, by the part of its row."""

NEUTRAL = ("<", "<=", ">", ">=", "equivalent", "compatible", "threshold", "drop_beyond")
"""Operators of orders and equalities: their border, a ratio of 1 or a difference of 0, is no number of anybody."""

SAME = 1e-8
"""Relative difference below which two printed numbers are one number."""

TEST_COLUMNS = ("z", "p_")
"""Beginnings of the columns that hold tests: a difference in standard errors, a probability."""
INTERVAL_COLUMNS = ("_low", "_high", "_error")
"""Ends of the columns that hold intervals and errors."""


def part_of(row: Mapping[str, Any]) -> tuple[str, str]:
    """Say which part of the ledger a row belongs to, and why.

    Parameters
    ----------
    row : mapping
        Of the ledger: verdict, basis, role, operator, expression, inputs (printed numbers behind it, in SI, by name),
        stated_number [SI], stated_value (the published value that it is), forced, and repeats (the claim on which the
        same arithmetic was done before).

    Returns
    -------
    part : str
        "falsifiable", "transcription", "identity", "model"; "" where no number decides.
    why : str
    """
    if row["verdict"] in (NOT_TESTABLE, NOT_REPORTED):
        return "", ""
    if row["basis"] == "measured":
        return FALSIFIABLE, "it was measured"
    if row["basis"] == "model":
        return MODEL, "the number is of the model"
    if not row["inputs"]:
        return TRANSCRIPTION, "the number was put into the logs"
    why = _cannot_fail(row)
    if not why:
        return FALSIFIABLE, "printed numbers that do not follow from each other"
    return (IDENTITY if row["expression"] else TRANSCRIPTION), why


def _cannot_fail(row: Mapping[str, Any]) -> str:
    """Why arithmetic on printed numbers could not have come out otherwise; "" where it could."""
    inputs, own = row["inputs"], row["stated_value"]
    if row["forced"]:
        return str(row["forced"])
    if row.get("repeats"):
        return f"the same arithmetic as {row['repeats']}, where it is counted"
    if row["role"] == "derived":
        return "the sentence is ours, made from the numbers that it is held against"
    if own in inputs:
        return f"{own} is compared with itself"
    if len(inputs) == 1 and not (own and _differ(row)):
        return "one printed number stands on both sides"
    if not own and not (row["operator"] in NEUTRAL and row["stated_number"] in (0.0, 1.0)):
        return "the stated number is ours, worked out from the same printed numbers"
    return ""


def _differ(row: Mapping[str, Any]) -> bool:
    """Whether the one printed number behind a row is another one than what is stated."""
    (known,) = row["inputs"].values()
    return not math.isclose(abs(known), abs(row["stated_number"]), rel_tol=SAME)


def verified(rows: Iterable[Row], study: str) -> None:
    """Refuse rows whose part is not the one that follows from them.

    Raises
    ------
    StoragelabError
        Names every such claim, the part it is given, and the one that it has.
    """
    wrong = [
        f"{study}: {row['claim']}: called {row['part'] or 'nothing'}, but it is {part or 'not decided'}: {why}"
        for row in rows
        for part, why in [part_of(row)]
        if row["part"] != part
    ]
    if wrong:
        raise StoragelabError("\n".join(wrong))


def refuse_test_of_model(claim: str, column: str, basis: str) -> None:
    """Refuse a test or an interval that is computed on scatter which a model drew.

    Raises
    ------
    StoragelabError
        Naming the claim and the column.
    """
    if basis == "model" and (column.startswith(TEST_COLUMNS) or column.endswith(INTERVAL_COLUMNS)):
        raise StoragelabError(
            f"{claim}: {column!r} is a test or an interval of scatter that the model drew: state a number that the "
            "text prints, or withdraw the claim as not testable"
        )


def flip(row: Mapping[str, Any]) -> float:
    """Return the value at which the verdict of a row turns: the nearer end of what supports the claim; NaN without one.

    Parameters
    ----------
    row : mapping
        With value, accepted_low and accepted_high, in SI.
    """
    ends = [float(row[end]) for end in ("accepted_low", "accepted_high") if math.isfinite(row[end])]
    return min(ends, key=lambda end: abs(end - float(row["value"]))) if ends else math.nan
