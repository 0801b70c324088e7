"""Tables of what a paper prints: its numbers beside those of the logs, and whether it agrees with itself."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from storagelab.claims.ledger_tables import shown_number, shown_unit, with_error
from storagelab.claims.record import Record, Row
from storagelab.errors import ReconstructError, nearest
from storagelab.study.amount import amount


def printed_number(record: Record, name: str) -> float:
    """Return a printed number in SI, for the lines and marks of a figure.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.
    name : str
        Name of the number in published.yaml.

    Returns
    -------
    float
        The number.

    Raises
    ------
    ReconstructError
        If no printed number has the name; says the nearest.
    """
    rows = {str(row["name"]): row for row in record.printed}
    if name not in rows:
        raise ReconstructError(f"no published value {name!r}{nearest(name, rows)}")
    return amount(f"{rows[name]['printed']}{shown_unit(rows[name]['unit'])}").si


RECOMPUTED = {"yes": "agrees", "no": "no", "": "nothing to recompute"}
"""What is said of a printed number, by whether it comes out to its digits."""


def printed_table(record: Record) -> pd.DataFrame:
    """Lay out every printed number beside what comes out of the logs, in the printed unit.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    DataFrame
        A row a printed number.
    """
    return pd.DataFrame([_printed_line(row) for row in record.printed])


def _printed_line(row: Row) -> dict[str, str]:
    unit = "" if row["unit"] == "1" else f" {row['unit']}"
    about = "about " if row["about"] else ""
    return {
        "value": str(row["name"]),
        "what": str(row["what"]),
        "section": str(row["section"]),
        "printed": about + (row.get("as_printed") or f"{with_error(row['printed'], row['printed_error'])}{unit}"),
        "comes out": f"{with_error(shown_number(row['value']), shown_number(row['value_error'], 2))}{unit}"
        if row["from"]
        else "",
        "from": ": ".join(filter(None, (row["from"], row["because"]))),
        "agrees": RECOMPUTED[row["agrees"]],
    }


def check_table(record: Record) -> pd.DataFrame:
    """Lay out the arithmetic on a paper: from its printed numbers, and from those out of the logs.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    DataFrame
        A row a check.
    """
    return pd.DataFrame(
        [
            {
                "check": row["check"],
                "meaning": row["meaning"],
                "expression": row["expression"],
                "result": f"{row['result']}{shown_unit(row['unit'])}",
                "from printed numbers": shown_number(row["value"]),
                "from logs": shown_number(row["from_logs"]),
                "what follows": row["verdict"],
            }
            for row in record.checks
        ]
    )


def group_table(record: Record) -> pd.DataFrame:
    """Lay out the groups of claims about one matter, and whether they hold together.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    DataFrame
        A row a group.
    """
    return pd.DataFrame(
        [
            {
                "group": row["id"],
                "claims": ", ".join(row["claims"]),
                "verdict": row["verdict"].replace("_", " "),
                "why": row["why"],
            }
            for row in record.groups
        ]
    )


_SEVERITIES = ("high", "medium", "low")
_INCONSISTENCY = ("inconsistency", "severity", "what", "computed", "claims", "handling")


def inconsistency_table(record: Record) -> pd.DataFrame:
    """Lay out where a paper does not agree with itself: what, the numbers of its checks, and what we do about it.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    DataFrame
        A row an inconsistency, the severe ones first.
    """
    return pd.DataFrame(_inconsistencies(record), columns=_INCONSISTENCY)


def inconsistencies_of(records: Iterable[Record]) -> pd.DataFrame:
    """Lay out the inconsistencies of several papers, as `inconsistency_table` does those of one, with their `study`.

    They are of printed numbers, whatever the logs rest on.
    """
    rows = [{**row, "study": record.study} for record in records for row in _inconsistencies(record)]
    whole = pd.DataFrame(rows, columns=[*_INCONSISTENCY, "study"])
    whole.attrs["origin"] = "published"
    return whole


def _inconsistencies(record: Record) -> list[Row]:
    checks = {row["check"]: row for row in record.checks}
    return [
        {
            "inconsistency": row["id"],
            "severity": row["severity"],
            "what": row["statement"],
            "computed": "; ".join(_computed(checks[name]) for name in row["checks"]),
            "claims": ", ".join(row["claims"]),
            "handling": row["handling"],
        }
        for row in sorted(record.inconsistencies, key=lambda row: _SEVERITIES.index(row["severity"]))
    ]


def _computed(check: Row) -> str:
    return f"{check['meaning']}: {shown_number(check['value'])}{shown_unit(check['unit'])}"
