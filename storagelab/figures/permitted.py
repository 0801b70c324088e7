"""What a text permits of a curve that it does not print: a band with the printed numbers on it, and no line in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patches import Patch
from matplotlib.text import Annotation
from numpy.typing import ArrayLike, NDArray

from storagelab.analysis import columns, table
from storagelab.errors import AnalysisError
from storagelab.figures import quantities, words
from storagelab.figures.band_panels import (
    HIGH,
    LOW,
    PANEL,
    Marks,
    covered,
    marks_of_each,
    one_key,
    panel_groups,
    with_panels,
)
from storagelab.figures.cells import cells
from storagelab.figures.drawn import Drawn
from storagelab.figures.label_placement import inside_labels
from storagelab.figures.labels import BACKGROUND, Label, end_labels
from storagelab.figures.limits import DASHED
from storagelab.figures.medium import letters
from storagelab.figures.palette import BLUE, GREEN, Look, face, readable
from storagelab.figures.panels import (
    Level,
    Panels,
    best_columns,
    in_rows,
    looks_of,
    mark,
    most_columns,
    name_across,
    name_rows,
    name_values,
    panels,
    rows_of,
    same_scale,
    stacked,
)
from storagelab.figures.style import INK, LIMIT, style

PRINTED, ERROR = "printed", "printed_error"
REACHED, BEYOND = "reached", "beyond"
NAMED = {"green": GREEN, "blue": BLUE}
"""Colours that a source names, as they are told apart by everybody."""
CLOCK = "clock"
"""Key of an axis of times of day."""
ROW = 0.3
"""Height of a row of ranges in inches."""
LOWER = 1.75
"""Height of a panel in inches where there are several rows of them."""
OPEN = 1.35
"""How much higher than its highest printed number an axis is where something has no upper bound: room for an arrow."""
MOST_NUMBERED = 6
"""Printed numbers of a panel that are written beside their points."""


@dataclass(frozen=True, slots=True)
class _Plot:
    """Everything the panels of one figure share."""

    rows: pd.DataFrame
    model: pd.DataFrame | None
    variable: str
    x: str
    hue: str
    facet: str
    looks: Mapping[Level, Look]
    lines: Mapping[float, str]
    marks: Mapping[Level, Mapping[float, str]]
    log: bool
    axis: str
    what: str
    grouped: Mapping[Level, Level]
    """Of each panel, what it shares its scale with."""

    @property
    def name(self) -> str:
        """Name of the values."""
        return self.what or words.long_name(self.variable)

    @property
    def unit(self) -> str:
        return str(columns.field(self.variable).unit)

    @property
    def say(self) -> Callable[[float], str]:
        return quantities.say(self.unit)

    def of(self, rows: pd.DataFrame, level: Level) -> Iterator[tuple[Look, pd.DataFrame]]:
        """Rows of each colour of a panel, in the order of the axis."""
        own = rows_of(rows, self.facet, level)
        for name, look in self.looks.items():
            part = own[own[self.hue] == name] if self.hue else own
            if not part.empty:
                yield (
                    look,
                    part.sort_values(self.x, kind="stable") if pd.api.types.is_numeric_dtype(part[self.x]) else part,
                )

    def top(self, level: Level) -> float:
        """Highest number that somebody printed for a panel, or that follows from printed ones; with room for arrows."""
        own = rows_of(self.rows, self.facet, level)
        ends = [*own[HIGH], *own[LOW], *own[PRINTED], *(own[PRINTED] + own[ERROR]), *own[REACHED], *self.lines]
        known = [value for value in ends if np.isfinite(value)]
        highest = max(known, default=0.0)
        if highest <= 0:
            raise AnalysisError(f"nothing that is printed gives {self.variable} a height: draw no axis for it")
        return highest * (OPEN if np.isinf(own[HIGH]).any() else 1.0)

    def tops(self, levels: Sequence[Level]) -> dict[Level, float]:
        """Height of each panel: one for all where none is squashed, else one for those that belong together."""
        own = {level: self.top(level) for level in levels}
        group = dict.fromkeys(levels, levels[0]) if same_scale([*own.values()]) else self.grouped
        return {level: max(own[one] for one in levels if group[one] == group[level]) for level in levels}

    def arrows(self) -> bool:
        """Whether an arrow is drawn: a curve without upper bound has one where it has a lower bound, a bar always."""
        open_ = self.rows[np.isinf(self.rows[HIGH])]
        return bool((self.named | (open_[LOW] > 0)).any() or self.rows[BEYOND].any())

    @property
    def named(self) -> bool:
        """Whether the axis has names instead of numbers."""
        return not pd.api.types.is_numeric_dtype(self.rows[self.x])


def permitted(
    ds: xr.Dataset,
    *,
    hue: str = "",
    facet: str = "",
    model: xr.Dataset | None = None,
    over: Sequence[str] = (),
    mechanism: str = "",
    lines: Mapping[float, str] | None = None,
    marks: Marks | None = None,
    log: bool = True,
    axis: str = "",
    what: str = "",
    colours: Mapping[Level, str] | None = None,
) -> Drawn:
    """Draw the envelope of all curves that a text permits, with the numbers that it prints.

    Where the axis has names instead of numbers, each has a row with the range that is permitted. Bands that would lie
    on each other have a panel each, on one scale.

    Parameters
    ----------
    ds : Dataset, dimension obs
        From `storagelab.claims.permitted`.
    hue, facet : str
        Keys whose levels have the colours, and are the panels.
    model : Dataset, optional
        Rows of a model that has a mechanism for the curve: drawn as one dashed line, without markers.
    over : sequence of str
        Keys over which the model's rows are taken together.
    mechanism : str
        What makes the model's curve, in words; required with `model`.
    lines, marks : mapping of float to str, optional
        Values across the panels, and places on the axis, with what they are; `marks` may have a mapping for each panel.
    log : bool
        Whether an axis of numbers is one of powers of two.
    axis : str
        Name of the axis, where the key's own would not do. An axis of ``time`` has no numbers: nobody printed them.
    what : str
        Name of the values, where the variable's own would not do: of what over what a ratio is.
    colours : mapping of level to str, optional
        "green" or "blue" for levels of `hue` of which the source itself says the colour.

    Returns
    -------
    Drawn
        Its data are `ds`.

    Raises
    ------
    AnalysisError
        If a column is missing, no number gives the axis a height, or a model is drawn whose mechanism nobody names.
    """
    variable, x = str(ds.attrs.get("variable", "")), str(ds.attrs.get("x", ""))
    if lacking := [
        name for name in (LOW, HIGH, PRINTED, ERROR, REACHED, BEYOND, x, hue, facet) if name and name not in ds
    ]:
        raise AnalysisError(f"the dataset has no {lacking[0]!r}: take it from storagelab.claims.permitted")
    if (model is None) != (not mechanism):
        raise AnalysisError("a line of a model needs the mechanism that makes it, in words, and the other way round")
    rows = table.frame(ds)
    keys = [key for key in (facet, hue, x) if key]
    panels_of = [facet] if facet else []
    if pd.api.types.is_numeric_dtype(rows[x]) and hue not in ("", facet) and covered(rows, panels_of, hue, x):
        panels_of.append(hue)
    known = None if model is None else with_panels(cells(model, variable, keys, over, "single").rows, panels_of)
    rows, facet, groups = with_panels(rows, panels_of), one_key(panels_of), panel_groups(rows, panels_of)
    looks = looks_of(rows, hue)
    for level, colour in (colours or {}).items():
        looks[level] = replace(looks[level], colour=NAMED[colour], text=readable(NAMED[colour]))
    plot = _Plot(
        rows, known, variable, x, hue, facet, looks, lines or {}, marks_of_each(marks or {}, groups), log, axis, what,
        groups,
    )  # fmt: skip
    with style():
        laid = _ranges(plot) if plot.named else _bands(plot)
        for axes in laid.axes:
            axes.set_gid("published" if known is None else "reconstructed")
    return Drawn(laid.figure, _caption(ds, plot, mechanism, panels_of), _alt(plot, laid), ds)


def _bands(plot: _Plot) -> Panels:
    columns = _columns(plot)
    laid = panels(
        plot.rows, plot.facet, height=2.3 if len(plot.grouped) <= columns else LOWER, columns=columns,
        levels=list(plot.grouped),
    )  # fmt: skip
    _legend(laid, plot)
    tops = plot.tops(laid.levels)
    for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
        top = 1.08 * tops[level]
        _panel(axes, plot, level, top)
        places = sorted(plot.rows[plot.x].unique().tolist())
        shown = quantities.scale(plot.unit, top)
        axes.set_ylim(0, top)
        quantities.set_value_axis(axes.yaxis, shown)
        names = [_place(plot.x, one) if plot.x != "time" else "" for one in places]
        quantities.set_level_axis(axes.xaxis, places, quantities.thinned(names, 90 // laid.columns - 10))
        axes.set_xlabel((plot.axis or _name(plot.x)) if laid.lowest(place) else "")
        if laid.leftmost(place) or tops[level] != tops[laid.levels[place - 1]]:
            name_values(axes, plot.name, shown, laid.height)
        mark(axes, plot.marks.get(level, {}))
    end_labels(laid.axes, [_reached(plot, level) for level in laid.levels])
    labels = [Label(value, text, LIMIT, italic=True) for value, text in plot.lines.items()]
    inside_labels(laid.axes, [labels] * len(laid.axes))
    return laid


def _columns(plot: _Plot) -> int:
    """How many panels stand side by side: those of a row belong together if all rows have as many."""
    rows = Counter(plot.grouped.values())
    across = max(rows.values())
    return across if 1 < across <= 3 and set(rows.values()) == {across} else best_columns(len(plot.grouped))


def _reached(plot: _Plot, level: Level) -> list[Label]:
    """Say at the right edge what a curve reaches at a place that nobody names."""
    found = []
    for look, own in plot.of(plot.rows, level):
        value, beyond = float(own[REACHED].iloc[0]), bool(own[BEYOND].iloc[0])
        if np.isfinite(value):
            found.append(Label(value, f"{'more than ' if beyond else ''}{plot.say(value)}", look.text))
    return found


def _name(x: str) -> str:
    """Name of the axis."""
    return "time of day (local)" if x == CLOCK else words.long_name(x)


def _place(x: str, value: Level) -> str:
    """Write a place on the axis: a time of day as a clock shows it."""
    if x != CLOCK:
        return words.full(x, value) if isinstance(value, str) else words.level(x, value)
    minutes = int(float(value)) // 60
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _panel(axes: Axes, plot: _Plot, level: Level, top: float) -> None:
    if plot.log:
        axes.set_xscale("log", base=2)
    first, last = plot.rows[plot.x].min(), plot.rows[plot.x].max()
    aside = 0.04 * (last - first)
    axes.set_xlim(*((first / 1.25, last * 1.25) if plot.log else (first - aside, last + aside)))
    for look, own in plot.of(plot.rows, level):
        _band(axes, own, plot, look, top)
        _arrows(axes, own, plot.x, look, top)
        _points(axes, own, plot, look)
    if plot.model is not None:
        for look, own in plot.of(plot.model, level):
            axes.plot(own[plot.x], own[plot.variable], color=look.colour, linestyle=DASHED, linewidth=1.0, zorder=2.4)
    for value in plot.lines:
        axes.axhline(value, linestyle=(0, (1, 1.5)), linewidth=1.0, color=LIMIT, zorder=1.5)


def _band(axes: Axes, rows: pd.DataFrame, plot: _Plot, look: Look, top: float) -> None:
    """Draw a block around each place, as nothing is said of what lies between places."""
    edges = _edges(rows[plot.x].to_numpy(dtype=np.float64), plot.log)
    low, high = rows[LOW].to_numpy(), np.minimum(rows[HIGH].to_numpy(), top)
    axes.stairs(high, edges, baseline=low, fill=True, color=look.colour, alpha=0.15, linewidth=0, zorder=1.8)
    for end in (low, np.where(np.isfinite(rows[HIGH]), high, np.nan)):
        axes.stairs(end, edges, baseline=None, color=look.colour, linewidth=0.8, zorder=2.2)


def _edges(places: NDArray[np.float64], log: bool) -> NDArray[np.float64]:
    """Middles between places, and the ends of the panel."""
    if log:
        return np.array([places[0] / 1.25, *np.sqrt(places[1:] * places[:-1]), places[-1] * 1.25])
    return np.array([places[0], *((places[1:] + places[:-1]) / 2), places[-1]])


def _arrows(axes: Axes, rows: pd.DataFrame, x: str, look: Look, top: float) -> None:
    """Draw lower bounds as arrows: from what is printed up to where nobody says how far."""
    arrow = {"arrowstyle": "-|>", "color": look.colour, "linewidth": 1.1, "shrinkA": 0, "shrinkB": 0}
    at_edge = axes.get_yaxis_transform()
    for _, row in rows[np.isinf(rows[HIGH]) & (rows[LOW] > 0)].iterrows():
        axes.annotate("", (row[x], 0.985 * top), (row[x], row[LOW]), arrowprops=arrow, zorder=3)
    reached, beyond = float(rows[REACHED].iloc[0]), bool(rows[BEYOND].iloc[0])
    if beyond:
        axes.annotate(
            "", (1, 0.985 * top), (1, reached), xycoords=at_edge, textcoords=at_edge, arrowprops=arrow, zorder=3,
            annotation_clip=False,
        )  # fmt: skip
    elif np.isfinite(reached):
        axes.plot(
            [1], [reached], marker=look.marker, color=look.colour, linestyle="none", clip_on=False, zorder=3.2,
            transform=at_edge,
        )  # fmt: skip


def _points(axes: Axes, rows: pd.DataFrame, plot: _Plot, look: Look) -> None:
    printed, worked = rows[rows[PRINTED].notna()], rows[_worked_out(rows)]
    _marks(axes, worked[plot.x], worked[LOW], look, "derived")
    _marks(axes, printed[plot.x], printed[PRINTED], look, "published")
    ends = printed[PRINTED] - printed[ERROR], printed[PRINTED] + printed[ERROR]
    axes.vlines(printed[plot.x], *ends, color=look.colour, zorder=3.1)
    if len(printed) <= MOST_NUMBERED:
        written = {(text.xy, text.get_text()) for text in axes.texts if isinstance(text, Annotation)}
        for _, row in printed.iterrows():
            if ((row[plot.x], row[PRINTED]), plot.say(row[PRINTED])) in written:
                continue
            axes.annotate(
                plot.say(row[PRINTED]), (row[plot.x], row[PRINTED]), xytext=(0, -6), textcoords="offset points",
                ha="center", va="top", fontsize=letters(6.5), color=look.text, zorder=4, bbox=BACKGROUND,
            )  # fmt: skip


def _worked_out(rows: pd.DataFrame) -> pd.Series[bool]:
    """Which places are fixed by arithmetic on printed numbers."""
    same = (rows[HIGH] - rows[LOW]).abs() <= 1e-9 * rows[HIGH]
    fixed: pd.Series[bool] = rows[PRINTED].isna() & np.isfinite(rows[HIGH]) & same
    return fixed


def _marks(axes: Axes, x: ArrayLike, y: ArrayLike, look: Look, basis: str) -> None:
    if not np.size(x):
        return
    fill = face("published", look.colour, basis)
    axes.plot(x, y, linestyle="none", marker=look.marker, color=look.colour, markerfacecolor=fill, zorder=3.2)


def _ranges(plot: _Plot) -> Panels:
    split = bool(plot.hue) and plot.hue != plot.x
    heights = stacked(plot.rows, plot.x, plot.hue if split else "")
    laid = panels(plot.rows, plot.facet, height=0.45 + ROW * len(heights), levels=list(plot.grouped))
    _legend(laid, plot)
    tops = plot.tops(laid.levels)
    for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
        top = tops[level]
        for _, row in rows_of(plot.rows, plot.facet, level).iterrows():
            _range(axes, row, heights[row[plot.x], row[plot.hue] if split else ""], plot, 1.06 * top)
        axes.set_xlim(0, 1.06 * top)
        shown = quantities.scale(plot.unit, top)
        quantities.set_value_axis(axes.xaxis, shown)
        name_across(laid, place, quantities.title(plot.name, shown))
        name_rows(axes, heights, plot.x, laid.leftmost(place))
        mark(axes, {**plot.marks.get(level, {}), **plot.lines})
    return laid


def _range(axes: Axes, row: pd.Series, y: float, plot: _Plot, top: float) -> None:
    look = plot.looks[row[plot.hue]] if plot.hue else plot.looks[""]
    low, high = float(row[LOW]), min(float(row[HIGH]), top)
    if high > low:
        axes.barh(y, high - low, left=low, height=0.5, color=look.colour, alpha=0.3, linewidth=0, zorder=1.8)
    if np.isinf(row[HIGH]):
        arrow = {"arrowstyle": "-|>", "color": look.colour, "linewidth": 1.0, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (0.985 * top, y), (max(low, 0.8 * top), y), arrowprops=arrow, zorder=3)
    elif high > low:
        axes.vlines(high, y - 0.25, y + 0.25, color=look.colour, linewidth=1.0, zorder=2.2)
    if low > 0 and (np.isinf(row[HIGH]) or high > low):
        axes.vlines(low, y - 0.25, y + 0.25, color=look.colour, linewidth=1.0, zorder=2.2)
    if np.isfinite(row[PRINTED]):
        axes.hlines(y, row[PRINTED] - row[ERROR], row[PRINTED] + row[ERROR], color=look.colour, zorder=3.1)
        _marks(axes, [row[PRINTED]], [y], look, "published")
    elif high - low <= 1e-9 * high:
        _marks(axes, [low], [y], look, "derived")


def _legend(laid: Panels, plot: _Plot) -> None:
    """Name the colours, and what band, arrow and points are, above the panels."""
    told = plot.facet == PANEL or plot.hue in ("", plot.facet, plot.x if plot.named else "")
    looks = {} if told else {words.full(plot.hue, level): look for level, look in plot.looks.items()}
    ranges = _any_range(plot.rows)
    samples: list[Patch | Line2D] = [_sample(name, look, ranges) for name, look in looks.items()]
    if ranges:
        samples.append(Patch(facecolor="#d0d0d0", edgecolor="none", label="all that the text permits"))
    if plot.arrows():
        up = _sign(r"$\rightarrow$" if plot.named else r"$\uparrow$")
        samples.append(Line2D([], [], linestyle="none", marker=up, color=INK, label="no upper bound"))
    if plot.model is not None:
        samples.append(Line2D([], [], linestyle=DASHED, linewidth=1.0, color=INK, label="a model"))
    if not samples:
        return
    columns = most_columns([len(str(one.get_label())) + 8 for one in samples], 120)
    laid.figure.legend(handles=in_rows(samples, columns), loc="outside upper left", ncols=columns, handlelength=1.4)
    laid.figure.set_figheight(laid.figure.get_figheight() + 0.17 * (-(-len(samples) // columns) - 1))


def _sample(name: str, look: Look, ranges: bool) -> Patch | Line2D:
    """Show a colour as the bands have it, or, where there are none, as the points do."""
    if ranges:
        return Patch(facecolor=(look.colour, 0.35), edgecolor=look.colour, linewidth=1.0, label=name)
    return Line2D([], [], linestyle="none", marker=look.marker, color=look.colour, label=name)


def _any_range(rows: pd.DataFrame) -> bool:
    """Whether a text leaves anything open: else there is no band and no bar."""
    return bool((rows[HIGH] > rows[LOW]).any())


def _sign(formula: str) -> MarkerStyle:
    """Make a marker of a formula; the texts of figures are none."""
    with rc_context({"text.parse_math": True}):
        return MarkerStyle(formula)


def _caption(ds: xr.Dataset, plot: _Plot, mechanism: str, panels_of: Sequence[str]) -> str:
    by = f", a panel for each {words.listed(map(words.long_name, panels_of))}" if panels_of else ""
    curves = [own.iloc[0] for _, own in table.cells(plot.rows, [key for key in (plot.facet, plot.hue) if key])]
    reached = [bool(one[BEYOND]) for one in curves if np.isfinite(one[REACHED])]
    printed = int(plot.rows[PRINTED].notna().sum()) + reached.count(False)
    worked = int(_worked_out(plot.rows).sum())
    shape, what = ("Bars", "value") if plot.named else ("Bands", "curve")
    marked = (text for level in plot.grouped for text in plot.marks.get(level, {}).values())
    dotted = list(dict.fromkeys([*plot.lines.values(), *marked]))
    study = f" ({ds.attrs['study']})" if ds.attrs.get("study") else ""
    return words.sentences(
        f"{words.capital(plot.name)} against {_name(plot.x)}{by}: what the text permits.",
        f"{shape}: every {what} that satisfies all that the text says lies inside; where inside, nothing tells."
        if _any_range(plot.rows)
        else "",
        "An arrow: the text gives a lower bound and no upper one." if plot.arrows() else "",
        "Without an upper edge: the text gives no bound." if _anything(plot) else "",
        f"Filled: {printed} {'number' if printed == 1 else 'numbers'} as printed." if printed else "",
        f"Tinted: {worked} computed from what is printed." if worked else "",
        "" if printed or worked else "No printed number belongs to a single place.",
        "At the right edge: what is reached at a place that the text does not name." if reached else "",
        f"Dashed: a model, {mechanism}." if plot.model is not None else "",
        f"Dotted: {words.listed(dotted)}." if dotted else "",
        f"No log: worked out from the printed text{study}.",
    )


def _anything(plot: _Plot) -> bool:
    """Whether a band goes from zero to where nobody says."""
    return not plot.named and bool((np.isinf(plot.rows[HIGH]) & (plot.rows[LOW] <= 0)).any())


def _alt(plot: _Plot, laid: Panels) -> str:
    told = []
    for level in laid.levels:
        own, parts = rows_of(plot.rows, plot.facet, level), []
        for cell, rows in table.cells(own, [plot.hue] if plot.hue and plot.hue != plot.x else []):
            name = f"{words.cell(cell)}: " if cell else ""
            numbers = pd.api.types.is_numeric_dtype(rows[plot.x])
            spots = rows.sort_values(plot.x).iloc[[0, -1]] if numbers else rows
            parts.append(name + ", ".join(_spot(row, plot) for _, row in spots.drop_duplicates(plot.x).iterrows()))
        prefix = f"{words.capital(words.full(plot.facet, level))}: " if plot.facet else ""
        told.append(f"{prefix}{'; '.join(parts)}.")
    return words.sentences(f"What a text permits of {plot.name}.", *told)


def _spot(row: pd.Series, plot: _Plot) -> str:
    """Tell one place of a curve."""
    where, low, high = _place(plot.x, row[plot.x]), float(row[LOW]), float(row[HIGH])
    if np.isfinite(row[PRINTED]):
        return f"{where} {plot.say(float(row[PRINTED]))} as printed"
    if np.isinf(high):
        return f"{where} more than {plot.say(low)}" if low > 0 else f"{where} anything"
    return f"{where} {plot.say(low)} to {plot.say(high)}"
