"""What each client had of an aggregate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.runs import values_of_runs
from storagelab.errors import AnalysisError

Share = Literal["clients", "processes"]
Rate = Literal["throughput", "operation_rate"]


def per_client(
    ds: xr.Dataset,
    by: Sequence[str],
    variable: Rate = "throughput",
    *,
    among: Share = "clients",
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Divide the aggregate of each run by the number that shared it: ``A / n``.

    It says nothing of how it was shared; `fairness` of the node ``clients`` does.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``runs``.
    by, over, statistic
        See `run_values`; `among` is always a key of the result.
    variable : {"throughput", "operation_rate"}
        The aggregate.
    among : {"clients", "processes"}
        Who shared it.

    Returns
    -------
    Dataset, dimension obs
        One row a run: keys `by`, `among`, run_id, repeat, block; the aggregate, and ``throughput_per_client`` [B/s] or
        ``operation_rate_per_client`` [1/s]. `summarise` and `compare` take it.

    Raises
    ------
    AnalysisError
        If rows are shares already, if it is not known how many shared, or as `run_values`.
    """
    table.require(ds, among)
    if "share" in ds.variables and bool((ds["share"] != "").any()):
        raise AnalysisError("the rows are shares of clients or processes: an aggregate stands in the node runs")
    keys = list(dict.fromkeys([*by, among]))
    runs = values_of_runs(ds, variable, keys, over=over, statistic=statistic, blocks=False)
    rows = runs.rows
    unknown = int((~(rows[among] >= 1)).sum())
    if unknown:
        raise AnalysisError(f"of {unknown} of {len(rows)} runs it is not known how many {among} shared them")
    rows = rows.assign(**{f"{variable}_per_client": rows[variable] / rows[among]})
    method = f"{variable} over {among}"
    return table.dataset(rows, ds, runs.keys, statistic=statistic, method=method)
