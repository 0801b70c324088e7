"""Claims: what papers say, held against the numbers that come out of the logs.

`evaluate` makes the record of a study (its ledger of claims, its printed numbers, its checks and its figures), `read`
brings one back, and `tables` lays its parts out for a paper.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from storagelab import deprecated

if TYPE_CHECKING:
    from storagelab.claims.across_studies import coverage_table, cross_study, inconsistencies
    from storagelab.claims.covering import claim_coverage, coverage, severe_inconsistencies, study_counts
    from storagelab.claims.curve_constraints import permitted, rules_table
    from storagelab.claims.evaluation import evaluate
    from storagelab.claims.falsifiable import falsifiable_table
    from storagelab.claims.ledger_tables import counts, ledger_table, measured_table, tolerance_table
    from storagelab.claims.printed_tables import (
        check_table,
        group_table,
        inconsistency_table,
        printed_number,
        printed_table,
    )
    from storagelab.claims.record import Record, read, save
    from storagelab.claims.second_verdicts import claim_verdicts, replication_table
    from storagelab.claims.synthesis import synthesise
    from storagelab.claims.synthesis_table import comparison_table, extracts_table, reporting
    from storagelab.claims.table_evaluation import study_table
    from storagelab.claims.testbed_parts import part_rows
    from storagelab.claims.testbed_tables import absent_figures, model_table, parts_table, properties_table, stages
    from storagelab.claims.topologies import topology

_HOMES = {"evaluate": "evaluation", "Record": "record", "read": "record", "save": "record", "coverage": "covering"}
_HOMES["part_rows"] = "testbed_parts"
_HOMES["falsifiable_table"] = "falsifiable"
_HOMES["study_table"] = "table_evaluation"
_HOMES |= dict.fromkeys(("coverage_table", "cross_study", "inconsistencies"), "across_studies")
_TESTBED = ("absent_figures", "model_table", "parts_table", "properties_table", "stages")
_PRINTED = ("check_table", "group_table", "inconsistency_table", "printed_number", "printed_table")
_HOMES |= dict.fromkeys(("claim_coverage", "severe_inconsistencies", "study_counts"), "covering")
_HOMES |= dict.fromkeys(("claim_verdicts", "replication_table"), "second_verdicts")
_HOMES |= dict.fromkeys(("comparison_table", "extracts_table", "reporting"), "synthesis_table")
_HOMES |= dict.fromkeys(("permitted", "rules_table"), "curve_constraints") | {"topology": "topologies"}
_HOMES |= {"synthesise": "synthesis"} | dict.fromkeys(
    ("counts", "ledger_table", "measured_table", "tolerance_table"), "ledger_tables"
)
_HOMES |= dict.fromkeys(_TESTBED, "testbed_tables") | dict.fromkeys(_PRINTED, "printed_tables")

__all__ = [
    "Record",
    "absent_figures",
    "check_table",
    "claim_coverage",
    "claim_verdicts",
    "comparison_table",
    "counts",
    "coverage",
    "coverage_table",
    "cross_study",
    "evaluate",
    "extracts_table",
    "falsifiable_table",
    "group_table",
    "inconsistencies",
    "inconsistency_table",
    "ledger_table",
    "measured_table",
    "model_table",
    "part_rows",
    "parts_table",
    "permitted",
    "printed_number",
    "printed_table",
    "properties_table",
    "read",
    "replication_table",
    "reporting",
    "rules_table",
    "save",
    "severe_inconsistencies",
    "stages",
    "study_counts",
    "study_table",
    "synthesise",
    "tolerance_table",
    "topology",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        return deprecated.find(__name__, name)
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
