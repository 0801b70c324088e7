"""Every value as a point, one row a level: nothing hidden behind a bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from storagelab.analysis import client_values, table
from storagelab.analysis.significant_digits import significant
from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.palette import Look
from storagelab.figures.panels import (
    Level,
    Panels,
    Rows,
    axis_limits,
    legend,
    looks_of,
    mark,
    name_across,
    name_rows,
    panels,
    rows_of,
    same_scale,
    stacked,
)
from storagelab.figures.runs_of_cells import Cells, by_fill, cells
from storagelab.figures.style import INK, style
from storagelab.wording import quantities, words

ROW = 0.24
"""Height of a row of points in inches."""

MARKER = 0.015
"""Share of an axis from zero that the left half of a marker at zero takes."""

Each = Literal["run", "client", "pair"]


LANES = np.array([0.0, 0.5, -0.5, 0.25, -0.25])
"""Where near points stand, as shares of the width that they have."""
SEEN = 3
"""Significant digits in which two values differ to the eye."""
TALL, REACH = 1.8, 0.72
"""How much higher rows are where points make columns, and the share of a row that the longest column takes."""


@dataclass(frozen=True, slots=True)
class _Plot:
    """Everything the panels of one figure share."""

    cells: Cells
    values: pd.DataFrame
    category: str
    hue: str
    facet: str
    places: Rows
    looks: Mapping[Level, Look]
    each: Each
    mean: bool
    interval: bool
    bars: bool
    log: bool
    marks: Mapping[float, str]
    bare: Sequence[str]
    most: int
    """Points of one value in a row: where there are more than are moved apart they make columns; else 0."""

    @property
    def variable(self) -> str:
        return self.cells.variable

    def cell(self, rows: pd.DataFrame, outer: Level, inner: Level) -> pd.DataFrame:
        """Rows of one row of points."""
        own: pd.DataFrame = rows[rows[self.category] == outer]
        return own[own[self.hue] == inner] if self.hue else own

    def look(self, outer: Level, inner: Level) -> Look:
        return self.looks[inner if self.hue else outer]


def points(
    ds: xr.Dataset,
    variable: str = "throughput",
    *,
    category: str = "layout",
    hue: str = "",
    facet: str = "",
    each: Each = "run",
    mean: bool = True,
    interval: bool = True,
    bars: bool = False,
    log: bool = False,
    marks: Mapping[float, str] | None = None,
    bare: Sequence[str] = (),
    over: Sequence[str] = (),
    statistic: str = "single",
) -> Drawn:
    """Draw each value of each level as a point, with the mean of the runs and its 95 % t interval.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients`` where `each` is "client".
    variable, over, statistic
        What to show; see `storagelab.analysis.run_values`.
    category : str
        Key whose levels are the rows.
    hue : str
        Key whose levels share a row, one below the other; by default the rows have the colours.
    facet : str
        Key whose levels are the panels.
    each : {"run", "client", "pair"}
        What a point is; "pair" for the result of `storagelab.analysis.pair_ratios`. Clients of a run are not
        independent: with "client" no interval is drawn, and the strokes mark the mean of each run.
    mean : bool
        False for what falls into steps, between which a mean would say nothing.
    interval : bool
        False for what has no t interval, such as indices of fairness, which end at one.
    bars : bool
        Whether bars from zero to the mean stand behind the points; only where zero means something.
    log : bool
        Whether the values stand on a log axis; the means are then geometric.
    marks : mapping of float to str, optional
        Values (what a link takes for a block) with what they are.
    bare : sequence of str
        Levels of `hue` (else of `category`) that get no mean and no interval, such as runs set apart because their
        values have no common meaning.

    Returns
    -------
    Drawn
        Its data are the means of the runs (each="run") or the values of the clients.

    Raises
    ------
    AnalysisError
        As `storagelab.analysis.summarise`.
    """
    keys = [facet, category, hue]
    found = client_cells(ds, variable, keys) if each == "client" else cells(ds, variable, keys, over, statistic, log)
    rows, coloured = found.runs, hue or category
    levels = looks_of(rows, coloured)
    plot = _Plot(
        found, rows, category, hue, facet, stacked(rows, category, hue), levels, each, mean,
        interval and mean and each != "client", bars and each != "client", log, marks or {}, bare,
        _most_alike(rows, found),
    )  # fmt: skip
    with style():
        laid = panels(rows, facet, height=0.35 + ROW * (TALL if plot.most else 1.0) * len(plot.places))
        spans = [_panel(axes, plot, level) for axes, level in zip(laid.axes, laid.levels, strict=True)]
        _axes(laid, plot, spans)
        if hue:
            legend(laid.figure, hue, levels, found.origin, line=False)
    return Drawn(
        laid.figure, _caption(plot, laid), _alt(plot), found.means, None if each == "client" else found.of_runs
    )


def client_cells(ds: xr.Dataset, variable: str, keys: Sequence[str]) -> Cells:
    """Values of clients in place of runs and their means: clients of a run are no repetitions."""
    named = [key for key in keys if key]
    values = client_values(ds, variable, named)
    rows = table.frame(values)
    return Cells(values, rows, values, rows, variable, named, table.origin(values), ())


def swarm(values: ArrayLike, width: float) -> NDArray[np.float64]:
    """Offsets that spread close values apart: by rank, to both sides in turn, the same every time."""
    x = significant(values)
    ranks = np.argsort(np.argsort(x, kind="stable"), kind="stable")
    return width * LANES[ranks % LANES.size] if x.size > 1 else np.zeros(x.size)


def columns(values: ArrayLike, most: int) -> NDArray[np.float64]:
    """Offsets that stand the points of one value on each other, around the middle of the row.

    Examples
    --------
    >>> columns([1.0, 2.0, 1.0, 1.0], most=4).round(2).tolist()
    [-0.18, 0.0, 0.0, 0.18]
    """
    alike = pd.Series(significant(values, SEEN))
    own = alike.groupby(alike)
    place: pd.Series[float] = own.cumcount() - (own.transform("size") - 1) / 2
    return place.to_numpy() * REACH / most


def _most_alike(values: pd.DataFrame, found: Cells) -> int:
    alike = values.assign(**{found.variable: significant(values[found.variable], SEEN)})
    most = int(alike.groupby([*found.keys, found.variable]).size().max())
    return most if most > LANES.size else 0


def _panel(axes: Axes, plot: _Plot, level: Level) -> tuple[float, float]:
    """Draw one panel; return its lowest and highest value."""
    values, means = rows_of(plot.values, plot.facet, level), rows_of(plot.cells.rows, plot.facet, level)
    ends: list[float] = []
    for (outer, inner), y in plot.places.items():
        own, look = plot.cell(values, outer, inner), plot.look(outer, inner)
        draw_row(axes, own, plot.variable, y, look, plot.cells.origin, plot.most)
        if plot.each == "client":
            _strokes(axes, own.groupby("run_id")[plot.variable].mean(), y)
        elif (inner if plot.hue else outer) not in plot.bare:
            ends += _mean(axes, plot, plot.cell(means, outer, inner), look, y, alone=len(own) == 1)
    return axis_limits([*values[plot.variable], *([0.0, *plot.marks] if plot.bars else [])], ends, plot.log)


def draw_row(axes: Axes, rows: pd.DataFrame, variable: str, y: float, look: Look, origin: str, most: int = 0) -> None:
    """Draw values as a row of points, near ones apart, or in columns of which the longest has so many."""
    spread = rows.assign(height=y + (columns(rows[variable], most) if most else swarm(rows[variable], 0.5)))
    for part, fill in by_fill(spread, origin, look.colour):
        hollow = fill == "white"
        axes.scatter(
            part[variable], part["height"], s=16 if len(rows) < 15 else 9, marker=look.marker, facecolors=fill,
            edgecolors=look.colour, linewidths=0.9 if hollow else 0.6, alpha=1.0 if hollow else 0.75, zorder=3,
        )  # fmt: skip


def _strokes(axes: Axes, middles: pd.Series[float], y: float, zorder: float = 4) -> None:
    axes.vlines(middles, y - 0.36, y + 0.36, color=INK, linewidth=1.1, zorder=zorder)


def _mean(axes: Axes, plot: _Plot, mean: pd.DataFrame, look: Look, y: float, *, alone: bool) -> list[float]:
    """Mark the mean of a row, its interval and its bar; return the ends of the interval.

    A value that stands alone is its own mean: a stroke would only hide it.
    """
    if plot.mean and not alone:
        _strokes(axes, mean[plot.variable], y, 2 if plot.most else 4)
    if plot.bars:
        axes.barh([y] * len(mean), mean[plot.variable], height=0.8, color=look.colour, alpha=0.25, zorder=1.5)
    if not plot.interval:
        return []
    low, high = (mean[end] for end in plot.cells.ends)
    axes.hlines([y] * len(mean), low, high, color=INK, linewidth=0.9, zorder=4)
    return [*low, *high]


def _axes(laid: Panels, plot: _Plot, spans: Sequence[tuple[float, float]]) -> None:
    shared = same_scale([high for _, high in spans])
    whole = min(low for low, _ in spans), max(high for _, high in spans)
    names = []
    for place, (axes, own) in enumerate(zip(laid.axes, spans, strict=True)):
        low, high = whole if shared else own
        _limits(axes, plot, low, high)
        shown = quantities.for_axis(plot.cells.unit, low, high, plot.log)
        ticks.set_value_axis(axes.xaxis, shown, plot.log)
        names.append(quantities.title(words.long_name(plot.variable), shown))
        name_rows(axes, plot.places, plot.category, laid.leftmost(place))
        mark(axes, plot.marks)
    name_across(laid, names)


def _limits(axes: Axes, plot: _Plot, low: float, high: float) -> None:
    if plot.log:
        axes.set_xscale("log")
        axes.set_xlim(low / 1.1, high * 1.1)
        return
    room = 0.04 * (high - low) or 0.05 * abs(high) or 1.0
    from_zero = plot.bars and low == 0
    at_zero = from_zero and bool((plot.values[plot.variable] == 0).any())
    axes.set_xlim(-MARKER * high if at_zero else 0 if from_zero else low - room, high + room)


def _caption(plot: _Plot, laid: Panels) -> str:
    by = words.listed(words.long_name(key) for key in (plot.category, plot.hue, plot.facet) if key)
    return words.sentences(
        f"{words.capital(words.long_name(plot.variable))} by {by}.",
        _how(plot),
        "Bars that leave the panel are cut." if _cut(laid, plot) else "",
        f"Points of one value make a column, the longest of {plot.most}." if plot.most else "",
        f"Dotted: {words.listed(plot.marks.values())}." if plot.marks else "",
        plot.cells.caption_end(),
    )


def _cut(laid: Panels, plot: _Plot) -> bool:
    """Whether an interval leaves its panel."""
    panels = zip(laid.axes, laid.levels, strict=True)
    return plot.interval and any(
        _is_cut(axes, rows_of(plot.cells.rows, plot.facet, level), plot) for axes, level in panels
    )


def _is_cut(axes: Axes, means: pd.DataFrame, plot: _Plot) -> bool:
    """Whether an interval of some means leaves the panel that they are drawn in."""
    low, high = axes.get_xlim()
    drawn = _marked(plot, means)
    return bool((drawn[plot.cells.ends[0]] < low).any() or (drawn[plot.cells.ends[1]] > high).any())


def _marked(plot: _Plot, means: pd.DataFrame) -> pd.DataFrame:
    """Rows that have a mean drawn."""
    rows: pd.DataFrame = means[~means[plot.hue or plot.category].isin(list(plot.bare))]
    return rows


def _how(plot: _Plot) -> str:
    shown = plot.cells.means
    if plot.each == "client":
        runs = plot.values.groupby(plot.cells.keys)["run_id"].nunique()
        return (
            f"A point is a client in one run, a stroke the mean of one run ({words.numbered(runs, 'run')} a row)."
            " Clients of a run are no repetitions of each other, so there is no interval."
        )
    mean = "geometric mean" if plot.log else "mean"
    ends = f" and {'the 95 % t interval of its log' if plot.log else 'its 95 % t interval'}" if plot.interval else ""
    alone = words.without_interval(_marked(plot, plot.cells.rows), "interval") if plot.interval else ""
    bars = " Bars start at zero." if plot.bars else ""
    counted = f"({words.numbered(shown['n'], 'pair') if plot.each == 'pair' else words.counted(shown)} a row{alone})"
    noun = "pair of runs" if plot.each == "pair" else words.grouped(shown)
    sizes = plot.values.groupby(plot.cells.keys).size()
    several = bool((sizes > 1).any())
    if sizes.max() > shown["n"].max():
        counted = f"({words.numbered(sizes, 'point')} a row, of {words.counted(shown).removeprefix('n = ')}{alone})"
    strokes = f"; strokes are the {mean}{ends}" if plot.mean and several else ""
    if strokes and not plot.interval:
        strokes += ", without interval"
    bare = f" No mean is drawn for: {words.listed(plot.bare)}." if plot.mean and plot.bare else ""
    return f"A point is a {noun}{strokes} {counted}{'' if plot.mean else ', without mean or interval'}.{bare}{bars}"


def _alt(plot: _Plot) -> str:
    say, told = plot.cells.say, []
    for cell, part in table.cells(plot.values, plot.cells.keys):
        values = part[plot.variable]
        range = f"{say(float(values.min()))} to {say(float(values.max()))}, mean {say(float(values.mean()))}"
        told.append(f"{words.cell(cell)} {say(float(values.iloc[0])) if len(values) == 1 else range}")
    return f"Dot plot of {words.long_name(plot.variable)}. {words.capital('; '.join(told))}."
