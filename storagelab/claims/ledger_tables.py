"""The parts of a record as tables to read: each number in the unit in which its paper prints it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from storagelab import units
from storagelab.analysis.verdicts.verdicts import INCONSISTENT, NOT_REPORTED, NOT_SUPPORTED, NOT_TESTABLE, SUPPORTED
from storagelab.claims.claim_evaluation import UNDECIDED
from storagelab.claims.evidence import FALSIFIABLE, IDENTITY, MODEL, TRANSCRIPTION, flip, verified
from storagelab.claims.record import Record, Row
from storagelab.claims.second_verdicts import RUNS, tally

DIGITS = 4
"""Significant digits of a number that comes out of logs."""

ROUNDING = 1e-6
"""Margin below which a number is what was stated."""


def ledger_table(
    record: Record, *claims: str, roles: Sequence[str] = (), verdicts: Sequence[str] = (), parts: Sequence[str] = ()
) -> pd.DataFrame:
    """Lay the ledger out: claim, statement, what is stated, what comes out, where the verdict flips, and what it tests.

    Parameters
    ----------
    record : Record
    *claims : str
        Ids of claims; all otherwise.
    roles, verdicts : sequence of str
        Only claims with one of these roles, or verdicts (as the data decide, before wording).
    parts : sequence of str
        Only rows of these parts: "falsifiable", "transcription", "identity", "model", "" for those that no number
        decides.

    Returns
    -------
    DataFrame
        Text; "" where there is nothing.

    Raises
    ------
    StoragelabError
        If a row is called something else than what follows from it.
    """
    verified(record.ledger, record.study)
    rows = [
        row
        for row in record.ledger
        if (not claims or row["claim"] in claims)
        and (not roles or row["role"] in roles)
        and (not verdicts or row["verdict"] in verdicts)
        and (not parts or row["part"] in parts)
    ]
    return pd.DataFrame([_ledger_line(row) for row in rows], columns=list(LEDGER))


LEDGER = (
    "claim", "statement", "stated", "comes out", "95 % interval", "margin", "flips at", "tolerance", "verdict", "tests",
    "why",
)  # fmt: skip
"""Columns of the ledger."""


def _ledger_line(row: Row) -> dict[str, str]:
    return {
        "claim": str(row["claim"]),
        "statement": with_reading(row),
        "stated": str(row["stated"]),
        "comes out": outcome(row),
        "95 % interval": _interval(row),
        "margin": _margin(row["claim_margin"]),
        "flips at": flips_at(row),
        "tolerance": str(row["tolerance"]["is"]),
        "verdict": str(row["wording"]),
        "tests": str(row["tests"]),
        "why": str(row["part_because"] or row["because"] or row["note"]),
    }


def with_reading(row: Row) -> str:
    """The statement, and how it is taken where it can be taken in several ways."""
    return f"{row['statement']} (Taken here: {row['reading']}.)" if row["reading"] else str(row["statement"])


def flips_at(row: Row) -> str:
    """Write the value at which the verdict of a row turns into its opposite, in the printed unit."""
    value = flip(row) if "flip" not in row else row["flip"]
    if not isinstance(value, float | int) or not math.isfinite(value):
        return ""
    return f"{shown_number(_in_unit(value, row))}{shown_unit(row['printed_unit'])}"


def tolerance_table(record: Record) -> pd.DataFrame:
    """Lay out the tolerances of rows that were judged: where each comes from, why it is that wide, whose it is.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    DataFrame
        A row a tolerance.
    """
    used: dict[tuple[str, ...], list[str]] = {}
    for row in record.ledger:
        if row["part"]:
            key = tuple(str(row["tolerance"][name]) for name in ("is", "source", "reason"))
            used.setdefault(key, []).append(str(row["claim"]))
    heads = ("tolerance", "from", "reason", "claims")
    return pd.DataFrame([dict(zip(heads, (*key, ", ".join(claims)), strict=True)) for key, claims in used.items()])


def measured_table(record: Record) -> pd.DataFrame:
    """Lay the second verdicts out, a row a claim and number; their origin is measured.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    DataFrame
        A row a claim and number.
    """
    shown = pd.DataFrame(
        [
            {
                "claim": row["claim"],
                "statement": row["statement"],
                "campaign": row["study"],
                "comes out": outcome(row),
                "95 % interval": _interval(row),
                "n": shown_number(row["n"]),
                "supports it": _region(row),
                "measured": _measured(row),
                "verdict": row["verdict"],
                "because": row["because"],
                "compared": f"{row['study']}: {row['because']}",
            }
            for row in record.measured
        ]
    )
    shown.attrs["origin"] = "measured"
    return shown


def counts(record: Record) -> Mapping[str, int]:
    """Count for sentences: claims, the falsifiable rows by verdict, the other parts, values, checks, figures.

    ``judged``, ``consistent``, ``not_consistent``, ``inconsistent`` and ``open`` count falsifiable rows alone: those of
    printed numbers, a row a reading. ``falsifiable`` adds the second verdicts of measured campaigns.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    mapping of str to int
        Counts by their names.
    """
    verified(record.ledger, record.study)
    second = tally([record])
    parts = [row["part"] for row in record.ledger]
    own = [row["verdict"] for row in record.ledger if row["part"] == FALSIFIABLE]
    claimed = [row["verdict"] for row in record.ledger if not row["reading_of"]]
    drawn = [row for row in record.figures if row["drawn"]]
    return {
        "claims": len(claimed),
        "falsifiable": len(own) + second["answers"],
        "judged": len(own),
        "consistent": own.count(SUPPORTED),
        "not_consistent": own.count(NOT_SUPPORTED),
        "inconsistent": own.count(INCONSISTENT),
        "open": own.count(UNDECIDED),
        "transcription": parts.count(TRANSCRIPTION),
        "identity": parts.count(IDENTITY),
        "model": parts.count(MODEL),
        "not_testable": claimed.count(NOT_TESTABLE),
        "not_reported": claimed.count(NOT_REPORTED),
        **second,
        "values": len(record.printed),
        "values_recomputed": sum(bool(row["from"]) for row in record.printed),
        "values_agree": sum(row["agrees"] == "yes" for row in record.printed),
        "values_misfit": sum(row["agrees"] == "no" for row in record.printed),
        "checks": len(record.checks),
        "checks_agree": sum(row["agrees"] == "yes" for row in record.checks),
        "inconsistencies": len(record.inconsistencies),
        "severe": sum(row["severity"] == "high" for row in record.inconsistencies),
        "figures": len(record.figures),
        "figures_of_document": sum(row["origin"] == "document" for row in record.figures),
        "figures_drawn": len(drawn),
        "figures_absent": len(record.figures) - len(drawn),
    }


def outcome(row: Row) -> str:
    """Write the number that speaks of a claim, in the printed unit; or the word."""
    if row["level"]:
        return str(row["level"])
    if not math.isfinite(row["value"]):
        return ""
    return f"{shown_number(_in_unit(row['value'], row))}{shown_unit(row['printed_unit'])}"


def with_range(row: Row) -> str:
    """Write the number, and behind it what printed errors and rounding allow where these leave the verdict open."""
    if row["verdict"] != UNDECIDED:
        return outcome(row)
    lows, highs = ([row[f"{by}_{end}"] for by in ("value", "rounded")] for end in ("low", "high"))
    return f"{outcome(row)} ({_range(row, min(filter(math.isfinite, lows)), max(filter(math.isfinite, highs)))})"


def _interval(row: Row) -> str:
    ends = row["value_low"], row["value_high"]
    return _range(row, *ends) if all(map(math.isfinite, ends)) else ""


def _range(row: Row, low: float, high: float) -> str:
    return " to ".join(shown_number(_in_unit(end, row)) for end in (low, high)) + shown_unit(row["printed_unit"])


def _measured(row: Row) -> str:
    """Write number, interval and n in one: "1.051 (0.9398 to 1.162), n = 3"; without an interval, the ends of runs."""
    low, high = (row[name] for name in RUNS)
    runs = f"runs {_range(row, low, high)}" if math.isfinite(low) else ""
    interval = f" ({_interval(row) or runs})" if _interval(row) or runs else ""
    return f"{outcome(row)}{interval}" + (f", n = {shown_number(row['n'])}" if shown_number(row["n"]) else "")


def _margin(share: float) -> str:
    """Write a margin; one that is only there to bear rounding is none."""
    return "0" if abs(share) < ROUNDING else shown_number(share, 2)


def _region(row: Row) -> str:
    """Say where a number supports the claim: "at least 0.9", "0.9 to 1.1"."""
    low, high = (shown_number(_in_unit(row[end], row)) for end in ("accepted_low", "accepted_high"))
    if low and high:
        return f"{low} to {high}{shown_unit(row['printed_unit'])}"
    return f"at {'least' if low else 'most'} {low or high}{shown_unit(row['printed_unit'])}" if low or high else ""


def _in_unit(value: float, row: Row) -> float:
    unit = str(row["printed_unit"])
    return value if unit == "1" else value / units.factor(unit, str(row["unit"]))


def shown_unit(unit: str) -> str:
    """Write a unit behind a number."""
    return "" if unit == "1" else f" {unit}"


def with_error(value: str, error: str) -> str:
    """Write a value with its error, as far as there are both."""
    return f"{value} ± {error}" if value and error else value


def shown_number(value: float, digits: int = DIGITS) -> str:
    """Write a number with significant digits and without an exponent where it can be read so."""
    if not math.isfinite(value):
        return ""
    return f"{value:,.0f}".replace(",", " ") if abs(value) >= 10**digits else f"{value:.{digits}g}"
