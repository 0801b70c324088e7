"""Two configurations against each other: their ratio with its interval, and whether they differ or are equivalent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import special

from storagelab.analysis import columns, table
from storagelab.analysis.arguments import check_confidence
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.sides import RunSide, first_doubt, first_refusal, shrunken, sides_of_cells
from storagelab.analysis.dependent_keys import ATTRIBUTE as FOLLOWS
from storagelab.analysis.dependent_keys import following, said
from storagelab.analysis.inference.correction import CORRECTED, Correction, family
from storagelab.analysis.inference.dependence import (
    LESS_THAN_ONE,
    Dependence,
    dependence,
    doubt,
    freedom,
    says_nothing,
    widening,
)
from storagelab.analysis.inference.intervals import CONFIDENCE, Floats
from storagelab.analysis.inference.mean_differences import Difference, paired, welch
from storagelab.analysis.inference.power import smallest_detectable
from storagelab.analysis.inference.processor_independent import exp, log, log1p
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.run_order import INDEPENDENT
from storagelab.analysis.runs import Conditions, chosen_rows, labelled_runs, values_of_runs
from storagelab.errors import AnalysisError

Spread = Literal["own", "shrunken"]
IN_TIME = ("repeat", "block", "round", "day", "order")
"""Keys whose levels follow each other in time."""


def compare(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: str | float,
    other: str | float,
    by: Sequence[str] = (),
    *,
    pair: Sequence[str] = (),
    margin: float | None = None,
    over: Sequence[str] = (),
    statistic: str = "single",
    correction: Correction = "simultaneous",
    conditions: Conditions = "fixed",
    spread: Spread = "own",
    confidence: float = CONFIDENCE,
) -> xr.Dataset:
    """Ratio other / base in each cell, with its interval and tests.

    Ratios are of geometric means; the interval is Welch's t on the logs, or the paired t where `pair` names keys that
    the two sides share (for example repeat). The intervals of a table hold together: one excludes 1 where, and only
    where, the verdict is that the sides differ. Runs need not be independent where their order is known: see
    `storagelab.analysis.summarise`. Three things are not seen: a spread of one side five times that of the other, at
    which tables of three to five runs a side err up to three times as often as they say (docs/simulations.md); a drift
    too slow to show inside a cell, where all runs of one side came first (the check "order" of `validity` sees the
    order); and a day that does something else to either side of its pairs, each of which counts as a value.

    Parameters
    ----------
    ds, variable, over, statistic
        See `run_values`.
    factor : str
        Key in which the two sides differ.
    base, other : str or float
        Its two levels; the ratio is other / base.
    by : sequence of str
        Keys that make the cells.
    pair : sequence of str
        Keys that pair the runs of both sides; pairs with one side only are left out.
    margin : float, optional
        With it also equivalence is asked: whether the ratio lies within 1 - margin and 1 + margin (TOST).
    correction : {"simultaneous", "fdr", "none"}
        How the tests of the table are corrected together, and their intervals with them: see
        `storagelab.analysis.inference.correction.family`.
    conditions : {"fixed", "sampled"}
        See `storagelab.analysis.summarise`.
    spread : {"own", "shrunken"}
        Whether each side has the spread of its own runs, or one drawn towards what all sides of the table have in
        common: with three runs each, a large table finds next to nothing without (not for pairs). ``attrs["prior"]``
        then says what that is.
    confidence : float
        Of the intervals, all together; verdicts err in one less that.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: the keys `by`; ``compared`` (text, "other / base"); ``ratio``, ``ratio_low``, ``ratio_high``
        (that of the ratio alone: ``ratio_low_unadjusted``, ``ratio_high_unadjusted``); ``log_error`` and ``freedom``,
        the standard error of its log with degrees of freedom; ``n``, ``n_base`` (pairs: both their number); ``p``,
        ``p_adjusted``; with a margin ``ratio_low_equivalence``, ``ratio_high_equivalence`` (inside the margin where
        TOST finds equivalence), ``p_equivalent``, ``p_equivalent_adjusted``; ``verdict``: higher, lower, equivalent, or
        undecided ("higher, within the margin" where both tests say so); ``undecided``: "one run", "cannot tell" (too
        few runs for their noise), or "not comparable" (the sides were measured apart in time, or their runs depend too
        much on the ones before); ``detectable``, of an
        undecided row the smallest ratio above 1 that its runs would have shown with a chance of 80 %; ``caveat``, why
        there is no interval, or why it may not cover. All pure numbers. A cell that has one side only keeps its row,
        with n = 0 and NaN.

    Raises
    ------
    AnalysisError
        If no cell has both sides, if values are not positive, or as `run_values`.
    """
    check_confidence(confidence)
    sides = table.sides(ds, factor, base, other)
    keys = [*by, factor, *pair]
    runs = values_of_runs(
        sides, variable, keys, over=over, statistic=statistic, conditions=conditions, across="geometric"
    )
    check_scale(runs.rows[variable], variable)
    logs = runs.rows.assign(**{variable: log(runs.rows[variable])})
    if pair:
        table.require_known(logs, pair, "what is a pair cannot be told")
        pairs = _paired_means(logs, variable, factor, [*by, *pair])
        cells = _of_pairs(pairs.cells(by).at_levels(variable, factor, (other, base)), pair, margin)
    else:
        found = list(sides_of_cells(replace(runs, rows=logs), variable, by, factor, (other, base)))
        if spread == "shrunken":
            found, prior = shrunken(found)
        cells = [{**cell, **compared(a, b, margin)} for cell, (a, b) in found]
    if not any(cell["n"] > 0 and cell["n_base"] > 0 for cell in cells):
        return _without_what_follows(
            sides, variable, factor, base, other, by, pair=pair, margin=margin, over=over, statistic=statistic,
            correction=correction, conditions=conditions, spread=spread, confidence=confidence,
        )  # fmt: skip
    result = judge(cells, margin, correction, confidence=confidence).assign(compared=quotient(other, base))
    method = f"ratio of geometric means, {100 * confidence:g} % {'paired' if pair else 'Welch'} t interval of the log"
    method = f"{method}, {CORRECTED[correction]}"
    if spread == "shrunken" and not pair:
        method = f"{method}; spread of each side drawn to that of all"
    attrs = {
        "unit": runs.unit,
        "compared_variable": variable,
        "compared_factor": factor,
        "margin": "" if margin is None else f"{margin:g}",
        **({"prior": prior.words} if spread == "shrunken" and not pair else {}),
    }
    like = labelled_runs(runs, sides)
    return table.dataset(result, like, [*by, "compared"], statistic=statistic, method=method, **attrs)


def _without_what_follows(
    sides: xr.Dataset, variable: str, factor: str, base: str | float, other: str | float, by: Sequence[str],
    **asked: Any,
) -> xr.Dataset:  # fmt: skip
    """Compare in cells of fewer keys where none has both sides: those that follow from the factor and others go.

    What the factor alone says goes if it is a number, which grows with it (processes with nodes); a word (reads on one
    side, writes on the other) is another difference between the sides, which only who asks can set aside.

    Raises
    ------
    AnalysisError
        If there is no such key; names the keys of which the sides share no level.
    """
    rows = chosen_rows(sides, variable, asked["statistic"])
    found_to = following(rows, by, given=[factor, *asked["pair"], *asked["over"]])
    follows = {key: of for key, of in found_to.items() if of != [factor] or rows[key].dtype.kind == "f"}
    if follows:
        kept = [key for key in by if key not in follows]
        found = compare(sides, variable, factor, base, other, kept, **asked)
        return found.assign_attrs({FOLLOWS: said(follows)})
    levels = [[set(rows.where(factor, side).levels(key)) for side in (base, other)] for key in by]
    apart = [key for key, (one, another) in zip(by, levels, strict=True) if not one & another]
    why = f": they share no level of {', '.join(apart)}" if apart else ""
    raise AnalysisError(f"no cell has {variable} of both {factor}={base} and {factor}={other}{why}")


def _paired_means(rows: Rows, variable: str, factor: str, keys: Sequence[str]) -> Rows:
    """Average each side of each pair, in the order of their keys; a side without another has no level any more."""
    sides = rows.cells([*keys, factor])
    means = sides.results(**{variable: sides.mean(variable)})
    pairs = means.cells(keys)
    levels = means[factor].astype(object)
    levels[pairs.broadcast(pairs.size) < 2] = None
    return means.assign(**{factor: levels})


def quotient(other: str | float, base: str | float) -> str:
    """Write what is compared."""
    return f"{table.format_level(other)} / {table.format_level(base)}"


def compared(a: RunSide, b: RunSide, margin: float | None = None) -> table.Cell:
    """Columns of one comparison of the logs of two sides, and what speaks against it."""
    return qualified(sided(welch(a.side, b.side), a.size, b.size, margin), [(a, b)])


def qualified(found: table.Cell, sides: Sequence[tuple[RunSide, RunSide]]) -> table.Cell:
    """Say what speaks against a comparison of pairs of sides; what would judge goes where one of them is refused."""
    if refusal := first_refusal(sides):
        return {**found, **dict.fromkeys({*JUDGING} & {*found}, np.nan), "caveat": refusal}
    return {**found, "caveat": found["caveat"] or first_doubt(sides)}


def _of_pairs(
    sides: Iterable[tuple[table.Cell, list[Floats]]], pair: Sequence[str], margin: float | None
) -> list[table.Cell]:
    """Compare paired sides, in the order of the pairs where that is one of time."""
    found = [(cell, a, b) for cell, (a, b) in sides]
    shared = dependence_of_pairs([a - b for _, a, b in found], pair)
    return [{**cell, **_paired(a, b, shared, margin)} for cell, a, b in found]


def dependence_of_pairs(differences: Sequence[Floats], pair: Sequence[str]) -> Dependence:
    """How much the differences of pairs resemble the ones before; not at all, where their keys are none of time."""
    return dependence(differences) if {*pair} <= {*IN_TIME} else INDEPENDENT


def paired_in_order(a: Floats, b: Floats, shared: Dependence) -> tuple[Difference, str]:
    """Mean difference of pairs that depend on the ones before, and why its interval may not cover, or is none."""
    if says_nothing(a.size, shared):
        return Difference(float((a - b).mean()), np.nan, np.nan), LESS_THAN_ONE
    return paired(a, b, widening(a.size, shared.used), freedom(a.size, shared.used)), doubt(a.size, shared)


def _paired(a: Floats, b: Floats, shared: Dependence, margin: float | None) -> table.Cell:
    gap, said = paired_in_order(a, b, shared)
    found = sided(gap, len(a), len(b), margin)
    return {**found, "caveat": said if said == LESS_THAN_ONE else found["caveat"] or said}


def sided(gap: Difference, n: int, n_base: int, margin: float | None) -> table.Cell:
    """Columns of one comparison of two sides: those of `effect`, how many runs each has, and its caveat."""
    return {**effect(gap, margin), "n": float(n), "n_base": float(n_base), "caveat": no_interval(gap, n, n_base)}


def no_interval(gap: Difference, n: float, n_base: float) -> str:
    """Say why a difference has no interval; empty where it has one."""
    if gap.known:
        return ""
    if np.isnan([n, n_base]).any():
        return "no error is given"
    return ("one side has no run", "one run a side: no interval", "no spread: no interval")[int(min(n, n_base, 2))]


def effect(gap: Difference, margin: float | None = None) -> dict[str, float]:
    """Columns of one comparison from the difference of the logs; `judge` adds what depends on the others."""
    ends = gap.interval()
    found = {"ratio": gap.value, columns.low("ratio"): ends[0], columns.high("ratio"): ends[1]}
    known = {"log_error": gap.error, "freedom": gap.freedom} if gap.known else {"log_error": np.nan, "freedom": np.nan}
    result = {name: float(exp(value)) for name, value in found.items()} | known | {"p": gap.p()}
    return result if margin is None else {**result, "p_equivalent": p_equivalent(gap, margin)}


def p_equivalent(gap: Difference, margin: float) -> float:
    """P of a ratio beyond 1 - margin and 1 + margin: two one-sided tests (TOST)."""
    if not 0 < margin < 1:
        raise AnalysisError(f"a margin lies between 0 and 1, not at {margin:g}: 0.05 is 5 %")
    return gap.p_outside(log1p(-margin), log1p(margin))


JUDGING = ("ratio_low", "ratio_high", "log_error", "freedom", "p", "p_equivalent")


def judge(
    found: table.Result,
    margin: float | None = None,
    correction: Correction = "simultaneous",
    *,
    own_ends: bool = False,
    pairs: int = 0,
    confidence: float = CONFIDENCE,
) -> Rows:
    """Add what depends on all rows of a table: corrected p values, intervals that go with them, and verdicts.

    Rows with ``log_error`` and ``freedom`` get intervals of the level at which each row is tested, unless they have
    ends of their own at that level. `pairs` is how many comparisons might have been made, where not all were.
    """
    rows, alpha = table.as_rows(found), round(1 - confidence, 12)
    tests = family(rows["p"], correction, pairs, alpha)
    rows = rows.assign(p_adjusted=tests.adjusted)
    if "log_error" in rows and not own_ends:
        alone = {f"{name}_unadjusted": ends for name, ends in _ends(rows, alpha).items()}
        rows = rows.assign(**alone, **_ends(rows, tests.alpha))
    same = np.zeros(len(rows), dtype=bool)
    if margin is not None:
        both = family(rows["p_equivalent"], correction, pairs, alpha)
        rows = rows.assign(p_equivalent_adjusted=both.adjusted)
        if "log_error" in rows:
            inner = _ends(rows, 2 * both.alpha)
            rows = rows.assign(**{f"{name}_equivalence": ends for name, ends in inner.items()})
        same = rows["p_equivalent_adjusted"] <= alpha
    direction = np.where(rows["ratio"] > 1, "higher", "lower")
    sure = np.where(same, np.char.add(direction, ", within the margin"), direction)
    verdict = np.where(rows["p_adjusted"] <= alpha, sure, np.where(same, "equivalent", "undecided"))
    rows = rows.assign(verdict=verdict, undecided=_why_undecided(rows, verdict))
    if "log_error" in rows:
        made = max(1, pairs, int(np.isfinite(rows["p"]).sum())) if correction == "simultaneous" else 1
        shown = smallest_detectable(rows["log_error"], rows["freedom"], cells=made, alpha=alpha)
        rows = rows.assign(detectable=np.where(verdict == "undecided", shown, np.nan))
    return rows


ENDS = (columns.low("ratio"), columns.high("ratio"))


def _ends(rows: Rows, alpha: float) -> dict[str, Floats]:
    """Ends of the intervals of the ratios at a level."""
    half = special.stdtrit(rows["freedom"], 1 - alpha / 2) * rows["log_error"]
    middle = log(np.where(rows["ratio"] > 0, rows["ratio"], np.nan))
    return {name: exp(middle + sign * half) for name, sign in zip(ENDS, (-1, 1), strict=True)}


def _why_undecided(rows: Rows, verdict: NDArray[np.str_]) -> NDArray[np.str_]:
    """Say of each undecided row whether it could not have been told with so few runs, or was not tested at all."""
    fewest = np.minimum(rows.get("n", np.nan), rows.get("n_base", np.nan))
    fewest = np.where(np.isnan(fewest), rows.get("n", np.nan), fewest)
    untested = np.where(fewest < 2, "one run", np.where(np.isnan(fewest), "", "not comparable"))
    return np.where(verdict == "undecided", np.where(np.isnan(rows["p"]), untested, "cannot tell"), "")
