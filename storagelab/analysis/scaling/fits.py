"""Models of a scaling curve: where it bends, where it ends, and which model says it best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.curves import FITTED, KNEE, LAW, MODELS, Fit, Means, Model, fit
from storagelab.analysis.inference.intervals import Floats, Interval
from storagelab.analysis.inference.level_contrasts import p_no_shift
from storagelab.analysis.inference.processor_independent import exp, log, log1p
from storagelab.analysis.runs import labelled_runs
from storagelab.analysis.scaling.scale import runs_along, spelled_levels
from storagelab.analysis.significant_digits import first_extreme, significant
from storagelab.errors import AnalysisError, nearest

WIDER = "the wider of t over runs and t over level means"
METHOD = f"least squares of the mean logs, 95 % profile intervals: {WIDER}"

NEAR = 0.05
"""A level within this share of the fitted plateau stands on it."""

DOUBT = 0.01
"""P below which a check of what the intervals take for granted is told as a caveat."""


def scaling_fits(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    x: str = "clients",
    models: Sequence[str] = (),
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Fit models of a scaling curve to the runs, and compare them.

    "plateau and knee": ``A(n) = P min(1, n / n0)``; "saturation": ``A(n) = P n / (n + n_half)``; "universal scalability
    law": ``A(n) = A(1) n / (1 + s (n - 1) + k n (n - 1))`` (N. J. Gunther, "Guerrilla capacity planning", 2007), with
    its peak at ``sqrt((1 - s) / k)``. Least squares on the mean logs of the levels, so rates are geometric means. 95 %
    profile intervals, the wider of two, allow for a spread that differs from level to level and for offsets that the
    runs of a level share (see `storagelab.analysis.inference.curves.fit`). They claim to cover where ``caveat`` is
    empty.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `storagelab.analysis.run_values`: the run (or block) is the unit.
    x : str
        Key along which it scales; for the law a count.
    models : sequence of str
        Which to fit; all that fit the key by default.

    Returns
    -------
    Dataset, dimension obs
        One row a cell and model: keys `by` and ``scaling_model``. In the unit of the variable: the variable itself, the
        plateau P (of the law: the top of its curve from one on), and ``<variable>_one``, the curve at one. In the unit
        of `x`: ``<x>_knee`` (n0), ``<x>_half`` (n_half), ``<x>_peak`` (of the law), ``<x>_plateau`` (the first of
        ``plateau_levels``, the levels whose geometric means are within 5 % of P). ``contention`` and ``coherency`` [1]
        (s and k of the law). All with ``_low`` and ``_high`` but ``<x>_plateau``; an end that the runs leave open is
        NaN. ``levels``, ``n``, ``misses``, ``p_misfit``, ``aicc``, ``aicc_difference``, ``preferred``; ``caveat``. A
        model with no more levels than parameters has a row of NaN that says so.

    Raises
    ------
    AnalysisError
        If no model can be fitted in any cell, the law is asked for over sizes, or as
        `storagelab.analysis.scaling.scale.runs_along`.
    """
    chosen = _chosen(models, x)
    runs = runs_along(ds, variable, by, x, over=over, statistic=statistic)
    rows = [
        {**cell, **row}
        for cell, part in runs.rows.cells(by)
        for row in _compared([_row(model, part, variable, x) for model in chosen])
    ]
    if all(np.isnan(row["misses"]) for row in rows):
        raise AnalysisError(f"no cell has enough levels of {x} for a fit: {_needed(chosen)}")
    return table.dataset(
        rows, labelled_runs(runs, ds), [*by, "scaling_model"], statistic=statistic, unit=runs.unit,
        compared_variable=variable,
        method=f"{METHOD}, models compared by AICc" if len(chosen) > 1 else METHOD,
    )  # fmt: skip


def fitted_curves(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    x: str = "clients",
    model: str = "",
    at: Sequence[float] = (),
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Evaluate the fitted curve of each cell with its confidence band, for figures.

    Parameters
    ----------
    ds, variable, by, x, over, statistic
        See `scaling_fits`.
    model : str
        Which model; by default the preferred one of each cell.
    at : sequence of float
        Levels, in the unit of `x`; by default 65 between the first and the last of the cell, even on a log axis.

    Returns
    -------
    Dataset, dimension obs
        One row a cell and level: keys `by`, ``scaling_model`` and `x`; the variable with ``_low`` and ``_high``, a band
        that holds the curve at each level with 95 % (not all of it at once), NaN where there is no spread to judge by;
        ``n`` (runs behind the fit); ``caveat``, as `scaling_fits`, or that the level lies outside the runs.

    Raises
    ------
    AnalysisError
        As `scaling_fits`.
    """
    fits = table.rows(
        scaling_fits(ds, variable, by, x=x, models=[model] if model else (), over=over, statistic=statistic)
    )
    runs = runs_along(ds, variable, by, x, over=over, statistic=statistic)
    curves = []
    for (cell, part), (_, told) in zip(runs.rows.cells(by), fits.cells(by), strict=True):
        for best in told.where("preferred", 1).only(["scaling_model", "n", "caveat"]).records():
            means = _means(part, variable, x)
            levels = np.asarray(at, dtype=np.float64) if at else exp(np.linspace(log(means.n[0]), log(means.n[-1]), 65))
            curve = _curve(fit(MODELS[best["scaling_model"]], means), levels, variable, x)
            inside = (levels >= means.n[0] * (1 - 1e-12)) & (levels <= means.n[-1] * (1 + 1e-12))
            named = {key: best[key] for key in ("scaling_model", "n")}
            caveat = np.where(inside, best["caveat"], "outside the levels with runs")
            curves.append(curve.assign(**cell, **named, caveat=caveat))
    return table.dataset(
        Rows.stacked(curves), labelled_runs(runs, ds), [*by, "scaling_model", x], statistic=statistic,
        unit=runs.unit, compared_variable=variable,
        method=f"least squares of the mean logs, pointwise 95 % profile band: {WIDER}",
    )  # fmt: skip


def _chosen(models: Sequence[str], x: str) -> list[Model]:
    counted = columns.field(x).unit == "1"
    for name in models:
        if name not in MODELS:
            raise AnalysisError(f"unknown scaling model {name!r}{nearest(name, MODELS)}")
        if name == LAW.name and not counted:
            raise AnalysisError(f"the {LAW.name} is of clients or processes, {x} is a size")
    return [MODELS[name] for name in models or MODELS if counted or name != LAW.name]


def _needed(models: Sequence[Model]) -> str:
    return ", ".join(f"{model.name} needs {model.parameters + 1}" for model in models)


def _means(part: Rows, variable: str, x: str) -> Means:
    return Means.of(part[x], part[variable])


def _curve(found: Fit, levels: Floats, variable: str, x: str) -> Rows:
    best, low, high = (significant(exp(logs), FITTED) for logs in found.log_curve(levels))
    columns_of_band = {x: levels, variable: best, columns.low(variable): low, columns.high(variable): high}
    return Rows(columns_of_band, levels.size)


def _row(model: Model, part: Rows, variable: str, x: str) -> dict[str, Any]:
    means = _means(part, variable, x)
    counts: dict[str, Any] = {"levels": float(means.n.size), "n": means.total}
    row = dict.fromkeys(_blank(variable, x), np.nan) | {"scaling_model": model.name, "plateau_levels": ""} | counts
    if means.n.size <= model.parameters:
        return row | {"caveat": f"{means.n.size} levels: a fit needs {model.parameters + 1}"}
    found = fit(model, means)
    criteria = {"misses": found.rmse, "aicc": found.aicc, "p_misfit": found.p_misfit()}
    row |= _quantities(found, variable, x) | criteria
    near = means.n[np.abs(exp(means.logs) / row[variable] - 1) <= NEAR]
    row |= {"plateau_levels": spelled_levels(near.tolist()), f"{x}_plateau": near[0] if near.size else np.nan}
    return row | {"caveat": _caveat(found, part, variable, x)}


def _blank(variable: str, x: str) -> list[str]:
    """All columns of a fit, so that every model has the same."""
    ended = [variable, f"{variable}_one", f"{x}_knee", f"{x}_half", f"{x}_peak", "contention", "coherency"]
    ends = [name + end for name in ended for end in ("", "_low", "_high")]
    return [*ends, f"{x}_plateau", "misses", "aicc", "p_misfit"]


def _quantities(found: Fit, variable: str, x: str) -> dict[str, Any]:
    one = found.of_curve(lambda rest: found.model.shape(np.ones(1), rest)[..., 0])
    row = _ended(f"{variable}_one", *one)
    if found.model is LAW:
        row |= _ended("contention", *found.parameter(0)) | _ended("coherency", *found.parameter(1))
        row |= _ended(f"{x}_peak", *_bounded(_law_peak, found)) | _ended(variable, *_top_of_law(found))
        return row
    value, ends = found.of_curve(lambda rest: np.zeros(rest.shape[:-1]))
    bend = found.parameter(0)
    row |= _ended(variable, value, (ends[0], np.nan if np.isnan(bend[1][1]) else ends[1]))
    return row | _ended(f"{x}_{'knee' if found.model is KNEE else 'half'}", *bend)


def _ended(name: str, value: float, ends: Interval) -> dict[str, Any]:
    return {name: value, columns.low(name): ends[0], columns.high(name): ends[1]}


def _law_peak(rest: Floats) -> Floats:
    """Where the law is highest; infinite where no pair costs anything."""
    alone, coherency = 1 - rest[..., 0], rest[..., 1]
    for_ever = np.where(alone > 0, np.inf, 1.0)
    squared = np.divide(alone, coherency, out=for_ever, where=coherency > 0)
    return np.asarray(np.maximum(1.0, np.sqrt(squared)), dtype=np.float64)


def _bounded(quantity: Callable[[Floats], Floats], found: Fit) -> tuple[float, Interval]:
    """Range of a quantity over the allowed parameters; what is infinite is not known."""
    value, (low, high) = found.of_shape(quantity)
    return _finite(value), (_finite(low), _finite(high))


def _top_of_law(found: Fit) -> tuple[float, Interval]:
    value, (low, high) = found.of_curve(_log_top)
    return _finite(value), (_finite(low), _finite(high))


def _log_top(rest: Floats) -> Floats:
    """Log of the top of the law's curve; its limit where it rises for ever, infinite where it does so in proportion."""
    n, contention, coherency = _law_peak(rest), rest[..., 0], rest[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        turned = log(n) - log1p(contention * (n - 1) + coherency * n * (n - 1))
        return np.asarray(np.where(np.isfinite(n), turned, -log(contention)), dtype=np.float64)


def _finite(value: float) -> float:
    return value if np.isfinite(value) else np.nan


def _compared(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Say how far each model of a cell is from the best; misses decide where there are too few runs for AICc."""
    aicc, misses = (np.array([row[name] for row in rows], dtype=np.float64) for name in ("aicc", "misses"))
    measure = aicc if np.isfinite(aicc).any() else misses
    known = np.isfinite(measure).any()
    best = first_extreme(measure, "lowest") if known else -1
    least = np.fmin.reduce(aicc)
    return [
        {**row, "aicc_difference": row["aicc"] - least, "preferred": float(place == best)}
        for place, row in enumerate(rows)
    ]


def _caveat(found: Fit, part: Rows, variable: str, x: str) -> str:
    """All that speaks against the intervals."""
    logs = part.assign(logs=log(part[variable]))
    laid = logs.take(~np.isnan(logs["repeat"])).grid("logs", "repeat", x)[2]
    whole = laid[np.isfinite(laid).all(axis=1)]
    runs, ends = found.means.runs, _open_ends(found)
    said = {
        "runs without spread: no interval": not found.known,
        f"the runs leave the {' and '.join(ends)} end open": bool(ends),
        "one run a level: the spread is that of the misses": runs.max() < 2,
        "some levels have one run: their spread is taken from the others": runs.min() < 2 <= runs.max(),
        "runs of a level do not differ: the spread is that of the misses": found.means.inside
        == 0
        < found.means.repeated,
        "the model misses the levels by more than the runs scatter": found.p_misfit() < DOUBT,
        "repeats shift all levels alike": p_no_shift(whole) < DOUBT,
    }
    return "; ".join(sentence for sentence, holds in said.items() if holds)


def _open_ends(found: Fit) -> list[str]:
    """Ends up to which the search went for a parameter without t refusing it."""
    if not found.known:
        return []
    ends = np.array([found.parameter(which)[1] for which in range(found.rest.size)])
    return [name for name, is_open in zip(("low", "high"), np.isnan(ends).any(axis=0), strict=True) if is_open]
