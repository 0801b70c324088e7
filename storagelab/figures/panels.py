"""A figure of one or more panels, one a level of a key, and the legend over it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from numpy.typing import ArrayLike

from storagelab.errors import AnalysisError
from storagelab.figures import ticks
from storagelab.figures.page_format import letters, room, side_by_side
from storagelab.figures.palette import BLUE, Look, face, looks, readable
from storagelab.figures.style import INK, LIMIT, canvas
from storagelab.wording import quantities, words
from storagelab.wording.levels import ordered

Level = str | float
Sample = TypeVar("Sample")

CHARACTERS, LINE = 120, 0.17
"""How many characters of a legend stand side by side, and the height of a line of it in inches."""


@dataclass(frozen=True, slots=True)
class Panels:
    """Panels in reading order, each with the level it shows."""

    figure: Figure
    axes: list[Axes]
    levels: list[Level]
    columns: int
    height: float

    def leftmost(self, place: int) -> bool:
        """Whether a panel starts a row."""
        return place % self.columns == 0

    def rightmost(self, place: int) -> bool:
        """Whether a panel ends a row."""
        return place % self.columns == self.columns - 1 or place == len(self.axes) - 1

    def lowest(self, place: int) -> bool:
        """Whether no panel stands below this one."""
        return place + self.columns >= len(self.axes)


def panels(
    rows: pd.DataFrame, facet: str, height: float = 2.5, columns: int = 0, levels: Sequence[Level] = ()
) -> Panels:
    """Lay out one panel for each level of `facet` that has rows ("" for a single panel), or for these `levels`."""
    levels = list(levels) or (ordered(facet, rows[facet].unique().tolist()) if facet else [""])
    across = side_by_side(columns or best_columns(len(levels)))
    down = math.ceil(len(levels) / across)
    figure = canvas(height * down + 0.35)
    grid = figure.add_gridspec(down, across)
    axes = [figure.add_subplot(grid[place // across, place % across]) for place in range(len(levels))]
    for one, level in zip(axes, levels, strict=True):
        one.set_title(words.full(facet, level) if facet else "")
    return Panels(figure, axes, levels, across, height)


def looks_of(rows: pd.DataFrame, key: str) -> dict[Level, Look]:
    """Give each level of a key that has rows its look; without a key all rows share one, under the level ""."""
    if not key:
        return {"": Look(BLUE, "o", readable(BLUE))}
    return looks(key, ordered(key, rows[key].unique().tolist()))


def best_columns(n: int) -> int:
    """How many panels stand side by side: at most three, and no lonely panel below four."""
    return {1: 1, 2: 2, 3: 3, 4: 2}.get(n, 3)


def require_number(rows: pd.DataFrame, name: str) -> None:
    """Refuse text where an axis shows numbers."""
    if not pd.api.types.is_numeric_dtype(rows[name]):
        raise AnalysisError(f"{name} is text: this axis shows numbers")


def rows_of(rows: pd.DataFrame, facet: str, level: Level) -> pd.DataFrame:
    """Rows that belong to a panel."""
    part: pd.DataFrame = rows[rows[facet] == level] if facet else rows
    return part


def legend(figure: Figure, key: str, looks: Mapping[Level, Look], origin: str, line: bool = True) -> None:
    """Put the legend above all panels, where it covers nothing; the figure grows by what it needs beyond one line."""
    handles = [handle(words.full(key, level), look, origin, line) for level, look in looks.items()]
    across = most_columns([len(str(one.get_label())) + 8 for one in handles], room(CHARACTERS))
    figure.legend(handles=in_rows(handles, across), loc="outside upper left", ncols=across, handlelength=1.6)
    figure.set_figheight(figure.get_figheight() + LINE * (math.ceil(len(handles) / across) - 1))


def most_columns(widths: Sequence[int], most: int) -> int:
    """How many columns of a legend fit side by side where its samples go in rows; a column is as wide as its widest.

    Examples
    --------
    >>> most_columns([12, 11, 11, 32], 120), most_columns([12, 40, 41, 32], 90)
    (4, 2)
    """
    counts = range(min(len(widths), 6), 0, -1)
    return next((count for count in counts if sum(max(widths[at::count]) for at in range(count)) <= most), 1)


def in_rows(samples: Sequence[Sample], across: int) -> list[Sample]:
    """Order the samples of a legend so that they are read in rows: matplotlib fills the columns.

    Examples
    --------
    >>> in_rows("abcde", 3)
    ['a', 'd', 'b', 'e', 'c']
    """
    return [sample for column in range(across) for sample in samples[column::across]]


def handle(text: str, look: Look, origin: str, line: bool = True) -> Line2D:
    """Sample of a level for a legend."""
    return Line2D(
        [], [], color=look.colour, marker=look.marker, markerfacecolor=face(origin, look.colour), label=text,
        linestyle="-" if line else "none",
    )  # fmt: skip


Rows = Mapping[tuple[Level, Level], float]
"""Height at which each pair of levels is drawn in a figure of rows."""


def stacked(rows: pd.DataFrame, category: str, hue: str = "") -> dict[tuple[Level, Level], float]:
    """Stack rows from the top: the levels of `hue` close together, those of `category` apart; none stays empty."""
    split = bool(hue) and hue != category
    inner: list[Level] = ordered(hue, rows[hue].unique().tolist()) if split else [""]
    present = set(zip(rows[category], rows[hue] if split else [""] * len(rows), strict=True))
    heights: dict[tuple[Level, Level], float] = {}
    y = 0.0
    for outer in ordered(category, rows[category].unique().tolist()):
        own = [one for one in inner if (outer, one) in present]
        heights |= {(outer, one): y - place for place, one in enumerate(own)}
        y -= len(own) + (0.6 if len(inner) > 1 else 0.0)
    return heights


def name_rows(axes: Axes, heights: Rows, category: str, leftmost: bool) -> None:
    """Name each group of rows once, left of the panel."""
    groups = {outer: [y for (one, _), y in heights.items() if one == outer] for outer, _ in heights}
    middles = [sum(ys) / len(ys) for ys in groups.values()]
    ticks.set_level_axis(axes.yaxis, middles, [words.full(category, outer) for outer in groups])
    axes.set_ylim(min(heights.values()) - 0.7, max(heights.values()) + 0.7)
    axes.tick_params(axis="y", length=0, labelleft=leftmost)
    axes.grid(False, axis="y")


def axis_limits(values: ArrayLike, ends: ArrayLike, log: bool = False) -> tuple[float, float]:
    """Range that shows all values, and the ends of intervals as far as they do not squash the values.

    Intervals of two runs can be ten times as wide as all the data: they may widen the range of the values by 3/4 of it
    to either side, beyond that they are cut.
    """
    scale, back = (np.log, np.exp) if log else (np.asarray, np.asarray)
    x = np.asarray(values, dtype=np.float64)
    x = scale(x[np.isfinite(x)])
    wanted = np.asarray(ends, dtype=np.float64)
    wanted = scale(wanted[np.isfinite(wanted) & ((wanted > 0) | (not log))])
    low, high = float(x.min()), float(x.max())
    spare = 0.75 * (high - low) if high > low else np.inf
    low, high = max(low - spare, min(low, *wanted, low)), min(high + spare, max(high, *wanted, high))
    return quantities.steady(float(back(low))), quantities.steady(float(back(high)))


def fits_beside(names: Sequence[str], panels: int) -> bool:
    """Whether names can stand right of their lines and leave the panels enough room; else a legend has them."""
    return panels <= 2 and max(map(len, names), default=0) <= room(40) // panels


def same_scale(tops: Sequence[float]) -> bool:
    """Whether panels can share the scale of their values without one of them being squashed flat."""
    positive = [top for top in tops if top > 0]
    return not positive or max(positive) <= 4 * min(positive)


def same_log_scale(spans: Sequence[tuple[float, float]]) -> bool:
    """Whether panels can share a log scale: all of it is not much longer than the longest that a panel needs alone."""
    own = [np.log(high / low) for low, high in spans if 0 < low < high]
    whole = np.log(max(high for _, high in spans) / min(low for low, _ in spans)) if own else 0.0
    return not own or quantities.steady(float(whole)) <= quantities.steady(float(1.5 * max(own)))


def robust_log_limits(values: ArrayLike) -> tuple[float, float]:
    """Range on a log axis of all values but those few that would take much of it for themselves.

    At either end up to 2 % of the values (at least one) are left out, if the hole between them and the rest is more
    than half of what the rest needs. Fewer than eight values all stay.

    Returns
    -------
    tuple of float
        Lowest and highest value that the axis should show.
    """
    x = np.asarray(values, dtype=np.float64)
    x = np.sort(x[np.isfinite(x) & (x > 0)])
    most = max(1, int(0.02 * x.size)) if x.size >= 8 else 0
    for side in (1, -1):
        ordered_from = x[::side]
        for count in range(1, most + 1):
            edge, rest = ordered_from[count - 1], ordered_from[count:]
            hole, needed = abs(math.log(rest[0] / edge)), abs(math.log(rest[-1] / rest[0]))
            if quantities.steady(hole) > quantities.steady(0.5 * needed) > 0:
                x = np.sort(rest)
                break
    return float(x[0]), float(x[-1])


USUAL = 2.3
"""Inches of a row of panels."""
ROOM, ROOM_ACROSS, AIR = 30, 110, 4
"""How many characters of the name of a vertical axis stand in one line, of a horizontal one as wide as a page, and
between two of these."""


def name_values(axes: Axes, long_name: str, shown: quantities.Scale, height: float = USUAL) -> None:
    """Name the vertical axis, in several lines where it is long for a panel so high."""
    axes.set_ylabel(wrapped(quantities.title(long_name, shown), int(ROOM * min(1.0, (height - 0.5) / (USUAL - 0.5)))))


def name_across(laid: Panels, names: Sequence[str]) -> None:
    """Name the horizontal axes of the lowest panels, of all where units differ; the figure grows by what that takes."""
    width = room(ROOM_ACROSS) // laid.columns - (AIR if laid.columns > 1 else 0)
    texts = [wrapped(name, width) for name in names]
    alike = len(set(names)) == 1
    for place, axes in enumerate(laid.axes):
        axes.set_xlabel(texts[place] if laid.lowest(place) or not alike else "")
    lines = 1 + max(text.count("\n") for text in texts)
    above = 0 if alike else math.ceil(len(texts) / laid.columns) - 1
    laid.figure.set_figheight(laid.figure.get_figheight() + LINE * (lines - 1 + above * lines))


def wrapped(text: str, most: int) -> str:
    """Break a text into lines of about the same length, none longer than there is room (but for long words)."""
    lines = math.ceil(len(text) / most)
    return textwrap.fill(text, min(most, math.ceil(len(text) / lines) + 4)) if lines > 1 else text


def mark(axes: Axes, marks: Mapping[float, str]) -> None:
    """Draw dotted lines at positions on the x axis, each with what it is; those outside the panel are left out."""
    low, high = axes.get_xlim()
    for position, text in marks.items():
        if low < position < high:
            axes.axvline(position, color=LIMIT, linewidth=1.0, linestyle=(0, (1, 1.5)))
            label = axes.annotate(
                text, (position, 1), xycoords=("data", "axes fraction"), xytext=(0, 2), textcoords="offset points",
                va="bottom", ha="center", fontsize=letters(7), color=INK,
            )  # fmt: skip
            if _meets_title(axes, position, label):
                _raise_titles(axes)


ABOVE, PANEL = 13, 0.75
"""Points from a panel to a title that stands above labels; least share of its column that a panel takes."""


def _raise_titles(axes: Axes) -> None:
    """Let the titles of all panels of a figure stand above labels, in one line."""
    figure = axes.get_figure(root=True)
    for one in figure.axes if figure is not None else ():
        one.set_title(one.get_title(loc="left"), pad=ABOVE)


def _meets_title(axes: Axes, position: float, label: Text) -> bool:
    """Whether a label above a panel would reach the title at its left, before the panel has its place."""
    figure, cell = axes.get_figure(root=True), axes.get_subplotspec()
    if figure is None or cell is None or not axes.get_title(loc="left"):
        return False
    title = Text(0, 0, axes.get_title(loc="left"), figure=figure, weight="bold", fontsize=axes.title.get_fontsize())
    wide = PANEL * figure.get_figwidth() * figure.dpi / cell.get_gridspec().ncols
    at, _ = axes.transAxes.inverted().transform(axes.transData.transform((position, axes.get_ylim()[1])))
    left = float(at) * wide - label.get_window_extent().width / 2
    return bool(left < title.get_window_extent().width)
