"""A value against a number on a log2 axis (clients, file size), a line a level, with every run and the limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.fitted_curves import Fits, draw_fits, fit_labels, fit_words, fits_of
from storagelab.figures.labels import Label, end_labels
from storagelab.figures.labels_inside_panels import inside_labels
from storagelab.figures.limits import DASHED, Curve, curve_labels, curves, draw_curves, limit_rows
from storagelab.figures.page_format import letters
from storagelab.figures.palette import Look
from storagelab.figures.panels import (
    Level,
    Panels,
    axis_limits,
    fits_beside,
    legend,
    looks_of,
    mark,
    name_values,
    panels,
    require_number,
    robust_log_limits,
    rows_of,
    same_log_scale,
    same_scale,
)
from storagelab.figures.runs_of_cells import Cells, by_fill, cells
from storagelab.figures.style import LIMIT, style
from storagelab.wording import quantities, words
from storagelab.wording.levels import ordered

DODGE = 0.06
"""How far, in powers of two, neighbouring lines stand apart so that their points do not cover each other."""


@dataclass(frozen=True, slots=True)
class _Plot:
    """Everything the panels of one figure share."""

    cells: Cells
    limits: pd.DataFrame | None
    fits: Fits | None
    x: str
    hue: str
    facet: str
    looks: Mapping[Level, Look]
    log: bool
    band: bool
    marks: Mapping[float, str]
    lines: Mapping[float, str]

    @property
    def variable(self) -> str:
        return self.cells.variable

    @property
    def xs(self) -> list[float]:
        return sorted(self.cells.rows[self.x].unique().tolist())

    def at(self, level: Level) -> float:
        """Factor on x that sets one line apart from the others."""
        if self.band or len(self.xs) == 1:
            return 1.0
        place = list(self.looks).index(level) - (len(self.looks) - 1) / 2
        return float(2 ** (place * DODGE * min(1.0, 4 / len(self.looks))))

    def curves(self, level: Level) -> list[Curve]:
        if self.limits is None:
            return []
        rows = rows_of(self.limits, self.facet, level) if self.facet in self.limits else self.limits
        return curves(rows, self.x, self.hue, list(self.looks), self.xs)

    def by_line(self, rows: pd.DataFrame) -> dict[Level, pd.DataFrame]:
        """Split rows into those of each line, in the order of x; a line without any is there too."""
        found = dict(iter(rows.sort_values(self.x, kind="stable").groupby(self.hue, sort=False)))
        return {name: found.get(name, rows[:0]) for name in self.looks}


def scaling(
    ds: xr.Dataset,
    variable: str = "throughput",
    *,
    x: str = "clients",
    hue: str = "layout",
    facet: str = "",
    limits: xr.Dataset | None = None,
    fit: xr.Dataset | Sequence[xr.Dataset] | None = None,
    marks: Mapping[float, str] | None = None,
    lines: Mapping[float, str] | None = None,
    over: Sequence[str] = (),
    statistic: str = "single",
    log: bool = False,
    band: bool = False,
) -> Drawn:
    """Draw a value against a number: each run, the mean of the runs with its 95 % t interval, and the limits.

    Parameters
    ----------
    ds : Dataset, dimension obs
    variable, over, statistic
        What to show; see `storagelab.analysis.run_values`.
    x : str
        Numeric key on the log2 axis; its levels are the ticks.
    hue : str
        Key whose levels are the lines.
    facet : str
        Key whose levels are the panels.
    limits : Dataset, optional
        From `storagelab.analysis.bounds`: drawn dashed, in grey where lines share a limit.
    fit : Dataset or several, optional
        Models fitted to the lines, from `storagelab.analysis.fitted_curves` (drawn as curves with their bands) and
        `storagelab.analysis.scaling_fits` (plateaus and knees).
    marks : mapping of float to str, optional
        Positions on the x axis (memory, a cache) with what they are.
    lines : mapping of float to str, optional
        Values with what they are, such as 1 for a share of a limit: drawn dashed across all panels.
    log : bool
        Whether the values stand on a log axis; otherwise it starts at zero. Single runs that would take a large part
        of a log axis for themselves are drawn at its edge, as arrows with their values.
    band : bool
        Draw the intervals as bands instead of bars: for many points on a line and several runs a point. With a few
        runs the points and their bars say more.

    Returns
    -------
    Drawn
        Its data are the means.

    Raises
    ------
    AnalysisError
        If `x` is text, or as `storagelab.analysis.summarise`.
    """
    found = cells(ds, variable, [facet, hue, x], over, statistic, log)
    require_number(found.rows, x)
    levels = looks_of(found.rows, hue)
    plot = _Plot(
        found, limit_rows(limits, found.keys), fits_of(fit, variable, x), x, hue, facet, levels, log, band,
        marks or {}, lines or {},
    )  # fmt: skip
    with style():
        laid = panels(found.rows, facet)
        away = _draw(laid, plot)
    return Drawn(laid.figure, _caption(plot, laid, away), _alt(plot, laid), found.means, found.of_runs)


def _draw(laid: Panels, plot: _Plot) -> int:
    """Draw all panels; return how many runs stand outside of them."""
    direct = fits_beside([words.level(plot.hue, name) for name in plot.looks], len(laid.axes))
    if not direct:
        legend(laid.figure, plot.hue, {level: plot.looks[level] for level in sorted_levels(plot)}, plot.cells.origin)
    spans = []
    for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
        spans.append(_panel(axes, plot, level))
        sizes = ticks.thinned([words.level(plot.x, value) for value in plot.xs], room=90 // laid.columns - 10)
        ticks.set_level_axis(axes.xaxis, plot.xs, sizes)
        axes.set_xlabel(words.long_name(plot.x) if laid.lowest(place) else "")
    _value_axes(laid, plot, spans)
    away = sum(_arrows(axes, plot, level) for axes, level in zip(laid.axes, laid.levels, strict=True))
    for axes in laid.axes:
        mark(axes, plot.marks)
    end_labels(laid.axes, [_names(plot, level) if direct else [] for level in laid.levels])
    inside_labels(laid.axes, [_limit_labels(plot, level) for level in laid.levels])
    return away


def sorted_levels(plot: _Plot) -> list[Level]:
    """Order the lines as the palette does."""
    return ordered(plot.hue, list(plot.looks))


def _panel(axes: Axes, plot: _Plot, level: Level) -> tuple[float, float]:
    """Draw one panel; return the lowest and the highest value that it should show."""
    runs, means = (rows_of(rows, plot.facet, level) for rows in (plot.cells.runs, plot.cells.rows))
    axes.set_xscale("log", base=2)
    runs_of, means_of = plot.by_line(runs), plot.by_line(means)
    for name, look in plot.looks.items():
        _line(axes, plot, runs_of[name], means_of[name], look, plot.at(name))
    found = plot.curves(level)
    draw_curves(axes, found, plot.looks)
    fitted = draw_fits(axes, plot.fits, plot.hue, plot.facet, level, plot.looks)
    for value in plot.lines:
        axes.axhline(value, linestyle=DASHED, linewidth=1.0, color=LIMIT, zorder=1.5)
    axes.set_xlim(plot.xs[0] / 1.35, plot.xs[-1] * 1.35)
    own = runs[plot.variable].to_numpy(dtype=np.float64)
    runs_shown = [robust_log_limits(own)] if plot.log else [own, [0.0]]
    shown = np.concatenate([*runs_shown, *(curve for curve, _ in found), fitted, [*plot.lines]])
    return axis_limits(shown, _ends(means, plot), plot.log)


def _line(axes: Axes, plot: _Plot, runs: pd.DataFrame, means: pd.DataFrame, look: Look, shift: float) -> None:
    y, (low, high) = means[plot.variable], (means[end] for end in plot.cells.ends)
    axes.plot(means[plot.x] * shift, y, color=look.colour, zorder=3)
    if plot.band:
        axes.fill_between(means[plot.x], low, high, color=look.colour, alpha=0.18, linewidth=0, zorder=1.8)
    barred = _alone(low.notna().to_numpy()) if plot.band else np.ones(len(means), dtype=bool)
    axes.vlines(means[plot.x][barred] * shift, low[barred], high[barred], color=look.colour, linewidth=1.0, zorder=3)
    for part, fill in by_fill(means, plot.cells.origin, look.colour):
        axes.plot(
            part[plot.x] * shift, part[plot.variable], linestyle="none", color=look.colour, marker=look.marker,
            markerfacecolor=fill, zorder=3.2,
        )  # fmt: skip
    for part, fill in by_fill(runs, plot.cells.origin, look.colour):
        axes.scatter(
            part[plot.x] * shift, part[plot.variable], s=9, marker="o", facecolors=fill, edgecolors=look.colour,
            linewidths=0.5, alpha=0.55, zorder=2.5,
        )  # fmt: skip


def _alone(known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which points have an interval and no neighbour that has one: no band can show it."""
    beside = np.pad(known, 1)
    return known & ~beside[:-2] & ~beside[2:]


def _value_axes(laid: Panels, plot: _Plot, spans: Sequence[tuple[float, float]]) -> None:
    """Give the panels one scale of values where that squashes none of them, else each its own."""
    shared = same_log_scale(spans) if plot.log else same_scale([high for _, high in spans])
    whole = min(low for low, _ in spans), max(high for _, high in spans)
    for place, (axes, own) in enumerate(zip(laid.axes, spans, strict=True)):
        low, high = whole if shared else own
        if plot.log:
            axes.set_yscale("log")
            axes.set_ylim(*_with_room(plot.cells.runs[plot.variable], low / 1.15, high * 1.15))
        else:
            axes.set_ylim(min(0.0, 1.05 * float(plot.cells.runs[plot.variable].min())), 1.05 * high or 1.0)
        shown = quantities.for_axis(plot.cells.unit, low, high, plot.log)
        ticks.set_value_axis(axes.yaxis, shown, plot.log)
        if laid.leftmost(place) or not shared:
            name_values(axes, words.long_name(plot.variable), shown)


def _with_room(values: pd.Series[float], low: float, high: float) -> tuple[float, float]:
    """Range of a log axis, longer at an end beyond which there are values: their arrows stand there."""
    room = (high / low) ** 0.18
    return low / room if (values < low).any() else low, high * room if (values > high).any() else high


def _arrows(axes: Axes, plot: _Plot, level: Level) -> int:
    """Draw runs that the axis does not reach as arrows at its edge, each with its value; return how many."""
    low, high = axes.get_ylim()
    runs = rows_of(plot.cells.runs, plot.facet, level)
    outside = runs[(runs[plot.variable] < low) | (runs[plot.variable] > high)]
    for _, run in outside.iterrows():
        look, below = plot.looks[run[plot.hue]], run[plot.variable] < low
        x = run[plot.x] * plot.at(run[plot.hue])
        edge, inside = (0.0, 0.11) if below else (1.0, 0.89)
        axes.annotate(
            plot.cells.say(run[plot.variable]), (x, edge), xycoords=axes.get_xaxis_transform(), xytext=(x, inside),
            textcoords=axes.get_xaxis_transform(), va="center", ha="center", fontsize=letters(7), color=look.text,
            arrowprops={"arrowstyle": "->", "lw": 1.0, "color": look.colour, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip
    return len(outside)


def _names(plot: _Plot, level: Level) -> list[Label]:
    """Names of the lines at their ends, where no legend has them."""
    means = rows_of(plot.cells.rows, plot.facet, level)
    found = []
    for name, own in plot.by_line(means).items():
        if not own.empty:
            value = float(own[plot.variable].iloc[-1])
            found.append(Label(value, words.level(plot.hue, name), plot.looks[name].text))
    return found


def _limit_labels(plot: _Plot, level: Level) -> list[Label]:
    """Where limits, fits and lines across the panel end up, in words."""
    found = [Label(value, text, LIMIT, italic=True) for value, text in plot.lines.items()]
    fitted = fit_labels(plot.fits, plot.hue, plot.facet, level, plot.looks, plot.cells.say)
    return [*found, *curve_labels(plot.curves(level), plot.looks, plot.cells.say), *fitted]


def _caption(plot: _Plot, laid: Panels, away: int) -> str:
    quantity = f"{words.capital(words.long_name(plot.variable))} against {words.long_name(plot.x)}"
    panels_of = f", a panel for each {words.long_name(plot.facet)}" if plot.facet else ""
    arrows = "An arrow is a run" if away == 1 else f"{away} arrows are runs"
    return words.sentences(
        f"{quantity} for each {words.long_name(plot.hue)}{panels_of}.",
        _points_and_bars(plot),
        f"{'Bands' if plot.band else 'Bars'} that leave the panel are cut." if _cut(laid, plot) else "",
        f"{arrows} beyond the axis, with the value." if away else "",
        "Dashed: what the links can carry." if plot.limits is not None else "",
        f"Dashed: {words.listed(plot.lines.values())}." if plot.lines else "",
        fit_words(plot.fits),
        f"Dotted: {words.listed(plot.marks.values())}." if plot.marks else "",
        plot.cells.caption_end(),
    )


def _points_and_bars(plot: _Plot) -> str:
    means, n = plot.cells.means, plot.cells.rows["n"]
    one, bars = words.grouped(means), "bands" if plot.band else "bars"
    if bool((n == 1).all()):
        return f"A point is one {one} ({words.counted(means)}), so there are no intervals."
    middle = "geometric mean" if plot.log else "mean"
    if _ends(plot.cells.rows, plot).size:
        middle += f", {bars} {'the 95 % t interval of its log' if plot.log else 'its 95 % t interval'}"
    alone = words.without_interval(plot.cells.rows, bars.removesuffix("s"))
    return f"Small points are {one}s, lines their {middle} ({words.counted(means)} a point{alone})."


def _cut(laid: Panels, plot: _Plot) -> bool:
    """Whether an interval leaves its panel."""
    for axes, level in zip(laid.axes, laid.levels, strict=True):
        ends = _ends(rows_of(plot.cells.rows, plot.facet, level), plot)
        low, high = axes.get_ylim()
        if bool(((ends < low) | (ends > high)).any()):
            return True
    return False


def _ends(means: pd.DataFrame, plot: _Plot) -> NDArray[np.float64]:
    """Both ends of every interval there is."""
    ends: NDArray[np.float64] = means[plot.cells.ends].to_numpy(dtype=np.float64)
    return ends[np.isfinite(ends)]


def _alt(plot: _Plot, laid: Panels) -> str:
    told = []
    for level in laid.levels:
        means = rows_of(plot.cells.rows, plot.facet, level)
        lines, means_of = [], plot.by_line(means)
        for name in sorted_levels(plot):
            own = means_of[name]
            if not own.empty:
                run = words.describe_trend(plot.x, own[plot.x].tolist(), own[plot.variable].tolist(), plot.cells.say)
                lines.append(f"{words.level(plot.hue, name)} {run}")
        prefix = f"{words.capital(words.full(plot.facet, level))}: " if plot.facet else ""
        told.append(f"{words.capital(prefix + '; '.join(lines))}.")
    kind = f"Line plot of {words.long_name(plot.variable)} against {words.long_name(plot.x)}."
    return words.sentences(kind, *told)
