"""Where a curve changes its level, as rates do where files outgrow a memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.changes import Changes, changes
from storagelab.analysis.inference.correction import ALPHA, holm
from storagelab.analysis.inference.intervals import Floats, spreadless
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.inference.seeds import generator
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import values_of_runs
from storagelab.errors import AnalysisError

FEWEST = 4
"""Points of a curve in which a change can be told from noise."""


def change_points(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    x: str = "file_size",
    memory: float | None = None,
    most: int = 3,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Fit a curve by levels that change at some sizes: the log of the variable is constant between two changes.

    Changes are accepted one by one, while a permutation test at 5 % (orders of the sizes inside each repeat) refuses
    that there is none more; the largest gain over all positions is what is tested, so that looking for the place does
    not make it significant. Positions are those of least squares. A position is known to lie between two neighbouring
    sizes: it stands at their geometric middle, and its interval reaches from the size below the lowest to the size
    above the highest position that a test does not refuse at 5 %, the other changes given. The repeat is the unit; a
    repeat that lacks a size is left out.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Runs with repeat and `x`.
    variable, over, statistic
        See `storagelab.analysis.run_values`; values must be positive.
    by : sequence of str
        Keys that make the cells.
    x : str
        Key along which the curve runs, such as file_size, working_set or clients.
    memory : float, optional
        In the unit of `x`; with it the positions are also given over this memory.
    most : int
        Number of changes beyond which none are looked for.

    Returns
    -------
    Dataset, dimension obs
        One row a change: keys `by` and part (from 1 in order of `x`; one row with part 0 where there is none);
        a column with the name and unit of `x`, its position, with ``_low`` and ``_high``; ``step`` [1], the level after
        over the level before; ``changes`` [1], how many there are in the cell; with a memory ``over_memory`` [1] with
        interval; ``n`` (repeats); ``p`` of no change at all in the cell, ``p_holm`` over the cells; ``caveat``.

    Raises
    ------
    AnalysisError
        If `x` is in by or is no number, `most` is below 1, repeats are not numbered, no cell has a whole curve of 4
        points, values are not positive, or as `run_values`.

    Notes
    -----
    A curve that slopes is cut into steps; that is what was asked, and no sign of a cache. Sources: see
    `storagelab.analysis.inference.changes`.
    """
    _check(x, most)
    rows = values_of_runs(ds, variable, [*by, x], over=over, statistic=statistic).rows
    if np.isnan(rows["repeat"]).any():
        raise AnalysisError("the runs do not say which repeat they are: a change needs curves of one repeat each")
    check_scale(rows[variable], variable)
    if (rows[x] <= 0).any():
        raise AnalysisError(f"{x} is {rows[x].min():g} in some run: positions are found on a log axis")
    rng = generator(str(ds.attrs.get("study", "")), "change points", variable, x)
    found = [row for cell, part in rows.cells(by) for row in _of_cell(cell, part, variable, x, most, rng)]
    result = Rows.of_cells(found)
    if np.isnan(result["changes"]).all():
        raise AnalysisError(f"no cell has {variable} of {FEWEST} levels of {x} in one repeat")
    result = result.assign(p_holm=_holm_over_cells(result))
    if memory is not None:
        ends = (x, columns.low(x), columns.high(x))
        result = result.assign(**{f"over_memory{name.removeprefix(x)}": result[name] / memory for name in ends})
    method = "piecewise constant log, changes by permutation of sizes within repeats, 95 % region of each position"
    keys = [*by, "part"]
    return table.dataset(result, ds, keys, statistic=statistic, method=method, unit="run", made_of=f"{variable} {x}")


def _check(x: str, most: int) -> None:
    if columns.field(x).unit is None:
        raise AnalysisError(f"a curve runs along numbers, {x} is text")
    if most < 1:
        raise AnalysisError(f"at most {most} changes: expected 1 or more")


def _of_cell(
    cell: table.Cell, part: Rows, variable: str, x: str, most: int, rng: np.random.Generator
) -> list[table.Cell]:
    _, at, means = part.grid(variable, "repeat", x)
    whole = means[~np.isnan(means).any(axis=1)]
    if len(whole) == 0 or at.size < FEWEST:
        few = f"no repeat has {FEWEST} levels of {x}"
        return [{**cell, **_none(x, len(whole)), "changes": np.nan, "p": np.nan, "caveat": few}]
    curves = log(whole)
    found = changes(curves, most, rng)
    caveat = _caveat(curves, found, most)
    common = {"changes": float(len(found.places)), "p": found.p[0], "n": float(len(curves)), "caveat": caveat}
    if not found.places:
        return [{**cell, **_none(x, len(curves)), **common}]
    return [{**cell, **row, **common} for row in _positions(at, curves.mean(axis=0), found, x)]


def _none(x: str, n: int) -> table.Cell:
    missing = dict.fromkeys([x, columns.low(x), columns.high(x), "step"], np.nan)
    return {"part": 0.0, **missing, "n": float(n)}


def _positions(at: Floats, curve: Floats, found: Changes, x: str) -> list[table.Cell]:
    levels = [part.mean() for part in np.split(curve, found.places)]
    return [
        {
            "part": float(number),
            x: float(np.sqrt(at[place - 1] * at[place])),
            columns.low(x): float(at[low - 1]),
            columns.high(x): float(at[high]),
            "step": float(exp(levels[number] - levels[number - 1])),
        }
        for number, (place, (low, high)) in enumerate(zip(found.places, found.regions, strict=True), 1)
    ]


def _caveat(curves: Floats, found: Changes, most: int) -> str:
    if len(found.places) == most:
        return f"{most} changes were looked for: there may be more"
    few = 1 / _orders(curves.shape) > ALPHA / 2
    if few and not found.places:
        return "too few points and repeats for any change to be found at 5 %"
    if len(curves) == 1:
        return "one repeat: its sizes are taken for independent"
    alike = all(map(spreadless, curves.T))
    return "repeats do not differ: they are counted as if they were independent" if alike else ""


def _orders(shape: tuple[int, ...]) -> float:
    """How many orders of the sizes of all repeats explain no less than the best: the reach of a permutation test."""
    repeats, points = shape
    half = points // 2
    return float(exp(repeats * sum(log((points - i) / (half - i)) for i in range(half))))


def _holm_over_cells(result: Rows) -> Floats:
    """Correct p of the first row of each cell, which holds for the others of the cell too."""
    first = result["part"] <= 1
    corrected: Floats = holm(result["p"][first])[np.cumsum(first) - 1]
    return corrected
