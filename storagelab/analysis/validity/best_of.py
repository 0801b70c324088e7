"""Results that are the best of several, where another result, or another log, gives a single one or a mean."""

from __future__ import annotations

import pandas as pd

from storagelab.analysis import table
from storagelab.analysis.validity.checks import Finding, Looked, Study, place, some

BEST = ("max", "min")
"""Statistics that a tool may print alone: the best of its rates, or of its times."""

SUMMARISED = ["tool", "operation"]


def only_the_best(study: Study) -> Looked:
    """Find operations of which a log gives the best of several iterations, and no mean and no single one."""
    rows = study.rows("runs", "statistic", "log_id")
    keys = [key for key in SUMMARISED if key in rows]
    cells = rows.groupby([*keys, "log_id"])["statistic"].agg(frozenset)
    best = cells[[bool(found) and found <= set(BEST) for found in cells]]
    some(rows, "the study has no runs")
    found = [_finding(dict(zip(keys, cell[:-1], strict=True)), rows, cell[-1]) for cell in best.index]
    return Looked(len(cells), "operations in a log", found)


def _finding(cell: table.Cell, rows: pd.DataFrame, log_id: float) -> Finding:
    of_log = rows[(rows["log_id"] == log_id) & (rows[list(cell)] == pd.Series(cell)).all(axis="columns")]
    statistics = " and ".join(sorted(of_log["statistic"].unique()))
    return Finding(table.name_cell(cell), f"only the {statistics} over iterations is known", **place(of_log.iloc[0]))
