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
    from storagelab.claims.coverage_tables import claim_coverage, coverage, severe_inconsistencies, study_counts
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

_NAMES = {
    "across_studies": ("coverage_table", "cross_study", "inconsistencies"),
    "coverage_tables": ("claim_coverage", "coverage", "severe_inconsistencies", "study_counts"),
    "curve_constraints": ("permitted", "rules_table"),
    "evaluation": ("evaluate",),
    "falsifiable": ("falsifiable_table",),
    "ledger_tables": ("counts", "ledger_table", "measured_table", "tolerance_table"),
    "printed_tables": ("check_table", "group_table", "inconsistency_table", "printed_number", "printed_table"),
    "record": ("Record", "read", "save"),
    "second_verdicts": ("claim_verdicts", "replication_table"),
    "synthesis": ("synthesise",),
    "synthesis_table": ("comparison_table", "extracts_table", "reporting"),
    "table_evaluation": ("study_table",),
    "testbed_parts": ("part_rows",),
    "testbed_tables": ("absent_figures", "model_table", "parts_table", "properties_table", "stages"),
    "topologies": ("topology",),
}
"""What each module of this folder holds for everybody; it is imported when a name of it is first used."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

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
