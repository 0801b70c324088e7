"""Coverage: a row for every figure and every claim of every study, so that none is silently missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from storagelab.analysis.verdicts.verdicts import SUPPORTED
from storagelab.claims.evidence import FALSIFIABLE
from storagelab.claims.ledger_tables import counts
from storagelab.claims.printed_tables import inconsistencies_of
from storagelab.claims.record import Record, Row
from storagelab.claims.second_verdicts import claim_verdicts
from storagelab.claims.synthesis import joined
from storagelab.errors import StoragelabError


def coverage(records: Iterable[Record], judged: Iterable[Record] = ()) -> pd.DataFrame:
    """Lay out every figure of every study: what its data are, where it is drawn, and how its claims fared.

    Parameters
    ----------
    records : iterable of Record
        A figure may show claims of other studies, whose records must then be among them, or among `judged`.
    judged : iterable of Record
        Those whose claims count; the records themselves otherwise.

    Returns
    -------
    DataFrame
        Columns figure, study, number, of ("document", or "proposed" by us), origin (of its data; "" where it is not
        drawn), notebook, drawn (keys in the paper), claims (that name it, or that it names), tested (by numbers that
        could have come out otherwise), supported (of those), absent (the reason).

    Raises
    ------
    StoragelabError
        If two figures have one id, or a figure names a claim that no record has.
    """
    known = list(records)
    _once("figures", [str(figure["id"]) for record in known for figure in record.figures])
    claims = [row for record in list(judged) or known for row in record.ledger]
    return pd.DataFrame([_row(record, figure, claims) for record in known for figure in record.figures])


def _once(what: str, ids: Sequence[str]) -> None:
    if doubled := sorted({name for name in ids if ids.count(name) > 1}):
        raise StoragelabError(f"several {what} have the id {doubled[0]}")


def _row(record: Record, figure: Row, ledger: Sequence[Row]) -> Mapping[str, object]:
    if unknown := sorted(set(figure["claims"]) - {str(row["claim"]) for row in ledger}):
        raise StoragelabError(f"{figure['id']} names the claim {unknown[0]!r}, which no record has")
    claims = [row for row in ledger if row["claim"] in figure["claims"] or figure["id"] in row["figures"]]
    tested = [row for row in claims if row["part"] == FALSIFIABLE]
    return {
        "figure": figure["id"],
        "study": record.study,
        "number": figure["number"],
        "of": figure["origin"],
        "origin": record.origin if figure["drawn"] else "",
        "notebook": f"{record.study.replace('-', '_')}.ipynb" if figure["drawn"] else "",
        "drawn": ", ".join(figure["drawn"]),
        "claims": len(claims),
        "tested": len(tested),
        "supported": sum(row["verdict"] == SUPPORTED for row in tested),
        "absent": figure["absent"],
    }


def claim_coverage(records: Iterable[Record]) -> pd.DataFrame:
    """Lay out every claim of every study: its verdict, what that tests, and what measured campaigns say of it.

    Parameters
    ----------
    records : iterable of Record

    Returns
    -------
    DataFrame
        Columns claim, study, origin (of its logs), section, role, statement, verdict (as reconstructed logs allow it),
        tests, measured (the verdict of measured campaigns), figures (that show it).

    Raises
    ------
    StoragelabError
        If two claims have one id.
    """
    rows = [_claim(record, row) for record in records for row in record.ledger if not row["reading_of"]]
    _once("claims", [row["claim"] for row in rows])
    return pd.DataFrame(rows)


def _claim(record: Record, row: Row) -> dict[str, str]:
    second = [each["verdict"] for each in claim_verdicts(record.measured) if each["claim"] == row["claim"]]
    shown = [str(figure["id"]) for figure in record.figures if row["claim"] in figure["claims"]]
    return {
        "claim": str(row["claim"]),
        "study": record.study,
        "origin": record.origin,
        **{name: str(row[name]) for name in ("section", "role", "statement")},
        "verdict": str(row["wording"]),
        "tests": str(row["tests"]),
        "measured": "; ".join(map(str, second)),
        "figures": ", ".join(dict.fromkeys([*row["figures"], *shown])),
    }


COUNTED = (
    "claims", "falsifiable", "judged", "consistent", "not_consistent", "inconsistent", "open", "transcription",
    "identity", "model", "not_testable", "not_reported", "replicated", "not_replicated", "mixed", "undecided",
    "not_comparable", "questioned", "asked", "answers", "values", "values_agree", "values_misfit", "checks",
    "inconsistencies", "severe", "figures", "figures_drawn", "figures_absent",
)  # fmt: skip
"""What is counted of each study, by the names of `storagelab.claims.counts`."""


def study_counts(records: Iterable[Record]) -> pd.DataFrame:
    """Count claims, verdicts, printed numbers, checks and figures of each study, and of all together.

    Parameters
    ----------
    records : iterable of Record

    Returns
    -------
    DataFrame
        A row a study, and one for all; its origin is that of the logs.
    """
    known = list(records)
    own = pd.DataFrame(
        [{"study": record.study, **{name: counts(record)[name] for name in COUNTED}} for record in known]
    )
    whole = pd.DataFrame([{"study": "all", **own[list(COUNTED)].sum()}])
    return _from(pd.concat([own, whole], ignore_index=True), *(record.origin for record in known))


def _from(rows: pd.DataFrame, *origins: str) -> pd.DataFrame:
    """Say where rows come from."""
    rows.attrs["origin"] = joined(set(origins))
    return rows


def severe_inconsistencies(records: Iterable[Record]) -> pd.DataFrame:
    """Lay out the severe inconsistencies of all papers, as `storagelab.claims.inconsistency_table` does for one.

    They are of printed numbers, whatever the logs rest on.

    Parameters
    ----------
    records : iterable of Record
        One a study.

    Returns
    -------
    DataFrame
        A row an inconsistency.
    """
    whole = inconsistencies_of(records)
    return whole[whole["severity"] == "high"].reset_index(drop=True)
