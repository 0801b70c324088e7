"""Every printed number beside the one that comes out of the logs, and whether they agree to the printed digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from storagelab import units
from storagelab.claims.claims_yaml import Check, Inconsistency
from storagelab.claims.number_evaluation import Found
from storagelab.claims.record import Row
from storagelab.claims.study_numbers import Numbers
from storagelab.errors import ReconstructError, StoragelabError
from storagelab.study.amount import Amount
from storagelab.study.published import Value

OTHERS = "other printed numbers"
"""Where a misfit is recomputed from."""

ROUNDING = 1e-9
"""Relative slack for numbers that lie at the very edge of a printed digit."""


def printed(numbers: Numbers, inconsistencies: Sequence[Inconsistency] = ()) -> list[Row]:
    """Set every printed number beside the one that comes out of other printed numbers, the logs, or the test bed.

    Parameters
    ----------
    numbers : Numbers
    inconsistencies : sequence of Inconsistency
        Their misfits are recomputed from the other printed numbers, whatever the logs follow.

    Returns
    -------
    list of rows
        One a value: as it is printed, what comes out (in the printed unit), where from, and whether both agree to the
        printed digits; a value that nothing here can give says why.

    Raises
    ------
    StoragelabError
        If a quantity cannot be taken, a number is called a misfit and agrees, or is none and does not; says all that is
        wrong.
    """
    misfits = {name: (each.id, rule) for each in inconsistencies for name, rule in each.misfits.items()}
    rows, wrong = (
        [],
        [
            f"{misfits[name][0]}: no published value {name!r}"
            for name in misfits
            if name not in numbers.published.values
        ],
    )
    for name, value in numbers.published.values.items():
        try:
            rows.append(_row(name, value, *_recomputed(name, value, numbers, misfits)))
            wrong += _contradicted(rows[-1], misfits)
        except StoragelabError as error:
            wrong.append(str(error))
    if wrong:
        raise StoragelabError("\n".join(wrong))
    return rows


def _recomputed(
    name: str, value: Value, numbers: Numbers, misfits: Mapping[str, tuple[str, str]]
) -> tuple[Found | None, str]:
    """What a printed number should be, and by what: other printed numbers, the test bed, or the logs."""
    if name in misfits:
        number, unit = numbers.printed(misfits[name][1])
        return Found(number, unit=unit, basis="derived"), OTHERS
    if value.context:
        return None, ""
    return numbers.named(name), "test bed" if value.setting else "logs"


def _contradicted(row: Row, misfits: Mapping[str, tuple[str, str]]) -> list[str]:
    """Where the table of printed numbers and that of inconsistencies would say opposite things of one number."""
    name, agrees = row["name"], row["agrees"]
    if name in misfits and agrees != "no":
        return [f"{misfits[name][0]}: {name} is called a misfit, but comes out as it is printed"]
    if name not in misfits and agrees == "no":
        return [f"{name}: printed {row['printed']}, comes out {row['value']:g}, and no inconsistency names it a misfit"]
    return []


def _row(name: str, value: Value, found: Found | None, source: str) -> Row:
    error = value.error_amount
    known = found and source != OTHERS
    return {
        "name": name,
        "what": value.what,
        "section": value.section,
        "unit": value.unit,
        "printed": value.value,
        "as_printed": value.as_printed,
        "about": value.about,
        "printed_error": value.error or "",
        "from": source,
        "value": _shown(found.value, value.amount, found.unit) if found else np.nan,
        "value_error": _shown(found.error, error, found.unit) if found and known and error else np.nan,
        "n": found.n if found else np.nan,
        "agrees": "" if found is None else "yes" if _agree(value, found, source) else "no",
        "because": value.context,
    }


def _agree(value: Value, found: Found, source: str) -> bool:
    error = value.error_amount if source != OTHERS else None
    return agrees(value.amount, found.value) and (error is None or agrees(error, found.error))


def agrees(written: Amount, number: float) -> bool:
    """Whether a number in SI is what was written, to the digits that were written."""
    return abs(number - written.si) <= written.half_digit + ROUNDING * abs(written.si)


def _shown(number: float, written: Amount, unit: str) -> float:
    """A number in SI in the unit that was written.

    Raises
    ------
    ReconstructError
        If the two are not of one kind.
    """
    if unit != written.si_unit:
        raise ReconstructError(f"{written}: comes out in {unit!r}")
    return number if written.unit == "1" else number / units.factor(written.unit, unit)


def checked(checks: Sequence[Check], numbers: Numbers) -> list[Row]:
    """Work out arithmetic on a paper twice: from its printed numbers, and from those that come out of the logs.

    Returns
    -------
    list of rows
        One a check, numbers in the unit of its result; whether the printed numbers give the result to its digits.

    Raises
    ------
    StoragelabError
        If an expression cannot be worked out, or gives another kind of unit; says all that is wrong.
    """
    rows, wrong = [], []
    for check in checks:
        try:
            rows.append(_check_row(check, numbers))
        except StoragelabError as error:
            wrong.append(f"{check.id}: {error}")
    if wrong:
        raise StoragelabError("\n".join(wrong))
    return rows


def _check_row(check: Check, numbers: Numbers) -> Row:
    value, unit = numbers.printed(check.expression)
    return {
        "check": check.id,
        "expression": check.expression,
        "result": check.result,
        "unit": check.unit,
        "value": _shown(value, check.amount, unit),
        "from_logs": _from_logs(check, numbers),
        "agrees": "yes" if agrees(check.amount, value) else "no",
        "meaning": check.meaning,
        "verdict": check.verdict,
    }


def _from_logs(check: Check, numbers: Numbers) -> float:
    """The same from the logs; nothing where one of the printed numbers cannot come out of them."""
    if any(numbers.published[name].context for name in numbers.values_in(check.expression)):
        return np.nan
    found = numbers.expression(check.expression)
    return _shown(found.value, check.amount, found.unit)
