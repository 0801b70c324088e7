"""Effects as ratios around one, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from storagelab.analysis import columns, table
from storagelab.figures import quantities, words
from storagelab.figures.drawn import Drawn
from storagelab.figures.palette import Look, face, looks, ordered
from storagelab.figures.panels import Level, legend, panels, rows_of
from storagelab.figures.style import FAINT, INK, LIMIT, style

ROW = 0.2


def ratios(compared: xr.Dataset, *, category: str = "operation", hue: str = "", facet: str = "") -> Drawn:
    """Draw the result of `storagelab.analysis.compare`: a row a cell, on a log axis around one.

    Parameters
    ----------
    compared : Dataset, dimension obs
        From `storagelab.analysis.compare`; a margin there is drawn as a band.
    category, hue, facet : str
        Keys whose levels are the rows, share a row, and are the panels.

    Returns
    -------
    Drawn
        Its data are `compared`.

    Raises
    ------
    AnalysisError
        If `compared` lacks the columns of a comparison.
    """
    table.require(compared, "ratio", "n", "n_base", category, *(key for key in (hue, facet) if key))
    rows, origin = table.frame(compared), table.origin(compared)
    coloured = hue or category
    levels = ordered(coloured, rows[coloured].unique().tolist())
    found: dict[Level, Look] = looks(hue, levels) if hue else dict.fromkeys(levels, Look(INK, "o", INK))
    places = _places(rows, category, hue)
    with style():
        laid = panels(rows, facet, height=0.45 + ROW * len(places))
        for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
            _band(axes, compared.attrs.get("margin", ""))
            for _, row in rows_of(rows, facet, level).iterrows():
                _effect(axes, row, places[row[category], row[hue] if hue else ""], found[row[coloured]], origin)
            _axis(axes, rows, places, category, laid.leftmost(place))
            axes.set_xlabel(f"ratio {rows['compared'].iloc[0]}" if laid.lowest(place) else "")
        if hue:
            legend(laid.figure, hue, found, origin, line=False)
    return Drawn(
        laid.figure, _caption(compared, rows, category, hue, facet), _alt(rows, category, hue, facet), compared
    )


def _places(rows: pd.DataFrame, category: str, hue: str) -> dict[tuple[Level, Level], float]:
    inner = ordered(hue, rows[hue].unique().tolist()) if hue else [""]
    pairs = [(outer, one) for outer in ordered(category, rows[category].unique().tolist()) for one in inner]
    gap = 0.7 if len(inner) > 1 else 0.0
    return {pair: -(place + gap * (place // len(inner))) for place, pair in enumerate(pairs)}


def _band(axes: Axes, margin: str) -> None:
    axes.set_xscale("log")
    axes.axvline(1, color=LIMIT, linewidth=1.0, zorder=1)
    if margin:
        axes.axvspan(1 - float(margin), 1 + float(margin), color="#e9e9e9", zorder=0.5, linewidth=0)


def _effect(axes: Axes, row: pd.Series[float], y: float, look: Look, origin: str) -> None:
    if not np.isfinite(row["ratio"]):
        axes.text(1, y, " no pair of runs", fontsize=6.5, color=FAINT, va="center")
        return
    axes.hlines(y, row[columns.low("ratio")], row[columns.high("ratio")], color=look.colour, linewidth=1.3, zorder=2)
    fill = face(origin, look.colour)
    axes.plot(row["ratio"], y, look.marker, color=look.colour, markerfacecolor=fill, markersize=4.5, zorder=3)


def _axis(
    axes: Axes, rows: pd.DataFrame, places: dict[tuple[Level, Level], float], category: str, leftmost: bool
) -> None:
    found = rows[["ratio", columns.low("ratio"), columns.high("ratio")]].to_numpy(dtype=np.float64)
    low, high = (float(end) for end in (np.nanmin(found), np.nanmax(found)))
    axes.set_xlim(min(low, 0.9) / 1.12, max(high, 1.1) * 1.12)
    quantities.set_log_ticks(axes.xaxis)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    heights = {outer: [y for (one, _), y in places.items() if one == outer] for outer, _ in places}
    ticks = [float(np.mean(ys)) for ys in heights.values()]
    quantities.set_level_axis(axes.yaxis, ticks, [words.level(category, outer) for outer in heights])
    axes.set_ylim(min(places.values()) - 0.8, 0.8)
    axes.tick_params(axis="y", length=0, labelleft=leftmost)
    axes.grid(False, axis="y")


def _caption(compared: xr.Dataset, rows: pd.DataFrame, category: str, hue: str, facet: str) -> str:
    by = words.listed(words.long_name(key) for key in (category, hue, facet) if key)
    counts = pd.concat([rows["n"], rows["n_base"]])
    margin = compared.attrs.get("margin", "")
    what = words.long_name(compared.attrs["compared_variable"])
    return words.sentences(
        f"Ratio of {what}, {rows['compared'].iloc[0]}, by {by}, on a log axis.",
        f"Points are ratios of geometric means, bars the 95 % {_kind(compared)} t interval of the log"
        f" ({words.counted(counts)} a side{'; no bar where n = 1' if (counts == 1).any() else ''}).",
        f"Grey: within {100 * float(margin):g} % of one." if margin else "",
        words.source(compared),
    )


def _kind(compared: xr.Dataset) -> str:
    return "paired" if "paired" in compared.attrs["method"] else "Welch"


def _alt(rows: pd.DataFrame, category: str, hue: str, facet: str) -> str:
    return f"Ratios of {rows['compared'].iloc[0]}. {words.capital('; '.join(_told(rows, category, hue, facet)))}."


def _told(rows: pd.DataFrame, category: str, hue: str, facet: str) -> Sequence[str]:
    told = []
    for _, row in rows.iterrows():
        name = ", ".join(words.level(key, row[key]) for key in (facet, category, hue) if key)
        interval = row[columns.low("ratio")], row[columns.high("ratio")]
        ends = f" ({interval[0]:.3g} to {interval[1]:.3g})" if np.isfinite(interval).all() else ""
        told.append(f"{name} {row['ratio']:.3g}{ends}" if np.isfinite(row["ratio"]) else f"{name} has no pair of runs")
    return told
