"""What a sentence picks out of a result: an extreme, the middle, a count, the names of the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.inference.intervals import Floats
from storagelab.dataset import select
from storagelab.errors import AnalysisError

End = Literal["lowest", "highest"]


def extreme(result: xr.Dataset, variable: str, end: End) -> xr.Dataset:
    """Return the row of a result in which a variable is lowest or highest (the first of equals).

    Raises
    ------
    AnalysisError
        If no row has a value.
    """
    values = _known(result, variable)
    place = int(np.nanargmin(values) if end == "lowest" else np.nanargmax(values))
    return result.isel(obs=[place])


def middle(result: xr.Dataset, variable: str) -> float:
    """Return the median of a variable over the rows of a result: what is typical of many cells, without an interval.

    Raises
    ------
    AnalysisError
        If no row has a value.
    """
    return float(np.nanmedian(_known(result, variable)))


def _known(result: xr.Dataset, variable: str) -> Floats:
    table.unit(table.sound(result), variable)
    values: Floats = result[variable].to_numpy()
    if not np.isfinite(values).any():
        raise AnalysisError(f"no row has a value of {variable}")
    return values


def tally(result: xr.Dataset, column: str = "verdict", **keys: object) -> Mapping[str, int]:
    """Count the rows of a result by a column of words, ``{"lower": 48, "undecided": 12}``; a word that is absent is 0.

    Raises
    ------
    AnalysisError
        If the result lacks the column.
    """
    table.require(table.sound(result), column)
    words = select(result, **keys)[column].to_numpy().tolist()
    return _Counted({str(word): words.count(word) for word in sorted(set(words))})


class _Counted(dict[str, int]):
    def __missing__(self, word: str) -> int:
        return 0


def leaders(won: xr.Dataset, among: str, **keys: object) -> str:
    """Name the winners of one cell of `winners`, the best first: ``xfs``, or ``xfs (not told from ext4 and ext3)``.

    Raises
    ------
    AnalysisError
        If there is no such cell, or if `won` is no result of `winners`.
    """
    table.require(table.sound(won), among, "rank", "winner")
    rows = table.frame(select(won, **keys)).sort_values("rank")
    if rows.empty or (rows["rank"] == 1).sum() != 1:
        raise AnalysisError(f"expected one cell with {table.name_cell({k: str(v) for k, v in keys.items()})}")
    first, *others = rows[rows["winner"] == 1][among].astype(str)
    return f"{first} (not told from {_listed(others)})" if others else str(first)


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
