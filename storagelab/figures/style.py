"""The one look of all figures, as a context: ``with style(): ...``."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import matplotlib.style
from matplotlib.figure import Figure

from storagelab.figures.page_format import PAGE, PageFormat, current
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
    page_format = current()
    return matplotlib.style.context(["default", SHEET, *([] if page_format == PAGE else [_of(page_format)])])


def _of(page_format: PageFormat) -> dict[str, object]:
    """Say what a format has otherwise than a page of ours: one size of letters, and its font."""
    sizes = "font.size", "axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize"
    kind = "serif" if page_format.serif else "sans-serif"
    return {
        **dict.fromkeys(sizes, page_format.letters),
        "font.family": kind,
        f"font.{kind}": [page_format.family, PAGE.family],
    }


def canvas(height: float) -> Figure:
    """Make an empty figure of the width in use, which can measure its own text, outside pyplot's list of figures."""
    figure = Figure(figsize=(current().width, height), layout="constrained")
    Canvas(figure)
    return figure
