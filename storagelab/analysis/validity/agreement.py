"""Whether two tools that measure the same thing agree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.comparison.comparison import compare, judge
from storagelab.dataset import select
from storagelab.errors import AnalysisError

MARGIN = 0.1


def tool_agreement(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = ("operation",),
    *,
    margin: float = MARGIN,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Ratio of each pair of tools in each cell, with its interval, and whether the tools differ or are equivalent.

    Every pair is compared as `storagelab.analysis.compare` does, with equivalence within a margin (TOST); the p values
    are corrected by Holm over all pairs and cells together. Two tools that agree have the verdict equivalent:
    undecided does not mean that they agree.

    Parameters
    ----------
    ds, variable, over, statistic
        See `storagelab.analysis.run_values`; keys that only one tool has (record_size) go into over.
    by : sequence of str
        Keys that make the cells.
    margin : float
        Tools agree where their ratio lies within 1 - margin and 1 + margin.

    Returns
    -------
    Dataset, dimension obs
        One row a cell and pair of tools, as `compare` gives it; ``compared`` says which over which.

    Raises
    ------
    AnalysisError
        If no cell has two tools, or as `compare`.
    """
    table.require(ds, "tool", *by)
    table.unit(table.validate(ds), variable)
    known = ds.isel(obs=ds[variable].notnull().to_numpy().nonzero()[0])
    names = sorted(set(known["tool"].to_numpy().tolist()))
    parts = []
    for base, other in combinations(names, 2):
        if _shared(known, base, other, by):
            parts.append(
                compare(known, variable, "tool", base, other, by, margin=margin, over=over, statistic=statistic)
            )
    if not parts:
        raise AnalysisError(f"no cell of {', '.join(by)} has {variable} of two tools; tools: {', '.join(names)}")
    rows = pd.concat([table.frame(part) for part in parts], ignore_index=True)
    both = rows[(rows["n"] > 0) & (rows["n_base"] > 0)].reset_index(drop=True)
    attrs = {name: str(parts[0].attrs[name]) for name in ("statistic", "method", "unit", "compared_variable", "margin")}
    return table.dataset(judge(both, margin), ds, [*by, "compared"], **attrs)


def _shared(ds: xr.Dataset, base: str, other: str, by: Sequence[str]) -> bool:
    """Whether two tools have a cell in common."""
    one, two = (table.frame(select(ds, tool=tool))[list(by)].drop_duplicates() for tool in (base, other))
    return not by or len(one.merge(two, on=list(by))) > 0
