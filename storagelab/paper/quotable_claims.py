"""The numbers of a record of claims as facts that prose may quote."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from storagelab import claims
from storagelab.claims.evidence import FALSIFIABLE
from storagelab.claims.record import Record, Row
from storagelab.errors import UnknownNameError
from storagelab.paper import number_format
from storagelab.paper.numbers_without_lines import Said
from storagelab.paper.publish import fact
from storagelab.study.amount import Amount, amount

PRINTED, COMES_OUT, MEASURED, CHECKED, COUNTED, ASSUMED = "p_", "c_", "m_", "k_", "n_", "a_"
"""Beginnings of names: a printed number, what comes out for a claim, what a campaign measured, arithmetic, counts, and
what the model assumes."""


def claimed(path: str | Path) -> Record:
    """Open the record of a study, and state its numbers as facts.

    ``{{p_bm_read}}`` is the published value bm_read as it is printed, ``{{c_bm_read}}`` what comes out of the logs for
    it; ``{{c_fermi-bm-read}}`` is what comes out for a claim, and ``{{c_fermi-bm-read_low}}`` and
    ``{{c_fermi-bm-read_high}}`` the ends that what rounds to the printed numbers gives, where it is arithmetic on
    rounded ones; ``{{m_fermi-bm-read}}`` is what a campaign measured for it
    (the second that was is ``{{m_fermi-bm-read_2}}``), ``{{k_k-f01}}`` the result of a check from printed numbers, and
    ``{{n_claims}}`` a number of `storagelab.claims.counts`; ``{{a_start}}`` is the parameter start of the model.

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
        _of_claim(COMES_OUT + row["claim"], row, record.origin)
        _as_rounded(COMES_OUT + row["claim"], row, record.origin)
    for name, row in _numbered(record.measured):
        _of_claim(MEASURED + name, row, "measured")
    for row in record.checks:
        _checked(CHECKED + row["check"], row, record)
    for row in record.model:
        _as_written(ASSUMED + row["parameter"], row["value"], record.origin, {"assumed": row["why"]})
    for name, count in claims.counts(record).items():
        fact(COUNTED + name, count, origin=record.origin, counted="rows of the ledger")
    return record


def compared(paths: Iterable[str | Path], facts: Collection[str]) -> list[Record]:
    """Open the records of several studies, and state those of their numbers that are asked for.

    Parameters
    ----------
    paths : iterable of str or Path
        Each ``reports/<study>/claims.json``.
    facts : collection of str
        Names of numbers that no two studies share: ``m_fermi-bm-read`` and ``k_k-f01`` as for `claimed`; ``n_claims``
        counts over all studies.

    Returns
    -------
    list of Record

    Raises
    ------
    StoragelabError
        If there is no record, or no number has one of the names.
    """
    records = [claims.read(path) for path in paths]
    known = {name: state for record in records for name, state in _own(record)} | dict(_of_all(records))
    for name in facts:
        if name not in known:
            raise UnknownNameError("fact of these records", name, known)
        known[name](name)
    return records


State = Callable[[str], object]


def _own(record: Record) -> Iterator[tuple[str, State]]:
    for name, row in _numbered(record.measured):
        yield MEASURED + name, partial(_of_claim, row=row, origin="measured")
    for row in record.checks:
        yield CHECKED + row["check"], partial(_checked, row=row)


def _of_all(records: Sequence[Record]) -> Iterator[tuple[str, State]]:
    for name, count in claims.study_counts(records).iloc[-1].drop("study").items():
        yield f"{COUNTED}{name}", partial(fact, value=int(count), counted="rows of the ledgers of all studies")


def _printed(row: Row, record: Record) -> None:
    unit = "" if row["unit"] == "1" else f" {row['unit']}"
    said = row["as_printed"] or f"{'about ' if row['about'] else ''}{row['printed']}{unit}"
    printed = {"printed": f"section {row['section']}: {row['what']}, {said}"}
    _as_written(PRINTED + row["name"], f"{row['printed']}{unit}", "published", printed)
    if row["printed_error"]:
        error = float(row["printed_error"])
        _number(f"{PRINTED}{row['name']}_error", error, row["unit"], "published", digits=2, comes_from=printed)
    if row["from"] == "logs" and math.isfinite(row["value"]):
        computed = {"computed": f"from reconstructed logs: {row['what']}", "facts": [PRINTED + row["name"]]}
        _number(COMES_OUT + row["name"], row["value"], row["unit"], record.origin, comes_from=computed)


def _checked(name: str, row: Row, record: Record | None = None) -> None:
    said: Said = {"computed": f"{row['expression']}, from printed numbers: {row['meaning']}"}
    named = re.findall(r"[A-Za-z_]\w*", row["expression"])
    stated = {printed["name"] for printed in record.printed} if record else set()
    if of := [PRINTED + name for name in dict.fromkeys(named) if name in stated]:
        said["facts"] = of
    digits = min(_digits(amount(row["result"])), number_format.DIGITS)
    _number(name, row["value"], row["unit"], "published", digits=digits, comes_from=said)


def _as_written(name: str, text: str, origin: str, comes_from: Said) -> None:
    """State a number with the digits that it was written with."""
    written = amount(text)
    _number(name, float(written.digits), written.unit, origin, digits=_digits(written), comes_from=comes_from)


def _digits(written: Amount) -> int:
    return max(len(written.digits.as_tuple().digits), 1)


def _numbered(measured: Sequence[Row]) -> Iterator[tuple[str, Row]]:
    """Name what was measured for a claim: by the claim, and from the second number on with its place."""
    claimed = [str(row["claim"]) for row in measured]
    for place, row in enumerate(measured):
        nth = claimed[: place + 1].count(claimed[place])
        yield claimed[place] if nth == 1 else f"{claimed[place]}_{nth}", row


def _of_claim(name: str, row: Row, origin: str) -> None:
    if not math.isfinite(row["value"]):
        return
    interval = (row["value_low"], row["value_high"])
    known = all(map(math.isfinite, interval))
    source = {"study": row["study"], "demands": row.get("demands", ())} if origin == "measured" else {}
    runs = int(row["n"]) if origin == "measured" and math.isfinite(row["n"]) else None
    fact(
        name, row["value"], row["unit"], display=_shown_unit(row["printed_unit"]),
        interval=interval if known else None, n=runs, origin=origin, source=source, trace=row.get("trace", {}),
        comes_from=_claimed_by(row, origin),
    )  # fmt: skip


def _as_rounded(name: str, row: Row, origin: str) -> None:
    """State the ends of what numbers that round to the printed ones give for a claim that could have failed."""
    if row["part"] != FALSIFIABLE or not row["rounded_low"] < row["rounded_high"]:
        return
    for end, extreme in (("low", "least"), ("high", "most")):
        said = {"computed": f"{row['expression']}: the {extreme} of all numbers that round to the printed ones"}
        fact(
            f"{name}_{end}", row[f"rounded_{end}"], row["unit"], display=_shown_unit(row["printed_unit"]),
            origin=origin, trace={}, comes_from=said,
        )  # fmt: skip


def _shown_unit(unit: str) -> str:
    """Return what stands behind a number in a unit that a paper prints: nothing behind one that has none."""
    return "" if unit == "1" else unit


def _claimed_by(row: Row, origin: str) -> Said:
    """Say how a number comes out for a claim: what a campaign measured, or what was computed."""
    if origin == "measured":
        return {"measured": row["because"], "study": row["study"]}
    how = row["expression"] or f"from {BASES[row['basis']]}"
    return {"computed": f"{how}, for section {row['section']}: {row['statement'].rstrip('.')}"}


BASES = {
    "published": "printed numbers",
    "derived": "reconstructed logs",
    "model": "reconstructed logs",
    "": "the record",
}
"""What the value of a claim is computed from, by its basis."""


def _number(
    name: str, value: float, unit: str, origin: str, *, comes_from: Said, digits: int = number_format.DIGITS
) -> None:
    written = amount(f"{value!r} {unit}" if unit != "1" else repr(value))
    fact(
        name, written.si, written.si_unit, display=_shown_unit(unit), digits=digits, origin=origin, trace={},
        comes_from=comes_from,
    )  # fmt: skip
