"""Failures of a server by run: the clients of one run share its servers, and are no repetitions of each other."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import xarray as xr

from storagelab.analysis import table

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
    rows = [{**cell, **_sums(part)} for cell, part in table.cells(table.frame(around), by)]
    method = "sums over the clients of a run, shares weighted by the rate before"
    return table.dataset(pd.DataFrame(rows), around, list(by), statistic="sum", method=method)


def _sums(part: pd.DataFrame) -> dict[str, float]:
    before = part["throughput_before"]
    return {
        "throughput_before": float(before.sum(skipna=False)),
        **{share: float((part[share] * before).sum(skipna=False) / before.sum(skipna=False)) for share in SHARES},
        "bytes_lost": float(part["bytes_lost"].sum(skipna=False)),
        "n_clients": float(len(part)),
    }
