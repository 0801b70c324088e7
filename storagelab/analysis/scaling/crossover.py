"""Where one curve overtakes another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.level_contrasts import Crossover, Levels, crossover
from storagelab.analysis.runs import labelled_runs
from storagelab.analysis.scaling.rounds_of_curves import BLOCK, in_rounds, rounds_caveat
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
    blocks: str = BLOCK,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Smallest level of a scale at which two curves change places.

    The curves are those of the means over the runs at the levels that both have, straight between neighbouring levels
    on a log axis. The interval holds the positions at which Student's t over the runs does not tell the curves apart;
    it is given where they are told apart on either side and change places once.

    An offset that all runs of a level share (of a placement, of a file system as it was made once) shifts the crossing
    and shows in no spread. Where rounds were set up anew, t is over the rounds: the difference of the curves in each is
    one value, so that their offsets are part of its spread. Where none are known, ``caveat`` says so.

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
    blocks : str
        Key of the rounds in each of which the set-up was made anew: "repeat", where every repeat was. Rounds that lack
        a level of either curve are left out.

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
        curves = [part.where(factor, level) for level in (other, base)]
        common = sorted(set(curves[0][x].tolist()) & set(curves[1][x].tolist()))
        if len(common) > 1:
            rows.append({**cell, **_crossover([_at(curve, x, common) for curve in curves], variable, x, blocks)})
    if not rows:
        raise AnalysisError(f"no cell has {variable} of {factor}={base} and {factor}={other} at two levels of {x}")
    result = Rows.of_cells(rows).assign(compared=f"{table.format_level(other)} - {table.format_level(base)}")
    return table.dataset(
        result, labelled_runs(runs, sides), [*by, "compared"], statistic=statistic, unit=runs.unit,
        compared_variable=variable,
        method=f"first crossing of the mean curves over log {x}, 95 % interval: what a t test does not tell apart",
    )  # fmt: skip


def _at(curve: Rows, x: str, levels: Sequence[float]) -> Rows:
    return curve.take(np.isin(curve[x], levels))


def _crossover(curves: Sequence[Rows], variable: str, x: str, blocks: str) -> dict[str, Any]:
    in_blocks = in_rounds(curves, variable, x, blocks)
    a, b = in_blocks or [levels_of(samples(curve, variable, x)) for curve in curves]
    found = crossover(a, b)
    spread = all(np.isfinite(side.variances).all() for side in (a, b))
    return {
        f"{x}_crossover": found.value,
        f"{x}_crossover_low": found.interval[0],
        f"{x}_crossover_high": found.interval[1],
        "crossings": float(found.crossings),
        "crossings_shown": float(found.shown) if spread else np.nan,
        "verdict": _verdict(found, told_apart=_told_apart(a, b)) if spread else "undecided",
        "levels": float(a.at.size),
        "n": float(len(curves[0])),
        "n_base": float(len(curves[1])),
        "caveat": _caveat(found, rounds_caveat(curves, in_blocks)) if spread else "one run at a level: no test",
    }


def _told_apart(a: Levels, b: Levels) -> bool:
    """Whether t tells the curves apart at every level."""
    unit = np.eye(a.means.size)
    return bool(a.joined(b, sign=-1.0).signs(np.hstack([unit, unit])).all())


def _verdict(found: Crossover, *, told_apart: bool) -> str:
    if found.shown > 1:
        return "crosses more than once"
    if found.shown == 1:
        return "crosses"
    return "does not cross" if told_apart else "undecided"


def _caveat(found: Crossover, of_rounds: str) -> str:
    said = {
        f"the mean curves cross {found.crossings} times, this is the first": found.crossings > 1,
        "the curves are not told apart on either side": found.crossings == 1 and not np.isfinite(found.interval[0]),
        of_rounds: bool(of_rounds),
    }
    return "; ".join(sentence for sentence, holds in said.items() if holds)
