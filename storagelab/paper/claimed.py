"""The numbers of a record of claims as facts that prose may quote."""

from __future__ import annotations

import math
from pathlib import Path

from storagelab import claims
from storagelab.claims.record import Record, Row
from storagelab.paper import quantity
from storagelab.paper.publish import fact
from storagelab.study.amount import amount

PRINTED, COMES_OUT, CHECKED, COUNTED = "p_", "c_", "k_", "n_"
"""Beginnings of names: a printed number, what comes out for a claim, arithmetic, and how many there are."""


def claimed(path: str | Path) -> Record:
    """Open the record of a study, and state its numbers as facts.

    ``{{p_bm_read}}`` is the published value bm_read as it is printed, ``{{c_bm_read}}`` what comes out of the logs for
    it; ``{{c_fermi-bm-read}}`` is what comes out for a claim, ``{{k_k-f01}}`` the result of a check from printed
    numbers, and ``{{n_claims}}`` a number of `storagelab.claims.counts`.

    Parameters
    ----------
    path : str or Path
        ``reports/<study>/claims.json``.

    Returns
    -------
    Record

    Raises
    ------
    StoragelabError
        If there is no record.
    """
    record = claims.read(path)
    for row in record.printed:
        _printed(row, record)
    for row in record.ledger:
        _come_out(row, record)
    for row in record.checks:
        _number(CHECKED + row["check"], row["value"], row["unit"], "published")
    for name, count in claims.counts(record).items():
        fact(COUNTED + name, count, origin=record.origin)
    return record


def _printed(row: Row, record: Record) -> None:
    written = amount(row["printed"])
    digits = len(written.digits.as_tuple().digits)
    _number(PRINTED + row["name"], float(written.digits), row["unit"], "published", digits=max(digits, 1))
    if row["printed_error"]:
        _number(f"{PRINTED}{row['name']}_error", float(row["printed_error"]), row["unit"], "published", digits=2)
    if row["from"] == "logs" and math.isfinite(row["value"]):
        _number(COMES_OUT + row["name"], row["value"], row["unit"], record.origin)


def _come_out(row: Row, record: Record) -> None:
    if not math.isfinite(row["value"]):
        return
    unit = "" if row["printed_unit"] == "1" else row["printed_unit"]
    interval = (row["value_low"], row["value_high"])
    known = all(map(math.isfinite, interval))
    fact(
        COMES_OUT + row["claim"], row["value"], row["unit"], display=unit, interval=interval if known else None,
        origin=record.origin,
    )  # fmt: skip


def _number(name: str, value: float, unit: str, origin: str, digits: int = quantity.DIGITS) -> None:
    written = amount(f"{value!r} {unit}" if unit != "1" else repr(value))
    fact(name, written.si, written.si_unit, display="" if unit == "1" else unit, digits=digits, origin=origin)
