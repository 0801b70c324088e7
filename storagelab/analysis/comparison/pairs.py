"""The ratio of each pair of runs, and what many pairs say together without counting a block of runs more than once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import effect, judge, quotient
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.mean_differences import Difference, paired
from storagelab.analysis.inference.processor_independent import log
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import values_of_runs
from storagelab.errors import AnalysisError


def pair_ratios(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: str | float,
    other: str | float,
    by: Sequence[str],
    *,
    pair: Sequence[str] = ("repeat",),
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Ratio other / base of the two runs of each pair: what `compare` averages when it is given the same `pair`.

    Parameters
    ----------
    ds, variable, over, statistic
        See `run_values`.
    factor, base, other
        Key in which the two sides differ, and its levels.
    by : sequence of str
        Keys that make the cells.
    pair : sequence of str
        Keys that the two runs of a pair share besides `by`.

    Returns
    -------
    Dataset, dimension obs
        One row a pair: keys `by` and `pair`, ``compared`` (text, "other / base"); ``ratio``. Pure numbers.

    Raises
    ------
    AnalysisError
        If there is no pair, if values are not positive, if a side of a pair is several runs, or as `run_values`.
    """
    sides = table.sides(ds, factor, base, other)
    keys = list(dict.fromkeys([*by, *pair]))
    runs = values_of_runs(sides, variable, [*keys, factor], over=over, statistic=statistic).rows
    check_scale(runs[variable], variable)
    table.require_known(runs, keys, "what is a pair cannot be told")
    _refuse_several(runs, factor, keys)
    ratios = [
        {**cell, "ratio": float(a[0] / b[0])}
        for cell, (a, b) in runs.cells(keys).at_levels(variable, factor, (other, base))
        if a.size and b.size
    ]
    if not ratios:
        raise AnalysisError(f"no {', '.join(keys)} has {variable} of both {factor}={base} and {factor}={other}")
    rows = Rows.of_cells(ratios).assign(compared=quotient(other, base))
    method = f"ratio of the two runs that share {', '.join(pair)}"
    return table.dataset(
        rows, sides, [*keys, "compared"], statistic="single", method=method, compared_variable=variable,
        compared_statistic=statistic,
    )  # fmt: skip


def pooled_ratios(
    ratios: xr.Dataset,
    by: Sequence[str],
    *,
    blocks: Sequence[str] = ("filesystem", "repeat"),
    margin: float | None = None,
) -> xr.Dataset:
    """Average pairs over all that differs inside a block (such as the number of clients), and test over the blocks.

    The pairs of one block share its set-up and its time and are not independent; their geometric mean is one value.

    Parameters
    ----------
    ratios : Dataset, dimension obs
        From `pair_ratios`.
    by : sequence of str
        Keys that make the cells.
    blocks : sequence of str
        Keys that tell the blocks of a cell apart.
    margin : float, optional
        With it also equivalence to a ratio of one is asked, as by `storagelab.analysis.compare`.

    Returns
    -------
    Dataset, dimension obs
        As `storagelab.analysis.compare` gives it: keys `by` and ``compared``; ``ratio`` with interval, ``n`` (blocks),
        ``p``, ``p_adjusted``, ``verdict``, and the columns of equivalence; ``caveat`` where there is no interval. All
        pure numbers.

    Raises
    ------
    AnalysisError
        If `ratios` lacks a key, holds ratios of several comparisons, or it is not known of which block a pair is.
    """
    table.require(ratios, "ratio", "compared", *by, *blocks)
    given = table.rows(ratios)
    rows = given.take(~np.isnan(given["ratio"]))
    _refuse_what_does_not_pool(rows, blocks)
    pairs = rows.assign(log=log(rows["ratio"])).cells(list(dict.fromkeys([*by, *blocks])))
    means = pairs.results(log=pairs.mean("log")).cells(by)
    cells = [{**cell, **_pooled(logs, margin)} for cell, logs in zip(means.names(), means.slices("log"), strict=True)]
    result = judge(cells, margin).assign(compared=rows["compared"][0])
    attrs = {"compared_variable": ratios.attrs["compared_variable"], "margin": "" if margin is None else f"{margin:g}"}
    method = f"geometric mean of the pairs of each {' and '.join(blocks)}, 95 % t interval of the log over these"
    return table.dataset(result, ratios, [*by, "compared"], statistic="single", method=method, **attrs)


def _refuse_what_does_not_pool(rows: Rows, blocks: Sequence[str]) -> None:
    if not len(rows) or not (rows["ratio"] > 0).all():
        raise AnalysisError("the pairs have no ratios above zero to average")
    if rows.varies("compared"):
        raise AnalysisError(f"the pairs are of {' and '.join(rows.levels('compared'))}: select one")
    table.require_known(rows, blocks, "what is a block cannot be told")


def _pooled(logs: Floats, margin: float | None) -> table.Cell:
    gap = paired(logs, np.zeros(logs.size))
    return {**effect(gap, margin), "n": float(logs.size), "caveat": _no_interval(gap, logs.size)}


def _no_interval(gap: Difference, blocks: int) -> str:
    if gap.known:
        return ""
    return "one block: no interval" if blocks < 2 else "no spread: no interval"


def _refuse_several(runs: Rows, factor: str, keys: Sequence[str]) -> None:
    sides = runs.cells([*keys, factor])
    for place in np.flatnonzero(sides.size > 1)[:1]:
        *where, (_, level) = sides.names()[place].items()
        several = f"{factor}={level} has several runs of {table.name_cell(dict(where))}"
        raise AnalysisError(f"{several}: name what tells them apart in by or pair")
