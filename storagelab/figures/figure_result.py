"""What a figure function returns: the figure, the words that belong to it, and the numbers in it."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from html import escape
from typing import Literal

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from storagelab.escaping import markdown
from storagelab.figures.layout import settle
from storagelab.figures.rendering import draw_once, png
from storagelab.figures.style import style
from storagelab.figures.watermark import watermark
from storagelab.wording import words

Format = Literal["svg", "png", "pdf"]
AIR = 0.05
"""Inches of white that an image has around what is drawn."""


@dataclass(frozen=True, slots=True, repr=False)
class Drawn:
    """A figure with its caption, its alternative text, and the dataset it shows.

    A notebook shows it with its caption and alternative text. Whoever wants to change the drawing finds its panels in
    `axes`.

    Attributes
    ----------
    figure : Figure
    told : str
        What is shown, what the bars are, n, and what the logs are; built from the data. `caption` is the same as
        Markdown, which shows names that the data hold as they are written.
    alt : str
        What a reader would see, in words and numbers, for those who do not see it.
    data : Dataset, dimension obs
        The numbers drawn.
    runs : Dataset, dimension obs, optional
        The runs that are drawn beside their means, which are `data`.
    """

    figure: Figure
    told: str
    alt: str
    data: xr.Dataset
    runs: xr.Dataset | None = None

    def __post_init__(self) -> None:
        """Lay the figure out once and for all."""
        with style():
            settle(self.figure)
            watermark(self.figure, str(self.data.attrs.get("origin", "")))

    def render(self, format: Format) -> bytes:
        """Return the bytes of the image, without the white around it: the same every time.

        Parameters
        ----------
        format : str
            png, svg, pdf or pgf.

        Returns
        -------
        bytes
            The file.
        """
        with style():
            box = self.figure.get_tightbbox().padded(AIR)
            if format == "pdf":
                from storagelab.figures import vector  # fonts are embedded by a library that takes long to import

                return vector.pdf(self.figure, box)
            svg, image = draw_once(self.figure, box)
            return svg.encode() if format == "svg" else png(image)

    @property
    def axes(self) -> list[Axes]:
        """Panels of the figure in reading order, without the bars of its colours."""
        return [axes for axes in self.figure.axes if axes.get_label() != "<colorbar>"]

    @property
    def caption(self) -> str:
        """The caption, as Markdown."""
        return markdown.literal(self.told)

    @property
    def rests(self) -> str:
        """Sentences of the caption on what values rest on, for one that is written anew; "" where all were measured."""
        return markdown.literal(words.resting(self.told))

    def __repr__(self) -> str:
        """Show the words: the figure itself is for `render` or a notebook."""
        return f"Drawn({self.told!r})"

    def _repr_html_(self) -> str:
        image = base64.b64encode(self.render("svg")).decode("ascii")
        return (
            f'<figure style="margin: 0; max-width: 46rem"><img src="data:image/svg+xml;base64,{image}"'
            f' style="max-width: 100%; background: white" alt="{escape(self.alt)}">'
            f"<figcaption>{escape(self.told)}</figcaption></figure>"
        )
