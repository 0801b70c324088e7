"""Two configurations by their quantiles: the typical run, the slow ones, and all deciles at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.comparison.sides import RunSide, independence_caveat, sides_of_cells
from storagelab.analysis.inference.intervals import Floats, spreadless
from storagelab.analysis.inference.quantile_comparison import FEWEST, quantile_ratio, shift_function
from storagelab.analysis.inference.quantiles import MEDIAN, values_needed
from storagelab.analysis.inference.seeds import generator
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import Runs, values_of_runs
from storagelab.errors import AnalysisError

Sides = list[tuple[table.Cell, list[RunSide]]]


def quantile_ratios(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: str | float,
    other: str | float,
    by: Sequence[str] = (),
    *,
    q: float = MEDIAN,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Ratio of a quantile of other to that of base in each cell: of the median, unless another is asked for.

    The interval counts runs and does not measure them: it holds for noise of any kind, with modes and with stalls,
    where that of `compare` does not. It needs 6 runs a side for a median, 36 for a decile.

    Parameters
    ----------
    ds, variable, over, statistic
        See `run_values`.
    factor, base, other, by
        See `compare`.
    q : float
        Which quantile, between 0 and 1.

    Returns
    -------
    Dataset, dimension obs
        One row a cell that has both sides: the keys `by`, ``compared``, ``quantile``; ``ratio``, ``ratio_low``,
        ``ratio_high``, ``n``, ``n_base``; ``caveat`` where there is no interval, or where runs depend on the ones
        before, which it takes for independent.

    Raises
    ------
    AnalysisError
        If `q` is no share, if no cell has both sides, if values are not positive, or as `run_values`.
    """
    if not 0 < q < 1:
        raise AnalysisError(f"a quantile lies between 0 and 1, not at {q:g}: 0.5 is the median")
    runs, sides = _sides(ds, variable, factor, base, other, by, over, statistic)
    found = [{**cell, "quantile": q, **_ratio(a, b, q)} for cell, (a, b) in sides]
    method = f"ratio of the {q:g} quantiles, 95 % interval by ranks (MOVER)"
    return _labelled(found, ds, by, f"{table.format_level(other)} / {table.format_level(base)}", method, runs, variable)


def shift_functions(
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
    """Ratio of each decile of other to that of base: whether slow runs differ as fast ones do.

    Parameters
    ----------
    ds, variable, over, statistic
        See `run_values`.
    factor, base, other, by
        See `compare`.

    Returns
    -------
    Dataset, dimension obs
        Nine rows a cell that has 30 runs or more of both sides: the keys `by`, ``compared``, ``quantile``; ``ratio``,
        ``ratio_low``, ``ratio_high``, whose nine intervals hold together in 95 %; ``n``, ``n_base``; ``caveat`` where
        runs depend on the ones before, which they take for independent.

    Raises
    ------
    AnalysisError
        If no cell has 30 runs of both sides that spread, if values are not positive, or as `run_values`.
    """
    runs, sides = _sides(ds, variable, factor, base, other, by, over, statistic)
    whole = [
        (cell, a, b)
        for cell, (a, b) in sides
        if min(a.size, b.size) >= FEWEST and not any(spreadless(side.side.values) for side in (a, b))
    ]
    if not whole:
        most = max(min(a.size, b.size) for _, (a, b) in sides)
        raise AnalysisError(f"{most} runs a side that spread at most: a shift function needs {FEWEST}")
    rng = generator(str(ds.attrs.get("study", "")), "shift", variable, factor)
    found = []
    for cell, a, b in whole:
        shift, caveat = shift_function(_sorted(a), _sorted(b), rng), independence_caveat(a, b)
        ends = zip(shift.q, shift.ratio, shift.low, shift.high, strict=True)
        found += [
            {**cell, "quantile": q, **_row(ratio, low, high, a, b), "caveat": caveat} for q, ratio, low, high in ends
        ]
    method = "ratio of deciles (Harrell and Davis), simultaneous 95 % intervals (Wilcox)"
    return _labelled(found, ds, by, f"{table.format_level(other)} / {table.format_level(base)}", method, runs, variable)


def _sides(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: str | float,
    other: str | float,
    by: Sequence[str],
    over: Sequence[str],
    statistic: str,
) -> tuple[Runs, Sides]:
    chosen = table.sides(ds, factor, base, other)
    runs = values_of_runs(chosen, variable, [*by, factor], over=over, statistic=statistic)
    check_scale(runs.rows[variable], variable)
    both = sides_of_cells(runs, variable, by, factor, (other, base), logs=False)
    sides = [(cell, [a, b]) for cell, (a, b) in both if a.size and b.size]
    if not sides:
        raise AnalysisError(f"no cell has {variable} of both {factor}={base} and {factor}={other}")
    return runs, sides


def _sorted(side: RunSide) -> Floats:
    return np.sort(side.side.values)


def _ratio(a: RunSide, b: RunSide, q: float) -> table.Cell:
    x, y = _sorted(a), _sorted(b)
    low, high = quantile_ratio(x, y, q)
    row = _row(float(np.quantile(x, q) / np.quantile(y, q)), low, high, a, b)
    has_interval = np.isfinite([low, high]).all()
    return {**row, "caveat": independence_caveat(a, b) if has_interval else _none(min(a.size, b.size), q)}


def _none(fewest: int, q: float) -> str:
    needed = values_needed(q)
    return f"{fewest} runs a side: an interval needs {needed}" if fewest < needed else "no spread: no interval"


def _row(ratio: float, low: float, high: float, a: RunSide, b: RunSide) -> table.Cell:
    ends = {columns.low("ratio"): float(low), columns.high("ratio"): float(high)}
    return {"ratio": float(ratio), **ends, "n": float(a.size), "n_base": float(b.size)}


def _labelled(
    found: list[table.Cell], ds: xr.Dataset, by: Sequence[str], compared: str, method: str, runs: Runs, variable: str
) -> xr.Dataset:
    rows = [{**row, "compared": compared} for row in found]
    attrs = {"method": method, "unit": runs.unit, "compared_variable": variable, "statistic": runs.statistic}
    return table.dataset(rows, ds, [*by, "quantile", "compared"], **attrs)
