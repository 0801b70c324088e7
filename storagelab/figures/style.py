"""The one look of all figures, as a context: ``with style(): ...``."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import matplotlib.style
from matplotlib.figure import Figure

from storagelab.figures.measuring import Canvas

SHEET = Path(__file__).with_name("style.mplstyle")
WIDTH = 7.2
"""Full width of the page in inches."""

INK, FAINT, LIMIT = "#262626", "#8c8c8c", "#6b6b6b"


def style() -> AbstractContextManager[None]:
    """Set matplotlib to the look of the papers until the context ends; a user's matplotlibrc changes nothing."""
    return matplotlib.style.context(["default", SHEET])


def canvas(height: float, width: float = WIDTH) -> Figure:
    """Make an empty figure that can measure its own text, outside pyplot's list of open figures."""
    figure = Figure(figsize=(width, height), layout="constrained")
    Canvas(figure)
    return figure
