"""Limits of what is drawn against a number: curves, equal ones once, and their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import xarray as xr
from matplotlib.axes import Axes

from storagelab.analysis import table
from storagelab.figures.labels import Label
from storagelab.figures.palette import Look
from storagelab.figures.panels import Level
from storagelab.figures.style import LIMIT

DASHED = (0, (4, 2.5))

Curve = tuple["pd.Series[float]", list[Level]]
"""A limit against x, and the lines that share it."""


def limit_rows(limits: xr.Dataset | None, keys: Sequence[str]) -> pd.DataFrame | None:
    """One ``bound`` for each level of those of the keys that the limits know."""
    if limits is None:
        return None
    rows = table.frame(limits)
    return rows.groupby([key for key in keys if key in rows])[["bound"]].max().reset_index()


def curves(rows: pd.DataFrame, x: str, hue: str, names: Sequence[Level], xs: Sequence[float]) -> list[Curve]:
    """Limits of a panel against x."""
    found: list[Curve] = []
    for name in names:
        own = rows[rows[hue] == name] if hue in rows else rows
        curve = own[own[x].isin(xs)].groupby(x)["bound"].max()
        same = next((sharing for other, sharing in found if other.equals(curve)), None)
        if same is None and not curve.empty:
            found.append((curve, [name]))
        elif same is not None:
            same.append(name)
    return found


def draw_curves(axes: Axes, found: Sequence[Curve], looks: Mapping[Level, Look]) -> None:
    """Draw limits dashed: in the colour of the line they belong to, in grey where lines share one."""
    for curve, names in found:
        colour = looks[names[0]].colour if len(names) == 1 else LIMIT
        axes.plot(curve.index, curve, linestyle=DASHED, linewidth=1.0, color=colour, zorder=1.5)


def curve_labels(found: Sequence[Curve], looks: Mapping[Level, Look], say: Callable[[float], str]) -> list[Label]:
    """Where the limits end up, in words."""
    return [
        Label(
            float(curve.iloc[-1]), f"limit {say(float(curve.iloc[-1]))}",
            looks[names[0]].text if len(names) == 1 else LIMIT, italic=True,
        )
        for curve, names in found
    ]  # fmt: skip
