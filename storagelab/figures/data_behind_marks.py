"""Which row of the data a mark of a drawing stands for, so that a reader can ask a point where it comes from.

Nothing is noted while a figure is drawn. A mark stands for a row where its place on an axis, or the value of a cell of
colours, is a number that only this row has; a mark for which there is no such row is left without one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import BboxBase, Transform
from numpy.typing import ArrayLike, NDArray

from storagelab.analysis.columns import SUFFIXES
from storagelab.figures.rendering import POINTS, on_white

Numbers = NDArray[np.float64]
SAME = 1e-8
"""Relative difference up to which two numbers are the same: data are published with nine digits."""
NEAR = 0.0273
"""Points up to which two places are the same: a drawing is written in hundredths, no sum of which is just as far."""
DIGITS = 3
"""A number of more significant digits is a value for sure; one of fewer may be a place among levels."""
DRAWN_AS, MEAN, RUN = "drawn_as", "mean", "run"
"""Column that says what a row of the data is drawn as, and the words in it."""

_GROUP = re.compile(r'<g clip-path="[^"]*">(?:\s*<use\b[^<>]*>)+')
"""Marks of a panel; those of its axes and of a legend are not clipped."""
_MARK = re.compile(r'<use\b(?=[^<>]* x="([-\d.]+)" y="([-\d.]+)")')
_CELL = re.compile(r'<path(?= d="M ([-\d.]+) ([-\d.]+)\s+L [-\d.]+ [-\d.]+\s+L ([-\d.]+) ([-\d.]+)\s)')


def numbered(svg: str, figure: Figure, box: BboxBase, rows: pd.DataFrame) -> str:
    """Write on each mark of a drawing which row of the data it stands for, counted from zero: ``data-row="4"``.

    Parameters
    ----------
    svg : str
        As `storagelab.paper.figure_files.draw` writes it.
    figure : Figure
        The same, still open.
    box : Bbox
        The part of it that was drawn, in inches.
    rows : DataFrame
        The data as they are published. Where `DRAWN_AS` tells runs from means, a mark is a run if it can be one.

    Returns
    -------
    str
    """
    known = _Known(rows)
    numbering = _Numbering([(place, known.row(shown)) for place, shown in _marks(figure, box)])
    return _CELL.sub(numbering, _GROUP.sub(lambda group: _MARK.sub(numbering, group[0]), svg))


class _Numbering:
    """Gives marks their rows: of several that stand at one place, in the order in which they are drawn."""

    def __init__(self, marks: Sequence[tuple[Numbers, int | None]]) -> None:
        self.places = np.array([place for place, _ in marks]).reshape(-1, 2)
        self.rows = [row for _, row in marks]
        self.free = np.ones(len(marks), dtype=bool)

    def __call__(self, tag: re.Match[str]) -> str:
        """Add its row to a tag, which stands for a mark at its place, or at the middle of its corners."""
        corners = np.array(tag.groups(), dtype=np.float64).reshape(-1, 2)
        here = np.flatnonzero(self.free & (np.abs(self.places - corners.mean(axis=0)) < NEAR).all(axis=1))
        if not here.size:
            return tag[0]
        self.free[here[0]] = False
        row = self.rows[here[0]]
        return tag[0] if row is None else f'{tag[0]} data-row="{row}"'


def _marks(figure: Figure, box: BboxBase) -> Iterator[tuple[Numbers, Numbers]]:
    """Place of each mark, in points from the upper left corner of the drawing, and the numbers that it shows."""
    with on_white(figure, box):
        corner = np.array([box.x0, box.y1]) * POINTS
        for axes in figure.axes:
            for transform, points, shown in _artists(axes):
                yield from zip(np.abs(transform.transform(points) - corner), shown, strict=True)


def _artists(axes: Axes) -> Iterator[tuple[Transform, Numbers, Numbers]]:
    """What is drawn as marks in a panel: how they are placed, where, and what they show."""
    for artist in sorted((*axes.lines, *axes.collections), key=Artist.get_zorder):
        if isinstance(artist, Line2D) and artist.get_marker() not in ("", " ", "None", None):
            points = _numbers(artist.get_xydata())
            yield artist.get_transform(), points, points
        elif isinstance(artist, PathCollection):
            points = _numbers(artist.get_offsets())
            yield artist.get_offset_transform(), points, points
        elif isinstance(artist, QuadMesh) and axes.get_label() != "<colorbar>":
            corners = _numbers(artist.get_coordinates())
            middles = (corners[:-1, :-1] + corners[1:, 1:]) / 2
            yield artist.get_transform(), middles.reshape(-1, 2), _numbers(artist.get_array()).reshape(-1, 1)


def _numbers(values: ArrayLike | None) -> Numbers:
    return np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)


class _Known:
    """The numbers of the data, sorted, each with its row: first those of runs, then those of means."""

    def __init__(self, rows: pd.DataFrame) -> None:
        means = (rows[DRAWN_AS] == MEAN).to_numpy() if DRAWN_AS in rows else np.zeros(len(rows), dtype=bool)
        numbers = rows.select_dtypes("number")
        values = [str(name) for name in numbers if not _is_part(str(name), numbers)]
        cells = numbers[values].to_numpy(np.float64, na_value=np.nan)
        self._parts = [_sorted(cells, np.flatnonzero(chosen)) for chosen in (~means, means)]

    def row(self, shown: Numbers) -> int | None:
        """Find the one row that has all the numbers; else the one that has one of them, which is surely a value."""
        for numbers, rows in self._parts:
            having = [_rows_with(number, numbers, rows) for number in shown.tolist()]
            alike = set.intersection(*having) or set.union(
                *(
                    own if _is_value(number) and len(own) == 1 else set()
                    for own, number in zip(having, shown.tolist(), strict=True)
                )
            )
            if alike:
                return alike.pop() if len(alike) == 1 else None
        return None


def _is_part(name: str, numbers: pd.DataFrame) -> bool:
    """Whether a column says more about another one: an end of its interval, its spread."""
    return any(name == f"{other}{part}" for other in numbers for part in SUFFIXES)


def _sorted(cells: Numbers, rows: NDArray[np.intp]) -> tuple[Numbers, NDArray[np.intp]]:
    own = cells[rows]
    order = np.argsort(own, axis=None, kind="stable")
    return own.ravel()[order], np.repeat(rows, cells.shape[1])[order]


def _rows_with(number: float, numbers: Numbers, rows: NDArray[np.intp]) -> set[int]:
    room = abs(number) * SAME
    begin, end = np.searchsorted(numbers, [number - room, number + room], side="left")
    return {*rows[begin : max(end, begin)].tolist()} if number == number else set()


def _is_value(number: float) -> bool:
    return float(f"{number:.{DIGITS}g}") != number
