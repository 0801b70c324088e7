"""The ledger: each claim of a paper with the number that speaks of it, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table, verdicts
from storagelab.analysis.verdicts.verdicts import NOT_SUPPORTED, SUPPORTED
from storagelab.claims.claims_yaml_entries import Entry
from storagelab.claims.evidence import SAME, TESTS, flip, part_of, refuse_test_of_model
from storagelab.claims.number_evaluation import Found
from storagelab.claims.record import Row
from storagelab.claims.study_numbers import Numbers, input_basis
from storagelab.errors import StoragelabError
from storagelab.study.sidecar_numbers import Quantity

UNDECIDED = "undecided"
"""Verdict where the interval of the number reaches from what supports the claim to what does not."""


def ledger(claims: Sequence[Entry], numbers: Numbers) -> list[Row]:
    """Judge the claims of a paper on the dataset of its study.

    Parameters
    ----------
    claims : sequence of Entry
    numbers : Numbers
        Of the study.

    Returns
    -------
    list of rows
        One a claim and reading, in their order: what is stated, the number, its interval where the text prints errors,
        the value at which the verdict flips, verdict, what it rests on, and the part of the ledger to which it
        therefore belongs. Numbers in SI.

    Raises
    ------
    StoragelabError
        If a quantity cannot be taken, is a test of scatter that a model drew, or a claim names a published value that
        is not the number it states; says all that is wrong.
    """
    taken = [reading for entry in claims for reading in entry.taken()]
    found = _all_found(taken, numbers)
    like = next(iter(numbers.tree.children.values())).to_dataset()
    judged = table.rows(verdicts(as_quantities(found, like), [entry.claim() for entry in taken]))
    first: dict[tuple[object, ...], str] = {}
    pairs = zip(taken, judged.records(), strict=True)
    return [_in_its_part(_row(entry, row, found.get(entry.id), numbers), first) for entry, row in pairs]


def _all_found(claims: Sequence[Entry], numbers: Numbers) -> dict[str, Found]:
    found, wrong = {}, []
    for entry in claims:
        if entry.quantity is None or not entry.claim().decidable:
            continue
        try:
            found[entry.id] = _with_printed_errors(entry, _number(entry, numbers))
            _stated_as_printed(entry, numbers)
        except StoragelabError as error:
            wrong.append(f"{entry.id}: {error}".replace(f"{entry.id}: {entry.id}:", f"{entry.id}:"))
    if wrong:
        raise StoragelabError("\n".join(wrong))
    return found


def _number(entry: Entry, numbers: Numbers) -> Found:
    """The number that speaks of a claim: arithmetic is done on what is printed, anything else comes out of the logs."""
    quantity = entry.quantity
    if isinstance(quantity, Quantity) and quantity.expression:
        return numbers.arithmetic(quantity.expression)
    return numbers.quantity(quantity or "", entry.id)


def _with_printed_errors(entry: Entry, found: Found) -> Found:
    """A number with its interval only where the errors are measured or printed: scatter that a model drew has none.

    Raises
    ------
    StoragelabError
        If the number itself is a test or an interval of such scatter.
    """
    quantity = entry.quantity
    if isinstance(quantity, Quantity):
        refuse_test_of_model(entry.id, quantity.take, found.basis)
        if found.basis == "measured" or quantity.expression:
            return found
    return replace(found, low=np.nan, high=np.nan, error=np.nan)


def _stated_as_printed(entry: Entry, numbers: Numbers) -> None:
    """Refuse a claim that names a published value which is not the number it states."""
    if not entry.stated_value:
        return
    value = numbers.published[entry.stated_value].amount
    if entry.stated is None or entry.stated.digits != value.digits:
        raise StoragelabError(f"{entry.id}: states {entry.stated}, but {entry.stated_value} is printed as {value}")


def as_quantities(found: Mapping[str, Found], like: xr.Dataset) -> xr.Dataset:
    """The numbers as `storagelab.analysis.claim_quantity` gives them, with the origin of a dataset."""
    rows = pd.DataFrame([each.row(claim) for claim, each in found.items()], columns=list(Found(np.nan).row("")))
    return table.dataset(rows, like, ["claim", "quantity", "unit"])


def _row(entry: Entry, judged: Mapping[str, Any], found: Found | None, numbers: Numbers) -> dict[str, Any]:
    low, high = _rounded(entry, numbers) if found else (np.nan, np.nan)
    row: dict[str, Any] = {
        "claim": entry.id,
        "reading_of": entry.id.rpartition("_")[0] if entry.reading and not entry.readings else "",
        "reading": entry.reading,
        "section": entry.section,
        "role": entry.role,
        "statement": entry.statement,
        "operator": entry.operator,
        "stated": _stated(entry),
        "printed_unit": entry.stated.unit if entry.stated else "1",
        **numbers_of(judged),
        "rounded_low": low,
        "rounded_high": high,
        "verdict": decided(str(judged["verdict"]), judged, entry.tolerance.z is not None, (low, high)),
        "basis": _basis(entry, found),
        **_rests_on(entry, numbers if found else None),
        "tolerance": entry.tolerance.words(),
        "caveat": "; ".join(filter(None, (str(judged["caveat"]), found.caveat if found else ""))),
        "because": entry.because,
        "note": entry.note,
        "figures": list(entry.figures),
    }
    row["wording"] = str(judged["wording"]) if row["verdict"] == judged["verdict"] else row["verdict"]
    return row


def _in_its_part(row: dict[str, Any], first: dict[tuple[object, ...], str]) -> Row:
    """Add what follows from a row; `first` holds who did the same arithmetic before."""
    arithmetic = (row["expression"], row["operator"], row["stated"], row["tolerance"]["is"])
    earlier = first.setdefault(arithmetic, row["claim"])
    row["repeats"] = earlier if row["expression"] and earlier != row["claim"] else ""
    row["part"], row["part_because"] = part_of(row)
    row["tests"] = "the claim" if row["basis"] == "measured" else TESTS.get(row["part"], "")
    row["flip"] = flip(row)
    return row


def _rests_on(entry: Entry, numbers: Numbers | None) -> dict[str, Any]:
    """Which printed numbers stand behind a claim, and which of them it states."""
    quantity = entry.quantity
    expression = quantity.expression if isinstance(quantity, Quantity) else quantity or ""
    named = numbers.inputs(expression) if numbers and expression else {}
    return {
        "expression": quantity.expression if isinstance(quantity, Quantity) else "",
        "inputs": named,
        "stated_number": entry.stated.si if entry.stated else np.nan,
        "stated_value": entry.stated_value,
        "forced": entry.forced,
    }


NUMBERS = ("value", "value_low", "value_high", "value_error", "n", "accepted_low", "accepted_high", "claim_margin")
WORDS = ("unit", "level", "interval_is")


def numbers_of(judged: Mapping[str, Any]) -> dict[str, float | str]:
    """Return the numbers and words of a row of `storagelab.analysis.verdicts` that a ledger keeps."""
    p_values = ("p_outside", "p_outside_holm")
    numbers: dict[str, float | str] = {name: float(judged[name]) for name in (*NUMBERS, *p_values)}
    return numbers | {name: str(judged[name]) for name in WORDS}


def _rounded(entry: Entry, numbers: Numbers) -> tuple[float, float]:
    """Between which ends arithmetic on printed numbers lies, as these are rounded; NaN where there is none."""
    quantity = entry.quantity
    if isinstance(quantity, Quantity) and quantity.expression:
        return numbers.rounded(quantity.expression)
    return np.nan, np.nan


def decided(verdict: str, judged: Mapping[str, Any], in_errors: bool, ends: tuple[float, float]) -> str:
    """Leave a verdict open where the interval reaches across the line, for measured and for printed numbers alike.

    So do the `ends` of what rounds to the printed numbers, or of the runs behind a number that has no interval. A
    tolerance in standard errors has the errors in it already, so that the value decides.
    """
    if verdict not in (SUPPORTED, NOT_SUPPORTED):
        return verdict
    across = judged["interval_is"] == "across" and not in_errors
    return UNDECIDED if across or _reaches_across(*ends, judged) else verdict


def _reaches_across(low: float, high: float, judged: Mapping[str, Any]) -> bool:
    """Whether an end of what supports a claim lies between two numbers, and is neither of them."""
    lines = (float(judged["accepted_low"]), float(judged["accepted_high"]))
    return any(low < line < high and not np.isclose([low, high], line, rtol=SAME, atol=0).any() for line in lines)


def _basis(entry: Entry, found: Found | None) -> str:
    if found is None:
        return ""
    return input_basis(found.basis) if isinstance(entry.quantity, str) else found.basis


def _stated(entry: Entry) -> str:
    """What is stated, in the words of the claim: "350 MB/s", "90 to 100 MB/s", "zfs"."""
    if entry.stated is None:
        return entry.level
    if entry.until is not None:
        return f"{entry.stated.digits} to {entry.until}"
    return f"{entry.stated}" if entry.error is None else f"{entry.stated.digits} +- {entry.error}"
