"""What a drawing that was not measured says of itself: across every panel, and of the fills of its markers.

A caption is cut off, a colour is lost on a photocopier. So the words stand in the panels themselves, behind the data,
as often as they fit, and a line under the drawing says what filled and hollow markers are.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from numpy.typing import ArrayLike, NDArray

from storagelab.figures.labels import own_name
from storagelab.figures.page_format import letters
from storagelab.figures.palette import MARKERS
from storagelab.figures.style import INK

LABEL = "watermark"
"""Label of the texts, by which they are found and taken away again."""
NOT_MEASURED, NOT_ALL_MEASURED = "not measured", "not all measured"
"""Words of which no drawing lacks one unless all of it was measured."""
SHADE, BEHIND, SIZE, TILT = "#b4b4b4", 0.6, 8.5, 16
"""Grey that a photocopier keeps and a reader reads over; below all data; points; degrees."""
LETTER, TALL = 0.085, 0.85
"""Inches that a letter takes, and that a copy of the words gets from top to bottom."""
FILLED, TINTED, HOLLOW = "printed in the source", "computed from printed numbers", "chosen by a model"


def words_of(origin: str) -> str:
    """Say of an origin what it is not, in two lines; "" where all was measured."""
    parts = origin.split(" and ")
    if parts == ["measured"] or not origin:
        return ""
    first = "reconstructed" if "reconstructed" in parts else "from printed numbers"
    return f"in part {first},\n{NOT_ALL_MEASURED}" if "measured" in parts else f"{first},\n{NOT_MEASURED}"


def watermark(figure: Figure, origin: str) -> None:
    """Write across every panel that it was not measured; once, however often it is asked for.

    Parameters
    ----------
    figure : Figure
        As it is laid out.
    origin : str
        Origins of the data, as `storagelab.paper` joins them. A panel whose gid is an origin speaks for itself.
    """
    for axes in figure.axes:
        for old in [text for text in axes.texts if text.get_label() == LABEL]:
            old.remove()
        if axes.get_label() != "<colorbar>":
            _across(axes, words_of(axes.get_gid() or origin))


def _across(axes: Axes, words: str) -> None:
    if not words:
        return
    width, height = _inches(axes)
    if not axes.axison:
        above = 1 if axes.get_title(loc="left") else 0
        text = axes.text(
            1, above, words.replace("\n", " "), transform=axes.transAxes, ha="right", va="bottom", color=SHADE,
            fontsize=SIZE, fontweight="bold", label=LABEL,
        )  # fmt: skip
        _aside(text)
        return
    flat = height < TALL * 0.8
    covered = any(isinstance(one, QuadMesh) for one in axes.collections)
    longest = len(words) if flat else max(map(len, words.split("\n")))
    for x, y in _places(width / (LETTER * longest + 0.25), height / TALL):
        text = axes.text(
            x, y, words.replace("\n", " ") if flat else words, transform=axes.transAxes, ha="center", va="center",
            rotation=0 if flat else TILT, color=SHADE, fontsize=SIZE, fontweight="bold", clip_on=True,
            zorder=2.5 if covered else BEHIND, label=LABEL,
        )  # fmt: skip
        _aside(text)
        if covered:
            text.set(color="white", path_effects=[withStroke(linewidth=1.6, foreground=INK)])


def _aside(text: Text) -> None:
    """Let a text take no room, and bear a name of its own in the drawing."""
    text.set_in_layout(False)
    text.set_gid(own_name(text, LABEL))


def _inches(axes: Axes) -> tuple[float, float]:
    figure = axes.get_figure(root=True)
    assert figure is not None
    place, (width, height) = axes.get_position(), figure.get_size_inches()
    return float(place.width * width), float(place.height * height)


def _places(wide: float, tall: float) -> Iterator[tuple[float, float]]:
    """Go through the middles of the copies, in shares of a panel that holds so many; every second row is set off."""
    across, down = max(1, int(wide)), max(1, int(tall))
    for row in range(down):
        own = max(1, across - row % 2) if across > 1 else 1
        for place in range(own):
            yield (place + 0.5) / own, (row + 0.5) / down


def fills(figure: Figure) -> set[str]:
    """Find what the markers of a figure say of their values by their fill."""
    found: set[str] = set()
    for axes in figure.axes:
        for line in axes.lines:
            if line.get_marker() in MARKERS and np.size(line.get_xdata()):
                found.add(_meaning(line.get_markerfacecolor(), line.get_markeredgecolor()))
        for group in axes.collections:
            if isinstance(group, PathCollection):
                edges = group.get_edgecolor()
                found |= {_meaning(face, edges[0]) for face in np.asarray(group.get_facecolor()) if np.size(edges)}
    return found


def _meaning(face: ArrayLike, edge: ArrayLike) -> str:
    inside, outside = _rgb(face), _rgb(edge)
    if bool((inside > 0.99).all()):
        return HOLLOW
    return TINTED if bool((np.abs(inside - (0.5 + 0.5 * outside)) < 0.02).all()) else FILLED


def _rgb(colour: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(to_rgb(colour), dtype=np.float64)  # type: ignore[arg-type]


def _legend_texts(figure: Figure) -> set[str]:
    return {text.get_text() for legend in figure.legends for text in legend.get_texts()}


def key_of_fills(figure: Figure, y: float, origin: str = "reconstructed") -> None:
    """Explain filled, tinted and hollow markers in a line at a height (in shares of the figure), where there are any.

    A legend that says which markers are measured explains them already.

    Parameters
    ----------
    figure : Figure
    y : float
        Upper edge of the line.
    origin : str
        Origins of the data. Beside measured data a filled marker is measured, and any other reconstructed.
    """
    shades = {FILLED: INK, TINTED: "#929292", HOLLOW: "white"}
    words = {FILLED: "measured", HOLLOW: "reconstructed"} if "measured" in origin.split(" and ") else {}
    known = fills(figure)
    shown = {words.get(meaning, meaning): shade for meaning, shade in shades.items() if meaning in known}
    if words.get(FILLED) in _legend_texts(figure):
        return
    samples = [
        Line2D([], [], linestyle="none", marker="o", markersize=4, color=INK, markerfacecolor=shade, label=meaning)
        for meaning, shade in shown.items()
    ]
    if samples:
        figure.legend(
            handles=samples, loc="upper left", bbox_to_anchor=(0, y), ncols=len(samples), fontsize=letters(7),
            borderpad=0, borderaxespad=0, handletextpad=0.2, columnspacing=1.2,
        )  # fmt: skip
