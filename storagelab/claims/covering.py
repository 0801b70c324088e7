"""Coverage: a row for every figure and every claim of every study, so that none is silently missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from storagelab.analysis.verdicts.verdicts import INCONSISTENT, NOT_SUPPORTED, SUPPORTED
from storagelab.claims.record import Record, Row
from storagelab.errors import StoragelabError


def coverage(records: Iterable[Record]) -> pd.DataFrame:
    """Lay out every figure of every study: what its data are, where it is drawn, and how its claims fared.

    Parameters
    ----------
    records : iterable of Record

    Returns
    -------
    DataFrame
        Columns figure, study, number, origin (of the document, or proposed), data, drawn (keys in the paper), claims
        (that name it, or that it names), tested, supported, absent (the reason).

    Raises
    ------
    StoragelabError
        If two figures have one id.
    """
    rows = [_row(record, figure) for record in records for figure in record.figures]
    ids = [str(row["figure"]) for row in rows]
    if doubled := {name for name in ids if ids.count(name) > 1}:
        raise StoragelabError(f"several figures have the id {sorted(doubled)[0]}")
    return pd.DataFrame(rows)


def _row(record: Record, figure: Row) -> Mapping[str, object]:
    claims = [row for row in record.ledger if row["claim"] in figure["claims"] or figure["id"] in row["figures"]]
    tested = [row for row in claims if row["verdict"] in (SUPPORTED, NOT_SUPPORTED, INCONSISTENT)]
    return {
        "figure": figure["id"],
        "study": record.study,
        "number": figure["number"],
        "origin": figure["origin"],
        "data": record.origin if figure["drawn"] else "none",
        "drawn": ", ".join(figure["drawn"]),
        "claims": len(claims),
        "tested": len(tested),
        "supported": sum(row["verdict"] == SUPPORTED for row in tested),
        "absent": figure["absent"],
    }
