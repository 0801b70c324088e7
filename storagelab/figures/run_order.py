"""Runs in the order in which they were taken, each against its cell: does the campaign drift, and what lies apart."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from storagelab.analysis import table
from storagelab.errors import AnalysisError
from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.palette import VERMILLION, Look
from storagelab.figures.panels import Level, legend, looks_of, name_values, panels, require_number, rows_of
from storagelab.figures.points import swarm
from storagelab.figures.runs_of_cells import by_fill
from storagelab.figures.style import INK, LIMIT, style
from storagelab.wording import quantities, words

OUTLIER = "outlier"
RINGED = 1.25
"""How far an axis goes beyond its farthest value where that may have a ring."""


def run_order(
    apart: xr.Dataset, variable: str = "over_others", *, order: str = "repeat", hue: str = "", facet: str = ""
) -> Drawn:
    """Draw each run over its own cell against its place in the campaign.

    Parameters
    ----------
    apart : Dataset, dimension obs
        From `storagelab.analysis.outliers`, or from `storagelab.analysis.drift` (with `variable` "deviation"): one
        row a run, with a ratio to its cell. Runs whose ``outlier`` is 1 are ringed; none is left out.
    variable : str
        The ratio.
    order : str
        Numeric key or variable in whose order the runs were taken: repeat, block, or start_time, which is shown in
        hours since the first.
    hue, facet : str
        Keys whose levels have the colours, and are the panels.

    Returns
    -------
    Drawn
        Its data are `apart`. A stroke is the geometric mean of the runs at one place of the order.

    Raises
    ------
    AnalysisError
        If a column is missing, the order is no number, or a ratio is not positive.
    """
    table.require(apart, variable, order, *(key for key in (hue, facet) if key))
    rows = table.frame(apart).dropna(subset=[variable])
    if not pd.api.types.is_numeric_dtype(rows[order]):
        raise AnalysisError(f"{order} is text, the order of a campaign is a number: repeat, block or start_time")
    require_number(rows, variable)
    if not (rows[variable] > 0).all():
        raise AnalysisError(f"{variable} has values that are not positive: ratios are")
    rows["at"] = (rows[order] - rows[order].min()) / 3600 if order == "start_time" else rows[order]
    found = looks_of(rows, hue)
    with style():
        laid = panels(rows, facet, height=2.3)
        for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
            _panel(axes, rows_of(rows, facet, level), variable, hue, found, table.origin(apart), timed="time" in order)
            _axes(axes, rows, variable, order)
            axes.set_xlabel(_named(order) if laid.lowest(place) else "")
            if laid.leftmost(place):
                name_values(axes, words.long_name(variable), quantities.Scale("", 1.0))
        if hue:
            legend(laid.figure, hue, found, table.origin(apart), line=False)
    keys = [key for key in (facet, hue) if key]
    return Drawn(laid.figure, _caption(apart, rows, variable, order, keys), _alt(rows, variable, order, facet), apart)


def geometric_mean(values: pd.Series[float]) -> float:
    """Geometric mean, the same in every order and on every machine."""
    logs = [math.log(value) for value in values]
    return quantities.steady(math.exp(math.fsum(logs) / len(logs))) if logs else math.nan


def _named(order: str) -> str:
    return "time since the first run began (h)" if order == "start_time" else words.long_name(order)


def _panel(
    axes: Axes, rows: pd.DataFrame, variable: str, hue: str, found: Mapping[Level, Look], origin: str, timed: bool
) -> None:
    axes.set_yscale("log")
    axes.axhline(1, color=LIMIT, linewidth=1.0, zorder=1)
    width = 0.0 if timed else 0.5 * float(np.diff(np.unique(rows["at"])).min(initial=1.0))
    placed = rows.assign(x=rows["at"] + rows.groupby("at")[variable].transform(lambda values: swarm(values, width)))
    for name, look in found.items():
        own = placed[placed[hue] == name] if hue else placed
        for part, fill in by_fill(own, origin, look.colour):
            axes.scatter(
                part["x"], part[variable], s=13, marker=look.marker, facecolors=fill, edgecolors=look.colour,
                linewidths=0.6, alpha=0.75, zorder=3,
            )  # fmt: skip
    ringed = placed[placed[OUTLIER] == 1] if OUTLIER in placed else placed.iloc[:0]
    axes.scatter(
        ringed["x"], ringed[variable], s=80, facecolors="none", edgecolors=VERMILLION, linewidths=1.2, zorder=4
    )
    if not timed:
        means = rows.groupby("at")[variable].agg(geometric_mean)
        axes.hlines(means, means.index - 0.6 * width, means.index + 0.6 * width, color=INK, linewidth=1.4, zorder=4)


def _axes(axes: Axes, rows: pd.DataFrame, variable: str, order: str) -> None:
    air = RINGED if OUTLIER in rows else 1.1
    axes.set_ylim(min(0.9, rows[variable].min() / air), max(1.1, rows[variable].max() * air))
    ticks.set_log_ticks(axes.yaxis)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    places = sorted(rows["at"].unique().tolist())
    if order != "start_time":
        texts = ticks.thinned([f"{place:g}" for place in places], room=80)
        ticks.set_level_axis(axes.xaxis, places, texts)


def _caption(apart: xr.Dataset, rows: pd.DataFrame, variable: str, order: str, keys: list[str]) -> str:
    by = f", by {words.listed(words.long_name(key) for key in keys)}" if keys else ""
    one = words.grouped(apart)
    rings = f" Ringed: {_rings(rows)}; none is left out." if OUTLIER in rows else ""
    strokes = "" if order == "start_time" else f" Strokes: geometric mean of the runs of one {order}, without interval."
    how = f" Method: {apart.attrs['method']}." if apart.attrs.get("method") else ""
    return words.sentences(
        f"{words.capital(words.long_name(variable))}, in the order of {_named(order)}{by}, on a log axis.",
        f"A point is a {one} ({words.numbered([len(rows)], one)}).{rings}{strokes}{how}",
        words.bases(rows, table.origin(apart)),
        words.unit(apart),
        words.source(apart),
    )


def _rings(rows: pd.DataFrame) -> str:
    count = int((rows[OUTLIER] == 1).sum())
    return f"{count or 'no'} {'run that lies' if count == 1 else 'runs that lie'} apart from the others of their cell"


def _alt(rows: pd.DataFrame, variable: str, order: str, facet: str) -> str:
    told = []
    for cell, part in table.cells(rows, [facet] if facet else []):
        at = part["at"]
        means = (
            part[variable]
            .groupby(pd.qcut(at, 3, duplicates="drop") if order == "start_time" else at, observed=False)
            .agg(geometric_mean)
        )
        name = f"{words.cell(cell)}: " if cell else ""
        course = f"the first on average {means.iloc[0]:.3g} of their cells, the last {means.iloc[-1]:.3g}"
        told.append(f"{name}{len(part)} runs from {part[variable].min():.3g} to {part[variable].max():.3g}, {course}")
    rings = f" {words.capital(_rings(rows))}." if OUTLIER in rows else ""
    return f"Runs in the order in which they were taken. {words.capital('; '.join(told))}.{rings}"
