"""One number of each configuration of several studies: bars from zero, or effects around one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from storagelab.analysis import columns
from storagelab.figures import ticks
from storagelab.figures.cross_study import (
    Mark,
    colours,
    counted,
    legend,
    mark_of,
    modelled,
    reference,
    repeated,
    rows_of,
    short,
    sources,
    with_origin,
)
from storagelab.figures.figure_result import Drawn
from storagelab.figures.page_format import letters
from storagelab.figures.panels import axis_limits
from storagelab.figures.style import INK, canvas, style
from storagelab.wording import quantities, words

Scale = Literal["linear", "log", "percent"]
Group = Literal["study", "case"]
BESIDE = 0.1
"""Inches beside what is drawn: a browser's letters are wider than they are measured, most in names as long as these."""
ROW, HEAD = 0.19, 0.95
"""Height of a row in inches, and of what stands above and below them."""
LEAST_ROW, TALLEST = 0.15, 8.6
"""Of many rows each is lower, so that the drawing still fits on a sheet; in inches."""


@dataclass(frozen=True, slots=True)
class _Plot:
    """Rows in the order in which they are drawn, and how their numbers are written."""

    rows: pd.DataFrame
    variable: str
    group: Group
    scale: Scale
    of: str
    found: dict[str, str]

    @property
    def ends(self) -> list[str]:
        """Columns with the ends of the interval."""
        return [columns.low(self.variable), columns.high(self.variable)]

    @property
    def say(self) -> Callable[[float], str]:
        """Write a number."""
        return percent if self.scale == "percent" else quantities.say(str(columns.field(self.variable).unit))

    def in_words(self, row: pd.Series) -> str:
        """Write a number with its interval."""
        low, high = (float(row[end]) for end in self.ends)
        value, known = self.say(float(row[self.variable])), np.isfinite(low) and np.isfinite(high)
        return f"{value} ({self.say(low).removesuffix(' %')} to {self.say(high)})" if known else value

    def name(self, row: pd.Series) -> str:
        """Name a row under its heading."""
        return str(row["label"]) if self.group == "study" else f"{short(str(row['study']))}: {row['label']}"

    def heading(self, level: str) -> str:
        """Heading of a group of rows."""
        if self.group == "case":
            return level
        return f"{level} ({self.rows.loc[self.rows['study'] == level, 'origin'].iloc[0]})"


def side_by_side(
    ds: xr.Dataset,
    variable: str,
    *,
    group: Group = "study",
    scale: Scale = "linear",
    of: str = "",
    line: float | None = None,
    line_is: str = "",
) -> Drawn:
    """Draw one number of each configuration of several studies, a row each, under headings.

    Parameters
    ----------
    ds : Dataset, dimension obs
        From `storagelab.claims.synthesise`: keys study, origin, basis, case, label; the variable with its interval.
    variable : str
        What is compared.
    group : {"study", "case"}
        What the headings are.
    scale : {"linear", "log", "percent"}
        Bars from zero; points on a log axis around one, written as ratios; the same, written as changes in per cent.
    of : str
        What the numbers are, where the name of the column says too little.
    line : float, optional
        Where a line stands that all are held against; at one where the scale is logarithmic.
    line_is : str
        What it is.

    Returns
    -------
    Drawn
        Its data are `ds`. Each row says its numbers.

    Raises
    ------
    AnalysisError
        If a column is missing.
    """
    rows = rows_of(ds, variable, group)
    plot = _Plot(rows, variable, group, scale, of or words.long_name(variable), colours(rows))
    places = _places(rows, group)
    with style():
        figure = canvas(_height(len(places) + rows[group].nunique()))
        axes = figure.add_subplot()
        _axis(axes, plot)
        for place, row in rows.iterrows():
            _draw(axes, row, places[place], mark_of(row, plot.found[str(row["study"])]), plot)
        _names(axes, plot, places)
        if line is not None or scale != "linear":
            reference(axes, 1.0 if line is None else line, line_is)
        legend(figure, rows)
        figure.set_layout_engine("constrained", w_pad=BESIDE)
    return Drawn(figure, _caption(plot), _alt(plot), with_origin(ds, rows))


def _height(lines: int) -> float:
    """Height of a drawing with so many rows and headings."""
    return HEAD + lines * max(LEAST_ROW, min(ROW, (TALLEST - HEAD) / lines))


def percent(ratio: float) -> str:
    """Write a ratio as a change: 0.28 is ``−72 %``."""
    change = 100 * (ratio - 1)
    digits = 0 if abs(change) >= 9.95 else 1
    return "0 %" if abs(change) < 0.05 else f"{change:+.{digits}f} %".replace("-", "\N{MINUS SIGN}")


def _places(rows: pd.DataFrame, group: Group) -> dict[object, float]:
    """Height of each row, with room for a heading above each group."""
    places: dict[object, float] = {}
    y = 0.0
    for level in dict.fromkeys(rows[group]):
        y -= 1.0
        for place in rows.index[rows[group] == level]:
            places[place] = y
            y -= 1.0
    return places


def _draw(axes: Axes, row: pd.Series, y: float, mark: Mark, plot: _Plot) -> None:
    value, ends = float(row[plot.variable]), row[plot.ends].to_numpy(dtype=np.float64)
    if plot.scale == "linear":
        edge = {"edgecolor": mark.colour, "linewidth": 0.8}
        axes.barh(y, value, height=0.62, color="white" if mark.hollow else mark.colour, alpha=0.35, zorder=1)
        axes.barh(y, value, height=0.62, color="none", zorder=1.5, **edge)  # type: ignore[arg-type]
    axes.hlines(y, *ends, color=mark.colour, linewidth=1.2, zorder=2)
    axes.plot(value, y, linestyle="none", zorder=3, **mark.options)  # type: ignore[arg-type]
    axes.annotate(
        plot.in_words(row), (1, y), xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points",
        va="center", fontsize=letters(7.5), color=mark.text, annotation_clip=False,
    )  # fmt: skip


def _axis(axes: Axes, plot: _Plot) -> None:
    values, ends = plot.rows[plot.variable], plot.rows[plot.ends]
    if plot.scale == "linear":
        _, high = axis_limits([0.0, *values], ends)
        axes.set_xlim(0, 1.05 * high)
        shown = quantities.scale(str(columns.field(plot.variable).unit), values)
        ticks.set_value_axis(axes.xaxis, shown)
        axes.set_xlabel(quantities.title(plot.of, shown))
        return
    axes.set_xscale("log")
    axes.set_xlabel(plot.of)
    low, high = axis_limits([*values, 0.9, 1.1], ends, log=True)
    axes.set_xlim(low / 1.1, high * 1.1)
    ticks.set_log_ticks(axes.xaxis)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: plot.say(value)))


def _names(axes: Axes, plot: _Plot, places: dict[object, float]) -> None:
    heights = list(places.values())
    names = [plot.name(row) for _, row in plot.rows.loc[list(places)].iterrows()]
    ticks.set_level_axis(axes.yaxis, heights, names)
    axes.set_ylim(min(heights) - 0.7, 0.0)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    for level in dict.fromkeys(plot.rows[plot.group]):
        top = max(places[place] for place in plot.rows.index[plot.rows[plot.group] == level])
        axes.annotate(
            plot.heading(str(level)), (0, top + 0.85), xycoords=("axes fraction", "data"), xytext=(-4, 0),
            textcoords="offset points", va="center", ha="right", fontsize=letters(8), fontweight="bold", color=INK,
            annotation_clip=False,
        )  # fmt: skip


def _caption(plot: _Plot) -> str:
    studies = plot.rows["study"].nunique()
    by = "study" if plot.group == "study" else "what was changed"
    log = "" if plot.scale == "linear" else ", on a log axis around one"
    cut = "Where an interval leaves the panel it is cut." if plot.scale != "linear" else ""
    return words.sentences(
        f"{words.capital(plot.of)} of {len(plot.rows)} configurations of {studies}"
        f" {'study' if studies == 1 else 'studies'} side by side, by {by}{log}; nothing is averaged across studies.",
        f"A point is one number of one study; thin lines are its 95 % interval, where the study gives one"
        f" ({repeated(plot.rows['n'])}).",
        cut,
        modelled(plot.rows, plot.ends),
        counted(plot.rows, "points"),
        sources(plot.rows),
    )


def _alt(plot: _Plot) -> str:
    told = []
    for level in dict.fromkeys(plot.rows[plot.group]):
        part = plot.rows[plot.rows[plot.group] == level]
        each = "; ".join(f"{plot.name(row)} {plot.in_words(row)}" for _, row in part.iterrows())
        told.append(f"{words.capital(plot.heading(str(level)))}: {each}.")
    return words.sentences(f"{words.capital(plot.of)} of several studies.", *told)
