"""A model fitted to each line of a figure of scaling: its curve, plateau and knee, with their intervals.

A fit is a dataset with a row for each line (keys of hue and facet), which has ``plateau`` (in the unit of what is
drawn) and ``knee`` (in that of the x axis), each with ``_low`` and ``_high`` where known. Or it has a row for each line
and point of a curve (the key of the x axis, too) with ``fitted``, ``fitted_low`` and ``fitted_high``. Or both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from storagelab.analysis import columns, table
from storagelab.errors import AnalysisError
from storagelab.figures import words
from storagelab.figures.labels import Label
from storagelab.figures.palette import Look
from storagelab.figures.panels import Level, rows_of

PLATEAU, KNEE, FITTED = "plateau", "knee", "fitted"
DASH_DOTTED = (0, (5, 1.5, 1, 1.5))


@dataclass(frozen=True, slots=True)
class Fits:
    """Rows of a fit; `x` is the key of the horizontal axis, `method` what the fit says of itself."""

    rows: pd.DataFrame
    x: str
    method: str

    @property
    def curved(self) -> bool:
        """Whether there are points of curves."""
        return FITTED in self.rows and self.x in self.rows

    def of(self, hue: str, facet: str, panel: Level, name: Level) -> pd.DataFrame:
        """Rows of one line of one panel; a fit without a key is for all of its levels."""
        rows = rows_of(self.rows, facet, panel) if facet in self.rows else self.rows
        own: pd.DataFrame = rows[rows[hue] == name] if hue in rows else rows
        return own.sort_values(self.x) if self.curved else own


def fits_of(fit: xr.Dataset | None, variable: str, x: str) -> Fits | None:
    """Check a fit.

    Raises
    ------
    AnalysisError
        If it has neither a plateau nor a curve, or is of another unit.
    """
    if fit is None:
        return None
    names = [name for name in (PLATEAU, FITTED) if name in fit]
    if not names:
        raise AnalysisError(f"a fit has the column {PLATEAU!r} or {FITTED!r}, this one has neither")
    for name in names:
        if fit[name].attrs.get("units") != columns.field(variable).unit:
            raise AnalysisError(f"the fit's {name} is in {fit[name].attrs.get('units')!r}, not in that of {variable}")
    return Fits(table.frame(fit), x, str(fit.attrs.get("method", "")))


def draw_fits(
    axes: Axes, fits: Fits | None, hue: str, facet: str, panel: Level, looks: Mapping[Level, Look]
) -> NDArray[np.float64]:
    """Draw the fits of a panel; return the values that its axis should reach."""
    shown: list[float] = []
    for name, look in looks.items() if fits is not None else ():
        assert fits is not None
        own = fits.of(hue, facet, panel, name)
        if fits.curved:
            _curve(axes, own, fits.x, look)
            shown += own[FITTED].tolist()
        for _, row in own.drop_duplicates(PLATEAU).iterrows() if PLATEAU in own else ():
            _plateau(axes, row, look)
            shown.append(float(row[PLATEAU]))
    values = np.array(shown, dtype=np.float64)
    return values[np.isfinite(values)]


def _curve(axes: Axes, own: pd.DataFrame, x: str, look: Look) -> None:
    axes.plot(own[x], own[FITTED], color=look.colour, linewidth=0.9, linestyle=DASH_DOTTED, zorder=2)
    if columns.low(FITTED) in own:
        ends = own[columns.low(FITTED)], own[columns.high(FITTED)]
        axes.fill_between(own[x], *ends, color=look.colour, alpha=0.12, linewidth=0, zorder=1)


def _plateau(axes: Axes, row: pd.Series[float], look: Look) -> None:
    """Draw a plateau from its knee on, the interval of it as a band and that of the knee as a bar."""
    knee = float(row.get(KNEE, np.nan))
    begin = knee if np.isfinite(knee) else axes.get_xlim()[0]
    end = float(max(begin, *(line.get_xdata().max() for line in axes.lines if line.get_xdata().size)))  # type: ignore[union-attr]
    axes.hlines(row[PLATEAU], begin, end, color=look.colour, linewidth=1.1, linestyle=DASH_DOTTED, zorder=2)
    low, high = row.get(columns.low(PLATEAU), np.nan), row.get(columns.high(PLATEAU), np.nan)
    axes.fill_between([begin, end], low, high, color=look.colour, alpha=0.12, linewidth=0, zorder=1)
    if np.isfinite(knee):
        ends = row.get(columns.low(KNEE), np.nan), row.get(columns.high(KNEE), np.nan)
        axes.hlines(row[PLATEAU], *ends, color=look.colour, linewidth=0.9, zorder=2)
        axes.plot(knee, row[PLATEAU], marker="x", color=look.colour, markersize=5, zorder=3.5, linestyle="none")


def fit_labels(
    fits: Fits | None,
    hue: str,
    facet: str,
    panel: Level,
    looks: Mapping[Level, Look],
    say: Callable[[float], str],
) -> list[Label]:
    """Name the plateaus of a panel."""
    if fits is None or PLATEAU not in fits.rows:
        return []
    plateaus = {name: fits.of(hue, facet, panel, name)[PLATEAU].drop_duplicates() for name in looks}
    return [
        Label(float(value), f"plateau {say(float(value))}", looks[name].text, italic=True)
        for name, values in plateaus.items()
        for value in values
        if np.isfinite(value)
    ]


def fit_words(fits: Fits | None) -> str:
    """Say in a caption what is drawn of a fit."""
    if fits is None:
        return ""
    parts = ["curve"] * fits.curved + ["plateau"] * (PLATEAU in fits.rows)
    banded = any(columns.low(name) in fits.rows for name in (PLATEAU, FITTED))
    knee = " Cross: its knee, where the plateau begins." if KNEE in fits.rows else ""
    how = f" ({fits.method})" if fits.method else ""
    return (
        f"Dash-dotted: {words.listed(parts)} of a fitted model{how}{', its interval shaded' if banded else ''}.{knee}"
    )
