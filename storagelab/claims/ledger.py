"""The ledger: each claim of a paper with the number that speaks of it, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table, verdicts
from storagelab.claims.document import Entry
from storagelab.claims.numbers import Numbers, put_in
from storagelab.claims.quantities import Found
from storagelab.claims.record import Row
from storagelab.errors import StoragelabError

TESTS = {
    "measured": "the claim",
    "published": "the pipeline: the number was put in",
    "derived": "whether printed numbers agree",
    "model": "nothing: the model was made so",
}
"""What a verdict on a claim tests, by what its number rests on."""


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
        One a claim, in their order: what is stated, the number with interval and error, margin, p, verdict, what it
        rests on, and what it therefore tests. Numbers in SI.

    Raises
    ------
    StoragelabError
        If a quantity cannot be taken; says all that cannot.
    """
    found = _all_found(claims, numbers)
    like = next(iter(numbers.tree.children.values())).to_dataset()
    judged = table.frame(verdicts(as_quantities(found, like), [entry.claim() for entry in claims]))
    return [_row(entry, row, found.get(entry.id)) for entry, (_, row) in zip(claims, judged.iterrows(), strict=True)]


def _all_found(claims: Sequence[Entry], numbers: Numbers) -> dict[str, Found]:
    found, wrong = {}, []
    for entry in claims:
        if entry.quantity is None or not entry.claim().decidable:
            continue
        try:
            found[entry.id] = numbers.quantity(entry.quantity, entry.id)
        except StoragelabError as error:
            wrong.append(f"{entry.id}: {error}".replace(f"{entry.id}: {entry.id}:", f"{entry.id}:"))
    if wrong:
        raise StoragelabError("\n".join(wrong))
    return found


def as_quantities(found: Mapping[str, Found], like: xr.Dataset) -> xr.Dataset:
    """The numbers as `storagelab.analysis.claim_quantity` gives them, with the origin of a dataset."""
    rows = pd.DataFrame([each.row(claim) for claim, each in found.items()], columns=list(Found(np.nan).row("")))
    return table.dataset(rows, like, ["claim", "quantity", "unit"])


def _row(entry: Entry, judged: pd.Series, found: Found | None) -> Row:
    basis = _basis(entry, found)
    return {
        "claim": entry.id,
        "section": entry.section,
        "role": entry.role,
        "statement": entry.statement,
        "stated": _stated(entry),
        "printed_unit": entry.stated.unit if entry.stated else "1",
        **numbers_of(judged),
        "verdict": str(judged["verdict"]),
        "wording": str(judged["wording"]),
        "basis": basis,
        "tests": TESTS.get(basis, ""),
        "caveat": "; ".join(filter(None, (str(judged["caveat"]), found.caveat if found else ""))),
        "because": entry.because,
        "note": entry.note,
        "figures": list(entry.figures),
    }


NUMBERS = ("value", "value_low", "value_high", "value_error", "n", "accepted_low", "accepted_high", "claim_margin")
WORDS = ("unit", "level", "interval_is")


def numbers_of(judged: pd.Series) -> dict[str, float | str]:
    """Return the numbers and words of a row of `storagelab.analysis.verdicts` that a ledger keeps."""
    p_values = ("p_outside", "p_outside_holm")
    numbers: dict[str, float | str] = {name: float(judged[name]) for name in (*NUMBERS, *p_values)}
    return numbers | {name: str(judged[name]) for name in WORDS}


def _basis(entry: Entry, found: Found | None) -> str:
    if found is None:
        return ""
    return put_in(found.basis) if isinstance(entry.quantity, str) else found.basis


def _stated(entry: Entry) -> str:
    """What is stated, in the words of the claim: "350 MB/s", "90 to 100 MB/s", "zfs"."""
    if entry.stated is None:
        return entry.level
    if entry.until is not None:
        return f"{entry.stated.digits} to {entry.until}"
    return f"{entry.stated}" if entry.error is None else f"{entry.stated.digits} +- {entry.error}"
