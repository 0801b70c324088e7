"""Failures of a server by run: the clients of one run share its servers, and are no repetitions of each other."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.inference.processor_independent import divided

SHARES = ("away_share", "after_share")


def failed_runs(around: xr.Dataset, by: Sequence[str] = ("run_id",)) -> xr.Dataset:
    """Add the clients of each run up.

    Parameters
    ----------
    around : Dataset, dimension obs
        Result of `storagelab.analysis.failover`, one row a run and client.
    by : sequence of str
        Keys of a run.

    Returns
    -------
    Dataset, dimension obs
        One row a run: keys `by`; ``throughput_before`` and ``bytes_lost`` of all clients together; ``away_share`` and
        ``after_share``, what the clients moved together over their rate before; ``n_clients`` [1], how many they are.
        Where clients connect again at different times, each counts by its own.
    """
    table.require(around, "throughput_before", "bytes_lost", *SHARES, *by)
    rows = table.rows(around)
    runs = rows.assign(**{share: rows[share] * rows["throughput_before"] for share in SHARES}).cells(by)
    before = runs.sum("throughput_before")
    shares = {share: divided(runs.sum(share), before) for share in SHARES}
    found = runs.results(throughput_before=before, **shares, bytes_lost=runs.sum("bytes_lost"), n_clients=runs.size)
    method = "sums over the clients of a run, shares weighted by the rate before"
    return table.dataset(found, around, list(by), statistic="sum", method=method)
