"""What stands for what: the samples above the panels, and the points of printed numbers."""

from __future__ import annotations

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from storagelab.figures.band_panels import PANEL
from storagelab.figures.limits import DASHED
from storagelab.figures.palette import Look, face
from storagelab.figures.panels import Panels, in_rows, most_columns
from storagelab.figures.permitted_curves.plot import Plot, any_range
from storagelab.figures.style import INK
from storagelab.wording import words


def legend(laid: Panels, plot: Plot) -> None:
    """Name the colours, and what band, arrow and points are, above the panels."""
    told = plot.facet == PANEL or plot.hue in ("", plot.facet, plot.x if plot.named else "")
    looks = {} if told else {words.full(plot.hue, level): look for level, look in plot.looks.items()}
    ranges = any_range(plot.rows)
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


def _sign(formula: str) -> MarkerStyle:
    """Make a marker of a formula; the texts of figures are none."""
    with rc_context({"text.parse_math": True}):
        return MarkerStyle(formula)


def draw_marks(axes: Axes, x: ArrayLike, y: ArrayLike, look: Look, basis: str) -> None:
    """Draw the points of numbers that rest on one thing."""
    if not np.size(x):
        return
    fill = face("published", look.colour, basis)
    axes.plot(x, y, linestyle="none", marker=look.marker, color=look.colour, markerfacecolor=fill, zorder=3.2)
