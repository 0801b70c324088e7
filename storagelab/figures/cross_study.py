"""Numbers of several studies side by side, each with its origin on its face: nothing is averaged across studies.

What was measured is filled. What comes out of reconstructed logs is hollow, and the shape of its mark says what it
rests on: printed in the paper, computed from what is printed, or a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from storagelab import dataset
from storagelab.analysis import columns, table
from storagelab.figures.page_format import letters, room
from storagelab.figures.palette import looks, readable
from storagelab.figures.style import INK
from storagelab.wording import words

MEASURED, UNSAID = "measured", "unsaid"
SHAPES: Mapping[str, tuple[str, str]] = {
    MEASURED: ("o", "measured"),
    **{basis: (shape, words.RESTS[basis]) for basis, shape in {"published": "o", "derived": "D", "model": "s"}.items()},
    UNSAID: ("o", "reconstructed"),
}
"""Marker and meaning of what a number rests on."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How a number is drawn: colour of its study, shape and fill of its basis."""

    colour: str
    basis: str

    @property
    def hollow(self) -> bool:
        """Whether it is not filled, as nothing was measured."""
        return self.basis != MEASURED

    @property
    def options(self) -> dict[str, object]:
        """Options of a line of matplotlib."""
        fill = "white" if self.hollow else self.colour
        return {
            "color": self.colour, "marker": SHAPES[self.basis][0], "markerfacecolor": fill, "markersize": 4.5,
            "markeredgewidth": 1.1,
        }  # fmt: skip

    @property
    def text(self) -> str:
        """Colour of words that belong to the mark."""
        return readable(self.colour)


def rows_of(ds: xr.Dataset, variable: str, *keys: str) -> pd.DataFrame:
    """Lay the numbers out as rows that say their study, origin and basis; origins may differ.

    Raises
    ------
    AnalysisError
        If a column is missing.
    """
    table.require(
        ds, "study", "origin", "basis", "label", variable, columns.low(variable), columns.high(variable), *keys
    )
    return dataset.frame(ds)


def colours(rows: pd.DataFrame) -> dict[str, str]:
    """Give each study its colour, the same in all figures."""
    found = looks("study", rows["study"].unique().tolist())
    return {str(study): look.colour for study, look in found.items()}


def mark_of(row: pd.Series, colour: str) -> Mark:
    """How the number of a row is drawn."""
    return Mark(colour, rests(str(row["origin"]), str(row["basis"])))


def rests(origin: str, basis: str) -> str:
    """What a number rests on: a measurement, what it says of itself, or logs of which only the origin is known."""
    return MEASURED if origin == MEASURED else basis or UNSAID


def _bases(rows: pd.DataFrame) -> pd.Series:
    return pd.Series([rests(str(row["origin"]), str(row["basis"])) for _, row in rows.iterrows()])


def legend(figure: Figure, rows: pd.DataFrame) -> None:
    """Put above all panels which mark rests on what."""
    found = set(_bases(rows))
    marks = [Mark(INK, basis) for basis in SHAPES if basis in found]
    handles = [Line2D([], [], linestyle="none", label=SHAPES[mark.basis][1], **mark.options) for mark in marks]  # type: ignore[arg-type]
    figure.legend(handles=handles, loc="outside upper left", ncols=room(4), handlelength=1.2)


def short(study: str) -> str:
    """Name a study without its year: ``cluster``."""
    return study.rpartition("-")[0] or study


def counted(rows: pd.DataFrame, what: str) -> str:
    """Count rows by what they rest on: ``Points: 12 measured and 5 of a model. Hollow markers: reconstructed.``.

    Returns
    -------
    str
        Sentences.
    """
    bases = _bases(rows).value_counts()
    told = [f"{bases[basis]} {SHAPES[basis][1]}" for basis in SHAPES if basis in bases]
    hollow = "Hollow markers: reconstructed." if set(bases.index) - {MEASURED} else ""
    return words.sentences(f"{words.capital(what)}: {words.listed(told)}.", hollow)


def sources(rows: pd.DataFrame) -> str:
    """Say of each study what its logs are: ``measured (cluster-2026); reconstructed (bnl-2007)``."""
    groups = rows.groupby("origin")["study"].unique()
    told = [f"{origin} ({', '.join(sorted(studies))})" for origin, studies in groups.items()]
    return f"Logs: {'; '.join(told)}."


def with_origin(ds: xr.Dataset, rows: pd.DataFrame) -> xr.Dataset:
    """Return the data of a figure with the origins of their rows in front."""
    return ds.assign_attrs(origin=" and ".join(sorted(rows["origin"].unique())))


def repeated(n: ArrayLike) -> str:
    """Say how many runs stand behind the numbers, as far as the studies tell."""
    known = words.numbered(n, "run")
    return "n is not known" if known == "n = 0" else f"{known}, or of what else a study repeats"


def modelled(rows: pd.DataFrame, ends: Sequence[str]) -> str:
    """Say that intervals of reconstructed logs hold what their model takes for the spread of runs."""
    drawn = (rows["origin"] != MEASURED) & rows[list(ends)].notna().all(axis=1)
    return "Intervals of hollow markers come out of the reconstruction, too." if drawn.any() else ""


def reference(axes: Axes, position: float, text: str, *, vertical: bool = True) -> None:
    """Draw a thin line at what all numbers are held against."""
    line = axes.axvline if vertical else axes.axhline
    line(position, color="#6b6b6b", linewidth=1.0, zorder=1)
    if text:
        axes.annotate(
            text, (position, 1), xycoords=("data", "axes fraction"), xytext=(0, 2), textcoords="offset points",
            va="bottom", ha="center", fontsize=letters(7), color=INK,
        )  # fmt: skip
