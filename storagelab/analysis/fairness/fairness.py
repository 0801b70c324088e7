"""How evenly the clients of a run shared it: numbers of each run, for n = 3 runs too few to bootstrap.

Sources: R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness" (DEC-TR-301, 1984) for the index.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.runs import UNIT, run_values
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
    rows = table.frame(client_values(ds, variable, by))
    keys = list(dict.fromkeys([*by, *UNIT]))
    cells = [(cell, part[variable].to_numpy()) for cell, part in table.cells(rows, keys)]
    shared = [{**cell, **fairness_of(values)} for cell, values in cells if values.size > 1]
    if not shared:
        raise AnalysisError(f"no run has {variable} of two or more clients: fairness needs them")
    return table.dataset(pd.DataFrame(shared), ds, keys, statistic="single", method="each run over its clients")


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
    names, keys = [*_names_of_a_client(ds), *over], list(dict.fromkeys([*by, member(ds)]))
    values = run_values(ds, variable, keys, over=names, blocks=False)
    rows = table.frame(values)
    keys = list(dict.fromkeys([*by, *UNIT]))
    rows["place"] = rows.groupby(keys, dropna=False)[variable].rank(method="first")
    names = [str(name) for name in values.coords]
    return table.dataset(rows, ds, names, statistic="single", method="one value a client and run, placed in its run")


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
