"""Two configurations against each other where a ratio would mislead: differences of shares in points, and of times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import no_interval
from storagelab.analysis.inference.correction import ALPHA, holm
from storagelab.analysis.inference.differences import welch
from storagelab.analysis.inference.intervals import Floats
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
        numbers) or ``time_difference`` [s], each with ``_low`` and ``_high``; ``n``, ``n_base``; ``p``, ``p_holm``
        (over the table); ``verdict``: higher, lower or undecided; ``caveat`` where there is no interval.

    Raises
    ------
    AnalysisError
        If the variable is neither a pure number nor a time, no cell has both sides, or as `run_values`.
    """
    name = NAMES.get(unit := table.unit(ds, variable), "")
    if not name:
        raise AnalysisError(f"differences are of pure numbers and of times, {variable} is in {unit}")
    sides = table.sides(ds, factor, base, other)
    runs = values_of_runs(sides, variable, [*by, factor], over=over, statistic=statistic)
    found = runs.rows.cells(by).at_levels(variable, factor, (other, base))
    cells = [{**cell, **_difference(a, b, name)} for cell, (a, b) in found if len(a) and len(b)]
    if not cells:
        raise AnalysisError(f"no cell has {variable} of both {factor}={base} and {factor}={other}")
    result = _judged(Rows.of_cells(cells), name).assign(compared=f"{table.spelled(other)} - {table.spelled(base)}")
    return table.dataset(
        result, labelled_runs(runs, sides), [*by, "compared"], statistic=statistic,
        method="difference of means, 95 % Welch t interval", unit="run", compared_variable=variable, margin="",
    )  # fmt: skip


def _difference(a: Floats, b: Floats, name: str) -> table.Cell:
    gap = welch(a, b)
    low, high = gap.interval()
    ends = {name: gap.value, columns.low(name): low, columns.high(name): high}
    return {
        **ends,
        "n": float(len(a)),
        "n_base": float(len(b)),
        "p": gap.p(),
        "caveat": no_interval(gap, len(a), len(b)),
    }


def _judged(rows: Rows, name: str) -> Rows:
    rows = rows.assign(p_holm=holm(rows["p"]))
    direction = np.where(rows[name] > 0, "higher", "lower")
    return rows.assign(verdict=np.where(rows["p_holm"] <= ALPHA, direction, "undecided"))
