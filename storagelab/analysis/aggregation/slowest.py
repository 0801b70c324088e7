"""What the clients of a run achieved together by the time the last of them was done; and who that is each time."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.aggregation.sums_over_clients import AGGREGATES
from storagelab.analysis.cells import Rows
from storagelab.analysis.fairness.fairness import member, runs_of_clients
from storagelab.analysis.runs import UNIT, values_of_runs
from storagelab.errors import AnalysisError

UNTIL_SLOWEST = "until the slowest client is done"


def until_slowest(ds: xr.Dataset, by: Sequence[str]) -> xr.Dataset:
    """Set the sum of the clients' rates beside what they achieved until the slowest was done.

    n clients that each move the same bytes, and start together, are done when the slowest is: together they moved
    n times its rate. It needs no clock, but is meant for the first operation of a run only, as later ones start when
    each client is ready. For clients that started one after the other it is too high.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``runs``, with throughput, throughput_min (rate of the slowest client) and clients; runs that lack a rate
        are left out.
    by : sequence of str
        Keys of a run to keep.

    Returns
    -------
    Dataset, dimension obs
        Two rows a run: keys `by`, run_id, repeat, block and ``aggregate`` (text); ``throughput`` [B/s].

    Raises
    ------
    AnalysisError
        As `run_values`.
    """
    table.require(ds, "clients", "throughput", "throughput_min")
    whole = ds.dropna("obs", subset=["throughput", "throughput_min"])
    if not whole.sizes["obs"]:
        raise AnalysisError("no run has the sum of its clients' rates and that of the slowest")
    keys = list(dict.fromkeys([*by, *UNIT]))
    total = values_of_runs(whole, "throughput", by).rows.assign(aggregate=AGGREGATES["throughput"])
    slowest = values_of_runs(whole, "throughput_min", list(dict.fromkeys([*by, "clients"]))).rows
    slowest = slowest.assign(throughput=slowest["throughput_min"] * slowest["clients"], aggregate=UNTIL_SLOWEST)
    rows = Rows.stacked([total, slowest.only(total)])
    method = "sum of the clients' rates, and n times that of the slowest"
    return table.dataset(rows, ds, [*keys, "aggregate"], statistic="single", method=method)


def rank_counts(
    ds: xr.Dataset, variable: str = "throughput", by: Sequence[str] = ("layout", "operation")
) -> xr.Dataset:
    """Count in how many runs each client was the fastest and the slowest: chance spreads it, placement does not.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``.
    variable : str
        What the clients shared.
    by : sequence of str
        Keys of a run.

    Returns
    -------
    Dataset, dimension obs
        One row a client and cell: keys `by`, client; the mean of the variable over the runs, ``fastest``, ``slowest``
        (runs in which it was that) and ``n`` (runs).

    Raises
    ------
    AnalysisError
        As `storagelab.analysis.client_values`, or if a run has one client only.
    """
    rows = runs_of_clients(ds, variable, by).rows
    runs = rows.cells(list(dict.fromkeys([*by, *UNIT])))
    last = runs.broadcast(runs.size)
    if (last == 1).any():
        raise AnalysisError(f"{rows['run_id'][last == 1][0]} has one client: a place needs two or more")
    keys = list(dict.fromkeys([*by, member(ds)]))
    cells = rows.assign(fastest=rows["place"] == last, slowest=rows["place"] == 1).cells(keys)
    counted = {name: cells.sum(name) for name in ("fastest", "slowest")}
    result = cells.results(**{variable: cells.mean(variable)}, **counted, n=cells.size)
    return table.dataset(result, ds, keys, method="runs in which a client was the fastest and the slowest")
