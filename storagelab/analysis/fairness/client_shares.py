"""The clients of a run on a scale that all runs share: each over the mean of its run, by its place among them."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.fairness.fairness import runs_of_clients
from storagelab.analysis.inference.processor_independent import divided
from storagelab.analysis.runs import UNIT


def client_shares(
    ds: xr.Dataset, variable: str = "throughput", by: Sequence[str] = (), *, over: Sequence[str] = ()
) -> xr.Dataset:
    """Divide what each client had by the mean over the clients of its run, with its place among them.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``: one row a client of a run.
    variable : str
        What was shared.
    by : sequence of str
        Keys of a run to keep.
    over : sequence of str
        Keys that may differ between the clients of a run, such as the server of each.

    Returns
    -------
    Dataset, dimension obs
        As `client_values`, with ``over_mean`` [1] (1 where all are equal) and ``place_share`` [1], the place of the
        client less a half over the number of clients: 0 to 1 from slowest to fastest, whatever their number.

    Raises
    ------
    AnalysisError
        As `client_values`.
    """
    clients = runs_of_clients(ds, variable, by, over=over)
    rows, runs = clients.rows, clients.rows.cells(list(dict.fromkeys([*by, *UNIT])))
    found = rows.assign(
        over_mean=divided(rows[variable], runs.broadcast(runs.mean(variable))),
        place_share=(rows["place"] - 0.5) / runs.broadcast(runs.size),
    )
    method = f"{variable} over the mean of the run's clients"
    return table.dataset(found, ds, clients.keys, statistic="single", method=method, made_of=variable)
