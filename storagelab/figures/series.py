"""Samples over time, with the events of their runs, and the stretches and changes that an analysis found in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes

from storagelab.analysis import basis, columns, table
from storagelab.errors import AnalysisError
from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.page_format import letters
from storagelab.figures.palette import PURPLE, Look, readable
from storagelab.figures.panels import Level, Panels, legend, looks_of, name_values, panels, rows_of, same_scale
from storagelab.figures.style import FAINT, INK, LIMIT, style
from storagelab.wording import quantities, words

MOST_NAMED = 5
"""Events of a panel that are named at its top; more are ticks there."""
APART = 0.08
"""Share of the width of a panel that two named events keep between them."""
SAME = 0.03
"""Share of the width of a panel within which events of a kind, of several runs or clients, are named once."""
SPAN = ("segment_start", "segment_end")
CHANGE = columns.low("time"), columns.high("time")


@dataclass(frozen=True, slots=True)
class _Plot:
    """Everything the panels of one figure share."""

    rows: pd.DataFrame
    events: pd.DataFrame | None
    spans: pd.DataFrame | None
    variable: str
    hue: str
    facet: str
    looks: Mapping[Level, Look]

    def own(self, rows: pd.DataFrame | None, level: Level) -> pd.DataFrame:
        """Rows of events or spans that belong to a panel: those of its facet, else of its runs."""
        if rows is None:
            return pd.DataFrame()
        if self.facet in rows:
            return rows_of(rows, self.facet, level)
        runs = rows_of(self.rows, self.facet, level).get("run_id")
        known: pd.DataFrame = rows[rows["run_id"].isin(runs)] if runs is not None and "run_id" in rows else rows
        return known

    def lines(self, level: Level) -> Iterator[tuple[Level, pd.DataFrame]]:
        """Series of a panel, each with the level of its colour."""
        rows = rows_of(self.rows, self.facet, level)
        for name in self.looks:
            for _, one in table.cells(rows[rows[self.hue] == name] if self.hue else rows, told_apart(rows)):
                yield name, one.sort_values("time")


def series(
    ds: xr.Dataset,
    variable: str = "throughput",
    *,
    events: xr.Dataset | None = None,
    spans: xr.Dataset | None = None,
    facet: str = "",
    hue: str = "",
) -> Drawn:
    """Draw samples against time, a line a series.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``series``, with time in seconds since the start of the run. A sample holds for the time before it.
    variable : str
        What was sampled: a rate, memory, a share of CPU time.
    events : Dataset, optional
        Node ``events`` of the same runs: a few are named at their moments, many are ticks at the top.
    spans : Dataset, optional
        Stretches with segment_start and segment_end, from `storagelab.analysis.plateaus`, each with its mean where it
        has the variable; or changes, each with time, time_low and time_high. They belong to the panel of their run_id.
    facet, hue : str
        Keys whose levels are the panels, and have the colours.

    Returns
    -------
    Drawn
        Its data are `ds`.

    Raises
    ------
    AnalysisError
        If a column is missing, or no sample has a value.
    """
    table.require(ds, variable, "time", *(key for key in (facet, hue) if key))
    table.unit(ds, variable)
    rows = table.frame(ds).dropna(subset=[variable, "time"])
    if rows.empty:
        raise AnalysisError(f"no sample has a value of {variable}")
    found = looks_of(rows, hue)
    happened, stretches = (None if one is None else table.frame(one) for one in (events, spans))
    plot = _Plot(rows, happened, stretches, variable, hue, facet, found)
    with style():
        laid = panels(rows, facet, height=1.9)
        named = [_panel(axes, plot, level) for axes, level in zip(laid.axes, laid.levels, strict=True)]
        _axes(laid, plot)
        if hue:
            legend(laid.figure, hue, found, table.origin(ds))
    return Drawn(laid.figure, _caption(ds, plot, laid, all(named)), _alt(plot, laid), ds)


def told_apart(rows: pd.DataFrame) -> list[str]:
    """Keys that tell the series of a panel apart."""
    names = [str(name) for name in rows if str(name) not in ("time", "line", "part", "iteration", basis.KEY)]
    keys = [name for name in names if name == "log_id" or columns.field(name).kind == "key"]
    return [key for key in keys if rows[key].nunique(dropna=False) > 1]


def _panel(axes: Axes, plot: _Plot, level: Level) -> bool:
    """Draw one panel; say whether its events are named."""
    for name, one in plot.lines(level):
        look = plot.looks[name]
        axes.step(one["time"], one[plot.variable], where="pre", color=look.colour, linewidth=0.7, alpha=0.8, zorder=2)
    _spans(axes, plot, plot.own(plot.spans, level))
    axes.margins(x=0.01)
    return _events(axes, plot.own(plot.events, level))


def _spans(axes: Axes, plot: _Plot, spans: pd.DataFrame) -> None:
    for _, row in spans.iterrows():
        if SPAN[0] in spans:
            axes.axvspan(row[SPAN[0]], row[SPAN[1]], color="#e9e9e9", linewidth=0, zorder=0.5)
            if plot.variable in spans:
                colour = plot.looks[row[plot.hue]].text if plot.hue in spans else INK
                axes.hlines(row[plot.variable], row[SPAN[0]], row[SPAN[1]], color=colour, linewidth=1.8, zorder=3)
        elif "time" in spans:
            axes.axvspan(row[CHANGE[0]], row[CHANGE[1]], color="#e9e9e9", linewidth=0, zorder=0.5)
            axes.axvline(row["time"], color=LIMIT, linewidth=1.0, linestyle=(0, (4, 2.5)), zorder=1)


def _events(axes: Axes, events: pd.DataFrame) -> bool:
    """Name events at the top of a panel where there are few and they stand apart, else tick them."""
    if events.empty:
        return True
    low, high = axes.get_xlim()
    low, high = min(low, float(events["time"].min())), max(high, float(events["time"].max()))
    axes.set_xlim(low, high)
    moments = _merged(events, SAME * (high - low))
    few = len(moments) <= MOST_NAMED and bool((np.diff(moments["time"]) > APART * (high - low)).all())
    if not few:
        axes.plot(
            moments["time"], np.full(len(moments), 0.965), "|", color=readable(PURPLE), markersize=6,
            transform=axes.get_xaxis_transform(), clip_on=False, zorder=4,
        )  # fmt: skip
        return False
    for place, (_, row) in enumerate(moments.iterrows()):
        axes.axvline(row["time"], color=FAINT, linewidth=1.0, linestyle=(0, (1, 1.5)), zorder=1)
        axes.annotate(
            words.level("event", row["event"]), (row["time"], 1), xycoords=("data", "axes fraction"),
            xytext=(2, -2 - 9 * (place % 3)), textcoords="offset points", va="top", ha="left", fontsize=letters(7),
            color=INK, zorder=5,
        )  # fmt: skip
    return True


def _merged(events: pd.DataFrame, width: float) -> pd.DataFrame:
    """First event of each kind, and those that come later than the one kept before by more than a width."""
    kept: dict[str, list[float]] = {}
    for _, row in events.sort_values("time").iterrows():
        times = kept.setdefault(row["event"], [])
        if not times or row["time"] - times[-1] > width:
            times.append(row["time"])
    pairs = [(event, time) for event, times in kept.items() for time in times]
    return pd.DataFrame(pairs, columns=["event", "time"]).sort_values("time")


def _axes(laid: Panels, plot: _Plot) -> None:
    tops = [float(rows_of(plot.rows, plot.facet, level)[plot.variable].max()) for level in laid.levels]
    shared = same_scale(tops)
    lowest = min(0.0, float(plot.rows[plot.variable].min()))
    for place, (axes, own) in enumerate(zip(laid.axes, tops, strict=True)):
        top = max(tops) if shared else own
        axes.set_ylim(1.05 * lowest, 1.18 * top or 1.0)
        shown = quantities.scale(str(columns.field(plot.variable).unit), [lowest, top])
        ticks.set_value_axis(axes.yaxis, shown)
        if laid.leftmost(place) or not shared:
            name_values(axes, words.long_name(plot.variable), shown)
        axes.set_xlabel(f"{words.long_name('time')} (s)" if laid.lowest(place) else "")


def _caption(ds: xr.Dataset, plot: _Plot, laid: Panels, named: bool) -> str:
    by = f" for each {words.long_name(plot.hue)}" if plot.hue else ""
    where = f", a panel for each {words.long_name(plot.facet)}" if plot.facet else ""
    lines = sum(1 for level in laid.levels for _ in plot.lines(level))
    runs = plot.rows["run_id"].nunique() if "run_id" in plot.rows else 0
    counted = f"{lines} series" + (f", {words.numbered([runs], 'run')}" if runs else f", n = {len(plot.rows)} samples")
    return words.sentences(
        f"{words.capital(words.long_name(plot.variable))} over time{by}{where}.",
        f"A line is a series of samples as they were logged ({counted}), without interval.",
        _left_out(ds, plot),
        _events_in_words(plot, laid, named),
        _spans_in_words(plot),
        _bases_in_words(plot, laid, table.origin(ds)),
        words.source(ds),
    )


def _left_out(ds: xr.Dataset, plot: _Plot) -> str:
    """Say how many logs have samples but no times, as those of iostat without -t."""
    rows = table.frame(ds).dropna(subset=[plot.variable])
    if "log_id" not in rows or not (logs := {*rows["log_id"]} - {*plot.rows["log_id"]}):
        return ""
    said = (
        "1 log whose samples have no time is" if len(logs) == 1 else f"{len(logs)} logs whose samples have no time are"
    )
    return f"{said} left out."


def _bases_in_words(plot: _Plot, laid: Panels, origin: str) -> str:
    """Say on what the levels of the series rest; their samples around them are always drawn."""
    lines = [basis.said(one) for level in laid.levels for _, one in plot.lines(level)]
    return words.rests(pd.DataFrame(lines), origin, "Levels")


def _events_in_words(plot: _Plot, laid: Panels, named: bool) -> str:
    shown = sum(len(plot.own(plot.events, level)) for level in laid.levels)
    if plot.events is None:
        return ""
    where = "Dotted, or ticks at the top: events" if not named else "Dotted: events"
    return f"{where} ({shown})." if shown else "There are no events of these runs."


def _spans_in_words(plot: _Plot) -> str:
    if plot.spans is None:
        return ""
    if SPAN[0] in plot.spans:
        strokes = ", strokes their means" if plot.variable in plot.spans else ""
        return f"Grey: stretches found in the series{strokes}."
    return "Dashed: changes of the level, their 95 % intervals in grey."


def _alt(plot: _Plot, laid: Panels) -> str:
    say, seconds, told = quantities.say(str(columns.field(plot.variable).unit)), quantities.say("s"), []
    for level in laid.levels:
        prefix = f"{words.capital(words.full(plot.facet, level))}: " if plot.facet else ""
        rows = rows_of(plot.rows, plot.facet, level)
        parts = []
        for cell, own in table.cells(rows, [plot.hue] if plot.hue else []):
            values, name = own[plot.variable], f"{words.cell(cell)} " if cell else ""
            parts.append(
                f"{name}{say(float(values.min()))} to {say(float(values.max()))}, median"
                f" {say(float(values.median()))}, over {seconds(float(np.ptp(own['time'])))}"
            )
        happened = _happened(plot.own(plot.events, level))
        told.append(f"{prefix}{'; '.join(parts)}{f'; events: {words.listed(happened)}' if happened else ''}.")
    return f"{words.capital(words.long_name(plot.variable))} over time. {words.capital(' '.join(told))}"


def _happened(events: pd.DataFrame) -> list[str]:
    """Name each kind of event with its first moment, and how often there were others."""
    if events.empty:
        return []
    firsts = events.groupby("event")["time"].agg(["min", "size"]).sort_values("min")
    return [
        f"{words.level('event', event)} at {quantities.say('s')(row['min'])}"
        + (f", first of {row['size']:g}" if row["size"] > 1 else "")
        for event, row in firsts.iterrows()
    ]
