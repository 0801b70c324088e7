"""The largest ratio of two configurations over a scan, as in "up to 2.6 times faster"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import judge, quotient
from storagelab.analysis.inference.correction import ALPHA
from storagelab.analysis.inference.differences import welch
from storagelab.analysis.inference.elementary import exp, log
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.scans import largest
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import labelled_runs, values_of_runs
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
    level that makes all hold together (Bonferroni).

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
    logs = runs.rows.assign(**{variable: log(runs.rows[variable])})
    scans = [(cell, _levels(part, variable, factor, (other, base), x)) for cell, part in logs.cells(by)]
    several = [(cell, levels) for cell, levels in scans if len(levels) > 1]
    found = [{**cell, **_largest(levels, x, len(several))} for cell, levels in several]
    if not found:
        raise AnalysisError(f"no cell has {variable} of both {factor}={base} and {factor}={other} at two levels of {x}")
    result = judge(found).assign(compared=quotient(other, base))
    method = f"largest ratio of geometric means over {x}, simultaneous 95 % Welch t intervals of the logs (Bonferroni)"
    attrs = {"unit": runs.unit, "compared_variable": variable, "margin": ""}
    like = labelled_runs(runs, sides)
    return table.dataset(result, like, [*by, "compared", x], statistic=statistic, method=method, **attrs)


Level = tuple[object, Floats, Floats]


def _levels(part: Rows, variable: str, factor: str, sides: Sequence[str | float], x: str) -> list[Level]:
    """Logs of both sides at each level of the scan that has both."""
    found = part.cells([x]).at_levels(variable, factor, sides)
    return [(cell[x], a, b) for cell, (a, b) in found if len(a) and len(b)]


def _largest(levels: Sequence[Level], x: str, scans: int) -> table.Cell:
    gaps = [welch(a, b) for _, a, b in levels]
    place, (low, high) = largest(gaps, 1 - ALPHA / scans)
    at, a, b = levels[place]
    chosen = f"the largest of {len(levels)} ratios: too high on average"
    return {
        x: at,
        "ratio": float(exp(gaps[place].value)),
        columns.low("ratio"): float(exp(low)),
        columns.high("ratio"): float(exp(high)),
        "scanned": float(len(levels)),
        "n": float(len(a)),
        "n_base": float(len(b)),
        "p": float(np.minimum(1, len(levels) * gaps[place].p())),
        "caveat": chosen if np.isfinite(low) else f"{chosen}; a level without spread: no interval",
    }
