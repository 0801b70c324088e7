"""Who is best at what, with ties where the data do not tell two candidates apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import effect, judge
from storagelab.analysis.digits import significant
from storagelab.analysis.inference.correction import ALPHA
from storagelab.analysis.inference.differences import Difference, pooled, welch, within, within_blocks
from storagelab.analysis.inference.elementary import log
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.repeats.summary import summary_of_runs
from storagelab.analysis.runs import Best, direction_of, values_of_runs
from storagelab.errors import AnalysisError

Family = Literal["cell", "table"]
Spread = Literal["pooled", "own"]


def winners(
    ds: xr.Dataset,
    variable: str,
    among: str,
    by: Sequence[str],
    *,
    best: Best | None = None,
    blocks: str = "",
    family: Family = "table",
    spread: Spread = "pooled",
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
    spread : {"pooled", "own"}
        Whether the candidates of a cell share one relative spread (with three runs each, a spread of its own for each
        pair finds little), or each has its own (Welch).
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
        could not be tested, and so ties.

    Raises
    ------
    AnalysisError
        If no cell has two candidates, if it is not clear what is best, or as `summarise`.
    """
    direction = best or direction_of(table.unit(ds, variable), variable)
    runs = values_of_runs(ds, variable, [*by, among], over=over, statistic=statistic)
    summary = summary_of_runs(runs, ds, variable, [*by, among], "geometric")
    logs = _known(runs.rows, among)
    cells = logs.assign(log=log(logs[variable])).cells(by)
    tests = [_tests(part, among, direction, blocks, margin, spread) for _, part in cells]
    if all(len(test) < 2 for test in tests):
        raise AnalysisError(f"no cell has {variable} of two or more levels of {among}: nothing to compare")
    tested = Rows.of_cells([row for test in tests for row in test])
    rows = _known(table.rows(summary), among).assign(**{name: tested[name] for name in tested})
    rows = _judged(rows, by if family == "cell" else [], by, margin)
    same = rows["p_equivalent_adjusted"] <= ALPHA if margin is not None else False
    winner = ((rows["rank"] == 1) | ~(rows["p_adjusted"] <= ALPHA) | same).astype(float)
    untold = (rows["rank"] > 1) & np.isnan(rows["p"])
    caveat = np.where(untold, "not tested: one run each, or no spread in the cell", rows["caveat"])
    sharing = rows.assign(winner=winner).cells(by)
    rows = rows.assign(caveat=caveat, winner=winner, tied=winner * (sharing.broadcast(sharing.sum("winner")) > 1))
    judged_by = f"{spread} spread{f' freed of what a {blocks} does to all' if blocks else ''}"
    method = f"ratio of geometric means to the best, t on the logs with {judged_by}, simultaneous over all pairs"
    attrs = {
        "statistic": statistic,
        "method": method,
        "best": direction,
        "family": family,
        "margin": "" if margin is None else f"{margin:g}",
        "unit": summary.attrs["unit"],
    }
    return table.dataset(rows, ds, [*by, among], **attrs)


def _known(rows: Rows, among: str) -> Rows:
    return rows.take(rows[among] == rows[among])


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
    part: Rows, among: str, direction: Best, blocks: str, margin: float | None, spread: Spread
) -> list[dict[str, float]]:
    """Hold each candidate of one cell against its best."""
    logs = part.cells([among]).slices("log")
    middles = significant([values.mean() for values in logs]).tolist()
    order = sorted(range(len(logs)), key=middles.__getitem__, reverse=direction == "highest")
    best, ranks = logs[order[0]], {place: rank for rank, place in enumerate(order, 1)}
    if spread == "own":
        gaps = [welch(values, best) for values in logs]
    else:
        shared = within_blocks(list(_rounds(part, among, blocks).T)) if blocks else within(logs)
        gaps = [pooled(values, best, *shared) for values in logs]
    return [_test(gap, ranks[place], margin) for place, gap in enumerate(gaps)]


def _rounds(part: Rows, among: str, blocks: str) -> Floats:
    """Logs of the rounds that have every candidate, a row each; several runs in a round count as their mean."""
    laid = part.take(part[blocks] == part[blocks]).grid("log", blocks, among)[2]
    return laid[np.isfinite(laid).all(axis=1)]


def _test(gap: Difference, place: int, margin: float | None) -> dict[str, float]:
    found = effect(gap, margin)
    alone = dict.fromkeys(found, np.nan) | {"ratio": 1.0} if place == 1 else found
    return {"rank": float(place), **alone}
