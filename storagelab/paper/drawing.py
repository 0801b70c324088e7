"""A figure as files: the same bytes every time, and its origin on its face unless it is measured."""

from __future__ import annotations

import base64
import io

from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from storagelab.figures.style import style

STRIP = 0.17
"""Height in inches of the strip below a figure that says its origin."""
DPI = 200


def draw(fig: Figure, origin: str) -> dict[str, str]:
    """Render a figure and close it.

    Parameters
    ----------
    fig : Figure
    origin : str
        Anything but "measured" is written below the drawing, so that it stays with the file.

    Returns
    -------
    dict of MIME type to str
        SVG with text as text, and PNG in base64.
    """
    with style():
        width, height = fig.get_size_inches()
        strip = 0.0 if origin == "measured" else STRIP
        if strip:
            place = fig.dpi_scale_trans
            fig.text(
                width - 0.04, -0.02, f"{origin} data", ha="right", va="top", size=7, style="italic", transform=place
            )
        box = Bbox.from_extents(0, -strip, width, height)
        bundle = {"image/svg+xml": _svg(fig, box), "image/png": _png(fig, box)}
    pyplot.close(fig)
    return bundle


def _svg(fig: Figure, box: Bbox) -> str:
    buffer = io.StringIO()
    fig.savefig(buffer, format="svg", bbox_inches=box, metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _png(fig: Figure, box: Bbox) -> str:
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", bbox_inches=box, dpi=DPI, metadata={"Software": None})
    return base64.b64encode(buffer.getvalue()).decode("ascii")
