"""Groups of clients of the same runs, such as those on two kinds of hosts: their difference, and their mixture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.differences import NAMES
from storagelab.analysis.fairness.fairness import runs_of_clients
from storagelab.analysis.inference.correction import ALPHA, family
from storagelab.analysis.inference.differences import Difference, paired, welch
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.resampling import by_factors
from storagelab.analysis.runs import UNIT, run_values
from storagelab.errors import AnalysisError

GAPS = {**NAMES, "B/s": "rate_difference"}
"""Column of a difference for each unit."""

Level = str | float


def group_differences(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: Level,
    other: Level,
    by: Sequence[str] = (),
    *,
    pair: Sequence[str] = (),
) -> xr.Dataset:
    """Mean of one group of clients less that of another, over the means of each run.

    The clients of a group in a run are averaged first (arithmetically: it is clients that are compared, not work), as
    they share the run. Then Welch's t over the runs; or the paired t, where both groups ran in the same runs.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``.
    variable : str
        A rate, a time, or a pure number.
    factor : str
        Key that tells the groups apart, such as host or client_location.
    base, other : str or float
        Its two levels.
    by : sequence of str
        Keys that make the cells.
    pair : sequence of str
        Keys that pair the means of both groups, such as run_id.

    Returns
    -------
    Dataset, dimension obs
        One row a cell with both groups: keys `by`; ``compared`` (text, "other - base"); ``rate_difference`` [B/s],
        ``time_difference`` [s] or ``difference`` [1] with ``_low``, ``_high``; ``n``, ``n_base`` (runs); ``p``,
        ``p_adjusted``; ``verdict``: higher, lower or undecided; ``caveat``.

    Raises
    ------
    AnalysisError
        If no cell has both groups, the variable is of another unit, or as `client_values`.
    """
    if (unit := table.unit(ds, variable)) not in GAPS:
        raise AnalysisError(f"differences of groups are of rates, times and pure numbers, {variable} is in {unit}")
    means = group_means(ds, variable, factor, [base, other], by)
    found = []
    for cell, part in table.rows(means).cells(by):
        a, b = (part.where(factor, level) for level in (other, base))
        if len(a) and len(b):
            found.append((cell, a, b, _gap(a, b, variable, pair)))
    if not found:
        raise AnalysisError(f"no cell has clients of both {factor}={base} and {factor}={other}")
    tests = family([gap.p() for *_, gap in found])
    cells = [{**cell, **_told(a, b, gap, variable, GAPS[unit], pair, tests.alpha)} for cell, a, b, gap in found]
    result = Rows.of_cells(cells)
    direction = np.where(result[GAPS[unit]] > 0, "higher", "lower")
    verdict = np.where(tests.adjusted <= ALPHA, direction, "undecided")
    compared = f"{table.format_level(other)} - {table.format_level(base)}"
    result = result.assign(p_adjusted=tests.adjusted, compared=compared, verdict=verdict)
    method = f"difference of the groups' means of each run, 95 % {'paired' if pair else 'Welch'} t interval over runs"
    return table.dataset(
        result, means, [*by, "compared"], statistic="single", method=method, unit="run", compared_variable=variable,
        margin="",
    )  # fmt: skip


def _gap(a: Rows, b: Rows, variable: str, pair: Sequence[str]) -> Difference:
    return paired(*_values(a, b, variable, pair)) if pair else welch(a[variable], b[variable])


def _values(a: Rows, b: Rows, variable: str, pair: Sequence[str]) -> tuple[Floats, Floats]:
    if not pair:
        return a[variable], b[variable]
    for side in (a, b):
        table.require_known(side, pair, "what is a pair cannot be told")
    return in_pairs(a, b, variable, pair)


def _told(
    a: Rows, b: Rows, gap: Difference, variable: str, name: str, pair: Sequence[str], alpha: float
) -> dict[str, float | str]:
    x, y = _values(a, b, variable, pair)
    low, high = gap.interval(1 - alpha)
    ends = {name: gap.value, columns.low(name): low, columns.high(name): high}
    caveat = by_factors(x, y) if gap.known else "too few runs, or no spread: no interval"
    if not pair and len(set(a["run_id"]) & set(b["run_id"]) - {""}):
        caveat = "; ".join(filter(None, [caveat, "both groups ran in the same runs: pair them by run_id"]))
    return {**ends, "n": float(len(x)), "n_base": float(len(y)), "p": gap.p(), "caveat": caveat}


def in_pairs(a: Rows, b: Rows, variable: str, pair: Sequence[str]) -> tuple[Floats, Floats]:
    """Means of both sides of each pair that has both, in the order of the pairs."""
    cells = [side.cells(pair) for side in (a, b)]
    x, y = (each.results(mean=each.mean(variable)) for each in cells)
    return x.take(x.matching(y, pair))["mean"], y.take(y.matching(x, pair))["mean"]


def group_means(ds: xr.Dataset, variable: str, factor: str, levels: Sequence[Level], by: Sequence[str]) -> xr.Dataset:
    """Arithmetic mean of the clients of each group in each run, or block of runs."""
    chosen = table.sides(ds, factor, *levels)
    keys = list(dict.fromkeys([*by, factor, *UNIT]))
    runs = runs_of_clients(chosen, variable, [*by, factor]).rows.cells(keys)
    means = table.dataset(runs.results(**{variable: runs.mean(variable)}), chosen, keys)
    return run_values(means, variable, [*by, factor])
