"""What a printed "mean +- error" may be over: clients, iterations, runs. The same values, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.intervals import standard_error
from storagelab.analysis.runs import rows_of_runs, run_values

INSIDE = ("client", "process", "iteration", "part")
"""Keys that tell values inside a run apart."""

ROW = "row"


def repetition_units(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
    units: Sequence[Sequence[str]] = (),
) -> xr.Dataset:
    """Report mean and standard error for each thing that might have been counted as a repetition.

    Each unit is first averaged over what is inside it, arithmetically, so that with as many values in each the mean is
    the same and the error alone shows the choice. ``m = sum x_i / n``, ``e = s / sqrt(n)``. Only the run (or the block,
    where runs share one) was repeated: all other errors leave out what a run does to all of its values, and carry a
    caveat.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``, or ``runs`` with several rows a run.
    variable, by, statistic
        See `run_values`.
    over : sequence of str
        Further keys that may differ inside a cell, besides those of `units`.
    units : sequence of sequences of str, optional
        Keys that make the units, such as ``[["client"], ["client", "iteration"], ["run_id"]]``. Otherwise the run (or
        block), each of client, process, iteration and part that differs, and the single row.

    Returns
    -------
    Dataset, dimension obs
        One row a cell and unit: keys `by` and ``repetition`` (text); the mean under the name of the variable,
        ``_error``, ``_std`` (NaN for one unit), ``n`` and ``caveat``. Units are those of the variable.

    Raises
    ------
    AnalysisError
        As `run_values`, or if the dataset lacks a key of `units`.
    """
    rows = rows_of_runs(ds, variable, statistic)
    inside = [key for key in INSIDE if key in rows and rows.varies(key)]
    averaged = list(dict.fromkeys([*over, *inside, *(key for unit in units for key in unit)]))
    repeated = run_values(ds, variable, by, over=averaged, statistic=statistic).attrs["unit"]
    chosen = [tuple(unit) for unit in units] or [*_repeated(repeated), *((key,) for key in inside), ()]
    found = [{**cell, **_over(part, variable, unit, repeated)} for cell, part in rows.cells(by) for unit in chosen]
    method = "arithmetic mean and standard error over each unit"
    return table.dataset(found, ds, [*by, "repetition"], statistic=statistic, method=method)


def _repeated(repeated: str) -> list[tuple[str, ...]]:
    return [("repeat", "block"), ("run_id",)] if repeated == "block" else [("run_id",)]


def _over(part: Rows, variable: str, unit: Sequence[str], repeated: str) -> table.Cell:
    x = part.cells(unit).mean(variable) if unit else part[variable]
    return {
        "repetition": _name(unit),
        variable: float(x.mean()),
        f"{variable}_error": standard_error(x),
        f"{variable}_std": float(x.std(ddof=1)) if x.size > 1 else float("nan"),
        "n": float(x.size),
        "caveat": _caveat(_name(unit), repeated, x.size),
    }


def _name(unit: Sequence[str]) -> str:
    """Name a unit: the block, the run, keys crossed, or the single row."""
    if "block" in unit:
        return "block"
    return " x ".join("run" if key == "run_id" else key for key in unit) or ROW


def _caveat(unit: str, repeated: str, n: int) -> str:
    if unit != repeated:
        return f"not what was repeated: values of one {repeated} share its conditions"
    return f"one {unit}: no error" if n < 2 else ""
