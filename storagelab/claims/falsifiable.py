"""What could have come out otherwise in the ledgers: arithmetic on printed numbers, and what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from storagelab import schema
from storagelab.claims.evidence import FALSIFIABLE, verified
from storagelab.claims.ledger_tables import flips_at, outcome, with_range, with_reading
from storagelab.claims.record import Record, Row
from storagelab.claims.second_verdicts import NOT_COMPARABLE

COLUMNS = ("claim", "study", "statement", "computed", "verdict", "flips at", "kind", "distance")
PRINTED_NUMBERS = "printed numbers"
"""Kind of a row that is arithmetic on what a text prints; others are ``measured: campaign``."""


def falsifiable_table(records: Iterable[Record]) -> pd.DataFrame:
    """Lay out the rows of ledgers that could have come out otherwise, those of printed numbers first.

    Parameters
    ----------
    records : iterable of Record

    Returns
    -------
    DataFrame
        Text: claim, study (whose claim it is), statement, computed (with the printed unit, and where arithmetic leaves
        the verdict open with what errors and rounding allow), verdict, flips at (the value at which the verdict
        turns), kind ("printed numbers", or "measured: campaign"), distance (how far a measured analogue is from the
        question; "" for printed numbers).

    Raises
    ------
    StoragelabError
        If a row is called falsifiable that cannot fail, or the other way round; names the claim.
    """
    known = list(records)
    for record in known:
        verified(record.ledger, record.study)
    printed = [line for record in known for line in _printed(record)]
    measured = [line for record in known for line in _measured(record)]
    shown = pd.DataFrame([*printed, *measured], columns=list(COLUMNS))
    own = {record.origin for record in known if printed} | ({"measured"} if measured else set())
    shown.attrs["origin"] = " and ".join(origin for origin in schema.ORIGINS if origin in own)
    return shown


def _printed(record: Record) -> Iterator[dict[str, str]]:
    for row in record.ledger:
        if row["part"] == FALSIFIABLE:
            line = _line(record, row, with_reading(row), PRINTED_NUMBERS)
            yield {**line, "computed": with_range(row)}


def _measured(record: Record) -> Iterator[dict[str, str]]:
    for row in record.measured:
        if row["verdict"] != NOT_COMPARABLE:
            yield _line(record, row, str(row["statement"]), f"measured: {row['study']}")


def _line(record: Record, row: Row, statement: str, kind: str) -> dict[str, str]:
    return {
        "claim": str(row["claim"]),
        "study": record.study,
        "statement": statement,
        "computed": outcome(row),
        "verdict": str(row.get("wording", row["verdict"])),
        "flips at": flips_at(row),
        "kind": kind,
        "distance": str(row.get("distance", "")),
    }
