"""Every value as a point, one row a level: nothing hidden behind a bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from storagelab.analysis import client_values, columns, run_values, summarise, table
from storagelab.figures import quantities, words
from storagelab.figures.drawn import Drawn
from storagelab.figures.palette import Look, face, looks, ordered
from storagelab.figures.panels import Level, legend, panels, rows_of
from storagelab.figures.quantities import Scale
from storagelab.figures.style import INK, style

ROW = 0.24
"""Height of a row of points in inches."""


def points(
    ds: xr.Dataset,
    variable: str = "throughput",
    *,
    category: str = "layout",
    hue: str = "",
    facet: str = "",
    each: str = "run",
    over: Sequence[str] = (),
    statistic: str = "single",
    log: bool = False,
    zero: bool = False,
    bars: bool = False,
) -> Drawn:
    """Draw each value of each level as a point, with the mean of the runs and its 95 % t interval.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients`` where `each` is "client".
    variable : str
        What to show; see `storagelab.analysis.run_values`, as for `over` and `statistic`.
    category : str
        Key whose levels are the rows.
    hue : str
        Key whose levels share a row, one below the other; by default the rows have the colours.
    facet : str
        Key whose levels are the panels.
    each : {"run", "client"}
        What a point is. Clients of a run are not independent: with "client" no interval is drawn, and the bars mark
        the mean of each run.
    log : bool
        Whether the values stand on a log axis.
    zero : bool
        Whether a linear axis starts at zero.
    bars : bool
        Whether bars from zero to the mean stand behind the points; only where zero means something.

    Returns
    -------
    Drawn
        Its data are the means of the runs (each="run") or the values of the clients.

    Raises
    ------
    AnalysisError
        As `storagelab.analysis.summarise`.
    """
    keys = list(dict.fromkeys(key for key in (facet, category, hue) if key))
    of_clients = each == "client"
    drawn = client_values(ds, variable, keys) if of_clients else run_values(
        ds, variable, keys, over=over, statistic=statistic
    )  # fmt: skip
    means = None if of_clients else summarise(ds, variable, keys, over=over, statistic=statistic)
    rows, shown = table.frame(drawn), quantities.scale(table.unit(ds, variable), drawn[variable])
    coloured = hue or category
    found = looks(coloured, ordered(coloured, rows[coloured].unique().tolist()))
    places = _places(rows, category, hue)
    with style():
        laid = panels(rows, facet, height=0.35 + ROW * len(places), columns=_columns(rows, facet))
        for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
            part = rows_of(rows, facet, level)
            _rows(axes, part, variable, category, hue, places, found, table.origin(ds))
            if bars and means is not None:
                _bars(axes, rows_of(table.frame(means), facet, level), variable, category, hue, places, found)
            _middles(axes, part, means, variable, facet, level, category, hue, places)
            _axes(axes, places, category, laid.leftmost(place))
            _values(axes, rows[variable], variable, shown, log, zero or bars, laid.lowest(place))
        if hue:
            legend(laid.figure, hue, found, table.origin(ds), line=False)
    caption = _caption(drawn if means is None else means, rows, variable, category, hue, facet, of_clients)
    return Drawn(laid.figure, caption, _alt(rows, variable, category, hue, facet), drawn if means is None else means)


def _columns(rows: pd.DataFrame, facet: str) -> int:
    return min(3, rows[facet].nunique()) if facet else 1


def _places(rows: pd.DataFrame, category: str, hue: str) -> dict[tuple[Level, Level], float]:
    """Height of each row of points, from the top: levels of `hue` close together, levels of `category` apart."""
    inner = ordered(hue, rows[hue].unique().tolist()) if hue and hue != category else [""]
    pairs = [(outer, one) for outer in ordered(category, rows[category].unique().tolist()) for one in inner]
    gap = 0.6 if len(inner) > 1 else 0.0
    return {pair: -(place + gap * (place // len(inner))) for place, pair in enumerate(pairs)}


def swarm(values: ArrayLike, width: float) -> NDArray[np.float64]:
    """Offsets that spread close values apart: by rank, to both sides in turn, the same every time."""
    x = np.asarray(values, dtype=np.float64)
    ranks = np.argsort(np.argsort(x, kind="stable"), kind="stable")
    sides = np.array([0.0, 0.5, -0.5, 0.25, -0.25])
    return width * sides[ranks % sides.size] if x.size > 1 else np.zeros(x.size)


def _rows(
    axes: Axes,
    rows: pd.DataFrame,
    variable: str,
    category: str,
    hue: str,
    places: Mapping[tuple[Level, Level], float],
    found: Mapping[Level, Look],
    origin: str,
) -> None:
    for (outer, inner), y in places.items():
        own = _cell(rows, category, outer, hue, inner)
        look = found[inner if inner != "" else outer]
        axes.scatter(
            own[variable], y + swarm(own[variable], 0.5), s=16 if len(own) < 20 else 9, marker=look.marker,
            facecolors=face(origin, look.colour), edgecolors=look.colour, linewidths=0.6, alpha=0.75, zorder=3,
        )  # fmt: skip


def _bars(
    axes: Axes,
    means: pd.DataFrame,
    variable: str,
    category: str,
    hue: str,
    places: Mapping[tuple[Level, Level], float],
    found: Mapping[Level, Look],
) -> None:
    for (outer, inner), y in places.items():
        mean = _cell(means, category, outer, hue, inner)[variable]
        axes.barh([y] * len(mean), mean, height=0.8, color=found[inner if inner != "" else outer].colour, alpha=0.25)


def _cell(rows: pd.DataFrame, category: str, outer: Level, hue: str, inner: Level) -> pd.DataFrame:
    own: pd.DataFrame = rows[rows[category] == outer]
    return own[own[hue] == inner] if inner != "" else own


def _middles(
    axes: Axes,
    rows: pd.DataFrame,
    means: xr.Dataset | None,
    variable: str,
    facet: str,
    level: Level,
    category: str,
    hue: str,
    places: Mapping[tuple[Level, Level], float],
) -> None:
    """Mark the mean of the runs with its interval or, for clients, the mean of each run."""
    summary = rows_of(table.frame(means), facet, level) if means is not None else None
    for (outer, inner), y in places.items():
        if summary is None:
            middles = _cell(rows, category, outer, hue, inner).groupby("run_id")[variable].mean()
            axes.vlines(middles, y - 0.38, y + 0.38, color=INK, linewidth=1.0, zorder=4)
            continue
        for _, row in _cell(summary, category, outer, hue, inner).iterrows():
            axes.vlines(row[variable], y - 0.36, y + 0.36, color=INK, linewidth=1.2, zorder=4)
            axes.hlines(y, row[columns.low(variable)], row[columns.high(variable)], color=INK, linewidth=0.9, zorder=4)


def _axes(axes: Axes, places: Mapping[tuple[Level, Level], float], category: str, leftmost: bool) -> None:
    heights = {outer: [y for (one, _), y in places.items() if one == outer] for outer, _ in places}
    ticks = [float(np.mean(ys)) for ys in heights.values()]
    quantities.set_level_axis(axes.yaxis, ticks, [words.level(category, outer) for outer in heights])
    axes.set_ylim(min(places.values()) - 0.7, max(places.values()) + 0.7)
    axes.tick_params(axis="y", length=0, labelleft=leftmost)
    axes.grid(False, axis="y")


def _values(
    axes: Axes, values: pd.Series[float], variable: str, shown: Scale, log: bool, zero: bool, lowest: bool
) -> None:
    if log:
        axes.set_xscale("log")
    elif zero:
        axes.set_xlim(left=0)
    quantities.set_value_axis(axes.xaxis, shown, log)
    axes.set_xlabel(quantities.title(words.long_name(variable), shown) if lowest else "")


def _caption(
    ds: xr.Dataset, rows: pd.DataFrame, variable: str, category: str, hue: str, facet: str, of_clients: bool
) -> str:
    by = words.listed(words.long_name(key) for key in dict.fromkeys([category, hue, facet]) if key)
    keys = list(dict.fromkeys(key for key in (facet, category, hue) if key))
    if of_clients:
        runs = rows.groupby(keys)["run_id"].nunique()
        how = f"A point is a client in one run, a bar the mean of one run ({words.counted(runs)} a row)."
    else:
        how = f"A point is a run; bars are the mean and its 95 % t interval ({words.counted(ds['n'])} a row)."
    return words.sentences(f"{words.capital(words.long_name(variable))} by {by}.", how, words.source(ds))


def _alt(rows: pd.DataFrame, variable: str, category: str, hue: str, facet: str) -> str:
    say = quantities.say(str(columns.field(variable).unit))
    keys = list(dict.fromkeys(key for key in (facet, category, hue) if key))
    told = []
    for cell, part in table.cells(rows, keys):
        name = ", ".join(words.level(key, value) for key, value in cell.items())
        low, high, middle = (float(getattr(part[variable], how)()) for how in ("min", "max", "mean"))
        told.append(f"{name} {say(low)} to {say(high)}, mean {say(middle)}")
    return f"Dot plot of {words.long_name(variable)}. {words.capital('; '.join(told))}."
