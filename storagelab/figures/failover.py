"""The clients of runs in which a server failed: rates around failure and return, a panel a client and level."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.series.failover import TROUBLE, moments_of_run
from storagelab.analysis.series.sample_intervals import Steps, series_of
from storagelab.errors import AnalysisError
from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.page_format import letters
from storagelab.figures.palette import PURPLE, Look, looks, readable
from storagelab.figures.style import FAINT, INK, canvas, style
from storagelab.wording import quantities, words
from storagelab.wording.levels import ordered

TROUBLED = readable(PURPLE)
ROW = 1.05
"""Height of a client's panels in inches."""

Level = str | float


@dataclass(frozen=True, slots=True)
class Course:
    """One client in one run: means over windows of what it wrote and of what its interface sent."""

    run_id: str
    client: str
    edges: np.ndarray
    written: np.ndarray
    sent: np.ndarray
    restored: float
    troubles: np.ndarray
    lines: Mapping[str, np.ndarray]


def failover(
    payload: xr.Dataset,
    events: xr.Dataset,
    *,
    network: xr.Dataset | None = None,
    facet: str = "layout",
    window: float = 1.0,
) -> Drawn:
    """Draw each client's rate around the failure and the return of a server, one column a level of `facet`.

    Parameters
    ----------
    payload : Dataset, dimension obs
        Node ``series`` with the key `facet` (`analysis.with_keys_of`): rates of the application, one run a level.
    events : Dataset, dimension obs
        Node ``events``: failure and return of the server, and the messages of the clients.
    network : Dataset, dimension obs, optional
        Node ``series``: rates of one interface a client, sent, drawn as a line over what was written.
    facet : str
        Key of the columns.
    window : float
        Seconds over which rates are averaged.

    Returns
    -------
    Drawn
        Its data are the means: keys `facet`, run_id, client, and time [s] since the failure, at the end of each
        window; ``throughput`` and ``network_throughput`` [B/s]; log and line of the last sample of each.

    Raises
    ------
    AnalysisError
        If a level has several runs, or as `storagelab.analysis.failover`.
    """
    table.require(payload, facet, "run_id", "client")
    rows, said = table.rows(payload), table.rows(events)
    courses = {
        level: _courses(payload.isel(obs=np.flatnonzero(rows[facet] == level)), said, network, facet, level, window)
        for level in ordered(facet, rows.levels(facet))
    }
    data = _data(courses, payload, facet, window)
    with style():
        figure = _draw(courses, facet, data, network is not None)
    return Drawn(figure, _caption(data, courses, facet, window, network), _alt(courses, facet), data)


def _courses(
    part: xr.Dataset, events: Rows, network: xr.Dataset | None, facet: str, level: Level, window: float
) -> list[Course]:
    if len(runs := np.unique(part["run_id"])) != 1:
        raise AnalysisError(f"{words.full(facet, level)} has {len(runs)} runs: select one for a column")
    run = str(runs[0])
    failed, restored = moments_of_run(events, run)
    sent = {} if network is None else _by_client(network.isel(obs=np.flatnonzero(network["run_id"] == run)))
    written = _by_client(part)
    end = max(float(steps.end[-1]) for steps in written.values())
    edges = failed + window * np.arange(np.floor((0.0 - failed) / window) + 1, np.floor((end - failed) / window) + 1)
    own = events.take((events["run_id"] == run) & np.isin(events["severity"], TROUBLE))
    return [
        Course(
            run, client, edges - failed, _means(steps, edges), _means(sent.get(client), edges), restored - failed,
            own.where("client", client)["time"] - failed, _lines(part, client, edges[1:]),
        )
        for client, steps in sorted(written.items())
    ]  # fmt: skip


def _lines(part: xr.Dataset, client: str, ends: np.ndarray) -> dict[str, np.ndarray]:
    """Log and line of the last sample of each window, where the samples say them."""
    rows = table.rows(part).where("client", client)
    own = rows.take(np.isfinite(rows["time"]) & np.isfinite(rows["throughput"])).sorted("time")
    last = np.maximum(np.searchsorted(own["time"], ends, side="right") - 1, 0)
    return {name: own[name][last] for name in ("log_id", "line") if name in own}


def _by_client(ds: xr.Dataset) -> dict[str, Steps]:
    return {str(cell["client"]): steps for cell, steps in series_of(ds, ("client",))}


def _means(steps: Steps | None, edges: np.ndarray) -> np.ndarray:
    """Mean between each two edges; NaN where there is no series, or where it had not begun."""
    if steps is None:
        return np.full(len(edges) - 1, np.nan)
    pairs = itertools.pairwise(edges)
    return np.array([steps.mean(low, high) if low >= steps.start[0] else np.nan for low, high in pairs])


def _data(courses: Mapping[Level, Sequence[Course]], like: xr.Dataset, facet: str, window: float) -> xr.Dataset:
    rows = [
        {facet: level, "run_id": one.run_id, "client": one.client, "time": time, "throughput": wrote,
         "network_throughput": sent, **{name: numbers[place] for name, numbers in one.lines.items()}}
        for level, clients in courses.items()
        for one in clients
        for place, (time, wrote, sent) in enumerate(zip(one.edges[1:], one.written, one.sent, strict=True))
    ]  # fmt: skip
    keys = [facet, "run_id", "client", "time"]
    return table.dataset(rows, like, keys, method=f"means over {window:g} s, time since the failure")


def _draw(courses: Mapping[Level, Sequence[Course]], facet: str, data: xr.Dataset, with_network: bool) -> Figure:
    clients = sorted({one.client for column in courses.values() for one in column})
    figure = canvas(0.85 + ROW * len(clients))
    grid = figure.subplots(len(clients), len(courses), sharex=True, sharey=True, squeeze=False)
    shown = quantities.scale("B/s", np.concatenate([data["throughput"], data["network_throughput"]]))
    colours = looks(facet, list(courses))
    for column, (level, found) in enumerate(courses.items()):
        grid[0, column].set_title(words.full(facet, level), pad=14)
        by_name = {one.client: one for one in found}
        for row, client in enumerate(clients):
            axes = grid[row, column]
            if client in by_name:
                _panel(axes, by_name[client], colours[level], first=row == 0)
            if column == 0:
                axes.set_ylabel(f"{client}\n({shown.symbol})")
            ticks.set_value_axis(axes.yaxis, shown)
    top = float(np.nanmax([data["throughput"].max(), data["network_throughput"].max()]))
    grid[0, 0].set_ylim(0, 1.12 * top)
    figure.supxlabel("time since the server failed (s)", fontsize=letters(8))
    _legend(figure, with_network)
    return figure


def _panel(axes: Axes, one: Course, look: Look, first: bool) -> None:
    axes.stairs(np.nan_to_num(one.written), one.edges, color=look.colour, fill=True, alpha=0.35)
    axes.stairs(np.nan_to_num(one.written), one.edges, color=look.colour, linewidth=1.2)
    if np.isfinite(one.sent).any():
        axes.stairs(one.sent, one.edges, color=INK, linewidth=0.9, baseline=None)
    for moment, text in ((0.0, "killed"), (one.restored, "back")):
        axes.axvline(moment, color=FAINT, linewidth=1.0, linestyle=(0, (1, 1.5)), zorder=1)
        if first:
            axes.annotate(
                text, (moment, 1), xycoords=("data", "axes fraction"), xytext=(0, 2), textcoords="offset points",
                va="bottom", ha="center", fontsize=letters(7), color=INK,
            )  # fmt: skip
    if len(one.troubles):
        axes.plot(
            one.troubles, np.full(len(one.troubles), 0.955), "|", color=TROUBLED, markersize=5,
            transform=axes.get_xaxis_transform(), clip_on=False,
        )  # fmt: skip


def _legend(figure: Figure, with_network: bool) -> None:
    handles: list[Patch | Line2D] = [
        Patch(facecolor=FAINT, alpha=0.35, edgecolor=FAINT, label="written by the application"),
        *([Line2D([], [], color=INK, linewidth=0.9, label="sent by the host")] if with_network else []),
        Line2D([], [], color=TROUBLED, marker="|", linestyle="none", label="warnings and errors of the client"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=3, handlelength=1.6)


def _caption(
    data: xr.Dataset,
    courses: Mapping[Level, Sequence[Course]],
    facet: str,
    window: float,
    network: xr.Dataset | None,
) -> str:
    runs = words.listed(column[0].run_id for column in courses.values())
    return words.sentences(
        f"Clients (rows) of one run for each {words.long_name(facet)} (columns; runs {runs}; n = 1 run a column).",
        f"One run has no interval. Filled: means over {window:g} s of what the application wrote.",
        "Line: what the client's host sent on its network, from a monitor." if network is not None else "",
        "Dotted: when the server was killed, and when it was started again.",
        "Ticks at the top: warnings and errors in the client's own messages.",
        words.rests(table.frame(data), table.origin(data), "Means"),
        words.source(data),
    )


def _alt(courses: Mapping[Level, Sequence[Course]], facet: str) -> str:
    say, seconds = quantities.say("B/s"), quantities.say("s")
    told = []
    for level, clients in courses.items():
        away = clients[0].restored
        named = [
            f"{one.client} writes {say(_over(one, -np.inf, 0.0))} before, {say(_over(one, 0.0, away))} while the server"
            f" is away and {say(_over(one, away, np.inf))} after its return"
            for one in clients
        ]
        column = words.capital(words.full(facet, level))
        told.append(f"{column}, away for {seconds(away)}: {'; '.join(named)}.")
    return f"Panels of rates over time around the failure of a server. {' '.join(told)}"


def _over(one: Course, begin: float, until: float) -> float:
    inside = (one.edges[:-1] >= begin) & (one.edges[1:] <= until)
    return float(np.nanmean(one.written[inside])) if inside.any() else np.nan
