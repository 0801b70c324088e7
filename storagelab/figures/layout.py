"""Where the panels of a figure stand, decided once."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

DIGITS = 6
"""Digits behind the point to which places of panels are rounded, in shares of the figure."""


def arrange(figure: Figure) -> None:
    """Lay a figure out as it is now; panels may still move when it is settled."""
    if engine := figure.get_layout_engine():
        engine.execute(figure)


def settle(figure: Figure) -> None:
    """Lay a figure out once and for all: what its texts need is measured now, and its panels do not move any more.

    Call it when all is drawn that needs room. Another pass would move things by a hair and take as long.
    """
    if figure.axes:
        arrange(figure)
        figure.set_layout_engine("none")
        for axes in figure.axes:
            axes.set_position(Bbox(axes.get_position(original=True).get_points().round(DIGITS)))
            axes.set_in_layout(True)
