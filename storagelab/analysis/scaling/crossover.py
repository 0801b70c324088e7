"""Where one curve overtakes another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.levels import Crossover, crossover
from storagelab.analysis.runs import labelled_runs
from storagelab.analysis.scaling.scale import levels_of, runs_along, samples
from storagelab.errors import AnalysisError


def crossovers(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: str | float,
    other: str | float,
    by: Sequence[str] = (),
    *,
    x: str = "clients",
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Smallest level of a scale at which two curves change places.

    The curves are those of the means over the runs at the levels that both have, straight between neighbouring levels
    on a log axis. The interval holds the positions at which Student's t over the runs does not tell the curves apart;
    it is given where they are told apart on either side and change places once.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `storagelab.analysis.run_values`.
    factor : str
        Key in which the two curves differ.
    base, other : str or float
        Its two levels.
    x : str
        Key along which it scales.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: keys `by` and ``compared`` (text, "other - base"); ``<x>_crossover`` with ``_low`` and
        ``_high``, in the unit of `x`; ``crossings`` (of the mean curves), ``crossings_shown`` (changes of places
        between positions at which they are told apart); ``verdict`` (crosses, does not cross, crosses more than once,
        undecided: what is shown, not what the means do); ``levels``, ``n``, ``n_base`` (runs of the curves);
        ``caveat``.

    Raises
    ------
    AnalysisError
        If no cell has both curves at two levels or more, or as
        `storagelab.analysis.scaling.scale.runs_along`.
    """
    sides = table.sides(ds, factor, base, other)
    runs = runs_along(sides, variable, [*by, factor], x, over=over, statistic=statistic)
    rows = []
    for cell, part in runs.rows.cells(by):
        first, second = (samples(part.where(factor, level), variable, x) for level in (other, base))
        common = sorted(set(first) & set(second))
        if len(common) > 1:
            a, b = ({level: side[level] for level in common} for side in (first, second))
            rows.append({**cell, **_crossover(a, b, x)})
    if not rows:
        raise AnalysisError(f"no cell has {variable} of {factor}={base} and {factor}={other} at two levels of {x}")
    result = Rows.of_cells(rows).assign(compared=f"{table.spelled(other)} - {table.spelled(base)}")
    return table.dataset(
        result, labelled_runs(runs, sides), [*by, "compared"], statistic=statistic, unit=runs.unit,
        compared_variable=variable,
        method=f"first crossing of the mean curves over log {x}, 95 % interval: what a t test does not tell apart",
    )  # fmt: skip


def _crossover(a: dict[float, Floats], b: dict[float, Floats], x: str) -> dict[str, Any]:
    levels = levels_of(a), levels_of(b)
    found = crossover(*levels)
    spread = all(np.isfinite(side.variances).all() for side in levels)
    return {
        f"{x}_crossover": found.value,
        f"{x}_crossover_low": found.interval[0],
        f"{x}_crossover_high": found.interval[1],
        "crossings": float(found.crossings),
        "crossings_shown": float(found.shown) if spread else np.nan,
        "verdict": _verdict(found, told_apart=_told_apart(a, b)) if spread else "undecided",
        "levels": float(len(a)),
        "n": float(sum(values.size for values in a.values())),
        "n_base": float(sum(values.size for values in b.values())),
        "caveat": _caveat(found) if spread else "one run at a level: no test",
    }


def _told_apart(a: dict[float, Floats], b: dict[float, Floats]) -> bool:
    """Whether t tells the curves apart at every level."""
    first, second = levels_of(a), levels_of(b)
    unit = np.eye(first.means.size)
    return bool(first.joined(second, sign=-1.0).signs(np.hstack([unit, unit])).all())


def _verdict(found: Crossover, *, told_apart: bool) -> str:
    if found.shown > 1:
        return "crosses more than once"
    if found.shown == 1:
        return "crosses"
    return "does not cross" if told_apart else "undecided"


def _caveat(found: Crossover) -> str:
    if found.crossings > 1:
        return f"the mean curves cross {found.crossings} times, this is the first"
    if found.crossings == 1 and not np.isfinite(found.interval[0]):
        return "the curves are not told apart on either side"
    return ""
