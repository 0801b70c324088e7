"""Groups of clients of the same runs, such as those on two kinds of hosts: their difference, and their mixture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.absolute_differences import NAMES
from storagelab.analysis.comparison.comparison import dependence_of_pairs, paired_in_order
from storagelab.analysis.comparison.sides import RunSide, dependence_caveat, no_verdict, sides_of_cells
from storagelab.analysis.fairness.fairness import runs_of_clients
from storagelab.analysis.inference.correction import family, verdicts
from storagelab.analysis.inference.dependence import LESS_THAN_ONE, Dependence
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.mean_differences import Difference, welch
from storagelab.analysis.inference.resampling import by_factors
from storagelab.analysis.run_times import earliest
from storagelab.analysis.runs import UNIT, Runs, labelled_runs, values_of_runs
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
    they share the run. Then Welch's t over the runs; or the paired t, where both groups ran in the same runs. Runs need
    not be independent where their order is known, nor pairs where their keys follow each other in time: see
    `storagelab.analysis.compare`.

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
        ``time_difference`` [s] or ``difference`` [1] with ``_low``, ``_high``; ``n``, ``n_base`` (runs, blocks or
        days; pairs); ``p``, ``p_adjusted``; ``verdict``: higher, lower or undecided; ``caveat``.

    Raises
    ------
    AnalysisError
        If no cell has both groups, the variable is of another unit, or as `client_values`.
    """
    if (unit := table.unit(ds, variable)) not in GAPS:
        raise AnalysisError(f"differences of groups are of rates, times and pure numbers, {variable} is in {unit}")
    table.require(ds, *pair)
    means = _runs_of_groups(ds, variable, factor, [base, other], by)
    both = [
        (cell, a, b)
        for cell, part in means.rows.cells(by)
        for a, b in [[part.where(factor, level) for level in (other, base)]]
        if len(a) and len(b)
    ]
    if not both:
        raise AnalysisError(f"no cell has clients of both {factor}={base} and {factor}={other}")
    if pair:
        found = _in_pairs(both, variable, pair)
    else:
        sides = sides_of_cells(means, variable, by, factor, (other, base), logs=False)
        of_groups = ((a, b) for _, (a, b) in sides if a.size and b.size)
        found = [_apart(*groups, _shared_runs(a, b)) for groups, (_, a, b) in zip(of_groups, both, strict=True)]
    tests = family([one.gap.p() for one in found])
    result = Rows.of_cells(
        [{**cell, **_told(one, GAPS[unit], tests.alpha)} for (cell, _, _), one in zip(both, found, strict=True)]
    )
    direction = np.where(result[GAPS[unit]] > 0, "higher", "lower")
    compared = f"{table.format_level(other)} - {table.format_level(base)}"
    result = result.assign(p_adjusted=tests.adjusted, compared=compared, verdict=verdicts(tests.adjusted, direction))
    method = f"difference of the groups' means of each run, 95 % {'paired' if pair else 'Welch'} t interval over runs"
    return table.dataset(
        result, labelled_runs(means, ds), [*by, "compared"], statistic="single", method=method, unit=means.unit,
        compared_variable=variable, margin="",
    )  # fmt: skip


class _Found(NamedTuple):
    """A difference, how many runs or pairs are behind each side, and what speaks against it."""

    gap: Difference
    n: int
    n_base: int
    caveat: str


def _apart(a: RunSide, b: RunSide, also: str) -> _Found:
    gap, refusal = welch(a.side, b.side), no_verdict(a, b)
    doubt = refusal or _caveat(gap, a.side.values, b.side.values) or dependence_caveat(a, b)
    judged = Difference(gap.value, np.nan, np.nan) if refusal else gap
    return _Found(judged, a.size, b.size, "; ".join(filter(None, [doubt, also])))


def _caveat(gap: Difference, x: Floats, y: Floats) -> str:
    return by_factors(x, y) if gap.known else "too few runs, or no spread: no interval"


def _shared_runs(a: Rows, b: Rows) -> str:
    same = set(a["run_id"]) & set(b["run_id"]) - {""}
    return "both groups ran in the same runs: pair them by run_id" if same else ""


def _in_pairs(both: Sequence[tuple[table.Cell, Rows, Rows]], variable: str, pair: Sequence[str]) -> list[_Found]:
    for _, a, b in both:
        for side in (a, b):
            table.require_known(side, pair, "what is a pair cannot be told")
    pairs = [in_pairs(a, b, variable, pair) for _, a, b in both]
    shared = dependence_of_pairs([x - y for x, y in pairs], pair)
    return [_paired(x, y, shared) for x, y in pairs]


def _paired(x: Floats, y: Floats, shared: Dependence) -> _Found:
    gap, doubt = paired_in_order(x, y, shared)
    caveat = doubt if doubt == LESS_THAN_ONE else _caveat(gap, x, y) or doubt
    return _Found(gap, len(x), len(y), caveat)


def _told(found: _Found, name: str, alpha: float) -> table.Cell:
    low, high = found.gap.interval(1 - alpha)
    ends = {name: found.gap.value, columns.low(name): low, columns.high(name): high}
    counts = {"n": float(found.n), "n_base": float(found.n_base)}
    return {**ends, **counts, "p": found.gap.p(), "caveat": found.caveat}


def in_pairs(a: Rows, b: Rows, variable: str, pair: Sequence[str]) -> tuple[Floats, Floats]:
    """Means of both sides of each pair that has both, in the order of the pairs."""
    cells = [side.cells(pair) for side in (a, b)]
    x, y = (each.results(mean=each.mean(variable)) for each in cells)
    return x.take(x.matching(y, pair))["mean"], y.take(y.matching(x, pair))["mean"]


def _runs_of_groups(ds: xr.Dataset, variable: str, factor: str, levels: Sequence[Level], by: Sequence[str]) -> Runs:
    """Arithmetic mean of the clients of each group in each run, or block of runs."""
    chosen = table.sides(ds, factor, *levels)
    keys = list(dict.fromkeys([*by, factor, *UNIT]))
    runs = runs_of_clients(chosen, variable, [*by, factor]).rows.cells(keys)
    means = table.dataset(runs.results(**{variable: runs.mean(variable)}, **earliest(runs)), chosen, keys)
    return values_of_runs(means, variable, [*by, factor])
