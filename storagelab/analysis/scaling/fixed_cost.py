"""Whether a time is a fixed price and a fixed rate, and nothing else: a straight line in the size of the file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import basis, columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import values_of_runs
from storagelab.errors import AnalysisError


def over_straight_line(
    ds: xr.Dataset, variable: str = "elapsed", by: Sequence[str] = (), *, x: str = "file_size"
) -> xr.Dataset:
    """Each run over the straight line from the smallest to the largest size of its own repeat.

    A price that does not depend on the size and a constant rate add up to ``t(s) = t0 + s / rate``. Its ends are taken
    from the repeat itself, so that what a repeat does to all sizes cancels; at the ends the ratio is one and not given.
    `storagelab.analysis.pooled_ratios` with ``blocks=["repeat"]`` averages the result and tests it against one.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Runs with repeat and `x`.
    variable : str
        The time: see `storagelab.analysis.run_values`.
    by : sequence of str
        Keys that make the cells.
    x : str
        Key in bytes.

    Returns
    -------
    Dataset, dimension obs
        One row a run between the ends, as `storagelab.analysis.pair_ratios` gives it: keys `by`, `x` and repeat,
        ``compared`` (text); ``ratio`` (above one: longer than the line). Pure numbers.

    Raises
    ------
    AnalysisError
        If `x` is no size, repeats are not numbered, a size has several runs in a repeat, no cell has three sizes, a
        time is not positive, or as `run_values`.
    """
    if columns.field(x).unit != "B":
        raise AnalysisError(f"a line over sizes needs a size in bytes, {x} is none")
    runs = values_of_runs(ds, variable, [*by, x]).rows
    if np.isnan(runs["repeat"]).any():
        raise AnalysisError("the runs do not say which repeat they are: a line needs the sizes of one repeat")
    check_scale(runs[variable], variable)
    keys = [*by, "repeat"]
    if (runs.cells([*keys, x]).size > 1).any():
        raise AnalysisError(f"a repeat has several runs of one {x}: name what tells them apart in by")
    rows = [over for cell, part in runs.cells(keys) for over in _between(part.sorted(x), variable, x, cell)]
    if not rows:
        raise AnalysisError(f"no cell has three sizes of one repeat: {variable} cannot be held against a line")
    method = f"{variable} over the straight line between the smallest and the largest {x} of the repeat"
    labels = [*keys, x, "compared"]
    return table.dataset(rows, ds, labels, statistic="single", method=method, compared_variable=variable)


def _between(part: Rows, variable: str, x: str, cell: dict[str, object]) -> list[dict[str, object]]:
    sizes, times = (part[name] for name in (x, variable))
    over = times / np.interp(sizes, sizes[[0, -1]], times[[0, -1]])
    named = {**cell, "compared": "time / straight line", **basis.said(part)}
    return [{**named, x: size, "ratio": ratio} for size, ratio in zip(sizes[1:-1], over[1:-1], strict=True)]
