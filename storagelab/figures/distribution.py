"""All runs of many cells: each as a point, and from six on the box of its quartiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from numpy.typing import NDArray

from storagelab.analysis import table
from storagelab.analysis.inference.quantiles import quantile_interval, values_needed
from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.palette import Look
from storagelab.figures.panels import (
    Level,
    Panels,
    Rows,
    legend,
    looks_of,
    name_across,
    name_rows,
    panels,
    rows_of,
    same_scale,
    stacked,
)
from storagelab.figures.points import draw_row
from storagelab.figures.runs_of_cells import Cells, cells
from storagelab.figures.style import INK, style
from storagelab.wording import quantities, words

ROW = 0.26
"""Height of a row in inches."""
FEWEST = values_needed()
"""Runs that a 95 % interval of a median needs: five all lie on one side of it in one of 16 campaigns."""


@dataclass(frozen=True, slots=True)
class _Plot:
    """Everything the panels of one figure share."""

    cells: Cells
    category: str
    hue: str
    facet: str
    places: Rows
    looks: Mapping[Level, Look]
    log: bool


def distribution(
    ds: xr.Dataset,
    variable: str = "throughput",
    *,
    category: str = "layout",
    hue: str = "",
    facet: str = "",
    log: bool = False,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> Drawn:
    """Draw all runs of each cell as points; where there are six or more, also their quartiles and median.

    Parameters
    ----------
    ds : Dataset, dimension obs
    variable, over, statistic
        What to show; see `storagelab.analysis.run_values`.
    category, hue, facet : str
        Keys whose levels are the rows, share a row, and are the panels.
    log : bool
        Whether the values stand on a log axis.

    Returns
    -------
    Drawn
        Its data are the means; with few runs the points themselves are the answer (`storagelab.figures.points` draws
        them with the mean and its interval).

    Raises
    ------
    AnalysisError
        As `storagelab.analysis.summarise`.
    """
    found = cells(ds, variable, [facet, category, hue], over, statistic, log)
    coloured = hue or category
    levels = looks_of(found.runs, coloured)
    plot = _Plot(found, category, hue, facet, stacked(found.runs, category, hue), levels, log)
    with style():
        laid = panels(found.runs, facet, height=0.35 + ROW * len(plot.places))
        for axes, level in zip(laid.axes, laid.levels, strict=True):
            _panel(axes, plot, level)
        _axes(laid, plot)
        if hue:
            legend(laid.figure, hue, levels, found.origin, line=False)
    return Drawn(laid.figure, _caption(plot), _alt(plot), found.means, found.of_runs)


def _panel(axes: Axes, plot: _Plot, level: Level) -> None:
    rows = rows_of(plot.cells.runs, plot.facet, level)
    for (outer, inner), y in plot.places.items():
        own = rows[rows[plot.category] == outer]
        own = own[own[plot.hue] == inner] if plot.hue else own
        look = plot.looks[inner if plot.hue else outer]
        draw_row(axes, own, plot.cells.variable, y, look, plot.cells.origin)
        if len(own) >= FEWEST:
            _box(axes, own[plot.cells.variable].to_numpy(), y, look)


def _box(axes: Axes, values: NDArray[np.float64], y: float, look: Look) -> None:
    from seaborn import boxenplot  # its import takes as long as a figure: only who draws boxes pays

    boxenplot(
        x=values, y=np.full(values.size, y), ax=axes, orient="h", native_scale=True, width=0.72, k_depth=1,
        showfliers=False, linecolor=INK, linewidth=0.7, line_kws={"linewidth": 1.4, "alpha": 1.0, "zorder": 4},
        box_kws={"facecolor": to_rgba(look.colour, 0.18), "edgecolor": INK, "zorder": 1.5},
    )  # fmt: skip
    axes.hlines(y, *quantile_interval(values), color=INK, linewidth=1.0, zorder=4)


def _axes(laid: Panels, plot: _Plot) -> None:
    spans = [_span(plot, level) for level in laid.levels]
    whole = min(low for low, _ in spans), max(high for _, high in spans)
    shared = plot.log or same_scale([high for _, high in spans])
    names = []
    for place, axes in enumerate(laid.axes):
        low, high = whole if shared else spans[place]
        air = 0.04 * (high - low) or 0.05 * abs(high) or 1.0
        if plot.log:
            axes.set_xscale("log")
        axes.set_xlim(*((low / 1.1, high * 1.1) if plot.log else (low - air, high + air)))
        shown = quantities.for_axis(plot.cells.unit, low, high, plot.log)
        ticks.set_value_axis(axes.xaxis, shown, plot.log)
        names.append(quantities.title(words.long_name(plot.cells.variable), shown))
        name_rows(axes, plot.places, plot.category, laid.leftmost(place))
    name_across(laid, names)


def _span(plot: _Plot, level: Level) -> tuple[float, float]:
    values = rows_of(plot.cells.runs, plot.facet, level)[plot.cells.variable]
    return float(values.min()), float(values.max())


def _caption(plot: _Plot) -> str:
    by = words.listed(words.long_name(key) for key in (plot.category, plot.hue, plot.facet) if key)
    enough = bool((plot.cells.rows["n"] >= FEWEST).any())
    boxes = (
        f"Boxes, from {FEWEST} runs on: quartiles and median, the line through it its 95 % interval (order statistics)."
        if enough
        else f"Fewer than {FEWEST} runs: no quartiles and no interval of a median."
    )
    one = words.grouped(plot.cells.means)
    return words.sentences(
        f"{words.capital(words.long_name(plot.cells.variable))} by {by}{', on a log axis' if plot.log else ''}.",
        f"A point is a {one} ({words.counted(plot.cells.means)} a row). {boxes}",
        plot.cells.caption_end(),
    )


def _alt(plot: _Plot) -> str:
    say, told = plot.cells.say, []
    for cell, part in table.cells(plot.cells.runs, plot.cells.keys):
        values: pd.Series[float] = part[plot.cells.variable]
        low, high = quantile_interval(values)
        middle = f", median {say(float(values.median()))}" if len(values) >= FEWEST else ""
        ends = f" ({say(low)} to {say(high)})" if np.isfinite(low) else ""
        reach = f"{say(float(values.min()))} to {say(float(values.max()))}"
        told.append(f"{words.cell(cell)} {reach}{middle}{ends}, n = {len(values)}")
    return f"Distribution of {words.long_name(plot.cells.variable)}. {words.capital('; '.join(told))}."
