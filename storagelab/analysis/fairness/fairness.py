"""How evenly the clients of a run shared it: numbers of each run, for n = 3 runs too few to bootstrap.

Sources: R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness" (DEC-TR-301, 1984) for the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.runs import UNIT, Runs, values_of_runs
from storagelab.analysis.significant_digits import significant
from storagelab.errors import AnalysisError


def fairness(
    ds: xr.Dataset, variable: str = "throughput", by: Sequence[str] = ("layout", "operation", "clients")
) -> xr.Dataset:
    """Fairness of each run over its clients.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``: one row a client of a run.
    variable : str
        What was shared.
    by : sequence of str
        Keys of a run to keep.

    Returns
    -------
    Dataset, dimension obs
        One row a run with two or more clients: the keys `by`, run_id, repeat, block; ``jain`` (1/n for one client
        that has all, 1 for equal shares), ``variation`` (sample standard deviation over mean), ``half_range``
        ((max - min) / 2 over mean), ``spread`` (max over min), ``n_clients``. All pure numbers. `summarise` takes it.

    Raises
    ------
    AnalysisError
        If no run has two clients, or as `run_values`.
    """
    keys = list(dict.fromkeys([*by, *UNIT]))
    cells = runs_of_clients(ds, variable, by).rows.cells(keys)
    each = zip(cells.names(), cells.slices(variable), strict=True)
    shared = [{**cell, **fairness_of(values)} for cell, values in each if values.size > 1]
    if not shared:
        raise AnalysisError(f"no run has {variable} of two or more clients: fairness needs them")
    return table.dataset(shared, ds, keys, statistic="single", method="each run over its clients", made_of=variable)


def client_values(ds: xr.Dataset, variable: str, by: Sequence[str], *, over: Sequence[str] = ()) -> xr.Dataset:
    """Reduce the node ``clients`` to one value a client and run, with the ``place`` of the client in its run.

    Parameters
    ----------
    ds, variable, by, over
        See `run_values`; the names that a client has beside its own (host, process, interface) need not be in `over`.

    Returns
    -------
    Dataset, dimension obs
        Keys `by`, client (or process), run_id, repeat, block; the variable; ``place`` from 1 (slowest, or smallest).

    Raises
    ------
    AnalysisError
        As `run_values`.
    """
    clients = runs_of_clients(ds, variable, by, over=over)
    method = "one value a client and run, placed in its run"
    return table.dataset(clients.rows, ds, clients.keys, statistic="single", method=method)


def runs_of_clients(ds: xr.Dataset, variable: str, by: Sequence[str], *, over: Sequence[str] = ()) -> Runs:
    """Do what `client_values` does, for those who go on with rows."""
    names, keys = [*_names_of_a_client(ds), *over], list(dict.fromkeys([*by, member(ds)]))
    values = values_of_runs(ds, variable, keys, over=names, blocks=False)
    runs = values.rows.cells(list(dict.fromkeys([*by, *UNIT])))
    return replace(values, rows=values.rows.assign(place=runs.transformed(variable, _places)))


def _places(values: Floats) -> Floats:
    """Place of each value from 1, the lowest; of equal ones the first comes first."""
    order = np.argsort(significant(values), kind="stable")
    return np.argsort(order, kind="stable").astype(np.float64) + 1


def member(ds: xr.Dataset) -> str:
    """Key that names who shared a run: client, or process where the log tells only those apart.

    Raises
    ------
    AnalysisError
        If the rows name neither.
    """
    named = [key for key in ("client", "process") if key in ds.variables and bool((ds[key] != "").any())]
    if not named:
        raise AnalysisError("the rows name neither clients nor processes: fairness needs the node clients")
    return named[0]


def _names_of_a_client(ds: xr.Dataset) -> list[str]:
    return [name for name in ("host", "process", "interface") if name in ds.variables and name != member(ds)]


def fairness_of(values: Floats) -> dict[str, float]:
    """Fairness of one run from the values of its clients.

    Parameters
    ----------
    values : array_like, shape (clients,)
        One value a client.

    Returns
    -------
    dict of str to float
        Jain's index, coefficient of variation and the other measures of `fairness`, by name.

    Examples
    --------
    >>> fairness_of(np.array([1.0, 3.0]))["jain"]
    0.8
    """
    mean = values.mean()
    squares = (values**2).sum()
    return {
        "jain": float(values.sum() ** 2 / (values.size * squares)) if squares else np.nan,
        "variation": float(values.std(ddof=1) / mean) if mean else np.nan,
        "half_range": float(np.ptp(values) / 2 / mean) if mean else np.nan,
        "spread": float(values.max() / values.min()) if values.min() > 0 else np.nan,
        "n_clients": float(values.size),
    }
