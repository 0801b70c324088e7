"""A value against a number on a log2 axis (clients, file size), a line a level, with every run and the limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from storagelab.analysis import columns, run_values, summarise, table
from storagelab.figures import quantities, words
from storagelab.figures.drawn import Drawn
from storagelab.figures.inside import inside_labels
from storagelab.figures.labels import Label, end_labels
from storagelab.figures.palette import Look, face, looks, ordered
from storagelab.figures.panels import (
    Level,
    Panels,
    fits_beside,
    legend,
    mark,
    panels,
    reach,
    rows_of,
    same_log_scale,
    same_scale,
)
from storagelab.figures.style import LIMIT, style

DODGE = 0.06
"""How far, in powers of two, neighbouring lines stand apart so that their points do not cover each other."""


@dataclass(frozen=True, slots=True)
class _Plot:
    """Everything the panels of one figure share."""

    runs: pd.DataFrame
    means: pd.DataFrame
    limits: pd.DataFrame | None
    variable: str
    x: str
    hue: str
    facet: str
    looks: Mapping[Level, Look]
    origin: str
    log: bool
    marks: Mapping[float, str]
    over: Sequence[str]
    lines: Mapping[float, str]

    @property
    def say(self) -> Callable[[float], str]:
        return quantities.say(str(columns.field(self.variable).unit))

    @property
    def xs(self) -> list[float]:
        return sorted(self.means[self.x].unique().tolist())

    def at(self, level: Level) -> float:
        """Factor on x that sets one line apart from the others."""
        place = list(self.looks).index(level) - (len(self.looks) - 1) / 2
        return float(2 ** (place * DODGE * min(1.0, 4 / len(self.looks)))) if len(self.xs) > 1 else 1.0


def scaling(
    ds: xr.Dataset,
    variable: str = "throughput",
    *,
    x: str = "clients",
    hue: str = "layout",
    facet: str = "",
    limits: xr.Dataset | None = None,
    marks: Mapping[float, str] | None = None,
    lines: Mapping[float, str] | None = None,
    over: Sequence[str] = (),
    statistic: str = "single",
    log: bool = False,
) -> Drawn:
    """Draw a value against a number: each run, the mean of the runs with its 95 % t interval, and the limits.

    Parameters
    ----------
    ds : Dataset, dimension obs
    variable : str
        What to show; see `storagelab.analysis.run_values`, as for `over` and `statistic`.
    x : str
        Numeric key on the log2 axis; its levels are the ticks.
    hue : str
        Key whose levels are the lines.
    facet : str
        Key whose levels are the panels.
    limits : Dataset, optional
        From `storagelab.analysis.bounds`: drawn dashed, in grey where lines share a limit.
    marks : mapping of float to str, optional
        Positions on the x axis (memory, a cache) with what they are.
    lines : mapping of float to str, optional
        Values with what they are, such as 1 for a share of a limit: drawn dashed across all panels.
    log : bool
        Whether the values stand on a log axis; otherwise it starts at zero.

    Returns
    -------
    Drawn
        Its data are the means.

    Raises
    ------
    AnalysisError
        As `storagelab.analysis.summarise`.
    """
    keys = [key for key in (facet, hue, x) if key]
    runs = run_values(ds, variable, keys, over=over, statistic=statistic)
    means = summarise(ds, variable, keys, over=over, statistic=statistic, scale="log" if log else "linear")
    plot = _Plot(
        table.frame(runs), table.frame(means), _limits(limits, keys), variable, x, hue, facet,
        looks(hue, ordered(hue, means[hue].to_numpy().tolist())), table.origin(ds), log, marks or {}, over,
        lines or {},
    )  # fmt: skip
    with style():
        laid = panels(plot.means, facet)
        _draw(laid, plot)
    return Drawn(laid.figure, _caption(plot, means, laid), _alt(plot, laid), means)


def _limits(limits: xr.Dataset | None, keys: Sequence[str]) -> pd.DataFrame | None:
    if limits is None:
        return None
    rows = table.frame(limits)
    return rows.groupby([key for key in keys if key in rows])[["bound"]].max().reset_index()


def _draw(laid: Panels, plot: _Plot) -> None:
    direct = fits_beside([words.level(plot.hue, name) for name in plot.looks], len(laid.axes))
    if not direct:
        legend(laid.figure, plot.hue, {level: plot.looks[level] for level in sorted_levels(plot)}, plot.origin)
    spans = []
    for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
        spans.append(_panel(axes, plot, level))
        ticks = quantities.thinned([words.level(plot.x, value) for value in plot.xs], room=90 // laid.columns - 10)
        quantities.set_level_axis(axes.xaxis, plot.xs, ticks)
        axes.set_xlabel(words.long_name(plot.x) if laid.lowest(place) else "")
    _value_axes(laid, plot, spans)
    for axes in laid.axes:
        mark(axes, plot.marks)
    end_labels(laid.axes, [_names(plot, level) if direct else [] for level in laid.levels])
    inside_labels(laid.axes, [_limit_labels(plot, level) for level in laid.levels])


def sorted_levels(plot: _Plot) -> list[Level]:
    """Order the lines as the palette does."""
    return ordered(plot.hue, list(plot.looks))


def _panel(axes: Axes, plot: _Plot, level: Level) -> tuple[float, float]:
    """Draw one panel; return its lowest and highest value."""
    runs, means = rows_of(plot.runs, plot.facet, level), rows_of(plot.means, plot.facet, level)
    axes.set_xscale("log", base=2)
    for name, look in plot.looks.items():
        _line(axes, plot, runs[runs[plot.hue] == name], means[means[plot.hue] == name], look, plot.at(name))
    curves = _curves(plot, level)
    for curve, names in curves:
        colour = plot.looks[names[0]].colour if len(names) == 1 else LIMIT
        axes.plot(curve.index, curve, linestyle=(0, (4, 2.5)), linewidth=1.0, color=colour, zorder=1.5)
    for value in plot.lines:
        axes.axhline(value, linestyle=(0, (4, 2.5)), linewidth=1.0, color=LIMIT, zorder=1.5)
    axes.set_xlim(plot.xs[0] / 1.35, plot.xs[-1] * 1.35)
    drawn = np.concatenate(
        [runs[plot.variable], *(curve for curve, _ in curves), [*plot.lines], [] if plot.log else [0.0]]
    )
    return reach(drawn, _ends(means, plot.variable), plot.log)


def _line(axes: Axes, plot: _Plot, runs: pd.DataFrame, means: pd.DataFrame, look: Look, shift: float) -> None:
    fill = face(plot.origin, look.colour)
    y = means[plot.variable]
    ends = (y - means[columns.low(plot.variable)], means[columns.high(plot.variable)] - y)
    axes.errorbar(
        means[plot.x] * shift, y, np.vstack([end.fillna(0) for end in ends]), color=look.colour, marker=look.marker,
        markerfacecolor=fill, elinewidth=1.0, capsize=0, zorder=3,
    )  # fmt: skip
    axes.scatter(
        runs[plot.x] * shift, runs[plot.variable], s=9, marker="o", facecolors=fill, edgecolors=look.colour,
        linewidths=0.5, alpha=0.55, zorder=2.5,
    )  # fmt: skip


def _curves(plot: _Plot, level: Level) -> list[tuple[pd.Series[float], list[Level]]]:
    """Limits of a panel against x, equal ones once, each with the lines that share it."""
    if plot.limits is None:
        return []
    rows = rows_of(plot.limits, plot.facet, level) if plot.facet in plot.limits else plot.limits
    found: list[tuple[pd.Series[float], list[Level]]] = []
    for name in plot.looks:
        own = rows[rows[plot.hue] == name] if plot.hue in rows else rows
        curve = own[own[plot.x].isin(plot.xs)].groupby(plot.x)["bound"].max()
        same = next((names for other, names in found if other.equals(curve)), None)
        if same is None and not curve.empty:
            found.append((curve, [name]))
        elif same is not None:
            same.append(name)
    return found


def _value_axes(laid: Panels, plot: _Plot, spans: Sequence[tuple[float, float]]) -> None:
    """Give the panels one scale of values where that squashes none of them, else each its own."""
    shared = same_log_scale(spans) if plot.log else same_scale([high for _, high in spans])
    whole = min(low for low, _ in spans), max(high for _, high in spans)
    for place, (axes, own) in enumerate(zip(laid.axes, spans, strict=True)):
        low, high = whole if shared else own
        if plot.log:
            axes.set_yscale("log")
            axes.set_ylim(low / 1.15, high * 1.15)
        else:
            axes.set_ylim(min(0.0, 1.05 * float(plot.runs[plot.variable].min())), 1.05 * high or 1.0)
        shown = quantities.scale(str(columns.field(plot.variable).unit), [low, high])
        quantities.set_value_axis(axes.yaxis, shown, plot.log)
        if laid.leftmost(place) or not shared:
            axes.set_ylabel(quantities.title(words.long_name(plot.variable), shown))


def _names(plot: _Plot, level: Level) -> list[Label]:
    """Names of the lines at their ends, where no legend has them."""
    means = rows_of(plot.means, plot.facet, level)
    found = []
    for name, look in plot.looks.items():
        own = means[means[plot.hue] == name].sort_values(plot.x)
        if not own.empty:
            found.append(Label(float(own[plot.variable].iloc[-1]), words.level(plot.hue, name), look.text))
    return found


def _limit_labels(plot: _Plot, level: Level) -> list[Label]:
    """Where the limits end up, in words."""
    found = [Label(value, text, LIMIT, italic=True) for value, text in plot.lines.items()]
    for curve, names in _curves(plot, level):
        colour = plot.looks[names[0]].text if len(names) == 1 else LIMIT
        found.append(Label(float(curve.iloc[-1]), f"limit {plot.say(float(curve.iloc[-1]))}", colour, italic=True))
    return found


def _caption(plot: _Plot, means: xr.Dataset, laid: Panels) -> str:
    quantity = f"{words.capital(words.long_name(plot.variable))} against {words.long_name(plot.x)}"
    panels_of = f", a panel for each {words.long_name(plot.facet)}" if plot.facet else ""
    return words.sentences(
        f"{quantity} for each {words.long_name(plot.hue)}{panels_of}.",
        _points_and_bars(plot, means),
        "Bars that leave the panel are cut." if _cut(laid, plot) else "",
        "Dashed: what the links can carry." if plot.limits is not None else "",
        f"Dashed: {words.listed(plot.lines.values())}." if plot.lines else "",
        f"Dotted: {words.listed(plot.marks.values())}." if plot.marks else "",
        words.pooled(plot.over),
        words.unit(means),
        words.source(means),
    )


def _points_and_bars(plot: _Plot, means: xr.Dataset) -> str:
    one = words.grouped(means)
    if bool((plot.means["n"] == 1).all()):
        return f"A point is one {one} ({words.counted(means)}), so there are no intervals."
    middle = "geometric mean, bars the 95 % t interval of its log" if plot.log else "mean, bars its 95 % t interval"
    alone = "; no bar where n = 1" if bool((plot.means["n"] == 1).any()) else ""
    return f"Small points are {one}s, lines their {middle} ({words.counted(means)} a point{alone})."


def _cut(laid: Panels, plot: _Plot) -> bool:
    """Whether an interval leaves its panel."""
    for axes, level in zip(laid.axes, laid.levels, strict=True):
        ends = _ends(rows_of(plot.means, plot.facet, level), plot.variable)
        low, high = axes.get_ylim()
        if bool(((ends < low) | (ends > high)).any()):
            return True
    return False


def _ends(means: pd.DataFrame, variable: str) -> NDArray[np.float64]:
    """Both ends of every interval there is."""
    ends: NDArray[np.float64] = means[[columns.low(variable), columns.high(variable)]].to_numpy(dtype=np.float64)
    return ends[np.isfinite(ends)]


def _alt(plot: _Plot, laid: Panels) -> str:
    told = []
    for level in laid.levels:
        means = rows_of(plot.means, plot.facet, level)
        lines = []
        for name in sorted_levels(plot):
            own = means[means[plot.hue] == name].sort_values(plot.x)
            if not own.empty:
                run = words.course(plot.x, own[plot.x].tolist(), own[plot.variable].tolist(), plot.say)
                lines.append(f"{words.level(plot.hue, name)} {run}")
        prefix = f"{words.capital(words.level(plot.facet, level))}: " if plot.facet else ""
        told.append(f"{prefix}{'; '.join(lines)}.")
    kind = f"Line plot of {words.long_name(plot.variable)} against {words.long_name(plot.x)}."
    return words.sentences(kind, *told)
