"""Values of things that have names: a bar each, a row a thing."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from storagelab.figures import ticks
from storagelab.figures.band_panels import HIGH, LOW
from storagelab.figures.panels import Panels, mark, name_across, name_rows, panels, rows_of, stacked
from storagelab.figures.permitted_curves.marks import draw_marks, legend
from storagelab.figures.permitted_curves.plot import ERROR, PRINTED, Plot
from storagelab.wording import quantities

ROW = 0.3
"""Height of a row of ranges in inches."""


def ranges(plot: Plot) -> Panels:
    """Draw the panels of a figure whose axis has names."""
    split = bool(plot.hue) and plot.hue != plot.x
    heights = stacked(plot.rows, plot.x, plot.hue if split else "")
    laid = panels(plot.rows, plot.facet, height=0.45 + ROW * len(heights), levels=list(plot.grouped))
    legend(laid, plot)
    tops = plot.tops(laid.levels)
    names = []
    for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
        top = tops[level]
        for _, row in rows_of(plot.rows, plot.facet, level).iterrows():
            _range(axes, row, heights[row[plot.x], row[plot.hue] if split else ""], plot, 1.06 * top)
        axes.set_xlim(0, 1.06 * top)
        shown = quantities.scale(plot.unit, top)
        ticks.set_value_axis(axes.xaxis, shown)
        names.append(quantities.title(plot.name, shown))
        name_rows(axes, heights, plot.x, laid.leftmost(place))
        mark(axes, {**plot.marks.get(level, {}), **plot.lines})
    name_across(laid, names)
    return laid


def _range(axes: Axes, row: pd.Series, y: float, plot: Plot, top: float) -> None:
    look = plot.looks[row[plot.hue]] if plot.hue else plot.looks[""]
    low, high = float(row[LOW]), min(float(row[HIGH]), top)
    if high > low:
        axes.barh(y, high - low, left=low, height=0.5, color=look.colour, alpha=0.3, linewidth=0, zorder=1.8)
    if np.isinf(row[HIGH]):
        arrow = {"arrowstyle": "-|>", "color": look.colour, "linewidth": 1.0, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (0.985 * top, y), (max(low, 0.8 * top), y), arrowprops=arrow, zorder=3)
    elif high > low:
        axes.vlines(high, y - 0.25, y + 0.25, color=look.colour, linewidth=1.0, zorder=2.2)
    if low > 0 and (np.isinf(row[HIGH]) or high > low):
        axes.vlines(low, y - 0.25, y + 0.25, color=look.colour, linewidth=1.0, zorder=2.2)
    if np.isfinite(row[PRINTED]):
        axes.hlines(y, row[PRINTED] - row[ERROR], row[PRINTED] + row[ERROR], color=look.colour, zorder=3.1)
        draw_marks(axes, [row[PRINTED]], [y], look, "published")
    elif high - low <= 1e-9 * high:
        draw_marks(axes, [low], [y], look, "derived")
