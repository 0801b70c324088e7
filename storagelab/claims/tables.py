"""The parts of a record as tables to read: each number in the unit in which its paper prints it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import analysis, units
from storagelab.analysis import table
from storagelab.analysis.verdicts.verdicts import INCONSISTENT, NOT_REPORTED, NOT_SUPPORTED, NOT_TESTABLE, SUPPORTED
from storagelab.claims.evidence import FALSIFIABLE, IDENTITY, MODEL, TRANSCRIPTION, flip, verified
from storagelab.claims.ledger import UNDECIDED
from storagelab.claims.record import Record, Row
from storagelab.claims.second_verdicts import tally
from storagelab.errors import ReconstructError, nearest
from storagelab.study.amount import amount

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
    return f"{_number(_in_unit(value, row))}{_unit(row['printed_unit'])}"


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
                "n": _number(row["n"]),
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
    return amount(f"{rows[name]['printed']}{_unit(rows[name]['unit'])}").si


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
        "printed": about + (row.get("as_printed") or f"{_with_error(row['printed'], row['printed_error'])}{unit}"),
        "comes out": f"{_with_error(_number(row['value']), _number(row['value_error'], 2))}{unit}"
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
                "result": f"{row['result']}{_unit(row['unit'])}",
                "from printed numbers": _number(row["value"]),
                "from logs": _number(row["from_logs"]),
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


def inconsistency_table(record: Record) -> pd.DataFrame:
    """Lay out where a paper does not agree with itself: what, the numbers of its checks, and what we do about it.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    DataFrame
        A row an inconsistency.
    """
    checks = {row["check"]: row for row in record.checks}
    return pd.DataFrame(
        [
            {
                "inconsistency": row["id"],
                "severity": row["severity"],
                "what": row["statement"],
                "computed": "; ".join(_computed(checks[name]) for name in row["checks"]),
                "claims": ", ".join(row["claims"]),
                "handling": row["handling"],
            }
            for row in sorted(record.inconsistencies, key=lambda row: ("high", "medium", "low").index(row["severity"]))
        ]
    )


def _computed(check: Row) -> str:
    return f"{check['meaning']}: {_number(check['value'])}{_unit(check['unit'])}"


def stages(record: Record, *paths: str) -> xr.Dataset:
    """Lay out what a byte crosses on the paths of the test bed, and which stage binds.

    Parameters
    ----------
    record : Record
    *paths : str
        Names of paths; all otherwise.

    Returns
    -------
    Dataset, dimension obs
        As `storagelab.analysis.bottlenecks`, with the keys ``path``, ``made_of`` and ``at_least``. A stage of which
        the paper prints a lower bound alone never binds; where another might, but for it, the bottleneck is "".
    """
    rows = pd.DataFrame([row for row in record.stages if not paths or row["path"] in paths])
    like = xr.Dataset(attrs={"origin": "published", "study": record.study})
    open_ended = rows["at_least"].astype(bool) if "at_least" in rows else pd.Series(data=False, index=rows.index)
    known = rows.assign(capacity=rows["capacity"].where(~open_ended, math.inf)).drop(
        columns="at_least", errors="ignore"
    )
    bound = analysis.bottlenecks(table.dataset(known, like, ["path", "stage", "made_of"]), ["path"])
    made = {name: _in_order(rows, bound, name) for name in ("made_of", "capacity")}
    limits = {
        name: (bound[name].dims, values, bound[name].attrs) for name, values in _open(bound, made["capacity"]).items()
    }
    said = np.isinf(bound["capacity"].to_numpy())
    return bound.assign(limits).assign_coords(
        made_of=("obs", made["made_of"], {"long_name": "what a stage is made of"}),
        at_least=("obs", said, {"long_name": "whether only a lower bound is printed"}),
    )


def _open(bound: xr.Dataset, printed: Sequence[float]) -> dict[str, list[Any]]:
    """Put printed lower bounds back, and take back what binds where such a stage could bind as well."""
    crossed, said = bound["link_bytes"].to_numpy(), np.isinf(bound["capacity"].to_numpy())
    limit = [float(rate / times) for rate, times in zip(printed, crossed, strict=True)]
    lowest = {
        path: min(
            (
                one
                for one, own, open_ended in zip(limit, bound["path"].values, said, strict=True)
                if own == path and open_ended
            ),
            default=math.inf,
        )
        for path in set(bound["path"].values)
    }
    unsure = [lowest[path] < least for path, least in zip(bound["path"].values, bound["bound"].values, strict=True)]
    names = [
        "" if open_ended else str(name) for name, open_ended in zip(bound["bottleneck"].values, unsure, strict=True)
    ]
    return {"capacity": list(printed), "limit": limit, "bottleneck": names}


def _in_order(rows: pd.DataFrame, bound: xr.Dataset, name: str) -> list[Any]:
    made = rows.set_index(["path", "stage"])[name]
    return [made[path, stage] for path, stage in zip(bound["path"].values, bound["stage"].values, strict=True)]


def properties_table(record: Record, *parts: str) -> pd.DataFrame:
    """Lay out the properties of parts of the test bed, a row a property; of all parts where none is named.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.
    *parts : str
        Names of parts.

    Returns
    -------
    DataFrame
        A row a property.
    """
    return pd.DataFrame(_of_parts(record, parts))


def _of_parts(record: Record, parts: Sequence[str]) -> list[Row]:
    return [row for row in record.parts if not parts or row["part"] in parts]


def parts_table(record: Record, *parts: str) -> pd.DataFrame:
    """Lay out parts of the test bed, a row a part: what it is, its other properties, its section of the paper.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.
    *parts : str
        Names of parts.

    Returns
    -------
    DataFrame
        A row a part.
    """
    described: dict[str, dict[str, str]] = {}
    for row in _of_parts(record, parts):
        described.setdefault(str(row["part"]), {})[str(row["property"])] = str(row["value"])
    return pd.DataFrame(
        [
            {
                "part": name.replace("_", " "),
                "what": of.pop("is", ""),
                "section": of.pop("section", ""),
                "properties": ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in of.items()),
            }
            for name, of in described.items()
        ]
    )[["part", "what", "properties", "section"]]


def model_table(record: Record) -> pd.DataFrame:
    """Lay out what the model of the test bed assumes, and why.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    DataFrame
        A row an assumption.
    """
    return pd.DataFrame(record.model)


def absent_figures(record: Record) -> pd.DataFrame:
    """Lay out the figures of a paper that are not drawn, each with the reason.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    DataFrame
        A row a figure.
    """
    return pd.DataFrame(
        [
            {"figure": row["number"] or row["id"], "shows": row["shows"], "absent because": row["absent"]}
            for row in record.figures
            if row["absent"]
        ]
    )


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
    return f"{_number(_in_unit(row['value'], row))}{_unit(row['printed_unit'])}"


def _interval(row: Row) -> str:
    ends = row["value_low"], row["value_high"]
    if not all(map(math.isfinite, ends)):
        return ""
    return " to ".join(_number(_in_unit(end, row)) for end in ends) + _unit(row["printed_unit"])


def _measured(row: Row) -> str:
    """Write number, interval and n in one: "1.051 (0.9398 to 1.162), n = 3"."""
    interval = f" ({_interval(row)})" if _interval(row) else ""
    return f"{outcome(row)}{interval}" + (f", n = {_number(row['n'])}" if _number(row["n"]) else "")


def _margin(share: float) -> str:
    """Write a margin; one that is only there to bear rounding is none."""
    return "0" if abs(share) < ROUNDING else _number(share, 2)


def _region(row: Row) -> str:
    """Say where a number supports the claim: "at least 0.9", "0.9 to 1.1"."""
    low, high = (_number(_in_unit(row[end], row)) for end in ("accepted_low", "accepted_high"))
    if low and high:
        return f"{low} to {high}{_unit(row['printed_unit'])}"
    return f"at {'least' if low else 'most'} {low or high}{_unit(row['printed_unit'])}" if low or high else ""


def _in_unit(value: float, row: Row) -> float:
    unit = str(row["printed_unit"])
    return value if unit == "1" else value / units.factor(unit, str(row["unit"]))


def _unit(unit: str) -> str:
    return "" if unit == "1" else f" {unit}"


def _with_error(value: str, error: str) -> str:
    return f"{value} ± {error}" if value and error else value


def _number(value: float, digits: int = DIGITS) -> str:
    """Write a number with significant digits and without an exponent where it can be read so."""
    if not math.isfinite(value):
        return ""
    if value == 0 or 1e-4 <= abs(value) < 10**digits:
        return f"{value:.{digits}g}"
    return f"{value:,.0f}".replace(",", " ") if abs(value) >= 1 else f"{value:.{digits}g}"
