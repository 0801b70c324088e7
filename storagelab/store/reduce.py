"""Statistics of a store in bounded memory: each chunk becomes a row a cell, and these are joined.

Runs are made of rows as everywhere (`storagelab.analysis.runs.values_of_runs`), since a log lies in one chunk. What is
kept of the runs of a cell are their number, mean, sum of squared deviations, lowest and highest, which two sets of runs
join to those of both (T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm for computing
sample variances", 1979). So memory grows with the cells and with the largest chunk, and not with the runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from storagelab import schema
from storagelab.analysis import columns, table
from storagelab.analysis.cells import Cells, Rows
from storagelab.analysis.comparison.means import compare_given
from storagelab.analysis.inference.intervals import CONFIDENCE
from storagelab.analysis.inference.noise_shape import unseen_share
from storagelab.analysis.runs import chosen_rows, differing_keys, values_of_runs
from storagelab.errors import AnalysisError

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

INDEPENDENT = "runs are taken for independent: of a store their order is not looked at"
ONE_RUN = "one run: no interval"


def summarise(
    parts: Iterable[xr.Dataset],
    variable: str,
    by: Sequence[str],
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Average the runs of each cell of a store.

    Parameters
    ----------
    parts : iterable of Dataset
        Rows with all keys that tell them apart, a chunk after the other.
    variable : str
        What is averaged, arithmetically; inside a run as `storagelab.analysis.run_values` does.
    by : sequence of str
        Keys that make the cells.
    over : sequence of str
        Other keys that may differ inside a cell; runs that differ in them are runs of it.
    statistic : str
        Which rows.

    Returns
    -------
    Dataset, dimension obs
        A row a cell, as `storagelab.analysis.summarise` gives it: the mean with ``_low`` and ``_high`` of its 95 %
        interval by Student's t, ``_min``, ``_max``, ``_std``, ``_error``, ``n``, ``unseen_share`` and ``caveat``. It
        has no ``lag_1_correlation``, ``n_effective`` and ``icc``: the order of runs is not kept, and they are taken for
        independent.

    Raises
    ------
    AnalysisError
        If no row has a value, or a key outside `by` and `over` differs inside a cell, in one chunk or between two.
    """
    found: Iterator[xr.Dataset] = (part for part in parts if _has_values(part, variable, statistic))
    first = next(found, None)
    if first is None:
        raise AnalysisError(f"no row of the store has a {statistic!r} of {variable}")
    table.require(first, *by, *over)
    state = _reduced(first, variable, by, over, statistic)
    for part in found:
        state = _joined(state, _reduced(part, variable, by, over, statistic), by)
    return table.dataset(_described(state, variable, by), first, by, statistic=statistic, method=METHOD, unit="run")


METHOD = f"mean, {100 * CONFIDENCE:g} % t interval; {INDEPENDENT}"


def _has_values(part: xr.Dataset, variable: str, statistic: str) -> bool:
    known = ~np.isnan(part[variable].to_numpy())
    if "statistic" in part.variables:
        known &= part["statistic"].to_numpy() == statistic
    return bool(known.any())


def _reduced(part: xr.Dataset, variable: str, by: Sequence[str], over: Sequence[str], statistic: str) -> Rows:
    """Make a row a cell of a chunk: what is kept of its runs, and the levels of all other keys."""
    runs = values_of_runs(part, variable, by, over=over, statistic=statistic, blocks=False).rows
    rows = chosen_rows(part, variable, statistic)
    others = [key for key in rows if key not in {*by, *over, *schema.REPLICATION, variable}]
    cells, of_rows = runs.cells(by), rows.cells(by)
    mean = cells.mean(variable)
    apart = cells.rows[variable] - np.repeat(mean, cells.size)
    return cells.results(
        mean=mean, n=cells.size.astype(float), squares=cells.sum_of(apart**2), low=cells.min(variable),
        high=cells.max(variable), **{key: of_rows.first(key) for key in others},
    )  # fmt: skip


def _joined(state: Rows, new: Rows, by: Sequence[str]) -> Rows:
    both = Rows.stacked([state, new])
    cells = both.cells(by)
    _refuse_hidden(both, cells, by)
    n, weighted = cells.rows["n"], cells.rows["n"] * cells.rows["mean"]
    mean = cells.sum_of(weighted) / cells.sum_of(n)
    apart = cells.rows["mean"] - np.repeat(mean, cells.size)
    others = [key for key in both if key not in {*by, *KEPT}]
    return cells.results(
        mean=mean, n=cells.sum_of(n), squares=cells.sum_of(cells.rows["squares"] + n * apart**2),
        low=cells.min("low"), high=cells.max("high"), **{key: cells.first(key) for key in others},
    )  # fmt: skip


KEPT = ("mean", "n", "squares", "low", "high")


def _refuse_hidden(both: Rows, cells: Cells, by: Sequence[str]) -> None:
    """Refuse to average over a key in which chunks differ."""
    hidden = [key for key in differing_keys(both, by) if cells.differ(key).any()]
    if hidden:
        cell = cells.names()[int(np.argmax(cells.differ(hidden[0])))]
        where = table.name_known(cell) or "the selection"
        told = "it" if len(hidden) == 1 else "each of them"
        raise AnalysisError(
            f"rows of {where} differ in {', '.join(hidden)} from chunk to chunk: name {told} in by or over, or select"
        )


def _described(state: Rows, variable: str, by: Sequence[str]) -> Rows:
    n, mean = state["n"], state["mean"]
    several = n > 1
    spread = np.sqrt(np.where(several, state["squares"], np.nan) / np.maximum(n - 1, 1))
    error = spread / np.sqrt(n)
    half = stats.t.ppf((1 + CONFIDENCE) / 2, np.maximum(n - 1, 1)) * error
    return state.only(by).assign(
        **{
            variable: mean,
            columns.low(variable): mean - half,
            columns.high(variable): mean + half,
            f"{variable}_min": state["low"],
            f"{variable}_max": state["high"],
            f"{variable}_std": spread,
            columns.error(variable): error,
            "n": n,
            "unseen_share": unseen_share(n),
            "caveat": np.where(several, INDEPENDENT, ONE_RUN),
        }
    )


def compare(
    parts: Iterable[xr.Dataset], variable: str, factor: str, base: str | float, other: str | float,
    by: Sequence[str] = (), *, over: Sequence[str] = (), statistic: str = "single", margin: float | None = None,
) -> xr.Dataset:  # fmt: skip
    """Ratio of means other / base in each cell of a store, with Fieller's interval.

    Parameters
    ----------
    parts, variable, by, over, statistic
        As for `summarise`.
    factor : str
        Key whose levels are compared.
    base, other : str or float
        The levels.
    margin : float, optional
        Smallest change that matters, for a test of equivalence.

    Returns
    -------
    Dataset, dimension obs
        As `storagelab.analysis.compare_given` gives it.

    Raises
    ------
    AnalysisError
        As `summarise`, and if no cell has both sides.
    """
    means = summarise(parts, variable, [factor, *by], over=over, statistic=statistic)
    return compare_given(means, variable, factor, base, other, by, margin=margin)


def levels(parts: Iterable[xr.Dataset], keys: Sequence[str]) -> pd.DataFrame:
    """Count the rows of each combination of levels of some keys, chunk by chunk."""
    import pandas as pd

    counted: Rows | None = None
    for part in parts:
        rows = table.rows(part)
        cells = rows.cells(keys)
        new = cells.results(rows=cells.size.astype(float))
        both = new if counted is None else Rows.stacked([counted, new])
        joined = both.cells(keys)
        counted = joined.results(rows=joined.sum("rows"))
    found = counted.frame() if counted is not None else pd.DataFrame({key: [] for key in [*keys, "rows"]})
    return found.astype({"rows": int})
