"""Two sides of a comparison: their runs, when these were made, and whether that lets the sides be told apart."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from storagelab.analysis import table
from storagelab.analysis.cells import Cells
from storagelab.analysis.inference.dependence import LESS_THAN_ONE, NOT_EXCLUDED, TAKEN_FOR_INDEPENDENT
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.mean_differences import Side
from storagelab.analysis.inference.moderation import Prior, moderated
from storagelab.analysis.run_order import ordered
from storagelab.analysis.runs import Runs, rounds_of

OTHER_DAYS = "the sides were measured on different days: what a day does is not told from what they do"
ONE_AFTER_THE_OTHER = "all runs of one side came before the other's, and may depend on each other: not told from time"


@dataclass(frozen=True, slots=True)
class RunSide:
    """Runs of one side of a cell.

    Attributes
    ----------
    side : Side
        The values, and what they lack in independence.
    doubt : str
        Why its runs may depend on each other more than that.
    days, order : ndarray, shape (n,)
        When each run was made; NaN where that is not known.
    rounds : ndarray, shape (n,)
        Which round each run is of (`storagelab.analysis.runs.rounds_of`); NaN where that is not known.
    """

    side: Side
    doubt: str
    days: Floats
    order: Floats
    rounds: Floats

    @property
    def size(self) -> int:
        """How many runs there are."""
        return int(self.side.values.size)

    @property
    def doubt_if_independent(self) -> str:
        """Why an interval that takes the runs for independent may not cover; "" where nothing tells so."""
        return TAKEN_FOR_INDEPENDENT if self.side.widening > 1 else self.doubt


NONE = RunSide(Side(np.zeros(0)), "", np.zeros(0), np.zeros(0), np.zeros(0))


def sides_of_cells(
    runs: Runs, variable: str, by: Sequence[str], factor: str, levels: Sequence[str | float], *, logs: bool = True
) -> Iterator[tuple[table.Cell, list[RunSide]]]:
    """Go through the cells: the keys of each, and its runs at each of some levels of a factor.

    Parameters
    ----------
    runs : Runs
        Whose `variable` is on the scale on which the noise is near normal.
    by : sequence of str
        Keys that make the cells; runs of one level of the factor in a cell follow each other.
    logs : bool
        Whether that scale is one of logs.
    """
    cells, sides = _run_sides(runs, variable, list(dict.fromkeys([*by, factor])), logs=logs)
    named = cells.results(number=np.arange(len(cells))).cells(by)
    for cell, part in named:
        at = dict(zip(part[factor].tolist(), part["number"].astype(int).tolist(), strict=True))
        yield cell, [sides[at[level]] if level in at else NONE for level in levels]


def runs_by_cell(
    runs: Runs, variable: str, by: Sequence[str], *, logs: bool = True
) -> Iterator[tuple[table.Cell, RunSide]]:
    """Go through the cells of one campaign: the keys of each, and its runs in their order."""
    cells, sides = _run_sides(runs, variable, by, logs=logs)
    yield from zip(cells.names(), sides, strict=True)


def _run_sides(runs: Runs, variable: str, by: Sequence[str], *, logs: bool) -> tuple[Cells, list[RunSide]]:
    named = replace(runs, rows=runs.rows.assign(of_round=rounds_of(runs.rows, by)))
    line = ordered(named, by, runs.rows[variable], logs=logs)
    cells = line.cells
    several = zip(
        cells.slices(variable), line.widening.tolist(), line.freedom.tolist(), line.doubts,
        cells.slices("day"), cells.slices("order"), cells.slices("of_round"), strict=True,
    )  # fmt: skip
    return cells, [RunSide(Side(x, wide, freedom), said, *when) for x, wide, freedom, said, *when in several]


def shrunken(cells: Sequence[tuple[table.Cell, list[RunSide]]]) -> tuple[list[tuple[table.Cell, list[RunSide]]], Prior]:
    """Draw the variance of each side towards that of all sides of a table; return what these have in common too."""
    several = [side for _, sides in cells for side in sides if side.size > 1]
    variances, freedoms, prior = moderated(
        [side.side.variance for side in several], [side.side.degrees for side in several]
    )
    lent = iter(zip(variances.tolist(), freedoms.tolist(), strict=True))
    return [(cell, [_lent(side, lent) for side in sides]) for cell, sides in cells], prior


def _lent(side: RunSide, lent: Iterator[tuple[float, float]]) -> RunSide:
    if side.size < 2:
        return side
    variance, freedom = next(lent)
    return replace(side, side=replace(side.side, borrowed=variance, freedom=freedom))


def no_verdict(a: RunSide, b: RunSide) -> str:
    """Say why two sides cannot be told apart whatever their runs say; "" where they can.

    Their runs depend too much on the ones before, or were measured apart in time. Sides of different days are told
    apart where each has several, since a day is a run then.
    """
    if not a.size or not b.size:
        return ""
    if LESS_THAN_ONE in (a.doubt, b.doubt):
        return LESS_THAN_ONE
    one_day = min(np.unique(side.days).size for side in (a, b)) < 2
    if one_day and not np.isnan([*a.days, *b.days]).any() and not {*a.days} & {*b.days}:
        return OTHER_DAYS
    known = not np.isnan([*a.order, *b.order]).any()
    doubted = NOT_EXCLUDED in (a.doubt, b.doubt)
    return ONE_AFTER_THE_OTHER if known and doubted and min(a.size, b.size) > 1 and _one_after_the_other(a, b) else ""


def dependence_caveat(a: RunSide, b: RunSide) -> str:
    """Say why an interval that is as wide as the dependence of runs asks may still not cover; "" where nothing does."""
    return "" if interleaved(a, b) else a.doubt or b.doubt


def first_refusal(sides: Iterable[tuple[RunSide, RunSide]]) -> str:
    """Say of the first of several pairs of sides that cannot be told apart why (`no_verdict`); "" where all can."""
    return next(filter(None, itertools.starmap(no_verdict, sides)), "")


def first_doubt(sides: Iterable[tuple[RunSide, RunSide]]) -> str:
    """Say of the first of several pairs of sides whose interval may not cover why (`dependence_caveat`)."""
    return next(filter(None, itertools.starmap(dependence_caveat, sides)), "")


def independence_caveat(a: RunSide, b: RunSide) -> str:
    """Say why an interval that takes the runs of two sides for independent may not cover; "" where nothing tells so."""
    if apart := no_verdict(a, b):
        return TAKEN_FOR_INDEPENDENT if apart == LESS_THAN_ONE else apart
    return "" if interleaved(a, b) else a.doubt_if_independent or b.doubt_if_independent


def _one_after_the_other(a: RunSide, b: RunSide) -> bool:
    return bool(a.order.max() < b.order.min() or b.order.max() < a.order.min())


def interleaved(a: RunSide, b: RunSide) -> bool:
    """Whether the runs of the two sides alternate: what neighbours have in common then cancels in their difference."""
    order = np.concatenate([a.order, b.order])
    if min(a.size, b.size) < 2 or np.isnan(order).any():
        return False
    turns = np.repeat([0, 1], [a.size, b.size])[np.argsort(order, kind="stable")]
    return bool((np.diff(turns) != 0).sum() >= min(a.size, b.size))
