"""Curves of several studies on one scale, measured ones in one panel and reconstructed ones in another."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from storagelab.analysis import columns
from storagelab.figures import ticks
from storagelab.figures.cross_study import (
    Mark,
    counted,
    mark_of,
    reference,
    repeated,
    rows_of,
    short,
    sources,
    with_origin,
)
from storagelab.figures.figure_result import Drawn
from storagelab.figures.layout import arrange
from storagelab.figures.page_format import letters
from storagelab.figures.palette import CYCLE
from storagelab.figures.panels import require_number
from storagelab.figures.style import canvas, style
from storagelab.wording import quantities, words

LINES = ("study", "label")
"""Keys that make a line, beside those that tell runs apart."""
HEIGHT, LEGEND = 2.9, 0.17
"""Height of the panels in inches, and of a line of the legend below them."""
APART = 1.015
"""Factor by which neighbouring curves are moved on a log axis, so that their intervals can be told apart."""


def curves(
    ds: xr.Dataset, variable: str, x: str = "clients", *, runs: Sequence[str] = (), log: bool = False, line: float = 1.0
) -> Drawn:
    """Draw a curve for each configuration of several studies.

    Parameters
    ----------
    ds : Dataset, dimension obs
        From `storagelab.claims.synthesise`: keys study, origin, basis, label and `x`; the variable with its interval.
    variable : str
        What is compared.
    x : str
        Key along which it runs.
    runs : sequence of str
        Keys that tell the runs of a curve apart, each of which is a line.
    log : bool
        Whether the axis of `x` is one of powers of two.
    line : float
        Where a line stands that all are held against.

    Returns
    -------
    Drawn
        Its data are `ds`.

    Raises
    ------
    AnalysisError
        If a column is missing, or `x` is text.
    """
    rows = rows_of(ds, variable, x, *runs)
    require_number(rows, x)
    origins = sorted(rows["origin"].unique())
    with style():
        figure = canvas(HEIGHT)
        panels = figure.subplots(1, len(origins), sharey=True, squeeze=False)[0]
        for axes, origin in zip(panels, origins, strict=True):
            _panel(axes, rows[rows["origin"] == origin], variable, x, runs, log)
            reference(axes, line, "", vertical=False)
            axes.set_title(origin)
            axes.set_gid(origin)
            axes.set_xlabel(words.long_name(x))
        panels[0].set_ylabel(words.long_name(variable))
        panels[0].set_ylim(*_span(rows, variable, line))
        deepest = max(rows[rows["origin"] == origin].groupby(list(LINES)).ngroups for origin in origins)
        figure.set_figheight(HEIGHT + LEGEND * deepest)
        arrange(figure)  # the legends hang by a share of the panels' height, which is known only then
    return Drawn(figure, _caption(rows, variable, x, runs, line), _alt(rows, variable, x), with_origin(ds, rows))


def _span(rows: pd.DataFrame, variable: str, line: float) -> tuple[float, float]:
    """Range of the values: intervals beyond it are cut."""
    return 0.0, 1.05 * max(line, float(rows[variable].max()))


def _panel(axes: Axes, rows: pd.DataFrame, variable: str, x: str, runs: Sequence[str], log: bool) -> None:
    samples = []
    for place, (names, part) in enumerate(rows.groupby(list(LINES), sort=False)):
        colour = CYCLE[place % len(CYCLE)]
        shifted = part.assign(**{x: part[x] * APART ** (place - 3)}) if log else part
        for _, run in shifted.groupby(list(runs)) if runs else [("", shifted)]:
            _line(axes, run.sort_values(x), variable, x, colour, crowded=bool(runs))
        mark = mark_of(part.iloc[0], colour)
        samples.append(_sample(_name(names), mark))
    if log:
        axes.set_xscale("log", base=2)
        powers = [2.0**power for power in range(int(math.log2(rows[x].min())), int(math.log2(rows[x].max())) + 1)]
        ticks.set_level_axis(axes.xaxis, powers, [f"{power:g}" for power in powers])
    axes.legend(
        handles=samples, loc="upper left", bbox_to_anchor=(0, -0.17), fontsize=letters(7.5), borderaxespad=0, ncols=1
    )


def _line(axes: Axes, run: pd.DataFrame, variable: str, x: str, colour: str, *, crowded: bool) -> None:
    """Draw one line: solid where it was measured, dashed where not; each point with the mark of its own basis."""
    measured = bool((run["origin"] == "measured").all())
    look: dict[str, object] = {"linestyle": "-" if measured else "--", "linewidth": 0.7 if crowded else 1.1}
    axes.plot(run[x], run[variable], color=colour, zorder=2, **look)  # type: ignore[arg-type]
    if not crowded:
        ends = run[columns.low(variable)], run[columns.high(variable)]
        axes.vlines(run[x], *ends, color=colour, linewidth=0.8, alpha=0.7)
    for _, part in run.groupby("basis", dropna=False):
        options = mark_of(part.iloc[0], colour).options | (
            {"markersize": 2.5, "markeredgewidth": 0.7} if crowded else {}
        )
        axes.plot(part[x], part[variable], linestyle="none", zorder=3, **options)  # type: ignore[arg-type]


def _name(names: Sequence[object]) -> str:
    study, label = map(str, names)
    return f"{short(study)}: {label}"


def _sample(text: str, mark: Mark) -> Line2D:
    dashes = "--" if mark.hollow else "-"
    return Line2D([], [], label=text, linestyle=dashes, linewidth=1.1, **mark.options)  # type: ignore[arg-type]


def _caption(rows: pd.DataFrame, variable: str, x: str, runs: Sequence[str], line: float) -> str:
    number = rows.groupby(list(LINES)).ngroups
    bars = (
        "runs are apart, so there are no intervals" if runs else "bars are 95 % intervals, where the study gives them"
    )
    cut = not runs and bool((_span(rows, variable, line)[1] < rows[columns.high(variable)]).any())
    return words.sentences(
        f"{words.capital(words.long_name(variable))} against {words.long_name(x)}, {number}"
        f" curve{'' if number == 1 else 's'} side by side; nothing is averaged across studies.",
        f"A line is {'a run' if runs else 'a configuration'} ({repeated(_behind(rows, runs))}); {bars}.",
        "Bars that leave the panel are cut." if cut else "",
        f"The grey line is at {line:g}.",
        counted(rows, "points"),
        sources(rows),
    )


def _behind(rows: pd.DataFrame, runs: Sequence[str]) -> pd.Series:
    """How many runs stand behind a curve, or behind its points."""
    return rows.groupby(list(LINES))[runs[0]].nunique() if runs else rows["n"]


def _alt(rows: pd.DataFrame, variable: str, x: str) -> str:
    told = []
    for names, part in rows.groupby(list(LINES), sort=False):
        means = part.groupby(x)[variable].mean()
        course = words.describe_trend(
            x, means.index.tolist(), means.tolist(), quantities.say(str(columns.field(variable).unit))
        )
        told.append(f"{_name(names)} ({part['origin'].iloc[0]}) {course}.")
    return words.sentences(f"Curves of {words.long_name(variable)} against {words.long_name(x)}.", *told)
