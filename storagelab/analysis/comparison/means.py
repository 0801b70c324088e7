"""Ratios of arithmetic means with their errors: of runs, and of values that are given with a standard error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import JUDGING, judge, no_interval, p_equivalent, quotient
from storagelab.analysis.comparison.sides import (
    RunSide,
    dependence_caveat,
    independence_caveat,
    no_verdict,
    sides_of_cells,
)
from storagelab.analysis.inference.bca import FEWEST, ratio_of_means
from storagelab.analysis.inference.correction import family
from storagelab.analysis.inference.estimates import (
    Estimate,
    fieller,
    gap,
    log_gap,
    propagated,
    propagation_interval,
)
from storagelab.analysis.inference.interval_guarantees import differ_by_factors
from storagelab.analysis.inference.intervals import Floats, Interval
from storagelab.analysis.inference.seeds import generator
from storagelab.analysis.runs import Conditions, values_of_runs
from storagelab.errors import AnalysisError

Given = Literal["fieller", "propagation"]
Method = Literal["fieller", "propagation", "bootstrap"]
METHODS: dict[str, str] = {
    "fieller": "Fieller's 95 % interval",
    "propagation": "95 % t interval by first-order propagation",
    "bootstrap": "95 % BCa bootstrap interval over runs",
}
UNSURE = 0.1
"""Relative error of the base from which on first-order propagation is not claimed."""


def mean_ratios(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: str | float,
    other: str | float,
    by: Sequence[str] = (),
    *,
    interval: Method = "fieller",
    margin: float | None = None,
    over: Sequence[str] = (),
    statistic: str = "single",
    conditions: Conditions = "fixed",
) -> xr.Dataset:
    """Ratio other / base of arithmetic means of runs in each cell; `compare` has the ratio of geometric means.

    Parameters
    ----------
    ds, variable, over, statistic
        See `storagelab.analysis.run_values`.
    factor, base, other, by
        As for `storagelab.analysis.compare`.
    interval : {"fieller", "propagation", "bootstrap"}
        Fieller's theorem: for means near normal, whatever the error of the base. First-order propagation: where the
        base is known to better than 10 %. Bootstrap over the runs (BCa): from 10 runs a side.
    margin : float, optional
        With it also equivalence is asked, as by `compare`.
    conditions : {"each", "fixed", "sampled"}
        As for `compare`.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: the keys `by`, ``compared``; ``ratio``, ``ratio_error`` (standard error by propagation,
        ``r sqrt((e_a / a)^2 + (e_b / b)^2)``), ``ratio_low``, ``ratio_high``; ``n``, ``n_base``; ``p`` (Welch's test of
        the means), ``p_adjusted``; with a margin the columns of equivalence of `compare`, with the error of the log by
        propagation; ``verdict`` as `compare`; ``caveat``. All pure numbers.

    Raises
    ------
    AnalysisError
        If no cell has both sides, if a mean is not positive, or as `run_values`.
    """
    sides = table.sides(ds, factor, base, other)
    runs = values_of_runs(sides, variable, [*by, factor], over=over, statistic=statistic, conditions=conditions)
    both = [
        (cell, a, b)
        for cell, (a, b) in sides_of_cells(runs, variable, by, factor, (other, base), logs=False)
        if a.size and b.size
    ]
    estimates = [(_estimate(a), _estimate(b)) for _, a, b in both]
    alpha = _level(estimates)
    rows = []
    for (cell, x, y), (a, b) in zip(both, estimates, strict=True):
        row = _row(a, b, "fieller" if interval == "bootstrap" else interval, margin, alpha)
        if interval == "bootstrap":
            rng = generator(str(ds.attrs.get("study", "")), "mean_ratios", variable, str(cell))
            row |= _bootstrapped(x.side.values, y.side.values, rng, alpha)
        doubt = independence_caveat if interval == "bootstrap" else dependence_caveat
        rows.append({**cell, **_unless_apart(row, x, y, doubt(x, y))})
    attrs = {"statistic": statistic, "unit": runs.unit}
    return _result(rows, ds, variable, factor, base, other, by, interval, margin, attrs)


def _estimate(runs: RunSide) -> Estimate:
    """Mean of the runs of a side, with the error that their dependence leaves it."""
    side = runs.side
    error = math.sqrt(side.error) if runs.size > 1 and math.isfinite(side.error) else np.nan
    return Estimate(float(side.values.mean()), error, float(runs.size), side.degrees)


def _level(estimates: Sequence[tuple[Estimate, Estimate]]) -> float:
    """Level of each test of a table, so that its intervals hold together."""
    return family([gap(a, b).p() for a, b in estimates]).alpha


def _unless_apart(row: table.Cell, x: RunSide, y: RunSide, doubt: str) -> table.Cell:
    """Add what speaks against a comparison; one of sides that were measured apart in time has no verdict."""
    caveat = row["caveat"] or _of_factors(x.side.values, y.side.values)
    if apart := no_verdict(x, y):
        return {**row, **dict.fromkeys({*JUDGING} & {*row}, np.nan), "caveat": apart}
    return {**row, "caveat": caveat or doubt}


def _bootstrapped(x: Floats, y: Floats, rng: np.random.Generator, alpha: float) -> table.Cell:
    low, high = ratio_of_means(x, y, rng, confidence=1 - alpha)
    fewest = min(x.size, y.size)
    few = f"{fewest} runs: bootstrap needs {FEWEST}" if fewest < FEWEST else ""
    caveat = few or ("" if np.isfinite(low) else "no spread: no interval")
    return {columns.low("ratio"): low, columns.high("ratio"): high, "caveat": caveat}


def _of_factors(x: Floats, y: Floats) -> str:
    by_factors = differ_by_factors(x) or differ_by_factors(y)
    return "runs differ by factors: compare has the ratio of geometric means" if by_factors else ""


def compare_given(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: str | float,
    other: str | float,
    by: Sequence[str] = (),
    *,
    error: str = "",
    interval: Given = "fieller",
    margin: float | None = None,
) -> xr.Dataset:
    """Ratio other / base of values that are given with a standard error, such as those that a paper prints.

    Parameters
    ----------
    ds, variable, factor, base, other, by, error
        As for `storagelab.analysis.compatibility`.
    interval, margin
        As for `mean_ratios`.

    Returns
    -------
    Dataset, dimension obs
        As `mean_ratios` gives it. Where n is not known the errors are taken as exact, and the caveat says so.

    Raises
    ------
    AnalysisError
        As `compatibility`, and if a value is not positive.
    """
    pairs = list(pairs_of_estimates(ds, variable, factor, base, other, by, error))
    alpha = _level([(a, b) for _, a, b in pairs])
    rows = [{**cell, **_row(a, b, interval, margin, alpha)} for cell, a, b in pairs]
    return _result(
        rows, ds, variable, factor, base, other, by, interval, margin, {"statistic": "given", "unit": "value"}
    )


def pairs_of_estimates(
    ds: xr.Dataset, variable: str, factor: str, base: str | float, other: str | float, by: Sequence[str], error: str
) -> Iterator[tuple[table.Cell, Estimate, Estimate]]:
    """Give other and base of each cell that has both, with the standard errors that stand beside the values.

    Raises
    ------
    AnalysisError
        If the dataset has no errors, if a side is several rows, or if no cell has both sides.
    """
    table.unit(ds, variable)
    table.origin(ds)
    table.require(ds, factor, *by)
    rows = _with_error(ds, variable, error)
    found = False
    for cell, part in rows.take(np.isin(rows[factor], [base, other])).cells(by):
        sides = [part.where(factor, level) for level in (other, base)]
        if any(len(side) > 1 for side in sides):
            where = table.name_cell(cell) or "the selection"
            raise AnalysisError(
                f"{where} has several values of a side: name what tells them apart in by, or select one"
            )
        if all(len(side) for side in sides):
            found = True
            a, b = (
                Estimate(*(float(side[name][0]) for name in (variable, "given_error", "given_n"))) for side in sides
            )
            yield cell, a, b
    if not found:
        raise AnalysisError(f"no cell has {variable} of both {factor}={base} and {factor}={other}")


def _with_error(ds: xr.Dataset, variable: str, error: str) -> Rows:
    """Rows with the standard error of each: as given, else ``s / sqrt(n)`` of a mean over runs."""
    given = table.rows(ds)
    rows = given.take(~np.isnan(given[variable]))
    n = rows["n"] if "n" in rows else rows.get("samples", np.nan)
    name = error or columns.error(variable)
    spread = f"{variable}_std"
    if name in rows:
        table.unit(ds, name)
        if (rows[name] < 0).any():
            raise AnalysisError(f"{name} is {rows[name].min():g} in a row: a standard error is not negative")
        return rows.assign(given_error=rows[name], given_n=n)
    if error or spread not in rows or np.isnan(n).all():
        raise AnalysisError(f"values of {variable} need a standard error: {name}, or {spread} with n")
    return rows.assign(given_error=rows[spread] / np.sqrt(n), given_n=n)


def _row(a: Estimate, b: Estimate, interval: Given, margin: float | None, alpha: float) -> table.Cell:
    found, logs = propagated(a, b), log_gap(a, b)
    interval_of = fieller if interval == "fieller" else propagation_interval
    ends, alone = interval_of(a, b, 1 - alpha), interval_of(a, b)
    row = {
        "ratio": found.value, columns.error("ratio"): found.error, columns.low("ratio"): ends[0],
        columns.high("ratio"): ends[1], "ratio_low_unadjusted": alone[0], "ratio_high_unadjusted": alone[1],
        "log_error": logs.error, "freedom": logs.freedom, "n": a.n, "n_base": b.n, "p": gap(a, b).p(),
    }  # fmt: skip
    equivalent = {} if margin is None else {"p_equivalent": p_equivalent(logs, margin)}
    return {**row, **equivalent, "caveat": _caveat(a, b, ends, interval)}


def _caveat(a: Estimate, b: Estimate, ends: Interval, interval: Given) -> str:
    missing = no_interval(gap(a, b), a.n, b.n)
    if missing:
        return missing
    if not np.isfinite(ends).all():
        return "the base is not told from zero: no interval"
    if interval == "propagation" and b.relative > UNSURE:
        return f"the base is known to {100 * b.relative:.0f} % only: use fieller"
    return errors_taken_as_exact(a, b)


def errors_taken_as_exact(a: Estimate, b: Estimate) -> str:
    """Say that n is not known; empty where it is."""
    return "" if np.isfinite([a.n, b.n]).all() else "n is not given: errors taken as exact"


def _result(
    rows: list[table.Cell], ds: xr.Dataset, variable: str, factor: str, base: str | float, other: str | float,
    by: Sequence[str], interval: Method, margin: float | None, attrs: dict[str, str],
) -> xr.Dataset:  # fmt: skip
    if not rows:
        raise AnalysisError(f"no cell has {variable} of both {factor}={base} and {factor}={other}")
    if not all(row["ratio"] > 0 for row in rows):
        raise AnalysisError(f"a mean of {variable} is not positive: a ratio needs that")
    compared = {"compared_variable": variable, "compared_factor": factor}
    labels = {**attrs, **compared, "margin": "" if margin is None else f"{margin:g}"}
    method = f"ratio of arithmetic means, {METHODS[interval]}"
    return table.dataset(
        judge(rows, margin, own_ends=True).assign(compared=quotient(other, base)),
        table.sides(ds, factor, base, other),
        [*by, "compared"],
        method=method,
        **labels,
    )
