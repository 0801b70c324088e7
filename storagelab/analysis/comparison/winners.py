"""Who is best at what, with ties where the data do not tell two candidates apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.comparison.comparison import effect
from storagelab.analysis.inference.correction import ALPHA, holm
from storagelab.analysis.inference.differences import pooled, within, within_blocks
from storagelab.analysis.repeats.summary import summarise
from storagelab.analysis.runs import Best, direction_of, run_values
from storagelab.errors import AnalysisError

Family = Literal["cell", "table"]


def winners(
    ds: xr.Dataset,
    variable: str,
    among: str,
    by: Sequence[str],
    *,
    best: Best | None = None,
    blocks: str = "",
    family: Family = "table",
    margin: float | None = None,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Rank the candidates of each cell by geometric mean, and say which are not shown to differ from the best.

    Every candidate is tested against the best of its cell by t on the logs, with the relative spread pooled over the
    candidates of the cell (with three runs each, a spread of its own for each pair would find nothing). p values are
    corrected by Holm over the whole table, or over the candidates of each cell.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `run_values`.
    among : str
        Key whose levels compete, for example filesystem.
    best : {"highest", "lowest"}, optional
        By default rates want to be high, times low; anything else must say.
    blocks : str, optional
        Key of the rounds in which every candidate was measured once (repeat): what a round does to all of them alike
        is then no spread. Rounds that lack a candidate of a cell are left out of its spread.
    family : {"table", "cell"}
        Which tests are corrected together.
    margin : float, optional
        The smallest gap that counts: what is equivalent to the best (TOST, the ratio within 1 - margin and
        1 + margin) ties with it, even where the test tells the two apart.

    Returns
    -------
    Dataset, dimension obs
        One row a cell and candidate: keys `by` and `among`; geometric mean with interval and n as `summarise` with
        scale "log"; ``rank``; ``ratio`` to the best with interval; ``p``, ``p_holm`` (NaN for the best); with a margin
        ``ratio_low_90``, ``ratio_high_90``, ``p_equivalent``, ``p_equivalent_holm`` as `compare`; ``winner`` and
        ``tied`` (1 or 0); ``caveat``: that of the interval of the mean, or that a candidate could not be tested, and so
        ties.

    Raises
    ------
    AnalysisError
        If no cell has two candidates, if it is not clear what is best, or as `summarise`.
    """
    direction = best or direction_of(table.unit(ds, variable), variable)
    summary = summarise(ds, variable, [*by, among], over=over, statistic=statistic, scale="log")
    means = table.frame(summary)
    runs = table.frame(run_values(ds, variable, [*by, among], over=over, statistic=statistic))
    tests = [_tests(cell, part, variable, among, direction, blocks, margin) for cell, part in table.cells(runs, by)]
    if all(len(test) < 2 for test in tests):
        raise AnalysisError(f"no cell has {variable} of two or more levels of {among}: nothing to compare")
    rows = means.merge(pd.concat(tests), on=[*by, among], validate="one_to_one")
    for name in ("p", "p_equivalent") if margin is not None else ("p",):
        rows[f"{name}_holm"] = holm(rows[name]) if family == "table" or not by else _holm_by_cell(rows, name, by)
    same = rows["p_equivalent_holm"] <= ALPHA if margin is not None else False
    rows["winner"] = ((rows["rank"] == 1) | ~(rows["p_holm"] <= ALPHA) | same).astype(float)
    untold = (rows["rank"] > 1) & rows["p"].isna()
    rows["caveat"] = rows["caveat"].where(~untold, "not tested: one run each, or no spread in the cell")
    sharing = rows.groupby(list(by), dropna=False)["winner"].transform("sum") if by else rows["winner"].sum()
    rows["tied"] = rows["winner"] * (sharing > 1)
    spread = f"pooled in the cell{f' and freed of what a {blocks} does to all' if blocks else ''}"
    method = f"ratio of geometric means to the best, t on the logs with the spread {spread}, Holm-corrected"
    attrs = {
        "statistic": statistic,
        "method": method,
        "best": direction,
        "family": family,
        "margin": "" if margin is None else f"{margin:g}",
        "unit": summary.attrs["unit"],
    }
    return table.dataset(rows, ds, [*by, among], **attrs)


def _holm_by_cell(rows: pd.DataFrame, name: str, by: Sequence[str]) -> pd.Series[float]:
    return rows.groupby(list(by), dropna=False)[name].transform(holm)


def _tests(
    cell: table.Cell,
    part: pd.DataFrame,
    variable: str,
    among: str,
    direction: Best,
    blocks: str,
    margin: float | None,
) -> pd.DataFrame:
    """Test each candidate of one cell against its best."""
    logs = {level: np.log(runs[variable]) for level, runs in part.groupby(among)}
    order = sorted(logs, key=lambda level: logs[level].mean(), reverse=direction == "highest")
    spread = _spread_in_blocks(part, variable, among, blocks) if blocks else within(list(logs.values()))
    rows = [_test(logs[level], logs[order[0]], spread, place, margin) for place, level in enumerate(order, 1)]
    return pd.DataFrame([{**cell, among: level, **row} for level, row in zip(order, rows, strict=True)])


def _spread_in_blocks(part: pd.DataFrame, variable: str, among: str, blocks: str) -> tuple[float, float]:
    """Spread of the logs over the rounds that have every candidate; several runs in a round count as their mean."""
    logs = part.assign(logs=np.log(part[variable])).pivot_table(index=blocks, columns=among, values="logs")
    return within_blocks(list(logs.dropna().to_numpy().T))


def _test(
    logs: pd.Series[float], best: pd.Series[float], spread: tuple[float, float], place: int, margin: float | None
) -> dict[str, float]:
    found = effect(pooled(logs, best, *spread), margin)
    alone = dict.fromkeys(found, np.nan) | {"ratio": 1.0} if place == 1 else found
    return {"rank": float(place), **alone}
