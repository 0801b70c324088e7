"""What figures of runs share: the runs, their means by cell, and what both ask for in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from storagelab import schema
from storagelab.analysis import columns, run_values, summarise, table
from storagelab.analysis.basis import KEY as BASIS
from storagelab.errors import AnalysisError
from storagelab.figures.palette import Look, face
from storagelab.wording import quantities, words


@dataclass(frozen=True, slots=True)
class Cells:
    """Runs of a variable and their means, by cell; `runs` and `rows` are both as frames."""

    of_runs: xr.Dataset
    runs: pd.DataFrame
    means: xr.Dataset
    rows: pd.DataFrame
    variable: str
    keys: list[str]
    origin: str
    over: Sequence[str]

    @property
    def unit(self) -> str:
        """SI unit of the variable."""
        return str(columns.field(self.variable).unit)

    @property
    def say(self) -> Callable[[float], str]:
        """Write a value of the variable."""
        return quantities.say(self.unit)

    @property
    def ends(self) -> list[str]:
        """Columns with the ends of the interval."""
        return [columns.low(self.variable), columns.high(self.variable)]

    def caption_end(self, what: str = "") -> str:
        """Say what all figures of runs say last: what was put together, what it rests on, where the logs come from.

        Parameters
        ----------
        what : str
            What each mean is drawn as, if no run is drawn and no marker: "Cells".

        Returns
        -------
        str
            Sentences.
        """
        rests = words.rests(self.rows, self.origin, what) if what else words.bases(self.runs, self.origin)
        return words.sentences(words.pooled(self.over), rests, words.unit(self.means), words.source(self.means))


def cells(
    ds: xr.Dataset, variable: str, keys: Sequence[str], over: Sequence[str], statistic: str, log: bool = False
) -> Cells:
    """Reduce a dataset to runs, and these to means.

    Parameters
    ----------
    ds, variable, over, statistic
        See `storagelab.analysis.run_values`.
    keys : sequence of str
        Keys that make the cells; empty ones are left out.
    log : bool
        Whether means are geometric.

    Raises
    ------
    AnalysisError
        If rows are means of runs already; as `storagelab.analysis.summarise`.
    """
    _refuse_means(ds, variable)
    named = [key for key in dict.fromkeys(keys) if key]
    runs = run_values(ds, variable, named, over=over, statistic=statistic)
    means = summarise(ds, variable, named, over=over, statistic=statistic, scale="log" if log else "linear")
    return Cells(runs, table.frame(runs), means, table.frame(means), variable, named, table.origin(ds), over)


def _refuse_means(ds: xr.Dataset, variable: str) -> None:
    """Refuse what `summarise` returns: each mean would be drawn, and counted, as one run without an interval.

    What other analyses make of several runs has a name of its own, and is what is drawn.
    """
    has_interval = {"n", columns.low(variable), columns.high(variable)}.issubset(ds.data_vars)
    if variable in schema.FIELDS and has_interval and (ds["n"] > 1).any():
        raise AnalysisError(
            f"each {variable} is a mean ({words.counted(ds)}): figures draw the runs with their mean and interval, so "
            "give them what it was made of"
        )


def by_fill(rows: pd.DataFrame, origin: str, colour: str) -> Iterator[tuple[pd.DataFrame, str]]:
    """Split rows by what they rest on, each part with the fill of its markers."""
    if BASIS not in rows:
        yield rows, face(origin, colour)
        return
    for basis, part in rows.groupby(BASIS, sort=True):
        yield part, face(origin, colour, str(basis))


def marked_line(
    axes: Axes,
    rows: pd.DataFrame,
    x: ArrayLike,
    y: ArrayLike,
    origin: str,
    look: Look,
    *,
    linewidth: float,
    alpha: float | None = None,
) -> None:
    """Draw rows as one line with a marker each, filled by what the row rests on."""
    fills = [face(origin, look.colour, basis) for basis in rows.get(BASIS, [""] * len(rows))]
    for fill in dict.fromkeys(fills):
        axes.plot(
            x, y, color=look.colour, linestyle="-" if fill == fills[0] else "none", linewidth=linewidth,
            marker=look.marker, markersize=3, markerfacecolor=fill, alpha=alpha, markevery=_every(fills, fill),
        )  # fmt: skip


def _every(fills: Sequence[str], fill: str) -> list[int] | None:
    """Places of the markers with a fill; None where all have it."""
    return None if set(fills) == {fill} else [place for place, one in enumerate(fills) if one == fill]
