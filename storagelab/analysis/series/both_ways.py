"""Both directions of a network together: what an interface received and sent, added up sample by sample."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.errors import AnalysisError

DIRECTIONS = ("receive", "transmit")


def both_ways(series: xr.Dataset, by: Sequence[str] = ("run_id",)) -> xr.Dataset:
    """Add what was received and what was sent at the same moments.

    A full-duplex link carries its rate in each direction: the sum is no load of a link, but what a host moved, and what
    a plot of both directions on top of each other shows.

    Parameters
    ----------
    series : Dataset, dimension obs
        Node ``series``: samples of `throughput` with the operations receive and transmit, one of each at a moment.
    by : sequence of str
        Keys that make a series.

    Returns
    -------
    Dataset, dimension obs
        One row a moment at which both directions were sampled: keys `by` and ``statistic``; ``time`` [s];
        ``throughput`` [B/s], the sum.

    Raises
    ------
    AnalysisError
        If a direction has two samples at one moment, or no moment has both.
    """
    table.require(series, "time", "operation", *by)
    table.unit(series, "throughput")
    every = table.rows(series)
    known = ~np.isnan(every["time"]) & ~np.isnan(every["throughput"])
    rows = every.take(known & np.isin(every["operation"], DIRECTIONS))
    keys = [*by, *(["statistic"] if "statistic" in rows else []), "time"]
    if (rows.cells([*keys, "operation"]).size > 1).any():
        raise AnalysisError("a direction has two samples at one moment: name in by what tells series apart")
    moments = rows.cells(keys)
    added = moments.results(throughput=moments.sum("throughput")).take(moments.size == len(DIRECTIONS))
    if not len(added):
        raise AnalysisError("no moment has a sample of what was received and one of what was sent")
    return table.dataset(added, series, keys, method="received and sent, added up")
