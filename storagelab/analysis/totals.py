"""Totals and quotients of totals: bytes of all clients, bytes a packet, what is drawn of what there is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import units
from storagelab.analysis import columns, table
from storagelab.analysis.inference.claims import differ_by_factors
from storagelab.analysis.inference.quotients import ratio_of_sums
from storagelab.analysis.runs import RATES, UNIT, differing_keys, rows_of_runs
from storagelab.errors import AnalysisError, UnknownNameError


def totals(ds: xr.Dataset, variables: Sequence[str], by: Sequence[str] = ()) -> xr.Dataset:
    """Add up what can be added: bytes, counts and times, but no rates.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Single measurements; rows that have none of the variables are left out.
    variables : sequence of str
        What to add up.
    by : sequence of str
        Keys that make the cells.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: keys `by`; the sums, in the units of the variables; ``n``, the runs whose rows were added up. A
        sum is what was counted: it has no interval.

    Raises
    ------
    AnalysisError
        If a variable is a rate, a row has one of the variables and lacks another, or there are no rows.
    """
    for variable in variables:
        if (unit := table.unit(ds, variable)) in RATES:
            raise AnalysisError(f"{variable} is in {unit}: rates add up only where all ran together, see aggregates")
    table.require(ds, *by)
    rows = _with_any(ds, variables)
    _refuse_gaps(rows, variables)
    cells = [
        {**cell, **part[list(variables)].sum(), "n": float(part["run_id"].nunique())}
        for cell, part in table.cells(rows, by)
    ]
    return table.dataset(pd.DataFrame(cells), ds, list(by), statistic="single", method="sum over rows", unit="run")


def quotient(
    ds: xr.Dataset,
    above: str,
    below: str,
    by: Sequence[str] = (),
    *,
    name: str = "quotient",
    over: Sequence[str] = (),
) -> xr.Dataset:
    """Divide the sum of one variable by that of another, as bytes of all packets by packets; the run is the unit.

    ``sum(above) / sum(below)`` over the runs of a cell weighs each by what is below, which the mean of the quotients of
    the runs does not. The interval is that of a ratio of two means over runs (E. C. Fieller, JRSS B, 1954).

    Parameters
    ----------
    ds : Dataset, dimension obs
        Single measurements. A row has both variables, or one row of a run has the one and another the other.
    above, below : str
        What is divided by what: variables, or keys with a unit.
    by : sequence of str
        Keys that make the cells.
    name : str
        Column of the quotient, whose unit must be that of `above` over that of `below`.
    over : sequence of str
        Other keys that may differ inside a cell. Where runs differ in them they are no repetitions of each other, and
        the quotient has no interval.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: keys `by`; ``name``, ``name_low``, ``name_high`` (95 %, Fieller); ``n`` (runs, or blocks where
        several runs of a cell share one); ``caveat``.

    Raises
    ------
    AnalysisError
        If units do not fit the column, a key outside `by` and `over` differs inside a cell, a row or a run has one of
        the variables only, or a sum below is not positive.
    """
    _check_unit(ds, above, below, name)
    table.require(ds, *by, *over)
    rows = _with_any(ds, [above, below])
    if rows[[above, below]].notna().all(axis=1).any():
        _refuse_gaps(rows, [above, below])
    cells = [{**cell, **_quotient(part, above, below, name, cell, over)} for cell, part in table.cells(rows, by)]
    method = f"sum of {above} over sum of {below}, 95 % Fieller interval over runs"
    return table.dataset(pd.DataFrame(cells), ds, list(by), statistic="single", method=method, unit="run")


def _with_any(ds: xr.Dataset, variables: Sequence[str]) -> pd.DataFrame:
    """Rows of single measurements that have at least one of the variables, with the run of each."""
    known = np.logical_or.reduce([np.isfinite(ds[name].to_numpy().astype(float)) for name in variables])
    if not known.any():
        raise AnalysisError(f"no row has a value of {' or '.join(variables)}")
    some = ds.isel(obs=np.flatnonzero(known))
    found = [name for name in variables if np.isfinite(some[name].to_numpy().astype(float)).any()]
    rows = pd.concat([rows_of_runs(some, name) for name in found])
    return rows[~rows.index.duplicated()].sort_index()


def _refuse_gaps(rows: pd.DataFrame, variables: Sequence[str]) -> None:
    lacking = rows[list(variables)].isna()
    if lacking.any(axis=None):
        row = rows[lacking.any(axis=1)].iloc[0]
        missing = next(name for name in variables if pd.isna(row[name]))
        raise AnalysisError(f"a row of {row['run_id']} has no {missing} beside {_others(variables, missing)}")


def _others(variables: Sequence[str], missing: str) -> str:
    return ", ".join(name for name in variables if name != missing)


def _check_unit(ds: xr.Dataset, above: str, below: str, name: str) -> None:
    top, bottom, wanted = table.unit(ds, above), table.unit(ds, below), columns.field(name).unit
    try:
        fits = wanted is not None and units.factor(f"({top}) / ({bottom})", wanted) == 1
    except UnknownNameError:
        fits = False
    if not fits:
        raise AnalysisError(f"{above} [{top}] over {below} [{bottom}] is no {name} [{wanted}]: give another name")


def _quotient(
    part: pd.DataFrame, above: str, below: str, name: str, cell: table.Cell, over: Sequence[str]
) -> dict[str, float | str]:
    if hidden := differing_keys(part, but=[*cell, *over, above, below, "operation", "log_id"]):
        where = table.name_cell(cell) or "the selection"
        raise AnalysisError(f"rows of {where} differ in {', '.join(hidden)}: name it in by or over, or select one")
    runs = _sums(part, [above, below])
    if runs.isna().any(axis=None):
        lacking = runs[runs.isna().any(axis=1)].reset_index().iloc[0]["run_id"]
        raise AnalysisError(f"{lacking} has only one of {above} and {below}")
    sums = runs.sum()
    if not sums[below] > 0:
        raise AnalysisError(f"nothing can be divided by {below}, which adds up to {sums[below]:g}")
    unlike = [key for key in over if _differs_between_runs(part, key)]
    value, ends = ratio_of_sums([runs.to_numpy()])
    low, high = (np.nan, np.nan) if unlike else ends
    return {
        name: value,
        columns.low(name): low,
        columns.high(name): high,
        "n": float(len(runs)),
        "caveat": _caveat(runs, low, unlike),
    }


def _sums(part: pd.DataFrame, variables: list[str]) -> pd.DataFrame:
    """Sums of each run; of each block, where the block is known, as `run_values` has it."""
    named = part.assign(run_id=part["run_id"].where(part["block"].isna(), ""))
    sums: pd.DataFrame = named.groupby(UNIT, dropna=False, sort=True)[variables].sum(min_count=1)
    return sums


def _differs_between_runs(part: pd.DataFrame, key: str) -> bool:
    levels = part.groupby("run_id")[key].agg(lambda x: ",".join(sorted({str(level) for level in x})))
    return bool(levels.nunique() > 1)


def _caveat(runs: pd.DataFrame, low: float, unlike: Sequence[str]) -> str:
    if unlike:
        return f"runs differ in {', '.join(unlike)}: no repetitions, no interval"
    if len(runs) < 2:
        return "one run: no interval"
    if not np.isfinite(low):
        return "runs without spread, or a sum below that is not told from zero: no interval"
    by_factors = any(differ_by_factors(runs[name]) for name in runs)
    return "runs differ by factors: the interval may not cover what it says" if by_factors else ""
