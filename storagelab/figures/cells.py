"""What figures of runs share: the runs, their means by cell, and what both ask for in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import schema
from storagelab.analysis import columns, run_values, summarise, table
from storagelab.figures import quantities, words
from storagelab.figures.palette import face

BASIS = "basis"


@dataclass(frozen=True, slots=True)
class Cells:
    """Runs of a variable and their means, by cell; `rows` are the means as a frame."""

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

    def caption_end(self) -> str:
        """Say what all figures of runs say last: what was put together, what points rest on, where the logs come from.

        Returns
        -------
        str
            Sentences.
        """
        return words.sentences(
            words.pooled(self.over), words.bases(self.runs, self.origin), words.unit(self.means),
            words.source(self.means),
        )  # fmt: skip


def cells(
    ds: xr.Dataset, variable: str, keys: Sequence[str], over: Sequence[str], statistic: str, log: bool = False
) -> Cells:
    """Reduce a dataset to runs, and these to means.

    Parameters
    ----------
    ds, variable, over, statistic
        See `storagelab.analysis.run_values`.
    keys : sequence of str
        Keys that make the cells; empty ones are left out. Each run keeps its ``basis``, where the dataset says one; a
        mean rests on the weakest of its runs.
    log : bool
        Whether means are geometric.

    Raises
    ------
    AnalysisError
        As `storagelab.analysis.summarise`.
    """
    named = [key for key in dict.fromkeys(keys) if key]
    told = BASIS in ds.coords and BASIS not in named
    runs = run_values(ds, variable, [*named, *([BASIS] if told else [])], over=over, statistic=statistic)
    means = summarise(ds, variable, named, over=over, statistic=statistic, scale="log" if log else "linear")
    means = _with_basis(means, runs, named) if told else means
    return Cells(table.frame(runs), means, table.frame(means), variable, named, table.origin(ds), over)


def _with_basis(means: xr.Dataset, runs: xr.Dataset, keys: list[str]) -> xr.Dataset:
    """Say of each mean what the weakest of its runs rests on."""
    weakest: dict[object, str] = {}
    for row in table.frame(runs)[[*keys, BASIS]].astype(str).itertuples(index=False, name=None):
        weakest[row[:-1]] = max(weakest.get(row[:-1], ""), row[-1], key=("", *schema.BASES).index)
    cells_ = table.frame(means)[keys].astype(str).itertuples(index=False, name=None)
    return means.assign_coords({BASIS: ("obs", np.array([weakest[cell] for cell in cells_], dtype=str))})


def by_fill(rows: pd.DataFrame, origin: str, colour: str) -> Iterator[tuple[pd.DataFrame, str]]:
    """Split rows by what they rest on, each part with the fill of its markers."""
    if BASIS not in rows:
        yield rows, face(origin, colour)
        return
    for basis, part in rows.groupby(BASIS, sort=True):
        yield part, face(origin, colour, str(basis))
