"""Two configurations against each other: their ratio with its interval, and whether they differ or are equivalent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.correction import ALPHA, holm
from storagelab.analysis.inference.differences import Difference, paired, welch
from storagelab.analysis.inference.elementary import exp, log, log1p
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import labelled_runs, values_of_runs
from storagelab.errors import AnalysisError


def compare(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: str | float,
    other: str | float,
    by: Sequence[str] = (),
    *,
    pair: Sequence[str] = (),
    margin: float | None = None,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Ratio other / base in each cell, with its interval and tests.

    Ratios are of geometric means; the interval is Welch's t on the logs, or the paired t where `pair` names keys that
    the two sides share (for example repeat). p values are corrected by Holm over all rows of the table.

    Parameters
    ----------
    ds, variable, over, statistic
        See `run_values`.
    factor : str
        Key in which the two sides differ.
    base, other : str or float
        Its two levels; the ratio is other / base.
    by : sequence of str
        Keys that make the cells.
    pair : sequence of str
        Keys that pair the runs of both sides; pairs with one side only are left out.
    margin : float, optional
        With it also equivalence is asked: whether the ratio lies within 1 - margin and 1 + margin (TOST).

    Returns
    -------
    Dataset, dimension obs
        One row a cell: the keys `by`; ``compared`` (text, "other / base"); ``ratio``, ``ratio_low``, ``ratio_high``;
        ``n``, ``n_base`` (pairs: both their number); ``p``, ``p_holm``; with a margin ``ratio_low_90``,
        ``ratio_high_90`` (inside the margin where TOST finds equivalence), ``p_equivalent``, ``p_equivalent_holm``;
        ``verdict``: higher, lower, equivalent, or undecided ("higher, within the margin" where both tests say so);
        ``caveat`` where there is no interval. All pure numbers. A cell that has one side only keeps its row, with n = 0
        and NaN.

    Raises
    ------
    AnalysisError
        If no cell has both sides, if values are not positive, or as `run_values`.
    """
    sides = table.sides(ds, factor, base, other)
    runs = values_of_runs(sides, variable, [*by, factor, *pair], over=over, statistic=statistic)
    check_scale(runs.rows[variable], variable)
    logs = runs.rows.assign(**{variable: log(runs.rows[variable])})
    if pair:
        table.require_known(logs, pair, "what is a pair cannot be told")
        logs = _paired_means(logs, variable, factor, [*by, *pair])
    test = paired if pair else welch
    sides_of_cells = logs.cells(by).at_levels(variable, factor, (other, base))
    cells = [{**cell, **sided(test(a, b), len(a), len(b), margin)} for cell, (a, b) in sides_of_cells]
    if not any(cell["n"] > 0 and cell["n_base"] > 0 for cell in cells):
        raise AnalysisError(f"no cell has {variable} of both {factor}={base} and {factor}={other}")
    result = judge(cells, margin).assign(compared=quotient(other, base))
    method = f"ratio of geometric means, 95 % {'paired' if pair else 'Welch'} t interval of the log"
    attrs = {
        "unit": runs.unit,
        "compared_variable": variable,
        "margin": "" if margin is None else f"{margin:g}",
    }
    like = labelled_runs(runs, sides)
    return table.dataset(result, like, [*by, "compared"], statistic=statistic, method=method, **attrs)


def _paired_means(rows: Rows, variable: str, factor: str, keys: Sequence[str]) -> Rows:
    """Average each side of each pair, in the order of their keys; a side without another has no level any more."""
    sides = rows.cells([*keys, factor])
    means = sides.results(**{variable: sides.mean(variable)})
    pairs = means.cells(keys)
    levels = means[factor].astype(object)
    levels[pairs.broadcast(pairs.size) < 2] = None
    return means.assign(**{factor: levels})


def quotient(other: str | float, base: str | float) -> str:
    """Write what is compared."""
    return f"{table.spelled(other)} / {table.spelled(base)}"


def sided(gap: Difference, n: int, n_base: int, margin: float | None = None) -> table.Cell:
    """Columns of one comparison of two sides: those of `effect`, how many runs each has, and its caveat."""
    return {**effect(gap, margin), "n": float(n), "n_base": float(n_base), "caveat": no_interval(gap, n, n_base)}


def no_interval(gap: Difference, n: float, n_base: float) -> str:
    """Say why a difference has no interval; empty where it has one."""
    if gap.known:
        return ""
    if np.isnan([n, n_base]).any():
        return "no error is given"
    return ("one side has no run", "one run a side: no interval", "no spread: no interval")[int(min(n, n_base, 2))]


def effect(gap: Difference, margin: float | None = None) -> dict[str, float]:
    """Columns of one comparison from the difference of the logs."""
    ends = gap.interval()
    found = {"ratio": gap.value, columns.low("ratio"): ends[0], columns.high("ratio"): ends[1]}
    result = {name: float(exp(value)) for name, value in found.items()} | {"p": gap.p()}
    return result if margin is None else {**result, **equivalence(gap, margin)}


def equivalence(gap: Difference, margin: float) -> dict[str, float]:
    """Columns of two one-sided tests at 5 %, and of the 90 % interval, inside the margin where they pass."""
    if not 0 < margin < 1:
        raise AnalysisError(f"a margin lies between 0 and 1, not at {margin:g}: 0.05 is 5 %")
    low, high = exp(gap.interval(1 - 2 * ALPHA))
    p = gap.p_outside(log1p(-margin), log1p(margin))
    return {"ratio_low_90": float(low), "ratio_high_90": float(high), "p_equivalent": p}


def judge(found: table.Result, margin: float | None = None) -> Rows:
    """Add the corrected p values and the verdict of each row."""
    rows = table.as_rows(found)
    rows = rows.assign(p_holm=holm(rows["p"]))
    if margin is not None:
        rows = rows.assign(p_equivalent_holm=holm(rows["p_equivalent"]))
    same = rows["p_equivalent_holm"] <= ALPHA if margin is not None else np.zeros(len(rows), dtype=bool)
    differs = rows["p_holm"] <= ALPHA
    direction = np.where(rows["ratio"] > 1, "higher", "lower")
    sure = np.where(same, np.char.add(direction, ", within the margin"), direction)
    return rows.assign(verdict=np.where(differs, sure, np.where(same, "equivalent", "undecided")))
