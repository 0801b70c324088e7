"""How a figure with panels beside each other is shown on a phone: its columns below each other, each with its labels.

Nothing is drawn twice. A part is made of boxes of the one drawing that stand side by side: a column of panels and, left
of it, the labels that it shares with the first column, a box for each panel; or some entries of a legend. Panels in
several rows that have a title each are no columns: they are read row by row, a part each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.transforms import Bbox

from storagelab.figures.rendering import POINTS, rounded

Box = tuple[float, float, float, float]
"""Left, top, width and height in the drawing, in points."""
Edges = tuple[float, float]
Sides = tuple[float, float, float, float]
"""Left, right, top and bottom in the figure, which counts from below, in points."""

LEAST = 6.0
"""Points of a strip above or below the panels that holds something."""
ROOM = 3.0
"""Points around what is cut out."""
MARK = 16.0
"""Points left of a text in which its mark stands."""
EDGE, OVER, DEEP = 0.5, 4.0, 2.5
"""Points by which shared labels end left of the first panel, whose title begins there; by which labels of ticks reach
above and below it; and by which letters reach below where they are measured."""
HINTED = 0.05
"""Of its width by which a text may be wider than it is measured where letters are fitted to pixels."""
NARROW = 230.0
"""Points across which a phone shows letters as large as they are."""


def parts(fig: Figure, below: float = 0.0) -> list[list[Box]]:
    """Cut a drawing, once it is drawn, into parts that are read one below the other.

    Parameters
    ----------
    fig : Figure
        As it was drawn last, in points: so its legends have their places.
    below : float
        Inches that its drawing reaches below it.

    Returns
    -------
    list of list of box
        What is above the panels, each column of panels from left to right or each panel, what is below; the boxes of a
        part stand side by side, those above each other in the drawing below each other. None where the panels stand in
        one column.
    """
    dpi = fig.dpi
    try:
        fig.dpi = POINTS
        return _parts(fig, -below * POINTS)
    finally:
        fig.dpi = dpi


def _parts(fig: Figure, foot: float) -> list[list[Box]]:
    columns = _columns(fig.axes)
    if sum(not _is_scale(column) for column in columns) < 2:
        return []
    width, height = (float(inches) * POINTS for inches in fig.get_size_inches())
    whole = [Bbox.union([_extent(axes) for axes in column]) for column in columns]
    top, bottom = max(box.y1 for box in whole) + ROOM, min(box.y0 for box in whole) - ROOM
    cut = [[(left, right, height, top)] for left, right in _strip(fig, top, height, width)]
    edges, labels = list(_edges(whole, width)), list(_shared(columns, whole))
    if _each_is_titled(columns):
        cut += _row_by_row(columns, edges, labels)
    else:
        cut += [
            [*names, (*sides, box.y1 + ROOM, box.y0 - ROOM)]
            for box, sides, names in zip(whole, edges, labels, strict=True)
        ]
    cut += [[(left, right, bottom, foot)] for left, right in _strip(fig, foot, bottom, width)]
    return [[_box(*sides, width, height) for sides in part] for part in cut]


def _edges(whole: Sequence[Bbox], width: float) -> Iterator[Edges]:
    """Left and right edge of each column, without what stands in the one before."""
    before = 0.0
    nexts = [*(box.x0 - EDGE for box in whole[1:]), width + ROOM]
    for box, after in zip(whole, nexts, strict=True):
        yield max(box.x0 - ROOM, min(before, box.x0)), min(box.x1 + ROOM, after)
        before = min(box.x1, after)


def _each_is_titled(columns: Sequence[Sequence[Axes]]) -> bool:
    """Whether the panels of several rows have a title each, so that no column says what is below its first panel."""
    panels = [column for column in columns if not _is_scale(column)]
    titles = [axes.get_title(loc="left") for column in panels for axes in column]
    return max(map(len, panels)) > 1 and all(titles)


def _row_by_row(
    columns: Sequence[Sequence[Axes]], edges: Sequence[Edges], labels: Sequence[list[Sides]]
) -> Iterator[list[Sides]]:
    """Cut out each panel with the labels that it shares, as one reads; a scale of colours comes last."""
    found: list[tuple[float, int, list[Sides]]] = []
    for place, (column, sides, names) in enumerate(zip(columns, edges, labels, strict=True)):
        for nth, (axes, high, low) in enumerate(_apart(column)):
            row = -np.inf if _is_scale(column) else _row(axes)
            found.append((-row, place, [*names[nth : nth + 1], (*sides, high, low)]))
    yield from (part for *_, part in sorted(found, key=lambda one: one[:2]))


def _apart(column: Sequence[Axes]) -> Iterator[tuple[Axes, float, float]]:
    """Panels of a column from the top, each with its upper and lower edge; between two neighbours these are one."""
    panels = sorted(column, key=_row, reverse=True)
    boxes = [_extent(axes) for axes in panels]
    between = [(one.y0 + other.y1) / 2 for one, other in pairwise(boxes)]
    for axes, box, above, below in zip(panels, boxes, [np.inf, *between], [*between, -np.inf], strict=True):
        yield axes, min(box.y1 + ROOM, above), max(box.y0 - ROOM, below)


def _columns(every: Sequence[Axes]) -> list[list[Axes]]:
    """Panels that stand above each other, from left to right."""
    columns: list[list[Axes]] = []
    for axes in sorted(every, key=lambda one: float(one.get_position().x0)):
        if columns and axes.get_position().x0 < max(one.get_position().x1 for one in columns[-1]):
            columns[-1].append(axes)
        else:
            columns.append([axes])
    return columns


def _is_scale(column: Sequence[Axes]) -> bool:
    return all(axes.get_label() == "<colorbar>" for axes in column)


def _extent(axes: Axes) -> Bbox:
    """Where a panel, its labels and its texts stand; its legend has a place of its own."""
    texts = [axes.title, axes._left_title, axes._right_title, *axes.texts]  # type: ignore[attr-defined]
    seen = [text for text in texts if text.get_visible() and text.get_text().strip()]
    axis = (axes.xaxis, axes.yaxis) if axes.axison else ()
    return Bbox.union([_place(axes), *map(_hinted, seen), *map(_labels, axis)])


def _hinted(text: Artist) -> Bbox:
    """Where a text stands if its letters are fitted to pixels."""
    box = _place(text)
    return Bbox.from_extents(box.x0, box.y0, box.x1 + HINTED * box.width, box.y1)


def _place(artist: Artist) -> Bbox:
    """Where something stands, by the canvas that measures texts and not by what drew it."""
    return artist.get_window_extent(_renderer(artist))


def _labels(axis: Artist) -> Bbox:
    found = axis.get_tightbbox(_renderer(axis))
    return _place(axis.axes) if found is None else found  # type: ignore[arg-type]


def _renderer(artist: Artist) -> Any:
    return artist.get_figure(root=True).canvas.get_renderer()  # type: ignore[union-attr]


def _shared(columns: Sequence[Sequence[Axes]], whole: Sequence[Bbox]) -> Iterator[list[Sides]]:
    """Where the labels stand that the panels of a column lack because those of the first one have them."""
    first, left = columns[0], whole[0].x0 - ROOM
    panels = min(_place(axes).x0 for axes in first)
    named = any(axes.get_ylabel() for axes in first)
    for column in columns:
        if column is first or _is_scale(column):
            yield []
        elif not any(axes.yaxis.get_tick_params().get("labelleft") for axes in column):
            yield [(left, panels - EDGE, *_beside(axes)) for axes in _in_rows_of(column, first)]
        elif named and not any(axes.get_ylabel() for axes in column):
            yield [(*_across_name(axes), *_beside(axes)) for axes in _in_rows_of(column, first)]
        else:
            yield []


def _across_name(axes: Axes) -> Edges:
    """Left and right edge of the name of a panel's axis; numbers of several lengths put it at several places."""
    name = _place(axes.yaxis.label)
    return name.x0 - ROOM, name.x1 + DEEP


def _in_rows_of(column: Sequence[Axes], first: Sequence[Axes]) -> Iterator[Axes]:
    """Panels of the first column beside those of another, from the top."""
    rows = {_row(axes) for axes in column}
    yield from sorted((axes for axes in first if _row(axes) in rows), key=_row, reverse=True)


def _row(axes: Axes) -> float:
    return round(float(axes.get_position().y0), 3)


def _beside(axes: Axes) -> Edges:
    """Upper and lower edge of the labels beside a panel, without those below it."""
    panel, name = _place(axes), _place(axes.yaxis.label)
    named = bool(axes.get_ylabel())
    top, bottom = panel.y1 + OVER, panel.y0 - OVER
    return (max(top, name.y1), min(bottom, name.y0)) if named else (top, bottom)


def _strip(fig: Figure, low: float, high: float, width: float) -> Iterator[Edges]:
    """Cut a strip across a figure between its texts, so that no piece is wider than a phone is, if that can be."""
    if high - low <= LEAST:
        return
    legends = [*fig.legends, *(axes.get_legend() for axes in fig.axes)]
    texts = chain(fig.texts, *(legend.get_texts() for legend in legends if isinstance(legend, Legend)))
    places = sorted(
        (box.x0, box.x1 + HINTED * box.width) for box in map(_place, texts) if low <= (box.y0 + box.y1) / 2 <= high
    )
    pieces: list[Edges] = []
    for left, right in places:
        if pieces and (right - pieces[-1][0] <= NARROW or left < pieces[-1][1]):
            pieces[-1] = pieces[-1][0], max(right + ROOM, pieces[-1][1])
        else:
            pieces.append((max(left - MARK, pieces[-1][1] if pieces else 0.0), right + ROOM))
    yield from pieces or [(0.0, width)]


def _box(left: float, right: float, top: float, bottom: float, width: float, height: float) -> Box:
    """Box of an SVG, which counts from the top, inside the drawing or where letters reach that a browser widens."""
    left, right, top = max(left, 0.0), min(right, width + ROOM), min(top, height)
    x, y, wide, high = rounded([left, height - top, right - left, top - bottom]).tolist()
    return x, y, wide, high
