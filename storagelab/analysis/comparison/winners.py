"""Who is best at what, with ties where the data do not tell two candidates apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import effect, judge
from storagelab.analysis.comparison.sides import RunSide, no_verdict, shrunken, sides_of_cells
from storagelab.analysis.inference.correction import ALPHA
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.mean_differences import Difference, Side, pooled, welch, within, within_blocks
from storagelab.analysis.inference.processor_independent import log
from storagelab.analysis.repeats.summary import summary_of_runs
from storagelab.analysis.runs import Best, direction_of, values_of_runs
from storagelab.analysis.significant_digits import significant
from storagelab.analysis.source_rows import AMONG
from storagelab.errors import AnalysisError

Family = Literal["cell", "table"]
Spread = Literal["shrunken", "pooled", "own"]


def winners(
    ds: xr.Dataset,
    variable: str,
    among: str,
    by: Sequence[str],
    *,
    best: Best | None = None,
    blocks: str = "",
    family: Family = "table",
    spread: Spread = "own",
    margin: float | None = None,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Rank the candidates of each cell by geometric mean, and say which are not shown to differ from the best.

    Every candidate is held against the best of its cell by t on the logs. Which one looks best is chance among equals,
    so each test counts as one of those between any two candidates: then no equal of the best is left out, whichever it
    is, in 95 % of the tables (as by Tukey's method, of which the comparisons with the best are a part: J. C. Hsu,
    "Multiple comparisons: theory and methods", 1996, chapter 4).

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
    spread : {"own", "pooled", "shrunken"}
        Whether each candidate has its own relative spread (Welch; three runs find little), the candidates of a cell
        share one, or that of each is drawn towards what all have in common
        (`storagelab.analysis.inference.moderation`). The latter two claim their level for equal spreads only. Where
        `blocks` are given the candidates of a cell share one.
    margin : float, optional
        The smallest gap that counts: what is equivalent to the best (TOST, the ratio within 1 - margin and
        1 + margin) ties with it, even where the test tells the two apart.

    Returns
    -------
    Dataset, dimension obs
        One row a cell and candidate: keys `by` and `among`; geometric mean with interval and n as `summarise` with
        scale "log"; ``rank``; ``ratio`` to the best with interval; ``p``, ``p_adjusted`` (NaN for the best); with a
        margin ``ratio_low_equivalence``, ``ratio_high_equivalence``, ``p_equivalent``, ``p_equivalent_adjusted`` as
        `compare`; ``winner`` and ``tied`` (1 or 0); ``caveat``: that of the interval of the mean, or that a candidate
        could not be tested (for want of runs, or as it was measured apart in time from the best), and so ties.

    Raises
    ------
    AnalysisError
        If no cell has two candidates, if it is not clear what is best, or as `summarise`.
    """
    direction = best or direction_of(table.unit(ds, variable), variable)
    if blocks:
        table.require(ds, blocks)
    runs = values_of_runs(
        ds, variable, [*by, among], over=over, statistic=statistic, conditions="fixed", across="geometric"
    )
    summary = summary_of_runs(runs, ds, variable, [*by, among], "geometric")
    logs = _known(runs.rows, among)
    logs = logs.assign(**{variable: log(logs[variable])})
    cells = list(sides_of_cells(replace(runs, rows=logs), variable, by, among, logs.levels(among)))
    if spread == "shrunken" and not blocks:
        cells, _ = shrunken(cells)
    parts = [part for _, part in logs.cells(by)]
    tests = [
        _tests([side for side in sides if side.size], part, variable, among, direction, blocks, margin, spread)
        for (_, sides), part in zip(cells, parts, strict=True)
    ]
    if all(len(test) < 2 for test in tests):
        raise AnalysisError(f"no cell has {variable} of two or more levels of {among}: nothing to compare")
    tested = Rows.of_cells([row for test in tests for row in test])
    rows = _known(table.rows(summary), among).assign(**{name: tested[name] for name in tested})
    rows = _with_winners(_judged(rows, by if family == "cell" else [], by, margin), by)
    judged_by = f"pooled spread freed of what a {blocks} does to all" if blocks else f"{spread} spread"
    method = f"ratio of geometric means to the best, t on the logs with {judged_by}, simultaneous over all pairs"
    attrs = {
        "statistic": statistic,
        "method": method,
        "best": direction,
        "family": family,
        "margin": "" if margin is None else f"{margin:g}",
        "unit": summary.attrs["unit"],
        "made_of": variable,
        AMONG: among,
    }
    return table.dataset(rows, ds, [*by, among], **attrs)


def _known(rows: Rows, among: str) -> Rows:
    return rows.take(rows[among] == rows[among])


def _with_winners(rows: Rows, by: Sequence[str]) -> Rows:
    """Say who is not shown to differ from the best of its cell, or not by enough to count, and why who was not told."""
    same = rows["p_equivalent_adjusted"] <= ALPHA if "p_equivalent_adjusted" in rows else False
    winner = ((rows["rank"] == 1) | ~(rows["p_adjusted"] <= ALPHA) | same).astype(float)
    untold = (rows["rank"] > 1) & np.isnan(rows["p"])
    said = np.where(untold, "not tested: one run each, or no spread in the cell", rows["caveat"])
    caveat = np.where(rows["apart"] == "", said, rows["apart"])
    cells = rows.assign(winner=winner).cells(by)
    tied = winner * (cells.broadcast(cells.sum("winner")) > 1)
    return rows.only([name for name in rows if name != "apart"]).assign(caveat=caveat, winner=winner, tied=tied)


def _judged(rows: Rows, family_keys: Sequence[str], by: Sequence[str], margin: float | None) -> Rows:
    """Correct the tests of each family for all pairs of candidates, and widen the intervals with them."""
    parts = []
    for _, part in rows.assign(row=np.arange(len(rows))).cells(family_keys):
        sizes = part.take(np.isfinite(part["n"])).cells(by).size
        parts.append(judge(part, margin, pairs=int((sizes * (sizes - 1) // 2).sum())))
    whole = Rows.stacked(parts)
    return whole.take(np.argsort(whole["row"])).only([name for name in whole if name not in (*UNUSED, "row")])


UNUSED = ("verdict", "undecided", "log_error", "freedom")


def _tests(
    sides: list[RunSide],
    part: Rows,
    variable: str,
    among: str,
    direction: Best,
    blocks: str,
    margin: float | None,
    spread: Spread,
) -> list[dict[str, float | str]]:
    """Hold each candidate of one cell against its best."""
    logs = [side.side.values for side in sides]
    middles = significant([values.mean() for values in logs]).tolist()
    order = sorted(range(len(logs)), key=middles.__getitem__, reverse=direction == "highest")
    best, ranks = sides[order[0]], {place: rank for rank, place in enumerate(order, 1)}
    if spread == "pooled" or blocks:
        shared = within_blocks(list(_rounds(part, variable, among, blocks).T)) if blocks else within(logs)
        gaps = [_pooled(side.side, best.side, *shared) for side in sides]
    else:
        gaps = [welch(side.side, best.side) for side in sides]
    aparts = ["" if side is best else no_verdict(side, best) for side in sides]
    return [
        {**_test(gap, ranks[place], margin, apart), "apart": apart}
        for place, (gap, apart) in enumerate(zip(gaps, aparts, strict=True))
    ]


def _pooled(a: Side, b: Side, variance: float, freedom: float) -> Difference:
    """Difference of two candidates that share a variance; dependence widens it, and leaves it less freedom."""
    gap = pooled(a.values, b.values, variance, freedom)
    wide = np.sqrt((a.widening / a.values.size + b.widening / b.values.size) / (1 / a.values.size + 1 / b.values.size))
    own = a.values.size + b.values.size - 2
    share = (a.degrees + b.degrees) / own if own > 0 else 1.0
    return Difference(gap.value, float(gap.error * wide), freedom * share)


def _rounds(part: Rows, variable: str, among: str, blocks: str) -> Floats:
    """Logs of the rounds that have every candidate, a row each; several runs in a round count as their mean."""
    laid = part.take(part[blocks] == part[blocks]).grid(variable, blocks, among)[2]
    return laid[np.isfinite(laid).all(axis=1)]


def _test(gap: Difference, place: int, margin: float | None, apart: str) -> dict[str, float | str]:
    found = effect(gap, margin)
    if place == 1:
        found = dict.fromkeys(found, np.nan) | {"ratio": 1.0}
    elif apart:
        found = dict.fromkeys(found, np.nan) | {"ratio": found["ratio"]}
    return {"rank": float(place), **found}
