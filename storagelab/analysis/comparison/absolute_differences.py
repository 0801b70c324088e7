"""Two configurations against each other where a ratio would mislead: differences of shares in points, and of times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import no_interval
from storagelab.analysis.comparison.sides import RunSide, dependence_caveat, no_verdict, sides_of_cells
from storagelab.analysis.inference.correction import family, verdicts
from storagelab.analysis.inference.mean_differences import Difference, welch
from storagelab.analysis.runs import labelled_runs, values_of_runs
from storagelab.errors import AnalysisError

NAMES = {"1": "difference", "s": "time_difference"}
"""Column of the difference for each unit that is asked for."""


def differences(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: str | float,
    other: str | float,
    by: Sequence[str] = (),
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Mean of `other` less mean of `base` in each cell, with Welch's 95 % t interval.

    Parameters
    ----------
    ds, variable, over, statistic
        See `storagelab.analysis.run_values`; the variable is a pure number, such as a share of time, or a time.
    factor : str
        Key in which the two sides differ.
    base, other : str or float
        Its two levels.
    by : sequence of str
        Keys that make the cells.

    Returns
    -------
    Dataset, dimension obs
        One row a cell with both sides: the keys `by`; ``compared`` (text, "other - base"); ``difference`` [1] (of pure
        numbers) or ``time_difference`` [s], each with ``_low`` and ``_high``; ``n``, ``n_base``; ``p``, ``p_adjusted``
        (over the table; the intervals agree with it, those of each row alone are ``_low_unadjusted`` and
        ``_high_unadjusted``); ``verdict``: higher, lower or undecided; ``caveat``.

    Raises
    ------
    AnalysisError
        If the variable is neither a pure number nor a time, no cell has both sides, or as `run_values`.
    """
    name = NAMES.get(unit := table.unit(ds, variable), "")
    if not name:
        raise AnalysisError(f"differences are of pure numbers and of times, {variable} is in {unit}")
    sides = table.sides(ds, factor, base, other)
    runs = values_of_runs(sides, variable, [*by, factor], over=over, statistic=statistic, conditions="fixed")
    both = sides_of_cells(runs, variable, by, factor, (other, base), logs=False)
    found = [(cell, a, b, _gap(a, b)) for cell, (a, b) in both if a.size and b.size]
    tests = family([gap.p() for *_, gap in found])
    cells = [{**cell, **_difference(a, b, gap, name, tests.alpha)} for cell, a, b, gap in found]
    if not cells:
        raise AnalysisError(f"no cell has {variable} of both {factor}={base} and {factor}={other}")
    result = _judged(Rows.of_cells(cells).assign(p_adjusted=tests.adjusted), name).assign(
        compared=f"{table.format_level(other)} - {table.format_level(base)}"
    )
    return table.dataset(
        result, labelled_runs(runs, sides), [*by, "compared"], statistic=statistic,
        method="difference of means, 95 % Welch t interval, simultaneous over the table", unit="run",
        compared_variable=variable, margin="",
    )  # fmt: skip


def _gap(a: RunSide, b: RunSide) -> Difference:
    gap = welch(a.side, b.side)
    return Difference(gap.value, np.nan, np.nan) if no_verdict(a, b) else gap


def _difference(a: RunSide, b: RunSide, gap: Difference, name: str, alpha: float) -> table.Cell:
    low, high = gap.interval(1 - alpha)
    alone = gap.interval()
    doubt = dependence_caveat(a, b)
    return {
        name: gap.value,
        columns.low(name): low,
        columns.high(name): high,
        f"{name}_low_unadjusted": alone[0],
        f"{name}_high_unadjusted": alone[1],
        "n": float(a.size),
        "n_base": float(b.size),
        "p": gap.p(),
        "caveat": no_verdict(a, b) or no_interval(gap, a.size, b.size) or doubt,
    }


def _judged(rows: Rows, name: str) -> Rows:
    direction = np.where(rows[name] > 0, "higher", "lower")
    return rows.assign(verdict=verdicts(rows["p_adjusted"], direction))
