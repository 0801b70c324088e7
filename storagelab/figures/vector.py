"""A figure as PDF and as PGF: the same bytes on every machine, and without a date.

Both go through the rounding of `storagelab.figures.rendering`, in the look of `storagelab.figures.style`. Text of a PDF
has fonts of TrueType (type 42), as IEEE and ACM ask for; text of PGF is set by LaTeX, in the font of the
document around it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from matplotlib.backends.backend_pdf import PdfFile, RendererPdf
from matplotlib.backends.backend_pgf import RendererPgf
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.transforms import BboxBase

from storagelab.figures.rendering import POINTS, Anchor, Context, Renderer, on_white, rounded

UNSAID = {"CreationDate": None, "Creator": None, "Producer": None}
EPOCH = "SOURCE_DATE_EPOCH"
"""Variable of the environment from which a font takes the time of its last change (reproducible-builds.org)."""


def pdf(figure: Figure, box: BboxBase) -> bytes:
    """Draw a part of a figure, in inches, as PDF."""
    buffer = io.BytesIO()
    with _at_no_time(), on_white(figure, box):
        file: Any = PdfFile(buffer, metadata=UNSAID)  # type: ignore[no-untyped-call]
        width, height = (float(side) for side in rounded(box.size))
        file.newPage(width, height)
        backend: Any = RendererPdf(file, POINTS, height, width)  # type: ignore[no-untyped-call]
        figure.draw(_Vector(backend, box))
        backend.finalize()
        file.finalize()
        file.close()
    return buffer.getvalue()


def pgf(figure: Figure, box: BboxBase, escape: Callable[[str], str]) -> str:
    r"""Draw a part of a figure, in inches, as a picture of PGF for ``\input``.

    Parameters
    ----------
    figure : Figure
    box : Bbox
    escape : callable
        Writes plain text for LaTeX.
    """
    buffer = io.StringIO()
    width, height = (float(side) for side in rounded(box.size))
    buffer.write("\\begingroup\\makeatletter\\begin{pgfpicture}%\n")
    buffer.write(f"\\pgfpathrectangle{{\\pgfpointorigin}}{{\\pgfqpoint{{{width:f}in}}{{{height:f}in}}}}%\n")
    buffer.write("\\pgfusepath{use as bounding box, clip}%\n")
    with on_white(figure, box):
        backend: Any = RendererPgf(SimpleNamespace(dpi=POINTS), buffer)  # type: ignore[no-untyped-call]
        figure.draw(_Vector(backend, box, escape))
    buffer.write("\\end{pgfpicture}\\makeatother\\endgroup%\n")
    return buffer.getvalue()


@contextmanager
def _at_no_time() -> Iterator[None]:
    """Let fonts be changed at the beginning of time until the context ends."""
    before = os.environ.get(EPOCH)
    os.environ[EPOCH] = "0"
    try:
        yield
    finally:
        del os.environ[EPOCH]
        if before is not None:
            os.environ[EPOCH] = before


class _Vector(Renderer):
    """Hands every call on to one backend whose unit is a point and that counts upwards; nothing is rasterised."""

    def __init__(self, backend: Any, box: BboxBase, escape: Callable[[str], str] = str) -> None:
        self._place(box)
        self._svg, self._escape = backend, escape

    def start_rasterizing(self) -> None:
        """Draw what would be a layer as shapes."""

    def stop_rasterizing(self) -> None:
        """End what would be a layer."""

    def open_group(self, s: str, gid: str | None = None) -> None:
        """Begin a group, which these formats do not know."""

    def close_group(self, s: str) -> None:
        """End a group."""

    def _both(self, name: str, gc: Context, in_points: Any, in_pixels: Any, **more: Any) -> None:
        getattr(self._svg, name)(self._own(gc), *in_points, **more)

    def _own(self, gc: Context) -> Any:
        own = self._svg.new_gc()
        own.copy_properties(gc)
        return own

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: FontProperties, angle: float, ismath: Any = False,
        mtext: Text | None = None,
    ) -> None:  # fmt: skip
        """Write a line of text; `y` is counted downwards."""
        left, below = rounded([x + self._shift[0], y]).tolist()
        anchor: Any = None if mtext is None else Anchor(mtext, self._shift)
        self._svg.draw_text(
            self._own(gc), left, self._height - below, self._escape(s), prop, angle, ismath, mtext=anchor
        )
