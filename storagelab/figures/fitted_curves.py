"""A model fitted to each line of a figure of scaling: its curve, plateau and knee, with their intervals.

A fit is the result of `storagelab.analysis.fitted_curves` (rows along the key of the x axis, in which the variable is
the fitted one), or of `storagelab.analysis.scaling_fits` (a row for each line, in which the variable is the plateau,
and ``<x>_knee`` where it begins), or both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from storagelab.analysis import columns, table
from storagelab.figures.labels import Label
from storagelab.figures.palette import Look
from storagelab.figures.panels import Level, rows_of
from storagelab.wording import words

DASH_DOTTED = (0, (5, 1.5, 1, 1.5))
PREFERRED = "preferred"
_INTERVAL = re.compile(r", (?=(?:pointwise )?95 %)")
"""Where what a method says of its interval begins."""


@dataclass(frozen=True, slots=True)
class Fits:
    """Points of fitted curves and rows with plateaus, in frames; `methods` are what the fits say of themselves."""

    curves: pd.DataFrame
    plateaus: pd.DataFrame
    variable: str
    x: str
    methods: Sequence[str]

    @property
    def knee(self) -> str:
        """Column of the knee."""
        return f"{self.x}_knee"


def fits_of(fit: xr.Dataset | Sequence[xr.Dataset] | None, variable: str, x: str) -> Fits | None:
    """Check fits, and tell curves from plateaus. Of several models fitted to a line the preferred one is taken.

    Raises
    ------
    AnalysisError
        If one lacks the variable, or has it in another unit.
    """
    if fit is None:
        return None
    given = [fit] if isinstance(fit, xr.Dataset) else list(fit)
    for one in given:
        table.unit(one, variable)
    frames = [table.frame(one) for one in given]
    chosen = [rows[rows[PREFERRED] == 1] if PREFERRED in rows else rows for rows in frames]
    curves, plateaus = (_together([rows for rows in chosen if (x in rows) == along]) for along in (True, False))
    in_order = sorted(zip(given, frames, strict=True), key=lambda one: x not in one[1])
    return Fits(curves, plateaus, variable, x, [str(one.attrs.get("method", "")) for one, _ in in_order])


def _together(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(frames) if frames else pd.DataFrame()


def _own(rows: pd.DataFrame, hue: str, facet: str, panel: Level, name: Level) -> pd.DataFrame:
    """Rows of one line of one panel; a fit without a key is for all of its levels."""
    here = rows_of(rows, facet, panel) if facet in rows else rows
    own: pd.DataFrame = here[here[hue] == name] if hue in here else here
    return own


def draw_fits(
    axes: Axes, fits: Fits | None, hue: str, facet: str, panel: Level, looks: Mapping[Level, Look]
) -> NDArray[np.float64]:
    """Draw the fits of a panel; return the values that its axis should reach."""
    if fits is None:
        return np.zeros(0)
    shown: list[float] = []
    for name, look in looks.items():
        curve = _own(fits.curves, hue, facet, panel, name)
        if len(curve):
            _curve(axes, curve.sort_values(fits.x), fits, look)
            shown += curve[fits.variable].tolist()
        for _, row in _own(fits.plateaus, hue, facet, panel, name).iterrows():
            _plateau(axes, row, fits, look, alone=curve.empty)
            shown.append(float(row[fits.variable]))
    values = np.array(shown, dtype=np.float64)
    return values[np.isfinite(values)]


def _curve(axes: Axes, own: pd.DataFrame, fits: Fits, look: Look) -> None:
    axes.plot(own[fits.x], own[fits.variable], color=look.colour, linewidth=0.9, linestyle=DASH_DOTTED, zorder=2)
    ends = [columns.low(fits.variable), columns.high(fits.variable)]
    if {*ends}.issubset(own):
        low, high = (own[end] for end in ends)
        axes.fill_between(own[fits.x], low, high, color=look.colour, alpha=0.12, linewidth=0, zorder=1)


def _plateau(axes: Axes, row: pd.Series[float], fits: Fits, look: Look, alone: bool) -> None:
    """Draw a plateau from its knee on with its interval, if no curve shows them, and the knee with its own."""
    height, knee = float(row[fits.variable]), float(row.get(fits.knee, np.nan))
    reached = max(float(np.max(np.asarray(line.get_xdata()), initial=0.0)) for line in axes.lines)
    begin = knee if np.isfinite(knee) else min(axes.get_xlim())
    if alone:
        axes.hlines(height, begin, reached, color=look.colour, linewidth=1.1, linestyle=DASH_DOTTED, zorder=2)
        low, high = (float(row.get(end(fits.variable), np.nan)) for end in (columns.low, columns.high))
        axes.fill_between([begin, reached], low, high, color=look.colour, alpha=0.12, linewidth=0, zorder=1)
    if np.isfinite(knee):
        left, right = (float(row.get(end(fits.knee), np.nan)) for end in (columns.low, columns.high))
        axes.hlines(height, left, right, color=look.colour, linewidth=0.9, zorder=2)
        axes.plot(knee, height, marker="x", color=look.colour, markersize=5, zorder=3.5, linestyle="none")


def fit_labels(
    fits: Fits | None,
    hue: str,
    facet: str,
    panel: Level,
    looks: Mapping[Level, Look],
    say: Callable[[float], str],
) -> list[Label]:
    """Name the plateaus of a panel."""
    if fits is None:
        return []
    plateaus = {name: _own(fits.plateaus, hue, facet, panel, name) for name in looks}
    return [
        Label(float(value), f"plateau {say(float(value))}", looks[name].text, italic=True)
        for name, own in plateaus.items() if len(own)
        for value in own[fits.variable]
    ]  # fmt: skip


def fit_words(fits: Fits | None) -> str:
    """Say in a caption what is drawn of a fit."""
    if fits is None:
        return ""
    parts = {"curve": fits.curves, "plateau": fits.plateaus}
    shown = {part: rows for part, rows in parts.items() if len(rows)}
    hows, intervals = _told(fits.methods)
    how = f" ({words.listed(hows)})" if hows else ""
    return words.sentences(
        f"Dash-dotted: {words.listed(shown)} of a fitted model{how}.",
        f"Shaded: its {intervals or 'interval'}." if _has_ends(fits.variable, shown.values()) else "",
        _knee_words(fits),
    )


def _told(methods: Iterable[str]) -> tuple[list[str], str]:
    """How a model was fitted, each way once, and the interval of what is shaded: of a curve where one is drawn."""
    told = [_INTERVAL.split(method, maxsplit=1) for method in methods if method]
    return list(dict.fromkeys(one[0] for one in told)), next((one[1] for one in told if len(one) > 1), "")


def _has_ends(name: str, parts: Iterable[pd.DataFrame]) -> bool:
    return any(columns.low(name) in rows for rows in parts)


def _knee_words(fits: Fits) -> str:
    if fits.knee not in fits.plateaus:
        return ""
    stroke = ", and its interval" if _has_ends(fits.knee, [fits.plateaus]) else ""
    return f"Cross: its knee, where the plateau begins{stroke}."
