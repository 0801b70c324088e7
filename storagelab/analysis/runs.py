"""One value a run, or a block of runs: the unit of every interval. What is inside one is averaged here."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import xarray as xr

from storagelab import schema
from storagelab.analysis import basis, columns, table
from storagelab.analysis.cells import Floats, Rows
from storagelab.analysis.codes import array
from storagelab.analysis.digits import significant
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
    return labelled_runs(values_of_runs(ds, variable, by, over=over, statistic=statistic, blocks=blocks), ds)


@dataclass(frozen=True, slots=True)
class Runs:
    """One value a run or block: what `run_values` labels.

    Attributes
    ----------
    rows : Rows
    keys : list of str
        `by`, and what names a run.
    statistic, unit : str
    """

    rows: Rows
    keys: list[str]
    statistic: str
    unit: str


def values_of_runs(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
    blocks: bool = True,
) -> Runs:
    """Do what `run_values` does, for those who go on with rows."""
    rows = rows_of_runs(ds, variable, statistic)
    for key in [*by, *over]:
        table.require(ds, key)
    _refuse_hidden_keys(rows, by, over)
    refuse_clients_as_runs(rows, over)
    rate = table.unit(ds, variable) in RATES
    keys = list(dict.fromkeys([*by, *UNIT]))
    runs = _averaged(rows, keys, variable, rate)
    shared = _shared_blocks(runs, by)
    blocked = blocks and bool((shared > 1).any())
    if blocked:
        named = np.where(shared == 1, runs["run_id"], "")
        runs = _averaged(runs.assign(run_id=named), keys, variable, rate)
    settled = significant(_settled(runs, variable, by))
    return Runs(runs.assign(**{variable: settled}), keys, statistic, "block" if blocked else "run")


def labelled_runs(runs: Runs, like: xr.Dataset) -> xr.Dataset:
    """Label runs as the dataset that `run_values` returns."""
    method = f"one value a {runs.unit}, what is inside averaged"
    return table.dataset(runs.rows, like, runs.keys, statistic=runs.statistic, method=method, unit=runs.unit)


def _settled(runs: Rows, variable: str, by: Sequence[str]) -> Floats:
    """Make runs of a cell equal that differ by rounding alone, as averages of equal values do: that is no spread."""
    cells, values = runs.cells(by), runs[variable]
    first = cells.first(variable)
    equal = cells.max(variable) - cells.min(variable) <= ROUNDING * np.abs(first)
    return np.where(cells.broadcast(equal), cells.broadcast(first), values)


def _shared_blocks(runs: Rows, by: Sequence[str]) -> Floats:
    """How many runs of its cell stand in the block of each run; 1 where the block is not known."""
    cells = runs.cells(list(dict.fromkeys([*by, "repeat", "block"])))
    return np.where(np.isnan(runs["block"]), 1, cells.broadcast(cells.size))


def _averaged(rows: Rows, keys: Sequence[str], variable: str, rate: bool) -> Rows:
    """Average what has the same keys; it rests on the weakest of what was averaged."""
    cells = rows.cells(keys)
    mean = cells.harmonic_mean(variable) if rate else cells.mean(variable)
    return Rows({**cells.keys(), variable: mean, **basis.of_cells(cells)}, len(cells))


def chosen_rows(ds: xr.Dataset, variable: str, statistic: str = "single") -> Rows:
    """Rows of one statistic in which the variable has a value.

    Raises
    ------
    AnalysisError
        If there are none; says which statistics there are.
    """
    table.unit(ds, variable)
    table.origin(ds)
    known = table.rows(ds)
    rows = known.take(~np.isnan(known[variable]))
    values = rows[variable]
    if not len(rows):
        raise AnalysisError(f"no row has a value of {variable}")
    if not np.isfinite(values).all():
        raise AnalysisError(f"{variable} is infinite in {int((~np.isfinite(values)).sum())} rows")
    if variable in schema.FIELDS and schema.FIELDS[variable].unit in RATES and (values < 0).any():
        raise AnalysisError(f"{variable} is {values.min():g} in a row: no rate is below zero")
    if "statistic" not in rows:
        return rows
    kept = rows.where("statistic", statistic)
    if not len(kept):
        present = ", ".join(rows.levels("statistic"))
        raise AnalysisError(f"no row of {variable} is a {statistic!r}, there are: {present}; choose a statistic")
    return kept


def rows_of_runs(ds: xr.Dataset, variable: str, statistic: str = "single") -> Rows:
    """Rows as `chosen_rows`, each with the run_id, repeat and block of its run, as far as they are known."""
    return with_unit(chosen_rows(ds, variable, statistic))


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


def differing_keys(rows: Rows, but: Collection[str] = ()) -> list[str]:
    """Keys that tell cells apart: those in which rows differ, but neither `but` nor what tells repetitions apart."""
    named = {*but} | REPLICATION
    return [key for key in rows if key not in named and _is_key(key) and rows.varies(key)]


def _refuse_hidden_keys(rows: Rows, by: Sequence[str], over: Sequence[str]) -> None:
    """Refuse to average over a difference that nobody asked to average over."""
    keys = differing_keys(rows, but=[*by, *over])
    if not keys:
        return
    cells = rows.cells(by)
    hidden = {key: differs for key in keys if (differs := cells.differ(key)).any()}
    if hidden:
        place = min(int(np.argmax(differs)) for differs in hidden.values())
        key = next(key for key, differs in hidden.items() if differs[place])
        shown = ", ".join(str(level) for level in cells.part(place).levels(key)[:4])
        where = table.name_cell(cells.names()[place]) or "the selection"
        raise AnalysisError(f"rows of {where} differ in {key} ({shown}): name it in by or over, or select one")


def refuse_clients_as_runs(rows: Rows, over: Sequence[str]) -> None:
    """Refuse to take the clients of one run, each of which has a log of its own, for as many runs."""
    named = [key for key in SHARING if key in over and rows.varies(key)]
    if named and any(str(run).startswith(("log ", "row ")) for run in rows.levels("run_id")):
        raise AnalysisError(f"some rows do not say their run_id: each {named[0]} would count as a run")


@cache
def _is_key(name: str) -> bool:
    try:
        return columns.field(name).kind == "key" and name not in {field.name for field in schema.LOG_FIELDS}
    except UnknownNameError:
        return False


def with_unit(rows: Rows) -> Rows:
    """Name the run of each row: its run_id, else its log, else itself; repeat and block are NaN where not known."""
    named = rows.get("run_id", "")
    if (named == "").any():
        known, numbers = ("log", rows["log_id"]) if "log_id" in rows else ("row", np.arange(len(rows)))
        named = np.where(named == "", array([f"{known} {number:.0f}" for number in numbers]), named)
    return rows.assign(run_id=named, repeat=rows.get("repeat", np.nan), block=rows.get("block", np.nan))
