"""Which of two configurations is the more even, or the more repeatable: coefficients of variation compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import compare, judge
from storagelab.analysis.fairness.fairness import fairness, runs_of_clients
from storagelab.analysis.inference.bca import bca_interval
from storagelab.analysis.inference.correction import family
from storagelab.analysis.inference.elementary import exp
from storagelab.analysis.inference.intervals import NO_INTERVAL, Floats
from storagelab.analysis.inference.resampling import refusal
from storagelab.analysis.inference.seeds import generator
from storagelab.analysis.inference.spread import log_variation_ratio, over_mean, same_spread, variation
from storagelab.analysis.runs import UNIT, labelled_runs, values_of_runs
from storagelab.errors import AnalysisError

Level = str | float
ADDED = ("n_clients", "n_clients_base", "p_levene")


def compare_variation(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: Level,
    other: Level,
    by: Sequence[str] = (),
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Ratio other / base of the coefficients of variation over the runs of each cell: which is the more repeatable.

    Levene's test about the median (Brown and Forsythe), on the runs over their mean, says whether they differ. It
    errs on the safe side below ten runs, and finds little there.

    Parameters
    ----------
    ds, variable, over, statistic
        See `storagelab.analysis.run_values`: the run (or block) is the unit.
    factor : str
        Key in which the two sides differ.
    base, other : str or float
        Its two levels.
    by : sequence of str
        Keys that make the cells.

    Returns
    -------
    Dataset, dimension obs
        One row a cell with both sides: keys `by`; ``compared`` (text, "other / base"); ``run_variation`` (of other),
        ``run_variation_base``; ``ratio`` with ``_low``, ``_high``, a BCa interval over runs (NaN below ten runs a side,
        and where the runs of a side differ by factors: ``caveat``); ``n``, ``n_base``; ``p`` (NaN below three runs),
        ``p_adjusted``; ``verdict``: higher, lower or undecided. All pure numbers.

    Raises
    ------
    AnalysisError
        If no cell has both sides, a value is not positive, or as `run_values`.
    """
    sides = table.sides(ds, factor, base, other)
    runs = values_of_runs(sides, variable, [*by, factor], over=over, statistic=statistic)
    if not (runs.rows[variable] > 0).all():
        raise AnalysisError(f"{variable} is not positive in every run: a coefficient of variation needs that")
    found = runs.rows.cells(by).at_levels(variable, factor, (other, base))
    both = [(cell, a, b) for cell, (a, b) in found if len(a) and len(b)]
    alpha = family([same_spread(over_mean(a), over_mean(b)) for _, a, b in both]).alpha
    cells = []
    for cell, a, b in both:
        rng = generator(str(ds.attrs.get("study", "")), f"variation of {variable}", table.name_cell(cell))
        cells.append({**cell, **_compared(a, b, rng, alpha)})
    if not cells:
        raise AnalysisError(f"no cell has {variable} of both {factor}={base} and {factor}={other}")
    result = judge(cells).assign(compared=f"{table.spelled(other)} / {table.spelled(base)}")
    return table.dataset(
        result, labelled_runs(runs, sides), [*by, "compared"], statistic=statistic, unit=runs.unit,
        compared_variable=variable,
        method="ratio of coefficients of variation over runs, 95 % BCa interval from 10 runs on; Levene's test about "
        "the median on runs over their mean", margin="",
    )  # fmt: skip


def _compared(a: Floats, b: Floats, rng: np.random.Generator, alpha: float) -> dict[str, float | str]:
    own, base = (float(variation(side)) if side.size > 1 else np.nan for side in (a, b))
    caveat = refusal(a, b)
    low, high = NO_INTERVAL if caveat else exp(bca_interval([a, b], log_variation_ratio, rng, confidence=1 - alpha))
    return {
        "run_variation": own,
        "run_variation_base": base,
        "ratio": own / base if base else np.nan,
        columns.low("ratio"): float(low),
        columns.high("ratio"): float(high),
        "n": float(a.size),
        "n_base": float(b.size),
        "p": same_spread(over_mean(a), over_mean(b)),
        "caveat": caveat,
    }


def compare_evenness(
    ds: xr.Dataset, variable: str, factor: str, base: Level, other: Level, by: Sequence[str] = ()
) -> xr.Dataset:
    """Ratio other / base of the coefficients of variation over the clients: which shares the more evenly.

    The clients of a run are no repetitions of it, so that its coefficient of variation is one value. Those of the runs
    are compared by Welch's t on their logs, as `storagelab.analysis.compare` does with the result of `fairness`.
    Levene's test on all clients, each over the mean of its run, is given beside it.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``.
    variable : str
        What was shared.
    factor, base, other, by
        As `compare_variation`; `by` need not name the number of clients if it is the same everywhere.

    Returns
    -------
    Dataset, dimension obs
        As `compare`, of ``variation``: one row a cell; ``ratio`` with interval (NaN for one run a side), ``n`` and
        ``n_base`` (runs), ``p``, ``p_adjusted``, ``verdict``; ``n_clients``, ``n_clients_base`` (clients of all runs);
        ``p_levene``; ``caveat``. ``p_levene`` takes the clients for independent and does not claim its level: it errs
        in 5 to 7 % where all runs of a side are alike, and in 20 % where some are more uneven. All pure numbers.

    Raises
    ------
    AnalysisError
        If the clients of a run do not differ at all, or as `compare` and `fairness`.
    """
    sides = table.sides(ds, factor, base, other)
    compared = compare(fairness(sides, variable, [*by, factor]), "variation", factor, base, other, by)
    clients = runs_of_clients(sides, variable, [*by, factor]).rows
    runs = clients.cells(list(dict.fromkeys([*by, factor, *UNIT])))
    size, over = runs.broadcast(runs.size), clients[variable] / runs.broadcast(runs.mean(variable))
    shared = clients.assign(over=over, size=size).take(size > 1).cells(by)
    tested = Rows.of_cells([{**cell, **_pooled(part, factor, base, other)} for cell, part in shared])
    rows = table.rows(compared)
    added = rows.looked_up(tested, by, [name for name in tested if name not in by])
    caveats = [_caveat(row) for row in rows.assign(**added).records()]
    joined = rows.assign(**{name: added[name] for name in ADDED}, caveat=caveats)
    attrs = {name: str(compared.attrs[name]) for name in ("statistic", "unit", "compared_variable", "margin")}
    method = f"{compared.attrs['method']}; Levene's test about the median on clients over the mean of their run"
    return table.dataset(joined, ds, [*by, "compared"], method=method, **attrs)


def _pooled(part: Rows, factor: str, base: Level, other: Level) -> dict[str, float]:
    a, b = (part.where(factor, level) for level in (other, base))
    p = same_spread(a["over"], b["over"]) if len(a) and len(b) else np.nan
    counted = {"n_clients": float(len(a)), "n_clients_base": float(len(b))}
    return {**counted, "p_levene": p, "size": _mean(a["size"]), "size_base": _mean(b["size"])}


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else np.nan


def _caveat(row: table.Cell) -> str:
    said = []
    if not np.isfinite(row["ratio_low"]):
        said.append("a side has one run only: no interval" if min(row["n"], row["n_base"]) < 2 else "no spread")
    if row["size"] != row["size_base"]:
        said.append("runs of different numbers of clients: a coefficient of variation of few is too small")
    return "; ".join([*said, "p_levene takes the clients of a run for independent"])
