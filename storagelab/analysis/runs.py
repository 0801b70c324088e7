"""One value a run, or a block of runs: the unit of every interval. What is inside one is averaged here."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import schema
from storagelab.analysis import basis, columns, table
from storagelab.analysis.inference.intervals import ROUNDING
from storagelab.errors import AnalysisError, UnknownNameError

REPLICATION = frozenset(
    {"study", "origin", "basis", "run_id", "part", "statistic", "label", "repeat", "iteration", "block"}
)
"""Keys that tell repetitions of one cell apart; all others tell cells apart. A cell may rest on several bases."""

SHARING = ("client", "process")
"""Keys that tell apart who shared a run."""

RATES = ("B/s", "1/s")
Best = Literal["highest", "lowest"]
UNIT = list(basis.OF_A_RUN)


def run_values(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
    blocks: bool = True,
) -> xr.Dataset:
    """Reduce a dataset to one value a run and cell.

    Rows of several iterations in a run are averaged first: rates harmonically (the work of an iteration is fixed, so
    that this is the work of the run over its time), all else arithmetically. Where the logs were not grouped into
    runs, each log is a run. Several runs of a cell in one block of the campaign are no repetitions of it, as they share
    the set-up of the block: they are averaged like iterations.

    Parameters
    ----------
    ds : Dataset, dimension obs
    variable : str
        What to look at; rows without it are left out.
    by : sequence of str
        Keys that make the cells.
    over : sequence of str
        Other keys that may differ inside a cell, averaged over inside each run.
    statistic : str
        Which rows: "single" measurements, or a statistic that the tool itself printed ("mean", "max", ...).
    blocks : bool
        False keeps the runs of a block apart.

    Returns
    -------
    Dataset, dimension obs
        Coordinates `by`, run_id (empty where runs were averaged), repeat, block, and basis where rows say it; the
        variable in its unit.
        ``attrs["unit"]`` says whether a row is a run or a block.

    Raises
    ------
    AnalysisError
        If no row is left, if a key outside `by` and `over` differs inside a cell, or units or origins are mixed.
    """
    rows = rows_of_runs(ds, variable, statistic)
    for key in [*by, *over]:
        table.require(ds, key)
    _refuse_hidden_keys(rows, by, over)
    refuse_clients_as_runs(rows, over)
    how = _harmonic_mean if table.unit(ds, variable) in RATES else "mean"
    keys = list(dict.fromkeys([*by, *UNIT]))
    runs = _averaged(rows, keys, variable, how)
    blocked = blocks and bool((_shared_blocks(runs, by) > 1).any())
    values = _average_blocks(runs, variable, by, how) if blocked else runs
    method = f"one value a {'block' if blocked else 'run'}, what is inside averaged"
    values[variable] = _settled(values, variable, by)
    return table.dataset(values, ds, keys, statistic=statistic, method=method, unit="block" if blocked else "run")


def _settled(values: pd.DataFrame, variable: str, by: Sequence[str]) -> pd.Series[float]:
    """Make runs of a cell equal that differ by rounding alone, as averages of equal values do: that is no spread."""
    cells = values.groupby(list(by), dropna=False)[variable] if by else values.groupby(np.zeros(len(values)))[variable]
    first, spread = cells.transform("first"), cells.transform("max") - cells.transform("min")
    settled: pd.Series[float] = values[variable].where(spread > ROUNDING * first.abs(), first)
    return settled


def _shared_blocks(runs: pd.DataFrame, by: Sequence[str]) -> pd.Series[int]:
    """How many runs of its cell stand in the block of each run; 1 where the block is not known."""
    cells = runs.groupby(list(dict.fromkeys([*by, "repeat", "block"])), dropna=False)["run_id"]
    return cells.transform("size").where(runs["block"].notna(), 1)


def _average_blocks(runs: pd.DataFrame, variable: str, by: Sequence[str], how: Any) -> pd.DataFrame:
    named = runs["run_id"].where(_shared_blocks(runs, by) == 1, "")
    keys = list(dict.fromkeys([*by, *UNIT]))
    return _averaged(runs.assign(run_id=named), keys, variable, how)


def _averaged(rows: pd.DataFrame, keys: Sequence[str], variable: str, how: Any) -> pd.DataFrame:
    """Average what has the same keys; it rests on the weakest of what was averaged."""
    groups = rows.groupby(list(keys), dropna=False, sort=True)
    averaged: pd.DataFrame = groups[variable].agg(how).reset_index()
    if basis.KEY in rows and basis.KEY not in keys:
        averaged[basis.KEY] = groups[basis.KEY].agg(basis.weakest_of).to_numpy()
    return averaged


def chosen_rows(ds: xr.Dataset, variable: str, statistic: str = "single") -> pd.DataFrame:
    """Rows of one statistic in which the variable has a value.

    Raises
    ------
    AnalysisError
        If there are none; says which statistics there are.
    """
    table.unit(ds, variable)
    table.origin(ds)
    rows = table.frame(ds).dropna(subset=[variable])
    if rows.empty:
        raise AnalysisError(f"no row has a value of {variable}")
    if not np.isfinite(rows[variable]).all():
        raise AnalysisError(f"{variable} is infinite in {int((~np.isfinite(rows[variable])).sum())} rows")
    if variable in schema.FIELDS and schema.FIELDS[variable].unit in RATES and (rows[variable] < 0).any():
        raise AnalysisError(f"{variable} is {rows[variable].min():g} in a row: no rate is below zero")
    if "statistic" not in rows:
        return rows
    kept: pd.DataFrame = rows[rows["statistic"] == statistic]
    if kept.empty:
        present = ", ".join(sorted(set(rows["statistic"])))
        raise AnalysisError(f"no row of {variable} is a {statistic!r}, there are: {present}; choose a statistic")
    return kept


def rows_of_runs(ds: xr.Dataset, variable: str, statistic: str = "single") -> pd.DataFrame:
    """Rows as `chosen_rows`, each with the run_id, repeat and block of its run, as far as they are known."""
    rows = chosen_rows(ds, variable, statistic)
    return rows.assign(**unit_of(rows))


def direction_of(unit: str, variable: str) -> Best:
    """Say which end of a variable is best: rates when high, times when low.

    Raises
    ------
    AnalysisError
        For any other unit.
    """
    if unit in RATES:
        return "highest"
    if unit == "s":
        return "lowest"
    raise AnalysisError(f"whether a high or a low {variable} is best is not known: give best")


def differing_keys(rows: pd.DataFrame, but: Collection[str] = ()) -> list[str]:
    """Keys that tell cells apart: those in which rows differ, but neither `but` nor what tells repetitions apart."""
    named = {*but} | REPLICATION
    return [str(key) for key in rows if key not in named and _is_key(str(key)) and rows[key].nunique(dropna=False) > 1]


def _refuse_hidden_keys(rows: pd.DataFrame, by: Sequence[str], over: Sequence[str]) -> None:
    """Refuse to average over a difference that nobody asked to average over."""
    keys = differing_keys(rows, but=[*by, *over])
    for cell, part in table.cells(rows, by) if keys else ():
        for key in keys:
            levels = part[key].drop_duplicates()
            if len(levels) > 1:
                shown = ", ".join(str(level) for level in levels.sort_values().head(4))
                where = table.name_cell(cell) or "the selection"
                raise AnalysisError(f"rows of {where} differ in {key} ({shown}): name it in by or over, or select one")


def refuse_clients_as_runs(rows: pd.DataFrame, over: Sequence[str]) -> None:
    """Refuse to take the clients of one run, each of which has a log of its own, for as many runs."""
    named = [key for key in SHARING if key in over and rows[key].nunique() > 1]
    if named and bool(rows["run_id"].str.match("log |row ").any()):
        raise AnalysisError(f"some rows do not say their run_id: each {named[0]} would count as a run")


def _is_key(name: str) -> bool:
    try:
        return columns.field(name).kind == "key" and name not in {field.name for field in schema.LOG_FIELDS}
    except UnknownNameError:
        return False


def unit_of(rows: pd.DataFrame) -> dict[str, Any]:
    """Columns that name the run of each row: its run_id, else its log, else itself."""
    rank = pd.Series(rows.index, rows.index)
    log = "log " + rows["log_id"].astype(int).astype(str) if "log_id" in rows else "row " + rank.astype(str)
    named = rows["run_id"] if "run_id" in rows else pd.Series("", rows.index)
    unknown = pd.Series(np.nan, rows.index)
    return {
        "run_id": named.where(named != "", log),
        "repeat": rows.get("repeat", unknown),
        "block": rows.get("block", unknown),
    }


def _harmonic_mean(values: pd.Series[float]) -> float:
    x = values.to_numpy()
    return float(x.size / (1 / x).sum()) if (x > 0).all() else 0.0 if (x >= 0).all() else float(x.mean())
