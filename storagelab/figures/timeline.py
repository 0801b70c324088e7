"""The clients of one run on one time axis, and what the sum of their rates means at each moment."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from storagelab.analysis import table
from storagelab.analysis.basis import KEY as BASIS
from storagelab.errors import AnalysisError
from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.labels import Label
from storagelab.figures.labels_inside_panels import inside_labels
from storagelab.figures.page_format import letters
from storagelab.figures.palette import Look, face, looks
from storagelab.figures.style import INK, LIMIT, canvas, style
from storagelab.wording import quantities, words

ROW = 0.17
"""Height of a client's bar in inches."""

Floats = NDArray[np.float64]


def timeline(ds: xr.Dataset, *, hue: str = "layout", limit: float = np.nan) -> Drawn:
    """Draw from when to when each client of a run ran, and below it the sum of the rates of those that ran.

    The sum takes each client to run at its mean rate from its start to its end. Where it is above what the links can
    carry, that cannot have been so: some clients ran slower then, and faster later.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows of ``clients`` of one operation of one run, with start_time, end_time and throughput.
    hue : str
        Key whose one level gives the colour.
    limit : float
        What the links can carry, in B/s; NaN to draw none.

    Returns
    -------
    Drawn
        Its data are the clients, in the order of their ends.

    Raises
    ------
    AnalysisError
        If the rows are of several runs or operations, name a client twice, or lack a start or an end.
    """
    clients = _of_one_run(ds)
    table.require(clients, hue)
    rows, first = table.frame(clients), float(clients["start_time"].min())
    colour = next(iter(looks(hue, [str(rows[hue].iloc[0])]).values()))
    with style():
        figure = canvas(0.9 + ROW * len(rows) + 1.25)
        grid = figure.add_gridspec(2, 1, height_ratios=[0.4 + ROW * len(rows), 1.25])
        bars = figure.add_subplot(grid[0])
        total = figure.add_subplot(grid[1], sharex=bars)
        _bars(bars, rows, first, colour, table.origin(ds))
        times, sums = running(rows["start_time"] - first, rows["end_time"] - first, rows["throughput"])
        _total(total, times, sums, colour, limit)
    return Drawn(figure, _caption(clients, rows, limit), _alt(rows, sums, first, limit), clients)


def _of_one_run(ds: xr.Dataset) -> xr.Dataset:
    table.require(ds, "run_id", "operation", "client", "start_time", "end_time", "throughput")
    for key in ("run_id", "operation"):
        if len(found := np.unique(ds[key])) != 1:
            raise AnalysisError(f"a timeline shows one {words.long_name(key)}, got {len(found)}: select one")
    names, counts = np.unique(ds["client"], return_counts=True)
    if (counts > 1).any():
        raise AnalysisError(f"client {names[counts > 1][0]} stands twice in the run: select one row a client")
    if not (np.isfinite(ds["start_time"]) & np.isfinite(ds["end_time"])).all():
        raise AnalysisError("a timeline needs the start and the end of each client")
    return ds.sortby(["end_time", "client"])


def running(starts: pd.Series[float], ends: pd.Series[float], rates: pd.Series[float]) -> tuple[Floats, Floats]:
    """Sum of the rates of those that run, as steps: times, and the sum from each time on.

    Returns
    -------
    tuple of ndarray, shape (m,)
        Each start and end once, in order; the last sum is zero.
    """
    times = np.unique(np.concatenate([starts, ends]))
    active = (starts.to_numpy() <= times[:, None]) & (times[:, None] < ends.to_numpy())
    return times, np.array([math.fsum(rates[own]) for own in active])


def _bars(axes: Axes, rows: pd.DataFrame, first: float, look: Look, origin: str) -> None:
    starts, ends = rows["start_time"] - first, rows["end_time"] - first
    heights = [-float(place) for place in range(len(rows))]
    fills = [face(origin, look.colour, basis) for basis in rows.get(BASIS, [""] * len(rows))]
    axes.barh(heights, ends - starts, left=starts, height=0.7, facecolor=fills, edgecolor=look.colour)
    shown = quantities.scale("B/s", rows["throughput"])
    for height, end, rate in zip(heights, ends, rows["throughput"], strict=True):
        axes.annotate(
            shown(rate), (end, height), xytext=(4, 0), textcoords="offset points", va="center", fontsize=letters(7)
        )
    ticks.set_level_axis(axes.yaxis, heights, [str(client) for client in rows["client"]])
    axes.set_xlim(0, 1.12 * float(ends.max()))
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelbottom=False)
    for moment in (float(starts.max()), float(ends.min())):
        axes.axvline(moment, color=INK, linewidth=0.8, linestyle=(0, (1, 1.5)))


def _total(axes: Axes, times: Floats, sums: Floats, look: Look, limit: float) -> None:
    axes.stairs(sums[:-1], times, color=look.colour, fill=True, alpha=0.25)
    axes.stairs(sums[:-1], times, color=look.colour, linewidth=1.4)
    axes.set_ylim(0, 1.1 * float(np.nanmax([*sums, limit])))
    shown = quantities.scale("B/s", sums)
    ticks.set_value_axis(axes.yaxis, shown)
    axes.set_ylabel(quantities.title("sum of rates", shown))
    axes.set_xlabel("time since the first client started (s)")
    if np.isfinite(limit):
        axes.axhline(limit, color=LIMIT, linestyle=(0, (4, 2.5)), linewidth=1.0)
        inside_labels([axes], [[Label(limit, f"limit {quantities.say('B/s')(limit)}", LIMIT, italic=True)]])


def _caption(clients: xr.Dataset, rows: pd.DataFrame, limit: float) -> str:
    run = rows.iloc[0]
    return words.sentences(
        f"The {len(rows)} clients of one run ({run['run_id']}, {words.level('operation', run['operation'])}; n = 1 run)"
        " from start to end, in the order of their ends, each with its mean rate.",
        "Dotted: between these moments all clients ran.",
        "One run has no interval. Below: sum of the mean rates of the clients that ran at each moment.",
        "Dashed: what the links can carry." if np.isfinite(limit) else "",
        words.bases(rows, table.origin(clients), "Bars"),
        words.source(clients),
    )


def _alt(rows: pd.DataFrame, sums: Floats, first: float, limit: float) -> str:
    say, seconds = quantities.say("B/s"), quantities.say("s")
    told = [
        f"{row['client']} ends after {seconds(row['end_time'] - first)} at {say(row['throughput'])}"
        for _, row in rows.iterrows()
    ]
    carried = f"; the links can carry {say(limit)}" if np.isfinite(limit) else ""
    return (
        f"Bars of the clients of one run over time. {words.capital('; '.join(told))}. The sum of the rates of those"
        f" that run reaches {say(float(sums.max()))} and falls as clients end{carried}."
    )
