"""The one look of all figures, as a context: ``with style(): ...``."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import matplotlib.style
from matplotlib.figure import Figure

from storagelab.figures.medium import PAGE, Medium, current
from storagelab.figures.text_sizes import Canvas

SHEET = Path(__file__).with_name("style.mplstyle")

INK, FAINT, LIMIT = "#262626", "#8c8c8c", "#6b6b6b"


def style() -> AbstractContextManager[None]:
    """Set matplotlib to the look of the papers until the context ends; a user's matplotlibrc changes nothing.

    Returns
    -------
    context manager
        To be entered with ``with``.
    """
    medium = current()
    return matplotlib.style.context(["default", SHEET, *([] if medium == PAGE else [_of(medium)])])


def _of(medium: Medium) -> dict[str, object]:
    """Say what a medium has otherwise than a page: one size of letters, and its font."""
    sizes = "font.size", "axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize"
    kind = "serif" if medium.serif else "sans-serif"
    return {**dict.fromkeys(sizes, medium.letters), "font.family": kind, f"font.{kind}": [medium.family, PAGE.family]}


def canvas(height: float) -> Figure:
    """Make an empty figure as wide as its medium, which can measure its own text, outside pyplot's list of figures."""
    figure = Figure(figsize=(current().width, height), layout="constrained")
    Canvas(figure)
    return figure
