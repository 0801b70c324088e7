"""Bytes on the network against bytes asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import divided
from storagelab.errors import AnalysisError

Counter = Literal["network_received", "network_sent"]
COUNTED = ("receive", "transmit")
"""Operations whose rows carry the interface counters of a whole run."""


def amplification(
    ds: xr.Dataset,
    by: Sequence[str] = ("layout", "clients", "operation_group"),
    counter: Counter = "network_received",
) -> xr.Dataset:
    """Bytes that crossed the network over all bytes asked for, for each run of external clients.

    A pair of counters belongs to the run: all operations in it are added up (a read and the reread after it, which may
    come from the page cache), and so are the intervals of counters that were read again and again.
    On-board clients are left out: their counters also carry their server's traffic.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``runs``: rows of the operations with data_size, and a row with the counter, under one run_id.
    by : sequence of str
        Keys of a run to keep; they must not differ between the operations of a run.
    counter : {"network_received", "network_sent"}
        Received for reads, sent for writes.

    Returns
    -------
    Dataset, dimension obs
        One row a run: keys `by`, run_id, repeat; the counter [B], ``bytes_asked`` [B], ``amplification`` [1]; and,
        where the run has one operation, its ``throughput`` [B/s] (useful) and ``network_throughput`` [B/s] (the same
        times the amplification). `summarise` takes it.

    Raises
    ------
    AnalysisError
        If no run of external clients has both the counter and all its data sizes.
    """
    table.require(ds, counter, "data_size", "run_id", "operation", "client_location", *by)
    every = table.rows(ds)
    rows = every.take((every["client_location"] == "external") & (every["run_id"] != ""))
    keys = list(dict.fromkeys([*by, "run_id", *(["repeat"] if "repeat" in rows else [])]))
    found = _amplified(rows, keys, counter)
    if not len(found):
        raise AnalysisError(f"no run of external clients has {counter} and the data_size of all its operations")
    return table.dataset(found, ds, keys, statistic="single", method=f"{counter} over all bytes asked for in the run")


def _amplified(rows: Rows, keys: Sequence[str], counter: Counter) -> Rows:
    """Add up each run: what the interfaces counted, and what all operations asked for."""
    of_interface = np.isin(rows["operation"], COUNTED)
    counted = of_interface & np.isfinite(rows[counter])
    runs = rows.assign(
        crossed=np.where(counted, rows[counter], 0.0),
        counted=counted,
        size=np.where(of_interface, 0.0, rows["data_size"]),
        asked=~of_interface,
        rate=np.where(of_interface, 0.0, rows.get("throughput", np.nan)),
    ).cells(keys)
    crossed, size, asked = runs.sum("crossed"), runs.sum("size"), runs.sum("asked")
    whole = (runs.sum("counted") > 0) & (asked > 0) & (size > 0)
    times = np.divide(crossed, size, out=np.full(len(runs), np.nan), where=whole)
    alone = np.where(asked == 1, runs.sum("rate"), np.nan)
    measured = {counter: crossed, "bytes_asked": size, "amplification": times}
    return runs.results(**measured, throughput=alone, network_throughput=alone * times).take(whole)


def file_shares(ds: xr.Dataset) -> xr.Dataset:
    """Add ``file_share`` [1], the bytes moved over the size of the file: 0.5 where half of it was asked for.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with data_size [B] of one file each, such as a part of a client, and the key file_size [B].

    Returns
    -------
    Dataset, dimension obs
        The same rows.

    Raises
    ------
    AnalysisError
        If no row has both, or a file has no size.
    """
    table.require(ds, "data_size", "file_size")
    rows = table.rows(ds)
    share = divided(rows["data_size"], rows["file_size"])
    if not np.isfinite(share).any() or (rows["file_size"] <= 0).any():
        raise AnalysisError("no row has data_size and the file_size of its file")
    return table.with_variables(ds, Rows({"file_share": share}, len(rows)))
