"""Which of two configurations is the more even, or the more repeatable: coefficients of variation compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import compare
from storagelab.analysis.fairness.fairness import fairness, runs_of_clients
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.spread import same_spread
from storagelab.analysis.runs import UNIT
from storagelab.lineage import inherit

Level = str | float
ADDED = ("n_clients", "n_clients_base", "p_levene")


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
    factor : str
        Key in which the two sides differ.
    base, other : str or float
        Its two levels.
    by : sequence of str
        Keys that make the cells; the number of clients need not be among them if it is the same everywhere.

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
    kept = ("statistic", "unit", "compared_variable", "compared_factor", "margin")
    attrs = {name: str(compared.attrs[name]) for name in kept}
    method = f"{compared.attrs['method']}; Levene's test about the median on clients over the mean of their run"
    return inherit(table.dataset(joined, ds, [*by, "compared"], method=method, **attrs), compared)


def _pooled(part: Rows, factor: str, base: Level, other: Level) -> dict[str, float]:
    a, b = (part.where(factor, level) for level in (other, base))
    p = same_spread(a["over"], b["over"]) if len(a) and len(b) else np.nan
    counted = {"n_clients": float(len(a)), "n_clients_base": float(len(b))}
    return {**counted, "p_levene": p, "size": _mean(a["size"]), "size_base": _mean(b["size"])}


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else np.nan


def _caveat(row: table.Cell) -> str:
    said = [row["caveat"]] if row["caveat"] else []
    if row["size"] != row["size_base"]:
        said.append("runs of different numbers of clients: a coefficient of variation of few is too small")
    return "; ".join([*said, "p_levene takes the clients of a run for independent"])
