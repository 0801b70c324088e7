"""Runs in the order in which they were made, and what that says of how independent they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storagelab.analysis.cells import Cells, Rows
from storagelab.analysis.inference.dependence import (
    LESS_THAN_ONE,
    Dependence,
    dependence,
    doubt,
    freedom,
    says_nothing,
    widening,
)
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.runs import Runs

DRAWN = ("day", "condition")
"""Units that are taken for independent draws: what their runs share is inside them."""

NO_ORDER = "the order of the runs is not known, so neither is whether they depend on each other"
INDEPENDENT = Dependence(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Ordered:
    """Runs grouped into cells, each cell in the order in which its runs were made.

    Attributes
    ----------
    cells : Cells
    found : Dependence
        Of the runs of one cell, shared by all.
    doubts : list of str
        Of each cell, why its runs may depend on each other more than that; "" where nothing speaks for it.
    """

    cells: Cells
    found: Dependence
    doubts: list[str]

    @property
    def widening(self) -> Floats:
        """By how much the dependence raises the variance of the mean of each cell; infinite where nothing is left."""
        wide = [
            np.inf if says_nothing(n, self.found) else widening(n, self.found.used) for n in self.cells.size.tolist()
        ]
        return np.array(wide, dtype=np.float64)

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of the variance of each cell."""
        return np.array([freedom(n, self.found.used) for n in self.cells.size.tolist()], dtype=np.float64)

    @property
    def effective(self) -> Floats:
        """How many independent runs say as much about the mean of each cell; 0 where they say less than one."""
        return self.cells.size / self.widening


def ordered(runs: Runs, by: Sequence[str], values: Floats, *, logs: bool = False) -> Ordered:
    """Group runs into cells in their order, and find how much they depend on the ones before.

    Parameters
    ----------
    runs : Runs
    by : sequence of str
        Keys that make the cells.
    values : ndarray, shape (runs,)
        On the scale on which the noise is near normal; becomes the column ``scaled`` of the rows.
    logs : bool
        Whether these are logs, whose deviations are relative already.
    """
    rows = runs.rows.assign(scaled=values, place=_places(runs.rows))
    cells = rows.take(np.argsort(rows["place"], kind="stable")).cells(by)
    samples, places = cells.slices("scaled"), cells.slices("place")
    known = [not bool(np.isnan(place).any()) for place in places]
    if runs.unit in DRAWN:
        return Ordered(cells, INDEPENDENT, [""] * len(cells))
    found = dependence([x if logs else _relative(x) for x, told in zip(samples, known, strict=True) if told])
    others = np.array([_others(order) for order in cells.slices("order")])
    doubts = [_doubt(x, found, told, between) for x, told, between in zip(samples, known, others.tolist(), strict=True)]
    return Ordered(cells, found, doubts)


def _relative(x: Floats) -> Floats:
    """Values over the size of their mean: a cell counts by how much its runs differ, not by how fast they are."""
    middle = abs(float(x.mean()))
    return x / middle if middle > 0 else x


def _places(rows: Rows) -> Floats:
    """Place of each run among those of its cell: by its start, else its repeat, else its block; NaN if not known."""
    found = rows["order"]
    for name in ("repeat", "block"):
        found = np.where(np.isnan(found), rows[name], found)
    return found


def _others(order: Floats) -> float:
    """Fewest runs of the campaign that lie between two runs of a cell; 0 where that is not known."""
    return max(0.0, float(np.diff(order).min()) - 1) if order.size > 1 and not np.isnan(order).any() else 0.0


def _doubt(x: Floats, found: Dependence, told: bool, others: float) -> str:
    if x.size < 2:
        return ""
    if says_nothing(x.size, found):
        return LESS_THAN_ONE
    return doubt(x.size, found.apart(others)) if told else NO_ORDER
