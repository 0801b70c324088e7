"""What was planned against what is there."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.runs import chosen_rows
from storagelab.dataset import select

Level = str | float


def design_counts(
    ds: xr.Dataset,
    variable: str,
    factors: Mapping[str, Sequence[Level]],
    *,
    where: Mapping[str, Level] | None = None,
    statistic: str = "single",
) -> xr.Dataset:
    """Count the runs of each cell of a design.

    Parameters
    ----------
    ds : Dataset, dimension obs
    variable : str
        A row counts where this has a value; "" where every row counts.
    factors : mapping of str to sequence
        Planned levels of each key, as in a plan of study.yaml. The levels of repeat are the planned runs of a cell;
        without repeat each cell plans one run.
    where : mapping, optional
        Keys that select the rows the plan speaks of.
    statistic : str
        See `run_values`; of every row where there is no variable.

    Returns
    -------
    Dataset, dimension obs
        One row a planned cell: its keys; ``n`` (repeats, or runs, there are), ``planned``, ``missing``. Pure numbers.

    Raises
    ------
    AnalysisError
        If a factor is not in the dataset, or no row has the variable.

    Examples
    --------
    >>> for plan in dataset.about(study)["design"]:  # doctest: +SKIP
    ...     design_counts(runs, "", plan["factors"], where=plan["where"])
    """
    table.require(ds, *factors)
    chosen = select(ds, **(where or {}))
    rows = chosen_rows(chosen, variable, statistic) if variable else table.frame(chosen)
    keys = [key for key in factors if key != "repeat"]
    repeats = list(factors.get("repeat", [1.0]))
    done = {name: _runs(part, repeats, "repeat" in factors) for name, part in _by_levels(rows, keys)}
    cells = [(levels, done.get(levels, 0)) for levels in itertools.product(*(factors[key] for key in keys))]
    counted = [
        {**dict(zip(keys, levels, strict=True)), "n": n, "planned": len(repeats), "missing": max(0, len(repeats) - n)}
        for levels, n in cells
    ]
    return table.dataset(pd.DataFrame(counted), ds, keys, method="runs counted against the design")


def _by_levels(rows: pd.DataFrame, keys: Sequence[str]) -> list[tuple[tuple[Level, ...], pd.DataFrame]]:
    return [(tuple(cell[key] for key in keys), part) for cell, part in table.cells(rows, keys)]


def _runs(part: pd.DataFrame, repeats: Sequence[Level], repeated: bool) -> int:
    return int(part.loc[part["repeat"].isin(list(repeats)), "repeat"].nunique()) if repeated else 1
