"""Labels of horizontal lines inside a panel, where they cover the least of what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.lines import Line2D
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox
from numpy.typing import ArrayLike, NDArray

from storagelab.figures.labels import BACKGROUND, Label
from storagelab.figures.layout import settle
from storagelab.figures.page_format import letters
from storagelab.figures.rendering import rounded

OFFSET = 1.5
"""Points between a line and its label."""
PLACES = 13
"""How many places between the left and the right end of a panel are tried."""
AIR, EDGE = 8.0, 2.0
"""Pixels of free space that a label wants before and behind it, and above and below."""
MARKER = 10
"""Points that stand for each end of a marker: a label may cover some of a line, but no number."""
SIZE = 7.0
"""Points of the letters of a label."""
STEP = 2.0
"""Pixels between the points that stand for a line."""

Points = NDArray[np.float64]


def inside_labels(panels: Sequence[Axes], labels: Sequence[Sequence[Label]]) -> None:
    """Write each label just above or below its height, at the place in the panel where it covers the least.

    Of equally free places the right one is taken. Call it after the limits of the axes are set and all is drawn; the
    layout makes no room for the texts.
    """
    texts = [
        [_write(axes, label, letters(SIZE)) for label in own if np.isfinite(label.y)]
        for axes, own in zip(panels, labels, strict=True)
    ]
    figure = panels[0].get_figure(root=True)
    assert figure is not None
    settle(figure)
    for axes, own in zip(panels, texts, strict=True):
        taken = np.vstack([drawn_points(axes), *(written_points(text) for text in axes.texts if text not in own)])
        for text in own:
            taken = np.vstack([taken, _place(axes, text, taken)])


def _write(axes: Axes, label: Label, size: float) -> Annotation:
    text = axes.annotate(
        label.text, (0, label.y), xycoords=("axes fraction", "data"), xytext=(0, OFFSET), textcoords="offset points",
        va="bottom", fontsize=size, color=label.colour, style="italic" if label.italic else "normal",
        annotation_clip=False, zorder=5, bbox=BACKGROUND,
    )  # fmt: skip
    text.set_in_layout(False)
    return text


def _place(axes: Axes, text: Annotation, taken: Points) -> Points:
    """Move a text to the best place; return points that stand for it."""
    panel, box = (Bbox(rounded(one.get_window_extent().get_points())) for one in (axes, text))
    lift = OFFSET * axes.figure.dpi / 72
    lefts = rounded(np.linspace(panel.x1 - box.width - lift, panel.x0 + lift, PLACES)).tolist()
    tried = [_moved(box, left, drop) for left, drop in product(lefts, (0.0, box.height + 2 * lift))]
    best = min(
        (one for one in tried if panel.y0 <= one.y0 and one.y1 <= panel.y1 + lift),
        key=lambda one: covered(one, taken),
        default=tried[0],
    )
    moved = (best.p0 - box.p0) * 72 / axes.figure.dpi + [0, OFFSET]
    text.set_position(rounded(moved).tolist())
    return dense(np.array([[best.x0, best.y0], [best.x1, best.y1], [best.x0, best.y1], [best.x1, best.y0]]))


def _moved(box: Bbox, left: float, drop: float) -> Bbox:
    return Bbox.from_bounds(left, box.y0 - drop, box.width, box.height)


def covered(box: Bbox, points: Points) -> int:
    """Count the points within a box with the free space around it."""
    x, y = rounded(points).T
    return int(((box.x0 - AIR <= x) & (x <= box.x1 + AIR) & (box.y0 - EDGE <= y) & (y <= box.y1 + EDGE)).sum())


def drawn_points(axes: Axes) -> Points:
    """Points in pixels, of shape (m, 2), that stand for the lines, bars, areas and markers of a panel."""
    found: list[Points] = [np.empty((0, 2))]
    found += [dense(line.get_transform().transform(np.asarray(line.get_xydata()))) for line in axes.lines]
    found += [
        np.repeat(_around(line.get_transform().transform(np.asarray(line.get_xydata())), line), MARKER, axis=0)
        for line in axes.lines
        if line.get_marker() not in ("", " ", "None", None)
    ]
    found += [dense(patch.get_transform().transform(patch.get_path().vertices)) for patch in axes.patches]
    for collection in axes.collections:
        if isinstance(collection, LineCollection):
            found += [dense(axes.transData.transform(segment)) for segment in collection.get_segments()]
        elif isinstance(collection, PathCollection):
            found.append(axes.transData.transform(np.asarray(collection.get_offsets(), dtype=np.float64)))
    return np.vstack(found)


def written_points(text: Text) -> Points:
    """Points in pixels, of shape (m, 2), that stand for a text: as many as for a marker, since it says a number."""
    if not text.get_text():
        return np.empty((0, 2))
    box = text.get_window_extent()
    return np.repeat(dense([box.p0, (box.x1, box.y0), box.p1, (box.x0, box.y1), box.p0]), MARKER, axis=0)


def _around(middles: Points, line: Line2D) -> Points:
    """Middles and ends of markers."""
    across = line.get_markersize() / 2 * (line.axes.figure.dpi if line.axes is not None else 72) / 72
    return np.vstack([middles + across * np.array(end) for end in ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0))])


def dense(corners: ArrayLike) -> Points:
    """Fill a polyline with points a few pixels apart.

    Examples
    --------
    >>> dense([[0, 0], [4, 0]])[:, 0].tolist()
    [0.0, 2.0, 4.0]
    """
    xy = rounded(corners).reshape(-1, 2)
    xy = xy[np.isfinite(xy).all(axis=1)]
    along = rounded(np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(xy, axis=0).T))]) if len(xy) else np.zeros(0))
    if along.size < 2 or along[-1] == 0:
        return xy
    at = np.linspace(0, along[-1], 1 + int(np.ceil(along[-1] / STEP)))
    return np.column_stack([np.interp(at, along, column) for column in xy.T])
