"""Labels beside the ends of lines, moved apart until none covers another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.text import Annotation, Text
from numpy.typing import ArrayLike, NDArray

from storagelab.figures.layout import arrange
from storagelab.figures.page_format import letters
from storagelab.figures.palette import upon
from storagelab.figures.rendering import rounded

GAP = 9.0
"""Points between a panel and its labels."""
SIZE = 7.5
"""Points of their letters."""
BACKGROUND = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
"""Behind a text inside a panel, so that no line or mark runs through it."""


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
    moved = _rising(y[order] - steps)
    result = np.empty_like(y)
    result[order] = np.clip(moved, low, high - steps[-1]) + steps
    return result


def _rising(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least squares under order: values that fall are pooled with those before them until the means rise."""
    pools: list[tuple[float, int]] = []
    for value in values.tolist():
        total, count = value, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            before = pools.pop()
            total, count = before[0] + total, before[1] + count
        pools.append((total, count))
    return np.repeat([total / count for total, count in pools], [count for _, count in pools])


def end_labels(panels: Sequence[Axes], labels: Sequence[Sequence[Label]]) -> None:
    """Write labels right of each panel at the heights they belong to, or at its edge; a moved one gets a thin leader.

    Call it once a figure, after the limits of its axes are set. The layout makes room for the texts.
    """
    known = [
        [replace(label, y=_within(axes, label.y)) for label in own if np.isfinite(label.y)]
        for axes, own in zip(panels, labels, strict=True)
    ]
    size = letters(SIZE)
    texts = [[_write(axes, label, size) for label in own] for axes, own in zip(panels, known, strict=True)]
    figure = panels[0].get_figure(root=True)
    assert figure is not None
    if any(texts):
        arrange(figure)
    for axes, own, placed in zip(panels, known, texts, strict=True):
        _move_apart(axes, own, placed, 1.25 * size, 72 / figure.dpi)


def _within(axes: Axes, y: float) -> float:
    low, high = sorted(axes.get_ylim())
    return float(np.clip(y, low, high))


def _write(axes: Axes, label: Label, size: float) -> Annotation:
    return axes.annotate(
        label.text, (1, label.y), xycoords=("axes fraction", "data"), xytext=(GAP, 0), textcoords="offset points",
        va="center", fontsize=size, color=label.colour, style="italic" if label.italic else "normal",
        annotation_clip=False,
    )  # fmt: skip


def _move_apart(axes: Axes, labels: Sequence[Label], texts: Sequence[Annotation], step: float, points: float) -> None:
    """Shift the texts of a panel; `step` is in points, `points` how many of them a pixel is."""
    bottom, top = axes.get_window_extent().intervaly
    heights = rounded([axes.transData.transform((axes.get_xlim()[0], label.y))[1] for label in labels])
    moved = apart(heights, step / points, bottom, top)
    for label, text, old, new in zip(labels, texts, heights, moved, strict=True):
        shift = float(rounded((new - old) * points))
        text.set_position((GAP, shift))
        if abs(shift) > 1.5:
            _lead(axes, label, shift)


def _lead(axes: Axes, label: Label, shift: float) -> None:
    axes.annotate(
        "", (1, label.y), xycoords=("axes fraction", "data"), xytext=(GAP - 1, shift), textcoords="offset points",
        arrowprops={"arrowstyle": "-", "lw": 0.5, "color": label.colour, "shrinkA": 0, "shrinkB": 0},
        annotation_clip=False,
    )  # fmt: skip


def on_cell(text: Text, mesh: QuadMesh, value: float) -> None:
    """Write what stands on the cell of a value so that it reads on the colour of the cell, on whatever page."""
    red, green, blue, _ = mesh.to_rgba(np.array([value]))[0]
    text.set_color(upon((red, green, blue)))
    text.set_gid(own_name(text, "on-cell"))


def own_name(text: Text, kind: str) -> str:
    """Name a text of a panel by what it is and where it stands among the texts, as no other of the figure is named."""
    axes = text.axes
    assert isinstance(axes, Axes)
    assert axes.figure is not None
    return f"{kind}-{axes.figure.axes.index(axes)}-{axes.texts.index(text)}"
