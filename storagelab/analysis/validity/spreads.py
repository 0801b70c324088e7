"""Runs as logs of their values, beside the other runs of their cell: what the checks of effects start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from storagelab.analysis import table
from storagelab.analysis.inference.elementary import log
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.runs import values_of_runs
from storagelab.analysis.validity.checks import Study
from storagelab.analysis.validity.groups import keys_of_groups
from storagelab.analysis.validity.measured import benchmarks, listed_starts
from storagelab.analysis.validity.tables import values
from storagelab.errors import AnalysisError

OF_AN_OPERATION = ("tool", "operation", "operation_group", "access_pattern", "record_size", "statistic")
"""Keys in which measurements of one run, or of runs that follow each other on the same files, differ."""


@dataclass(frozen=True)
class Logged:
    """Logs of one variable, a row a run and cell.

    Attributes
    ----------
    rows : DataFrame
        Keys of the cells, ``run_id``, ``repeat``, ``block``; ``x``, the log of the value; ``cell``, the number of its
        cell; ``what``, the operation and its tool in one text; ``setting``, what is the same in all operations.
    keys : sequence of str
        Those of the cells that differ, each partition once.
    """

    variable: str
    rows: pd.DataFrame
    keys: Sequence[str]

    def grid(self, along: str) -> tuple[pd.DataFrame, Floats, list[float]]:
        """Spread the values over the levels of ``repeat`` or ``block``: a row a cell that has all of them once."""
        known = self.rows[self.rows[along].notna()]
        wide = known.pivot_table(index="cell", columns=along, values="x", aggfunc="mean").dropna()
        first = self.rows.drop_duplicates("cell").set_index("cell").loc[wide.index].reset_index()
        return first, wide.to_numpy(), [float(level) for level in wide.columns]


def logged(study: Study, node: str = "runs") -> list[Logged]:
    """Return the tables of a node as logs, those that have more than one run a cell first.

    Raises
    ------
    AnalysisError
        If there is no rate and no time, or none with several runs a cell.
    """
    found = []
    for part in values(study, node):
        kept, _ = part.repeated(2)
        if kept.ds.sizes["obs"]:
            runs = values_of_runs(
                kept.ds, kept.variable, kept.by, over=kept.over, statistic=kept.statistic, blocks=False
            )
            found.append(_logged(kept.variable, runs.rows.frame(), kept.by))
    if not found:
        raise AnalysisError("no cell has two runs")
    return found


def _logged(variable: str, rows: pd.DataFrame, by: Sequence[str]) -> Logged:
    keys = keys_of_groups(rows, by)
    within = [key for key in by if key in OF_AN_OPERATION]
    outside = [key for key in by if key not in OF_AN_OPERATION]
    rows = rows.assign(
        x=log(rows[variable].to_numpy()),
        cell=_numbered(rows, by),
        what=_words(rows, _telling(rows, within)),
        setting=_numbered(rows, outside),
    )
    return Logged(variable, rows.reset_index(drop=True), keys)


def _telling(rows: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return the keys that tell operations apart: the operation itself, and what splits it further."""
    kept: list[str] = []
    for key in sorted(keys, key=lambda one: (one != "operation", one != "tool")):
        if key == "operation" or _numbered(rows, [*kept, key]).max() > _numbered(rows, kept).max():
            kept.append(key)
    return kept


def _numbered(rows: pd.DataFrame, by: Sequence[str]) -> np.ndarray:
    if not by:
        return np.zeros(len(rows), dtype=np.intp)
    return rows.groupby(list(by), sort=True, dropna=False).ngroup().to_numpy()


def _words(rows: pd.DataFrame, by: Sequence[str]) -> pd.Series:
    if not by:
        return pd.Series("all", rows.index)
    parts = [rows[key].map(lambda level: f"{level:g}" if isinstance(level, float) else str(level)) for key in by]
    return pd.Series(["/".join(filter(None, one)) for one in zip(*parts, strict=True)], rows.index)


def where(rows: pd.DataFrame, keys: Sequence[str]) -> str:
    """Name a cell by the keys that are told."""
    row = rows.iloc[0]
    return table.name_cell({key: row[key] for key in keys if pd.notna(row[key]) and row[key] != ""})


def begins(study: Study) -> pd.Series:
    """Second at which each run is listed to have begun.

    Raises
    ------
    AnalysisError
        If it is not known of any.
    """
    logs = benchmarks(listed_starts(study)).dropna(subset=["began"])
    found: pd.Series = logs.groupby("run_id")["began"].min()
    return found
