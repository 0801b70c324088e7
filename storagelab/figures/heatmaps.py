"""Values of two keys as a grid of colours, with the numbers in the cells where they fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm, Normalize
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from storagelab.analysis import columns, table
from storagelab.analysis.significant_digits import first_extreme
from storagelab.errors import AnalysisError
from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.labels import on_cell
from storagelab.figures.page_format import current, letters
from storagelab.figures.panels import Level, Panels, panels, rows_of
from storagelab.figures.runs_of_cells import Cells, cells
from storagelab.figures.style import INK, style
from storagelab.wording import quantities, words
from storagelab.wording.levels import ordered

COLOURS = "cividis"
CELL = 0.26
"""Height of a row of cells in inches."""
NUMBER, BESIDE = 0.4, 1.6
"""Inches that a column needs to hold numbers, and that names and the bar of colours take beside them."""


def heatmap(
    ds: xr.Dataset,
    variable: str = "throughput",
    *,
    x: str = "record_size",
    y: str = "file_size",
    facet: str = "",
    marks: Mapping[float, str] | None = None,
    log: bool = True,
    clip: float = 0.0,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> Drawn:
    """Draw the mean of the runs of each cell as a colour.

    Parameters
    ----------
    ds : Dataset, dimension obs
    variable, over, statistic
        What to show; see `storagelab.analysis.run_values`.
    x, y : str
        Keys across and down; the largest level of `y` is on top.
    facet : str
        Key whose levels are the panels; all share one scale of colours.
    marks : mapping of float to str, optional
        Values of `y` above which something changes (memory: the cache no longer holds the file), with their names.
    log : bool
        Whether colours follow the log of the value.
    clip : float
        Share of the cells at either end that get the colour of that end, so that a single strange cell does not take
        the contrast from all others.

    Returns
    -------
    Drawn
        Its data are the means.

    Raises
    ------
    AnalysisError
        If more than all cells would be clipped, or as `storagelab.analysis.summarise`.
    """
    if not 0 <= clip < 0.5:
        raise AnalysisError(f"clip: expected a share from 0 to below 0.5, got {clip:g}")
    found = cells(ds, variable, [facet, y, x], over, statistic)
    rows = found.rows
    xs, ys = (ordered(key, rows[key].unique().tolist()) for key in (x, y))
    norm = _norm(rows[variable], log, clip)
    with style():
        laid = panels(rows, facet, height=max(1.3, 0.6 + CELL * len(ys)))
        numbers = len(xs) * laid.columns <= round((current().width - BESIDE) / NUMBER)
        for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
            grid = _grid(rows_of(rows, facet, level), variable, x, y, xs, ys)
            mesh = axes.pcolormesh(grid, cmap=COLOURS, norm=norm, edgecolors="white", linewidth=0.4)
            if numbers:
                _numbers(axes, grid, variable, mesh)
            _names(axes, x, y, xs, ys, laid, place)
            _boundaries(axes, ys, marks or {}, named=laid.rightmost(place))
        bar = laid.figure.colorbar(
            mesh, ax=laid.axes, shrink=0.8, aspect=30, pad=0.01, extend="both" if clip else "neither"
        )
        bar.outline.set_visible(False)
        if log:
            ticks.set_log_ticks(bar.ax.yaxis)
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _say(variable)(value)))
        bar.set_label(words.long_name(variable))
    return Drawn(
        laid.figure, _caption(found, x, y, facet, marks or {}, clip, numbers), _alt(found, x, y, facet), found.means
    )


def _say(variable: str) -> Callable[[float], str]:
    return quantities.say(str(columns.field(variable).unit))


def _norm(values: pd.Series[float], log: bool, clip: float) -> Normalize:
    shown = values[values > 0] if log else values
    low, high = (quantities.steady(float(shown.quantile(share))) for share in (clip, 1 - clip))
    return LogNorm(low, high if high > low else low * 1.01) if log else Normalize(min(0.0, low), high)


def _grid(
    rows: pd.DataFrame, value: str, x: str, y: str, xs: Sequence[Level], ys: Sequence[Level]
) -> NDArray[np.float64]:
    table_of = rows.pivot_table(index=y, columns=x, values=value, aggfunc="mean")
    return table_of.reindex(index=list(ys), columns=list(xs)).to_numpy(dtype=np.float64)


def _numbers(axes: Axes, grid: NDArray[np.float64], variable: str, mesh: QuadMesh) -> None:
    unit = str(columns.field(variable).unit)
    for (down, across), value in np.ndenumerate(grid):
        text = axes.text(
            across + 0.5,
            down + 0.5,
            quantities.compact(unit, value),
            ha="center",
            va="center",
            fontsize=letters(7),
            color=INK,
        )
        if np.isfinite(value):
            on_cell(text, mesh, value)


def _names(axes: Axes, x: str, y: str, xs: Sequence[Level], ys: Sequence[Level], laid: Panels, place: int) -> None:
    axes.grid(False)
    axes.set_xticks(np.arange(len(xs)) + 0.5, [words.level(x, one) for one in xs])
    axes.set_yticks(np.arange(len(ys)) + 0.5, [words.level(y, one) for one in ys])
    axes.tick_params(length=0, labelleft=laid.leftmost(place))
    if sum(len(words.level(x, one)) for one in xs) * laid.columns > 90:
        axes.tick_params(axis="x", rotation=90)
    axes.set_xlabel(words.long_name(x) if laid.lowest(place) else "")
    axes.set_ylabel(words.long_name(y) if laid.leftmost(place) else "")
    axes.spines[:].set_visible(False)


def _boundaries(axes: Axes, ys: Sequence[Level], marks: Mapping[float, str], named: bool) -> None:
    """Draw a line between the rows on either side of each mark; its name stands where no other panel is."""
    for value, text in marks.items():
        below = sum(1 for one in ys if float(one) <= value)
        if not 0 < below < len(ys):
            continue
        axes.axhline(below, color="#D55E00", linewidth=1.6)
        if named:
            axes.annotate(
                text, (1, below), xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points",
                ha="left", va="center", fontsize=letters(7), color=INK, annotation_clip=False,
            )  # fmt: skip


def _caption(found: Cells, x: str, y: str, facet: str, marks: Mapping[float, str], clip: float, numbers: bool) -> str:
    unit, means = found.unit, found.means
    where = f", a panel for each {words.long_name(facet)}" if facet else ""
    crossed = [text for value, text in marks.items() if (found.rows[y] > value).any()]
    fitting = [text for text in marks.values() if text not in crossed]
    return words.sentences(
        f"{words.capital(words.long_name(found.variable))} by {words.long_name(x)} and {words.long_name(y)}{where}.",
        f"{_cell(means)}; cells without runs are empty.",
        f"Numbers are in {quantities.plain(unit)}." if numbers and unit != "1" else "",
        f"The lowest and the highest {100 * clip:g} % of the cells have the colours of the ends." if clip else "",
        f"Line: {words.listed(crossed)}." if crossed else "",
        f"No {words.long_name(y)} here is above {words.listed(fitting)}." if fitting else "",
        found.caption_end("Cells"),
    )


def _cell(means: xr.Dataset) -> str:
    one = words.grouped(means)
    if bool((means["n"] == 1).all()):
        return f"A cell is one {one} ({words.counted(means)}), without an interval"
    return f"A cell is the mean of its {one}s ({words.counted(means)}), its 95 % t interval stands in the data"


def _alt(found: Cells, x: str, y: str, facet: str) -> str:
    say, variable, told = found.say, found.variable, []
    for cell, part in table.cells(found.rows, [facet] if facet else []):
        name = f"{words.cell(cell)}: " if cell else ""
        low, high = (part.iloc[first_extreme(part[variable], end)] for end in ("lowest", "highest"))
        ends = [
            f"{say(row[variable])} at {words.long_name(y)} {words.level(y, row[y])}"
            f" and {words.long_name(x)} {words.level(x, row[x])}"
            for row in (low, high)
        ]
        told.append(f"{name}from {ends[0]} to {ends[1]}")
    return f"Heat map of {words.long_name(variable)}. {words.capital('; '.join(told))}."
