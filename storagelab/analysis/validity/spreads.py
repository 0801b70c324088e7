"""Runs as logs of their values, beside the other runs of their cell: what the checks of effects start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.processor_independent import log
from storagelab.analysis.key_codes import Array, array
from storagelab.analysis.runs import values_of_runs
from storagelab.analysis.table import name_known
from storagelab.analysis.validity.checks import Study, once
from storagelab.analysis.validity.measured_values import benchmarks, listed_starts
from storagelab.analysis.validity.suspect_groups import keys_of_groups
from storagelab.analysis.validity.tables import values
from storagelab.errors import AnalysisError

OF_AN_OPERATION = ("tool", "operation", "operation_group", "access_pattern", "record_size", "statistic")
"""Keys in which measurements of one run, or of runs that follow each other on the same files, differ."""


@dataclass(frozen=True)
class Logged:
    """Logs of one variable, a row a run and cell.

    Attributes
    ----------
    rows : Rows
        Keys of the cells, ``run_id``, ``repeat``, ``block``; ``x``, the log of the value; ``cell``, the number of its
        cell; ``what``, the operation and its tool in one text; ``setting``, what is the same in all operations.
    keys : sequence of str
        Those of the cells that differ, each partition once.
    """

    variable: str
    rows: Rows
    keys: Sequence[str]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The rows as a frame."""
        return self.rows.frame()

    def grid(self, along: str) -> tuple[Rows, Floats, list[float]]:
        """Spread the values over the levels of ``repeat`` or ``block``: a row a cell that has all of them."""
        known = self.rows.take(~np.isnan(self.rows[along]))
        cells, levels, means = known.grid("x", "cell", along)
        whole = ~np.isnan(means).any(axis=1)
        every = self.rows.cells(["cell"])
        return self.rows.take(every.order[every.starts[cells[whole].astype(np.intp)]]), means[whole], levels.tolist()


@once
def logged(study: Study, node: str) -> list[Logged]:
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
            found.append(_logged(kept.variable, runs.rows, kept.by))
    if not found:
        raise AnalysisError("no cell has two runs")
    return found


def _logged(variable: str, rows: Rows, by: Sequence[str]) -> Logged:
    within = [key for key in by if key in OF_AN_OPERATION]
    outside = [key for key in by if key not in OF_AN_OPERATION]
    added = {
        "x": log(rows[variable]),
        "cell": rows.cells(by).of_row,
        "what": _words(rows, _telling(rows, within)),
        "setting": rows.cells(outside).of_row,
    }
    return Logged(variable, rows.assign(**added), keys_of_groups(rows, by))


def _telling(rows: Rows, keys: Sequence[str]) -> list[str]:
    """Return the keys that tell operations apart: the operation itself, and what splits it further."""
    kept: list[str] = []
    for key in sorted(keys, key=lambda one: (one != "operation", one != "tool")):
        if key == "operation" or len(rows.cells([*kept, key])) > len(rows.cells(kept)):
            kept.append(key)
    return kept


def _words(rows: Rows, by: Sequence[str]) -> Array:
    """Keys of each row in one text."""
    cells = rows.cells(by)
    words = ["/".join(filter(None, map(table.format_level, cell.values()))) for cell in cells.names()]
    return cells.broadcast(array(words)) if by else array(["all"] * len(rows))


def where(rows: Rows, keys: Sequence[str]) -> str:
    """Name a cell by the keys that are told."""
    return name_known({key: rows[key][0] for key in keys})


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
