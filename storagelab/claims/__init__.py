"""Claims: what papers say, held against the numbers that come out of the logs.

`evaluate` makes the record of a study (its ledger of claims, its printed numbers, its checks and its figures), `read`
brings one back, and `tables` lays its parts out for a paper.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from storagelab.claims.across_studies import coverage_table, cross_study, inconsistencies
    from storagelab.claims.answers import conclusions, extracts_table, reporting
    from storagelab.claims.covering import claim_coverage, coverage, seconds, severe, study_counts
    from storagelab.claims.evaluation import evaluate
    from storagelab.claims.parts import part_rows
    from storagelab.claims.record import Record, read, save
    from storagelab.claims.study_tables import study_table
    from storagelab.claims.synthesis import synthesise
    from storagelab.claims.tables import (
        absent_figures,
        check_table,
        counts,
        group_table,
        inconsistency_table,
        ledger_table,
        measured_table,
        model_table,
        parts_table,
        printed_number,
        printed_table,
        properties_table,
        stages,
    )

_HOMES = {"evaluate": "evaluation", "Record": "record", "read": "record", "save": "record", "coverage": "covering"}
_HOMES["part_rows"] = "parts"
_HOMES["study_table"] = "study_tables"
_HOMES |= dict.fromkeys(("coverage_table", "cross_study", "inconsistencies"), "across_studies")
_TABLES = (
    "absent_figures", "check_table", "counts", "group_table", "inconsistency_table", "ledger_table",
    "measured_table", "model_table", "parts_table", "printed_number", "printed_table", "properties_table", "stages",
)  # fmt: skip
_HOMES |= dict.fromkeys(("claim_coverage", "seconds", "severe", "study_counts"), "covering")
_HOMES |= dict.fromkeys(("conclusions", "extracts_table", "reporting"), "answers")
_HOMES |= {"synthesise": "synthesis"} | dict.fromkeys(_TABLES, "tables")

__all__ = [
    "Record",
    "absent_figures",
    "check_table",
    "claim_coverage",
    "conclusions",
    "counts",
    "coverage",
    "coverage_table",
    "cross_study",
    "evaluate",
    "extracts_table",
    "group_table",
    "inconsistencies",
    "inconsistency_table",
    "ledger_table",
    "measured_table",
    "model_table",
    "part_rows",
    "parts_table",
    "printed_number",
    "printed_table",
    "properties_table",
    "read",
    "reporting",
    "save",
    "seconds",
    "severe",
    "stages",
    "study_counts",
    "study_table",
    "synthesise",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
