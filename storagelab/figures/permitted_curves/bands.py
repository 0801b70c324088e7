"""Curves along numbers: a block around each place, as nothing is said of what lies between places."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from numpy.typing import NDArray

from storagelab.figures import ticks
from storagelab.figures.band_panels import HIGH, LOW
from storagelab.figures.labels import BACKGROUND, Label, end_labels
from storagelab.figures.labels_inside_panels import inside_labels
from storagelab.figures.limits import DASHED
from storagelab.figures.page_format import letters
from storagelab.figures.palette import Look
from storagelab.figures.panels import Level, Panels, best_columns, mark, name_values, panels
from storagelab.figures.permitted_curves.marks import draw_marks, legend
from storagelab.figures.permitted_curves.plot import (
    BEYOND,
    ERROR,
    PRINTED,
    REACHED,
    Plot,
    name_of_axis,
    name_of_place,
    worked_out,
)
from storagelab.figures.style import LIMIT
from storagelab.wording import quantities

LOWER = 1.75
"""Height of a panel in inches where there are several rows of them."""
MOST_NUMBERED = 6
"""Printed numbers of a panel that are written beside their points."""


def bands(plot: Plot) -> Panels:
    """Draw the panels of a figure whose axis has numbers."""
    columns = _columns(plot)
    laid = panels(
        plot.rows, plot.facet, height=2.3 if len(plot.grouped) <= columns else LOWER, columns=columns,
        levels=list(plot.grouped),
    )  # fmt: skip
    legend(laid, plot)
    tops = plot.tops(laid.levels)
    for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
        top = 1.08 * tops[level]
        _panel(axes, plot, level, top)
        places = sorted(plot.rows[plot.x].unique().tolist())
        shown = quantities.scale(plot.unit, top)
        axes.set_ylim(0, top)
        ticks.set_value_axis(axes.yaxis, shown)
        names = [name_of_place(plot.x, one) if plot.x != "time" else "" for one in places]
        ticks.set_level_axis(axes.xaxis, places, ticks.thinned(names, 90 // laid.columns - 10))
        axes.set_xlabel((plot.axis or name_of_axis(plot.x)) if laid.lowest(place) else "")
        if laid.leftmost(place) or tops[level] != tops[laid.levels[place - 1]]:
            name_values(axes, plot.name, shown, laid.height)
        mark(axes, plot.marks.get(level, {}))
    end_labels(laid.axes, [_reached(plot, level) for level in laid.levels])
    labels = [Label(value, text, LIMIT, italic=True) for value, text in plot.lines.items()]
    inside_labels(laid.axes, [labels] * len(laid.axes))
    return laid


def _columns(plot: Plot) -> int:
    """How many panels stand side by side: those of a row belong together if all rows have as many."""
    rows = Counter(plot.grouped.values())
    across = max(rows.values())
    return across if 1 < across <= 3 and set(rows.values()) == {across} else best_columns(len(plot.grouped))


def _reached(plot: Plot, level: Level) -> list[Label]:
    """Say at the right edge what a curve reaches at a place that nobody names."""
    found = []
    for look, own in plot.of(plot.rows, level):
        value, beyond = float(own[REACHED].iloc[0]), bool(own[BEYOND].iloc[0])
        if np.isfinite(value):
            found.append(Label(value, f"{'more than ' if beyond else ''}{plot.say(value)}", look.text))
    return found


def _panel(axes: Axes, plot: Plot, level: Level, top: float) -> None:
    if plot.log:
        axes.set_xscale("log", base=2)
    first, last = plot.rows[plot.x].min(), plot.rows[plot.x].max()
    aside = 0.04 * (last - first)
    axes.set_xlim(*((first / 1.25, last * 1.25) if plot.log else (first - aside, last + aside)))
    for look, own in plot.of(plot.rows, level):
        _band(axes, own, plot, look, top)
        _arrows(axes, own, plot.x, look, top)
        _points(axes, own, plot, look)
    if plot.model is not None:
        for look, own in plot.of(plot.model, level):
            axes.plot(own[plot.x], own[plot.variable], color=look.colour, linestyle=DASHED, linewidth=1.0, zorder=2.4)
    for value in plot.lines:
        axes.axhline(value, linestyle=(0, (1, 1.5)), linewidth=1.0, color=LIMIT, zorder=1.5)


def _band(axes: Axes, rows: pd.DataFrame, plot: Plot, look: Look, top: float) -> None:
    """Draw a block around each place, as nothing is said of what lies between places."""
    edges = _edges(rows[plot.x].to_numpy(dtype=np.float64), plot.log)
    low, high = rows[LOW].to_numpy(), np.minimum(rows[HIGH].to_numpy(), top)
    axes.stairs(high, edges, baseline=low, fill=True, color=look.colour, alpha=0.15, linewidth=0, zorder=1.8)
    for end in (low, np.where(np.isfinite(rows[HIGH]), high, np.nan)):
        axes.stairs(end, edges, baseline=None, color=look.colour, linewidth=0.8, zorder=2.2)


def _edges(places: NDArray[np.float64], log: bool) -> NDArray[np.float64]:
    """Middles between places, and the ends of the panel."""
    if log:
        return np.array([places[0] / 1.25, *np.sqrt(places[1:] * places[:-1]), places[-1] * 1.25])
    return np.array([places[0], *((places[1:] + places[:-1]) / 2), places[-1]])


def _arrows(axes: Axes, rows: pd.DataFrame, x: str, look: Look, top: float) -> None:
    """Draw lower bounds as arrows: from what is printed up to where nobody says how far."""
    arrow = {"arrowstyle": "-|>", "color": look.colour, "linewidth": 1.1, "shrinkA": 0, "shrinkB": 0}
    at_edge = axes.get_yaxis_transform()
    for _, row in rows[np.isinf(rows[HIGH]) & (rows[LOW] > 0)].iterrows():
        axes.annotate("", (row[x], 0.985 * top), (row[x], row[LOW]), arrowprops=arrow, zorder=3)
    reached, beyond = float(rows[REACHED].iloc[0]), bool(rows[BEYOND].iloc[0])
    if beyond:
        axes.annotate(
            "", (1, 0.985 * top), (1, reached), xycoords=at_edge, textcoords=at_edge, arrowprops=arrow, zorder=3,
            annotation_clip=False,
        )  # fmt: skip
    elif np.isfinite(reached):
        axes.plot(
            [1], [reached], marker=look.marker, color=look.colour, linestyle="none", clip_on=False, zorder=3.2,
            transform=at_edge,
        )  # fmt: skip


def _points(axes: Axes, rows: pd.DataFrame, plot: Plot, look: Look) -> None:
    printed, worked = rows[rows[PRINTED].notna()], rows[worked_out(rows)]
    draw_marks(axes, worked[plot.x], worked[LOW], look, "derived")
    draw_marks(axes, printed[plot.x], printed[PRINTED], look, "published")
    ends = printed[PRINTED] - printed[ERROR], printed[PRINTED] + printed[ERROR]
    axes.vlines(printed[plot.x], *ends, color=look.colour, zorder=3.1)
    if len(printed) <= MOST_NUMBERED:
        written = {(text.xy, text.get_text()) for text in axes.texts if isinstance(text, Annotation)}
        for _, row in printed.iterrows():
            if ((row[plot.x], row[PRINTED]), plot.say(row[PRINTED])) in written:
                continue
            axes.annotate(
                plot.say(row[PRINTED]), (row[plot.x], row[PRINTED]), xytext=(0, -6), textcoords="offset points",
                ha="center", va="top", fontsize=letters(6.5), color=look.text, zorder=4, bbox=BACKGROUND,
            )  # fmt: skip
