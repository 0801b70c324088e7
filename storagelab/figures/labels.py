"""Labels beside the ends of lines, moved apart until none covers another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression


@dataclass(frozen=True, slots=True)
class Label:
    """Text for the height `y` (in data) at the right edge of a panel."""

    y: float
    text: str
    colour: str
    italic: bool = False


def apart(positions: ArrayLike, gap: float, low: float, high: float) -> NDArray[np.float64]:
    """Move positions as little as possible so that neighbours keep a gap and all stay between two ends.

    Least squares under order: with z_i = y_i - i gap the rule reads z_1 <= z_2 <= ..., an isotonic regression. Where
    the positions do not all fit, they are spaced evenly.

    Returns
    -------
    ndarray, shape of `positions`
        In the order given.
    """
    y = np.asarray(positions, dtype=np.float64)
    if y.size == 0:
        return y
    order = np.argsort(y, kind="stable")
    step = min(gap, (high - low) / max(1, y.size - 1))
    steps = step * np.arange(y.size)
    moved = isotonic_regression(y[order] - steps).x
    result = np.empty_like(y)
    result[order] = np.clip(moved, low, high - steps[-1]) + steps
    return result


def end_labels(axes: Axes, labels: Sequence[Label], size: float = 7.5) -> None:
    """Write labels right of a panel at the heights they belong to; a moved one gets a thin leader.

    Call it after the limits of the axes are set. The layout makes room for the texts.
    """
    shown = [label for label in labels if np.isfinite(label.y)]
    figure = axes.get_figure(root=True)
    assert figure is not None
    placed = [axes.annotate(
        label.text, (1, label.y), xycoords=("axes fraction", "data"), xytext=(9, 0), textcoords="offset points",
        va="center", fontsize=size, color=label.colour, style="italic" if label.italic else "normal",
        annotation_clip=False,
    ) for label in shown]  # fmt: skip
    figure.draw_without_rendering()
    bottom, top = axes.get_window_extent().intervaly
    heights = [float(axes.transData.transform((axes.get_xlim()[0], label.y))[1]) for label in shown]
    points = 72 / figure.dpi
    moved = apart(heights, 1.25 * size / points, bottom, top)
    for label, text, old, new in zip(shown, placed, heights, moved, strict=True):
        text.set_position((9, (new - old) * points))
        _leader(axes, label, (new - old) * points)


def _leader(axes: Axes, label: Label, shift: float) -> None:
    if abs(shift) > 1.5:
        axes.annotate(
            "", (1, label.y), xycoords=("axes fraction", "data"), xytext=(8, shift), textcoords="offset points",
            arrowprops={"arrowstyle": "-", "lw": 0.5, "color": label.colour, "shrinkA": 0, "shrinkB": 0},
            annotation_clip=False,
        )  # fmt: skip
