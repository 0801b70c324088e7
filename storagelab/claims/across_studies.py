"""The tables over all published studies, as data: their main numbers, their inconsistencies, and what is covered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import xarray as xr

from storagelab import dataset, units
from storagelab.claims.coverage_tables import coverage, study_counts
from storagelab.claims.printed_tables import inconsistencies_of
from storagelab.claims.record import Record
from storagelab.errors import UnknownNameError

ANSWERS: Mapping[str, tuple[str, str]] = {
    "best_read_MB_s": ("best read", "MB/s"),
    "best_write_MB_s": ("best write", "MB/s"),
    "bottleneck_MB_s": ("bottleneck", "MB/s"),
    "fraction_of_bottleneck": ("share of the bottleneck", "1"),
    "scaling_knee_clients": ("knee", "1"),
    "per_client_cv": ("variation between clients", "1"),
    "jain_index": ("Jain's index", "1"),
    "read_amplification": ("read amplification", "1"),
    "write_amplification": ("write amplification", "1"),
    "cost_of_main_change_percent": ("main change", "%"),
    "metadata_ratio": ("metadata ratio", "1"),
}
"""Column -> the question of the comparison that it answers, and its unit."""
_ORDER = (
    "best_read_MB_s", "best_write_MB_s", "bottleneck", "bottleneck_MB_s", "fraction_of_bottleneck",
    "scaling_knee_clients", "per_client_cv", "jain_index", "read_amplification", "write_amplification",
    "cost_of_main_change_percent", "metadata_ratio", "statistic_reported", "error_reported",
    "claims_supported", "claims_inconsistent",
)  # fmt: skip
REAL: Mapping[str, str] = {"measured": "real", "reconstructed": "synthetic"}


def cross_study(compared: xr.DataTree, records: Iterable[Record], node: str = "conclusions") -> pd.DataFrame:
    """Lay out one number of each published study for each question that several of them answer.

    Parameters
    ----------
    compared : DataTree
        From `storagelab.claims.synthesise`; `node` has the answers.
    records : iterable of Record
        Of the published studies, a row each.
    node : str

    Returns
    -------
    DataFrame
        Columns study, the numbers (rates in MB/s, a change in per cent of the rate, NaN where a study has no answer or
        one in other units), what binds, what the study reports, and how many of its claims are consistent with its text
        or contradict another.

    Raises
    ------
    UnknownNameError
        If no study answers a question.
    """
    known = list(records)
    answers = dataset.frame(compared[node].to_dataset())
    for case, _ in ANSWERS.values():
        if case not in set(answers["case"]):
            raise UnknownNameError("question", case, map(str, answers["case"].unique()))
    counted = study_counts(known).set_index("study")
    reported = dataset.about(compared).get("reported", {})
    rows = [_row(record.study, answers, reported.get(record.study, {}), counted) for record in known]
    made = pd.DataFrame(rows)[["study", *_ORDER]]
    made.attrs |= {"origin": "published and reconstructed"}
    return made


def _row(
    study: str, answers: pd.DataFrame, reported: Mapping[str, str], counted: pd.DataFrame
) -> dict[str, str | float]:
    own = answers[answers["study"] == study].drop_duplicates("case").set_index("case")
    binds = str(own["label"]["bottleneck"]) if "bottleneck" in own.index else ""
    return {
        "study": study,
        **{name: _number(own, case, unit) for name, (case, unit) in ANSWERS.items()},
        "bottleneck": binds,
        "statistic_reported": reported.get("statistic", ""),
        "error_reported": reported.get("error", ""),
        "claims_supported": int(counted["consistent"][study]),
        "claims_inconsistent": int(counted["inconsistent"][study]),
    }


def _number(own: pd.DataFrame, case: str, unit: str) -> float:
    """Return the first answer of a study, in the unit of its column; a change as what it is above or below none."""
    if case not in own.index:
        return math.nan
    value, known = float(own["value"][case]), str(own["unit"][case])
    if unit == "%":
        return 100 * (value - 1) if known == "1" else math.nan
    if unit == "1":
        return value if known == "1" else math.nan
    return value / units.factor(unit, known)


def inconsistencies(records: Iterable[Record]) -> pd.DataFrame:
    """List every place in which a paper does not agree with itself: study, id, severity, claims, computed, handling.

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
    whole = inconsistencies_of(records).rename(columns={"inconsistency": "id"})
    return whole[["study", "id", "severity", "what", "claims", "computed", "handling"]]


def coverage_table(records: Iterable[Record]) -> pd.DataFrame:
    """List every figure and every table that the papers should have, where it is drawn, and how its claims fared.

    Parameters
    ----------
    records : iterable of Record
        As for `storagelab.claims.coverage`.

    Returns
    -------
    DataFrame
        Columns figure_id, kind (figure or table), study, data_source (the dataset, "" where it is not drawn),
        synthetic_or_real, notebook, drawn, claims_tested, claims_supported, absent (the reason), origin.
    """
    known = list(records)
    figures = coverage(known).assign(kind="figure")
    tables = coverage([_tables_as_figures(record) for record in known], known).assign(kind="table")
    whole = pd.concat([part for part in (figures, tables) if len(part)], ignore_index=True)
    drawn = whole["drawn"] != ""
    source = ("reports/" + whole["study"] + "/dataset.nc").where(drawn, "")
    named = whole.rename(columns={"figure": "figure_id", "tested": "claims_tested", "supported": "claims_supported"})
    made = named.assign(data_source=source, synthetic_or_real=[_kinds(origin) for origin in whole["origin"]])
    columns = ["figure_id", "kind", "study", "data_source", "synthetic_or_real", "notebook", "drawn"]
    made = made[[*columns, "claims_tested", "claims_supported", "absent", "origin"]]
    return made.assign(origin=made["origin"].where(made["origin"] != "", "published"))


def _kinds(origin: str) -> str:
    return " and ".join(REAL[each] for each in origin.split(" and ") if each in REAL)


def _tables_as_figures(record: Record) -> Record:
    """A record whose figures are the tables that its paper should have."""
    rows: Sequence[Mapping[str, Any]] = [
        {**table, "number": "", "origin": "proposed", "drawn": [table["drawn"]], "absent": ""}
        for table in record.tables
    ]
    return replace(record, figures=rows)
