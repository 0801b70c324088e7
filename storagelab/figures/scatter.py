"""One variable against another on log axes, with the line that a limit draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes

from storagelab.analysis import columns, table
from storagelab.errors import AnalysisError
from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.labels import BACKGROUND
from storagelab.figures.page_format import letters
from storagelab.figures.palette import Look
from storagelab.figures.panels import Level, legend, looks_of
from storagelab.figures.runs_of_cells import by_fill
from storagelab.figures.style import LIMIT, canvas, style
from storagelab.wording import quantities, words


def scatter(
    ds: xr.Dataset,
    x: str,
    y: str = "throughput",
    *,
    hue: str = "layout",
    limit: float = np.nan,
    what: str = "a run",
    line: str = "",
) -> Drawn:
    """Draw every row as a point, on two log axes.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Positive values of both variables.
    x, y : str
        The variables.
    hue : str
        Key whose levels have the colours and markers.
    limit : float
        Draws the line on which x times y is the limit (in the unit of their product), as a link does whose load is x
        times what is asked for; NaN to draw none.
    what : str
        What a point is, for the caption: "a client in one run".
    line : str
        What the line is, for its label and the caption, where it is no limit of a link: "the same bytes".

    Returns
    -------
    Drawn
        Its data are `ds`.

    Raises
    ------
    AnalysisError
        If a variable or `hue` is missing, or there are values that no log axis can show.
    """
    rows = table.frame(ds)
    for name in (x, y):
        table.unit(ds, name)
        if not ((rows[name] > 0) & np.isfinite(rows[name])).all():
            raise AnalysisError(f"{name} has values that are not positive and finite: a log axis cannot show them")
    table.require(ds, hue)
    found = looks_of(rows, hue)
    with style():
        figure = canvas(3.4)
        axes = figure.add_subplot()
        _points(axes, rows, x, y, hue, found, table.origin(ds))
        _axes(axes, rows, x, y)
        _limit(axes, limit, line)
        legend(figure, hue, found, table.origin(ds), line=False)
    caption = words.sentences(
        f"{words.capital(words.long_name(y))} against {words.long_name(x)}, on log axes. A point is {what}"
        f" ({words.numbered([len(rows)], 'point')}, no interval: each stands for itself).",
        _dashed(limit, line, y),
        words.bases(rows, table.origin(ds)),
        words.source(ds),
    )
    return Drawn(figure, caption, _alt(rows, x, y, hue), ds)


def _points(axes: Axes, rows: pd.DataFrame, x: str, y: str, hue: str, found: Mapping[Level, Look], origin: str) -> None:
    for name, look in found.items():
        for part, fill in by_fill(rows[rows[hue] == name], origin, look.colour):
            axes.scatter(
                part[x], part[y], s=24, marker=look.marker, facecolors=fill, edgecolors=look.colour, linewidths=0.7,
                alpha=0.8, zorder=3,
            )  # fmt: skip


def _axes(axes: Axes, rows: pd.DataFrame, x: str, y: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(rows[x].min() / 1.6, rows[x].max() * 1.6)
    axes.set_ylim(rows[y].min() / 1.4, rows[y].max() * 1.4)
    for axis, name, label in ((axes.xaxis, x, axes.set_xlabel), (axes.yaxis, y, axes.set_ylabel)):
        low, high = float(rows[name].min()), float(rows[name].max())
        shown = quantities.for_axis(str(columns.field(name).unit), low, high, log=True)
        ticks.set_value_axis(axis, shown, log=True)
        label(quantities.title(words.long_name(name), shown))


def _dashed(limit: float, line: str, y: str) -> str:
    if not np.isfinite(limit):
        return ""
    return f"Dashed: {line}." if line else f"Dashed: their product is {_say(y)(limit)}, what one link can carry."


def _limit(axes: Axes, limit: float, line: str) -> None:
    if np.isfinite(limit):
        low, high = axes.get_xlim()
        ends = np.array([low, high])
        bottom, top = axes.get_ylim()
        axes.plot(ends, limit / ends, color=LIMIT, linestyle=(0, (4, 2.5)), linewidth=1.0, zorder=1.5)
        axes.set(xlim=(low, high), ylim=(bottom, top))
        at = float(np.sqrt(np.clip(limit / top, low, high) * np.clip(limit / bottom, low, high)))
        label = line or f"limit {quantities.say('B/s')(limit)}"
        axes.annotate(
            label, (at, limit / at), xytext=(-4, -2), textcoords="offset points", ha="right", va="top",
            fontsize=letters(7), style="italic", color=LIMIT, bbox=BACKGROUND,
        )  # fmt: skip


def _say(name: str) -> Callable[[float], str]:
    return quantities.say(str(columns.field(name).unit))


def _alt(rows: pd.DataFrame, x: str, y: str, hue: str) -> str:
    told = [
        f"{words.full(hue, level)}: {words.long_name(x)} {_say(x)(own[x].min())} to {_say(x)(own[x].max())},"
        f" {words.long_name(y)} {_say(y)(own[y].min())} to {_say(y)(own[y].max())}"
        for level, own in rows.groupby(hue)
    ]
    return f"Scatter plot of {words.long_name(y)} against {words.long_name(x)}. {words.capital('; '.join(told))}."
