"""Totals and quotients of totals: bytes of all clients, bytes a packet, what is drawn of what there is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab import units
from storagelab.analysis import columns, table
from storagelab.analysis.cells import Cells, Rows
from storagelab.analysis.comparison.sides import runs_by_cell
from storagelab.analysis.inference.interval_guarantees import differ_by_factors
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.quotients import ratio_of_sums
from storagelab.analysis.run_times import earliest, name_runs
from storagelab.analysis.runs import RATES, UNIT, Runs, differing_keys, refuse_clients_as_runs, rows_of_runs
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
    cells = rows.cells(by)
    found = cells.results(**{name: cells.sum(name) for name in variables}, n=cells.distinct("run_id"))
    return table.dataset(found, ds, list(by), statistic="single", method="sum over rows", unit="run")


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
    refuse_clients_as_runs(rows, over)
    if np.isfinite(rows[above] + rows[below]).any():
        _refuse_gaps(rows, [above, below])
    summed = [(cell, part, _sums_of_runs(part, above, below, cell, over)) for cell, part in rows.cells(by)]
    doubts = _doubts([runs.assign(**cell) for cell, _, runs in summed], by)
    cells = [
        {**cell, **_quotient(part, runs, below, name, over, doubt)}
        for (cell, part, runs), doubt in zip(summed, doubts, strict=True)
    ]
    method = f"sum of {above} over sum of {below}, 95 % Fieller interval over runs"
    made_of = f"{above} {below}"
    return table.dataset(cells, ds, list(by), statistic="single", method=method, unit="run", made_of=made_of)


def _with_any(ds: xr.Dataset, variables: Sequence[str]) -> Rows:
    """Rows of single measurements that have at least one of the variables, with the run of each."""
    known = np.logical_or.reduce([np.isfinite(ds[name].to_numpy().astype(float)) for name in variables])
    if not known.any():
        raise AnalysisError(f"no row has a value of {' or '.join(variables)}")
    some = ds.isel(obs=np.flatnonzero(known)).assign_coords(place=("obs", np.arange(int(known.sum()))))
    found = [name for name in variables if np.isfinite(some[name].to_numpy().astype(float)).any()]
    places = np.concatenate([rows_of_runs(some, name)["place"] for name in found])
    return name_runs(table.rows(some).take(np.unique(places).astype(int)))


def _refuse_gaps(rows: Rows, variables: Sequence[str]) -> None:
    lacking = {name: np.isnan(rows[name]) for name in variables}
    places = np.flatnonzero(np.logical_or.reduce(list(lacking.values())))
    if places.size:
        missing = next(name for name, lacks in lacking.items() if lacks[places[0]])
        run = rows["run_id"][places[0]]
        raise AnalysisError(f"a row of {run} has no {missing} beside {_others(variables, missing)}")


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


def _sums_of_runs(part: Rows, above: str, below: str, cell: table.Cell, over: Sequence[str]) -> Rows:
    """Sums above and below of each run, and how far each run lies from the quotient of all, relative to it."""
    if hidden := differing_keys(part, but=[*cell, *over, above, below, "operation", "log_id"]):
        where = table.name_cell(cell) or "the selection"
        raise AnalysisError(f"rows of {where} differ in {', '.join(hidden)}: name it in by or over, or select one")
    cells = part.assign(run_id=np.where(np.isnan(part["block"]), part["run_id"], "")).cells(UNIT)
    runs = np.column_stack([_sum_of_known(cells, name) for name in (above, below)])
    if np.isnan(runs).any():
        lacking = cells.first("run_id")[np.isnan(runs).any(axis=1)][0]
        raise AnalysisError(f"{lacking} has only one of {above} and {below}")
    top, bottom = runs.T
    apart = top * bottom.sum() - bottom * top.sum()
    scale = np.abs(top.mean() * bottom.sum())
    return cells.results(above=top, below=bottom, apart=apart / scale if scale > 0 else apart, **earliest(cells))


def _doubts(summed: Sequence[Rows], by: Sequence[str]) -> list[str]:
    """Say of each cell why its runs, which its interval takes for independent, may not be."""
    runs = Runs(Rows.stacked(summed), [*by, *UNIT], "single", "run")
    return [side.doubt_if_independent for _, side in runs_by_cell(runs, "apart", by)]


def _quotient(
    part: Rows, of_runs: Rows, below: str, name: str, over: Sequence[str], doubt: str
) -> dict[str, float | str]:
    runs = np.column_stack([of_runs["above"], of_runs["below"]])
    total = float(runs[:, 1].sum())
    if not total > 0:
        raise AnalysisError(f"nothing can be divided by {below}, which adds up to {total:g}")
    unlike = [key for key in over if _differs_between_runs(part, key)]
    value, ends = ratio_of_sums([runs])
    low, high = (np.nan, np.nan) if unlike else ends
    return {
        name: value,
        columns.low(name): low,
        columns.high(name): high,
        "n": float(len(runs)),
        "caveat": _caveat(runs, low, unlike) or doubt,
    }


def _sum_of_known(cells: Cells, name: str) -> Floats:
    """Sum of each run, or of each block where it is known; NaN where none of its rows has a value."""
    known = np.isfinite(cells.rows[name])
    counted = cells.sum_of(known)
    return np.where(counted > 0, cells.sum_of(np.where(known, cells.rows[name], 0.0)), np.nan)


def _differs_between_runs(part: Rows, key: str) -> bool:
    levels = {tuple(run.levels(key)) for _, run in part.cells(["run_id"])}
    return len(levels) > 1


def _caveat(runs: Floats, low: float, unlike: Sequence[str]) -> str:
    if unlike:
        return f"runs differ in {', '.join(unlike)}: no repetitions, no interval"
    if len(runs) < 2:
        return "one run: no interval"
    if not np.isfinite(low):
        return "runs without spread, or a sum below that is not told from zero: no interval"
    by_factors = any(map(differ_by_factors, runs.T))
    return "runs differ by factors: the interval may not cover what it says" if by_factors else ""
