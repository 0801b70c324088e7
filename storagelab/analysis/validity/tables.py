"""The measured values of a study in tables that a check over cells can take: one variable, one statistic, its keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import schema
from storagelab.analysis.cells import Rows
from storagelab.analysis.run_times import name_runs
from storagelab.analysis.validity.bytes_and_time import ROUNDED
from storagelab.analysis.validity.checks import Study, once
from storagelab.dataset import take
from storagelab.errors import AnalysisError

VARIABLES = ("throughput", "operation_rate", "elapsed")
"""What is looked at: operations a second where there are no bytes; the time where the rate is not bytes over it."""

NO_CELL = schema.REPLICATION | {entry.name for entry in [*schema.LOG_FIELDS, *schema.TRACE]} | {"time"}

OF_A_PART = ("file",)
"""Keys in which the parts of one run differ that are averaged."""


@dataclass(frozen=True)
class Values:
    """Rows of ``runs`` with a value above zero of one variable, and the keys that tell their cells apart."""

    ds: xr.Dataset
    variable: str
    statistic: str
    by: Sequence[str]
    over: Sequence[str] = ()

    def lines(self, cells: Rows) -> Rows:
        """Add to runs of cells, in their order, where the first line of each stands (log_id, line)."""
        names = [*self.by, "run_id"]
        rows = self._runs
        trace = [name for name in ("log_id", "line") if name in rows]
        return cells.assign(**cells.looked_up(rows, names, trace))

    def repeated(self, least: int) -> tuple[Values, int]:
        """Keep the rows of cells with so many runs, and count the runs of the others."""
        rows = self._runs
        cells = rows.cells(self.by)
        kept = cells.broadcast(cells.distinct("run_id") >= least) if self.by else np.full(len(rows), len(rows) >= least)
        alone = rows.take(~kept).cells([*self.by, "run_id"])
        return replace(self, ds=take(self.ds, np.flatnonzero(kept))), len(alone)

    @cached_property
    def _runs(self) -> Rows:
        return name_runs(Rows.of(self.ds))


@once
def values(study: Study, node: str) -> list[Values]:
    """Return the tables of a node: of ``runs``, or of ``clients`` what each client that has a name did.

    Raises
    ------
    AnalysisError
        If it has no such rows, or none with a rate or a time.
    """
    rows = study.of_clients() if node == "clients" else study.rows(node)
    found = [
        part
        for variable in VARIABLES
        if variable in rows
        for statistic in ("single", "mean")
        if (part := _values(study.node(node), rows, variable, statistic)) is not None
    ]
    if not found:
        raise AnalysisError(f"none of the {node} has a rate or a time")
    return found


def _values(ds: xr.Dataset, rows: pd.DataFrame, variable: str, statistic: str) -> Values | None:
    wanted = rows[variable] > 0
    statistics = rows.get("statistic", pd.Series("single", rows.index))
    if variable == "operation_rate" and "throughput" in rows:
        wanted &= rows["throughput"].isna()
    if variable == "elapsed":
        wanted &= ~_rate_says_it(rows)
    if statistic != "single" and "log_id" in rows:
        wanted &= ~rows["log_id"].isin(rows.loc[wanted & (statistics == "single"), "log_id"])
    chosen = rows.index[wanted & (statistics == statistic)].to_numpy()
    part = take(ds, chosen)
    keys = keys_of_cells(part)
    over = [key for key in keys if key in OF_A_PART]
    return Values(part, variable, statistic, [key for key in keys if key not in over], over) if chosen.size else None


def _rate_says_it(rows: pd.DataFrame) -> pd.Series:
    """Whether the rates of a tool's operation are mostly bytes over the time, so that the time says nothing else."""
    if not {"throughput", "data_size"}.issubset(rows):
        return rows.get("operation_rate", pd.Series(np.nan, rows.index)).notna()
    ratio = rows["throughput"] * rows["elapsed"] / rows["data_size"]
    agrees = ratio.between(1 / (1 + ROUNDED), 1 + ROUNDED)
    keys = [rows[key] for key in ("tool", "operation") if key in rows]
    known = agrees.where(ratio.notna()).astype(float)
    mostly: pd.Series = (known.groupby(keys).transform("mean") if keys else known).fillna(0) >= 0.5
    return mostly


def keys_of_cells(ds: xr.Dataset) -> list[str]:
    """Return the keys in which rows differ and repetitions do not: they tell the cells of a campaign apart."""
    rows = Rows.of(ds)
    return [str(name) for name in ds.coords if name not in NO_CELL and rows.varies(str(name))]
