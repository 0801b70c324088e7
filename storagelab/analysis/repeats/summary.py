"""Means over runs, never without their spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import xarray as xr
from scipy import stats

from storagelab.analysis import columns, table
from storagelab.analysis.arguments import check_confidence
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.averages import SCALES, SLOPES, Mean, averaged
from storagelab.analysis.inference.dependence import TAKEN_FOR_INDEPENDENT
from storagelab.analysis.inference.interval_guarantees import Average, Method, caveat
from storagelab.analysis.inference.intervals import CONFIDENCE, Floats
from storagelab.analysis.inference.noise_shape import Slow, shape_of, unseen_share
from storagelab.analysis.inference.quantiles import quantile_coverage
from storagelab.analysis.inference.seeds import generator
from storagelab.analysis.run_order import ordered
from storagelab.analysis.runs import RATES, Conditions, Runs, labelled_runs, values_of_runs
from storagelab.errors import AnalysisError

Scale = Literal["linear", "log"]
MEANS: dict[Average, str] = {
    "arithmetic": "mean",
    "geometric": "geometric mean",
    "harmonic": "harmonic mean",
    "median": "median",
}
ON: dict[Average, str] = {"geometric": " of the log", "harmonic": " of the reciprocals"}


def summarise(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
    scale: Scale = "linear",
    average: Average | None = None,
    interval: Method | None = None,
    conditions: Conditions = "fixed",
    confidence: float = CONFIDENCE,
) -> xr.Dataset:
    """Average the runs of each cell.

    At most 7 % of campaigns have an interval that misses the truth and an empty `caveat` (docs/simulations.md), for
    runs of one mode: of runs that are fast or slow at random, three seem alike a quarter of the time, and no method can
    see that in them. Days are taken for independent of each other. Runs need not be where their order is known:
    Student's t interval is as wide as the lag-1 correlation asks for that all cells share
    (`storagelab.analysis.inference.dependence`), and the caveat says where more than that is not excluded.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `run_values`: the run (or block) is the unit, what is inside it is averaged first.
    scale : {"linear", "log"}
        "log" gives the geometric mean and the t interval of the log, for values that spread by factors.
    average : {"arithmetic", "geometric", "harmonic", "median"}, optional
        Which middle, else what the scale says: times and bytes arithmetically, rates of equal work harmonically,
        ratios geometrically (R. Jain, 1991, chapter 12).
    interval : {"t", "bca", "quantile"}, optional
        Student's t, or a bootstrap (BCa) from 10 runs on, for means; order statistics for a median, from 6 runs on.
        The latter two take runs for independent.
    conditions : {"fixed", "sampled"}
        See `run_values`: whether runs that differ in a key of `over` stand for these conditions only, or for all that
        might have been chosen. A median is always that of the conditions.
    confidence : float
        Nominal coverage of a t interval; the other two are of 95 %.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: the keys `by`; the average under the name of the variable; ``_low`` and ``_high`` of its 95 %
        interval (NaN for n = 1); ``_min``, ``_max``, ``_std``; ``_error``, the standard error of the mean; ``n``;
        ``unseen_share`` [1], the largest share of stalls, or of runs of another mode, that so many runs show none of in
        5 % of the campaigns: what is rarer is not in the mean, nor in its interval;
        ``n_effective``, how many independent runs would say as much; ``lag_1_correlation`` of runs of a cell;
        ``icc``, the share of the variance that runs of one block, or day, have in common (NaN where the unit is a run);
        ``caveat``, why the interval may not cover, or is missing. Units are those of the variable. A median also has
        ``coverage`` [1], what its interval covers in truth: only some probabilities can be had by counting.

    Raises
    ------
    AnalysisError
        As `run_values`; also for a geometric or harmonic mean of values that are not positive, for an interval that
        is not one of the average, and for an average that contradicts the scale.
    """
    which = average or ("geometric" if scale == "log" else "arithmetic")
    if scale == "log" and which != "geometric":
        raise AnalysisError(f"on the log scale the average is geometric, not {which}: give one of the two")
    across: Mean = "arithmetic" if which == "median" else which
    how: Conditions = "sampled" if which == "median" else conditions
    runs = values_of_runs(ds, variable, by, over=over, statistic=statistic, conditions=how, across=across)
    return summary_of_runs(runs, ds, variable, by, which, interval, confidence)


def summary_of_runs(
    runs: Runs,
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    average: Average,
    interval: Method | None = None,
    confidence: float = CONFIDENCE,
) -> xr.Dataset:
    """Average the runs of each cell, as `summarise` does with those that it takes from a dataset."""
    how = interval or ("quantile" if average == "median" else "t")
    check_confidence(confidence)
    if confidence != CONFIDENCE and how != "t":
        raise AnalysisError(f"an interval by {how!r} has 95 %, not {100 * confidence:g} %: ask for 't'")
    if average in ON:
        check_scale(runs.rows[variable], variable)
    if how == "t" and average != "median":
        found: table.Result = _by_t(runs, by, variable, average, SLOW.get(table.unit(ds, variable)), confidence)
    else:
        line = ordered(runs, by, runs.rows[variable])
        named = zip(line.cells.names(), line.cells.slices(variable), line.doubts, strict=True)
        study = str(ds.attrs.get("study", ""))
        described_cells = (
            (cell, described(x, variable, average, how, (study, table.name_cell(cell))), doubt)
            for cell, x, doubt in named
        )
        found = [
            {**cell, **told, "caveat": told["caveat"] or (TAKEN_FOR_INDEPENDENT if line.found.used else doubt)}
            for cell, told, doubt in described_cells
        ]
    over = f", over these {runs.conditions} conditions" if runs.conditions > 1 else ""
    if table.unit(ds, variable) in RATES:
        found = _below_zero_said(table.as_rows(found), variable)
    like, method = labelled_runs(runs, ds), f"{_in_words(average, how, confidence)}{over}"
    return table.dataset(found, like, by, statistic=runs.statistic, method=method, unit=runs.unit)


BELOW_ZERO = "the interval reaches below zero, where no rate is: more runs, or scale='log'"


def _below_zero_said(rows: Rows, variable: str) -> Rows:
    """Add to the caveats where an interval of a rate holds what no rate can be."""
    said, below = rows["caveat"], rows[columns.low(variable)] < 0
    return rows.assign(
        caveat=[
            "; ".join(filter(None, (str(caveat), BELOW_ZERO if is_below else "")))
            for caveat, is_below in zip(said, below, strict=True)
        ]
    )


def _by_t(runs: Runs, by: Sequence[str], variable: str, average: Mean, slow: Slow | None, confidence: float) -> Rows:
    """Describe all cells at once, by Student's t on the scale of the mean, wider where runs depend on each other."""
    onto, back = SCALES[average]
    line = ordered(runs, by, onto(runs.rows[variable]), logs=average == "geometric")
    cells, n = line.cells, line.cells.size
    x = cells.rows["scaled"]
    middle = cells.mean_of(x)
    spread = cells.std_of(x) * np.sqrt(np.where(np.isinf(line.widening), np.nan, line.widening) / n)
    error = np.where(cells.spreadless(x), np.where(n > 1, 0.0, np.nan), spread)
    half = np.where(error > 0, stats.t.ppf((1 + confidence) / 2, np.maximum(line.freedom, 1)) * error, np.nan)
    with np.errstate(divide="ignore"):
        value, low, high = (back(end) for end in (middle, middle - half, middle + half))
    if average == "harmonic":
        low, high = (np.where(middle > half, end, np.nan) for end in (high, low))
    caveats = [caveat(values, average) or tail(values, slow) for values in cells.slices(variable)]
    return cells.results(
        **{
            variable: value,
            columns.low(variable): low,
            columns.high(variable): high,
            f"{variable}_min": cells.min(variable),
            f"{variable}_max": cells.max(variable),
            f"{variable}_std": cells.std(variable),
            f"{variable}_error": SLOPES[average](value) * error,
            "n": n,
            "unseen_share": unseen_share(n),
            "n_effective": line.effective,
            "lag_1_correlation": line.found.rho,
            "icc": runs.icc,
            "caveat": [said or told for said, told in zip(caveats, line.doubts, strict=True)],
        }
    )


SLOW: dict[str, Slow] = {**dict.fromkeys(RATES, "low"), "s": "high"}
"""Which side of a unit is slow."""

SHAPED = 10
"""Runs of one cell from which on its shape is looked at."""


def tail(values: Floats, slow: Slow | None) -> str:
    """Say that the runs of one cell have a tail to the slow side: of a limit, of modes or of stalls."""
    if slow is None or values.size < SHAPED or not (values > 0).all():
        return ""
    return shape_of([values / values.mean()], slow).caveat


def _in_words(average: Average, method: Method, confidence: float) -> str:
    words = {"t": f"t interval{ON.get(average, '')}", "bca": "BCa bootstrap interval", "quantile": "interval by ranks"}
    return f"{MEANS[average]}, {100 * confidence:g} % {words[method]}"


def described(
    values: Floats,
    variable: str,
    average: Average = "arithmetic",
    method: Method = "t",
    seed: Sequence[str] = (),
) -> table.Cell:
    """Describe the runs of one cell: what `summarise` says of it, by the names of its columns."""
    rng = generator(*seed, variable, "summarise") if method == "bca" else None
    found = averaged(values, average, method, rng)
    row = {
        variable: found.value,
        columns.low(variable): found.interval[0],
        columns.high(variable): found.interval[1],
        f"{variable}_min": float(values.min()),
        f"{variable}_max": float(values.max()),
        f"{variable}_std": float(values.std(ddof=1)) if values.size > 1 else math.nan,
        f"{variable}_error": found.error,
        "n": float(values.size),
        "unseen_share": float(unseen_share(values.size)),
        "caveat": found.caveat,
    }
    return {**row, "coverage": quantile_coverage(values.size)} if method == "quantile" else row


def check_scale(values: Floats, variable: str) -> None:
    """Refuse logs of what is not positive."""
    bad = int((values <= 0).sum())
    if bad:
        raise AnalysisError(f"{variable}: {bad} of {values.size} runs are not positive, ratios and logs need that")
