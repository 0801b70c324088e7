"""The largest ratio of two configurations over a scan, as in "up to 2.6 times faster"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.comparison.comparison import judge, qualified, quotient
from storagelab.analysis.comparison.sides import RunSide, sides_of_cells
from storagelab.analysis.inference.correction import ALPHA
from storagelab.analysis.inference.largest_difference import largest
from storagelab.analysis.inference.mean_differences import welch
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import Runs, labelled_runs, values_of_runs
from storagelab.errors import AnalysisError


def largest_ratio(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: str | float,
    other: str | float,
    x: str,
    by: Sequence[str] = (),
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Largest ratio other / base over the levels of a key, where it is, and an interval that knows it was chosen.

    The largest of several ratios lies above its true value on average; its own 95 % interval, or a bootstrap of the
    maximum, covers less than it says. The interval here is that of the largest true ratio, and of the true ratio at the
    place found: from the lower end at that place to the highest upper end of all, each of Welch's t on the logs at a
    level that makes all hold together (Bonferroni). Runs need not be independent where their order is known: see
    `storagelab.analysis.compare`. Where the sides of one level were measured on different days, or one after the other
    by runs that may depend on each other, the largest of all ratios has no interval and no verdict.

    Parameters
    ----------
    ds, variable, over, statistic
        See `storagelab.analysis.run_values`.
    factor, base, other
        Key in which the two sides differ, and its levels; the smallest ratio is the largest with both exchanged.
    x : str
        Key of the scan, such as clients.
    by : sequence of str
        Keys that make the cells, a scan each.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: the keys `by`, ``compared``, and `x` (where the largest ratio is); ``ratio`` (of geometric
        means), ``ratio_low``, ``ratio_high``; ``scanned`` (how many ratios it is the largest of); ``n``, ``n_base``
        (runs there); ``p`` (times ``scanned``), ``p_adjusted``; ``verdict``; ``caveat``, which names the choice. Pure
        numbers.

    Raises
    ------
    AnalysisError
        If no cell has both sides at two levels of `x`, if values are not positive, or as `run_values`.
    """
    sides = table.sides(ds, factor, base, other)
    runs = values_of_runs(sides, variable, [*by, x, factor], over=over, statistic=statistic)
    check_scale(runs.rows[variable], variable)
    scans = _scans(runs, variable, by, x, factor, (other, base))
    several = [(cell, levels) for cell, levels in scans if len(levels) > 1]
    found = [{**cell, **_largest(levels, x, len(several))} for cell, levels in several]
    if not found:
        raise AnalysisError(f"no cell has {variable} of both {factor}={base} and {factor}={other} at two levels of {x}")
    result = judge(found).assign(compared=quotient(other, base))
    method = f"largest ratio of geometric means over {x}, simultaneous 95 % Welch t intervals of the logs (Bonferroni)"
    attrs = {"unit": runs.unit, "compared_variable": variable, "margin": ""}
    like = labelled_runs(runs, sides)
    return table.dataset(result, like, [*by, "compared", x], statistic=statistic, method=method, **attrs)


Level = tuple[object, RunSide, RunSide]


def _scans(
    runs: Runs, variable: str, by: Sequence[str], x: str, factor: str, sides: Sequence[str | float]
) -> list[tuple[table.Cell, list[Level]]]:
    """Logs of the runs of both sides at each level of each scan that has both."""
    logs = replace(runs, rows=runs.rows.assign(**{variable: log(runs.rows[variable])}))
    found: dict[tuple[str, ...], tuple[table.Cell, list[Level]]] = {}
    for keys, (a, b) in sides_of_cells(logs, variable, [*by, x], factor, sides):
        cell = {key: keys[key] for key in by}
        if a.size and b.size:
            found.setdefault(table.cell_id(cell, by), (cell, []))[1].append((keys[x], a, b))
    return list(found.values())


def _largest(levels: Sequence[Level], x: str, scans: int) -> table.Cell:
    gaps = [welch(a.side, b.side) for _, a, b in levels]
    place, ends = largest(gaps, 1 - ALPHA / scans)
    at, a, b = levels[place]
    found: table.Cell = {
        x: at,
        "ratio": float(exp(gaps[place].value)),
        columns.low("ratio"): float(exp(ends[0])),
        columns.high("ratio"): float(exp(ends[1])),
        "scanned": float(len(levels)),
        "n": float(a.size),
        "n_base": float(b.size),
        "p": float(np.minimum(1, len(levels) * gaps[place].p())),
        "caveat": "" if np.isfinite(ends[0]) else "a level without spread: no interval",
    }
    found = qualified(found, [(one, other) for _, one, other in levels])
    return {**found, "caveat": "; ".join(filter(None, [CHOSEN.format(len(levels)), found["caveat"]]))}


CHOSEN = "the largest of {} ratios: too high on average"
