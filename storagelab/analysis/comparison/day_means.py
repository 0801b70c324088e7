"""Means of days over the cells of a level: what a day does to one cell it does to all, so that a day is one value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from storagelab.analysis.inference.intervals import Floats

Dated = tuple[Floats, Floats]
"""Values of runs, and the day of each."""


def day_means(cells: Sequence[Sequence[Dated]]) -> list[Floats]:
    """Return the days of each side (a campaign, a release), each the mean over the cells that it has.

    A cell counts around what is usual in it, so that a day which lacks a cell is neither faster nor slower for that.

    Parameters
    ----------
    cells : sequence of sequence of (values, days)
        For each cell its sides.

    Returns
    -------
    list of ndarray, shape (days,)
        For each side, in the order in which its days are met.
    """
    found: list[dict[float, list[float]]] = [{} for _ in cells[0]]
    for sides in cells:
        means = [
            {day: float(values[days == day].mean()) for day in dict.fromkeys(days.tolist())} for values, days in sides
        ]
        middle = float(np.mean([mean for of_side in means for mean in of_side.values()]))
        for of_days, of_side in zip(found, means, strict=True):
            for day, mean in of_side.items():
                of_days.setdefault(day, []).append(mean - middle)
    return [np.array([np.mean(values) for values in of_days.values()]) for of_days in found]
