"""The ratio of every pair of runs around one, with the mean over all of them and its interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from storagelab.analysis import columns, table
from storagelab.analysis.basis import KEY as BASIS
from storagelab.errors import AnalysisError
from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.palette import Look, face, looks
from storagelab.figures.panels import Level, Panels, Rows, legend, name_rows, panels, rows_of, stacked
from storagelab.figures.points import swarm
from storagelab.figures.ratios import INNER, equivalence, ratio_axis
from storagelab.figures.runs_of_cells import by_fill
from storagelab.figures.style import INK, style
from storagelab.wording import words
from storagelab.wording.levels import ordered

ROW = 0.14
ALL = "all"
"""Level of the hue under which the mean over all of its levels is drawn."""


@dataclass(frozen=True, slots=True)
class _Plot:
    """Everything the panels of one figure share."""

    pairs: pd.DataFrame
    means: pd.DataFrame
    category: str
    hue: str
    facet: str
    places: Rows
    looks: Mapping[Level, Look]
    origin: str
    compared: xr.Dataset


def pairs(ratios: xr.Dataset, means: xr.Dataset, *, category: str, hue: str, facet: str = "") -> Drawn:
    """Draw the result of `storagelab.analysis.pair_ratios`, and below each group that of `storagelab.analysis.compare`.

    Parameters
    ----------
    ratios : Dataset, dimension obs
        One row a pair.
    means : Dataset, dimension obs
        The same comparison, a row for each level of `category` and `facet`, paired over `hue` and repeat. With a
        margin it is drawn as `storagelab.figures.ratios` does.
    category, hue, facet : str
        Keys whose levels are the groups of rows, the rows and colours in a group, and the panels.

    Returns
    -------
    Drawn
        Its data are the pairs.

    Raises
    ------
    AnalysisError
        If the two do not compare the same, or lack a column.
    """
    keys = [category, *([facet] if facet else [])]
    table.require(ratios, "ratio", "compared", hue, *keys)
    table.require(means, "ratio", "compared", columns.low("ratio"), columns.high("ratio"), "n", *keys)
    compared = sorted({*ratios["compared"].to_numpy().tolist(), *means["compared"].to_numpy().tolist()})
    if len(compared) != 1:
        raise AnalysisError(f"pairs and means must compare the same, got {words.listed(compared)}")
    rows = table.frame(ratios)
    levels = ordered(hue, rows[hue].unique().tolist())
    places = stacked(pd.concat([rows, rows.assign(**{hue: ALL})]), category, hue)
    plot = _Plot(
        rows, table.frame(means), category, hue, facet, places, looks(hue, levels), table.origin(ratios), means
    )
    with style():
        laid = panels(rows, facet, height=0.5 + ROW * len(places))
        _draw(laid, plot)
    return Drawn(laid.figure, _caption(plot, ratios), _alt(plot), ratios)


def _draw(laid: Panels, plot: _Plot) -> None:
    ends = [plot.means[columns.low("ratio")], plot.means[columns.high("ratio")], plot.pairs["ratio"]]
    low, high = float(np.nanmin(np.concatenate(ends))), float(np.nanmax(np.concatenate(ends)))
    for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
        ratio_axis(axes, plot.compared)
        axes.set_xlim(min(low, 0.9) / 1.08, max(high, 1.1) * 1.08)
        _pairs(axes, plot, rows_of(plot.pairs, plot.facet, level))
        _means(axes, plot, rows_of(plot.means, plot.facet, level))
        ticks.set_log_ticks(axes.xaxis)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        name_rows(axes, plot.places, plot.category, laid.leftmost(place))
        axes.set_xlabel(f"ratio {_name(plot)}" if laid.lowest(place) else "")
    whole = Look(INK, "D", INK)
    legend(laid.figure, plot.hue, {**plot.looks, f"mean of {ALL}, 95 % interval": whole}, plot.origin, line=False)


def _pairs(axes: Axes, plot: _Plot, rows: pd.DataFrame) -> None:
    drawn = dict(iter(rows.groupby([plot.category, plot.hue], sort=False)))
    for (outer, inner), y in plot.places.items():
        own = drawn.get((outer, inner))
        if inner != ALL and own is not None:
            look, spread = plot.looks[inner], own.assign(height=y + swarm(own["ratio"], 0.4))
            for part, fill in by_fill(spread, plot.origin, look.colour):
                axes.scatter(
                    part["ratio"], part["height"], s=14, marker=look.marker, facecolors=fill, edgecolors=look.colour,
                    linewidths=0.6, alpha=0.85, zorder=3,
                )  # fmt: skip


def _means(axes: Axes, plot: _Plot, rows: pd.DataFrame) -> None:
    for _, row in rows.iterrows():
        y = plot.places[row[plot.category], ALL]
        axes.hlines(y, row[columns.low("ratio")], row[columns.high("ratio")], color=INK, linewidth=1.2, zorder=3)
        if INNER[0] in row:
            axes.hlines(y, *row[INNER], color=INK, linewidth=3.0, alpha=0.45, zorder=3)
        fill = face(plot.origin, INK, str(row.get(BASIS, "")))
        axes.plot(row["ratio"], y, "D", color=INK, markersize=3.6, zorder=4, markerfacecolor=fill)


def _name(plot: _Plot) -> str:
    return str(plot.means["compared"].iloc[0])


def _caption(plot: _Plot, ratios: xr.Dataset) -> str:
    keys = [key for key in (plot.category, plot.hue, plot.facet) if key]
    what = words.long_name(ratios.attrs["compared_variable"])
    cells = plot.pairs.groupby(keys).size()
    return words.sentences(
        f"Ratio of {what}, {_name(plot)}, by {words.listed(words.long_name(key) for key in keys)}, on a log axis.",
        f"A coloured point is a pair of runs of one repeat ({words.numbered(cells, 'pair')} a row). Diamonds: geometric"
        f" mean over all pairs of a group with the 95 % t interval of its log"
        f" ({words.numbered(plot.means['n'], 'pair')}).",
        equivalence(plot.compared),
        words.bases(plot.pairs, plot.origin),
        words.bases(plot.means, plot.origin, "Diamonds") if BASIS in plot.means else "",
        words.source(ratios),
    )


def _alt(plot: _Plot) -> str:
    keys = [key for key in (plot.facet, plot.category) if key]
    told = [
        f"{words.cell({key: row[key] for key in keys})} {row['ratio']:.3g}"
        f" ({row[columns.low('ratio')]:.3g} to {row[columns.high('ratio')]:.3g})"
        for _, row in plot.means.iterrows()
    ]
    return f"Pairs of runs around the ratio one, {_name(plot)}. {words.capital('; '.join(told))}."
