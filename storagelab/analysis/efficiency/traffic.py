"""What crossed the network in the direction of the data, run by run and client by client."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.efficiency.network import Counter, amplification
from storagelab.analysis.inference.processor_independent import divided
from storagelab.analysis.run_times import PLACE
from storagelab.analysis.scaling.bounds import WRITING
from storagelab.dataset import take
from storagelab.errors import AnalysisError
from storagelab.lineage import remember

KEPT = ["bytes_asked", "amplification"]
MEMBER = ["client", "run_id"]


def traffic(ds: xr.Dataset, by: Sequence[str] = ("layout", "clients", "operation_group")) -> xr.Dataset:
    """Bytes on the network over bytes asked for: sent where a run writes, received where it reads.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``runs``; see `storagelab.analysis.amplification`, which leaves on-board clients out.
    by : sequence of str
        Keys of a run to keep.

    Returns
    -------
    Dataset, dimension obs
        One row a run: keys `by`, run_id, repeat; ``bytes_asked`` [B], ``amplification`` [1].

    Raises
    ------
    AnalysisError
        As `amplification`.
    """
    table.require(table.validate(ds), "run_id", "operation")
    runs = ds["run_id"].to_numpy()
    writing = np.isin(runs, runs[np.isin(ds["operation"].to_numpy(), sorted(WRITING))])
    parts = [_moved(ds, by, writing, "network_sent"), _moved(ds, by, ~writing, "network_received")]
    rows = Rows.stacked([part for part in parts if len(part)])
    keys = [str(name) for name in rows if name not in KEPT]
    method = "bytes sent (runs that write) or received (runs that read) over all bytes asked for in the run"
    return table.dataset(rows, ds, keys, statistic="single", method=method)


def _moved(ds: xr.Dataset, by: Sequence[str], chosen: np.ndarray, counter: Counter) -> Rows:
    if not chosen.any():
        return Rows({}, 0)
    part = table.rows(amplification(ds.isel(obs=np.flatnonzero(chosen)), by, counter))
    left_out = {counter, "throughput", "network_throughput", *PLACE, "start_time"} - {*by}
    return part.only([name for name in part if name not in left_out])


def over_the_link(ds: xr.Dataset, by: Sequence[str] = ("layout",), operation: str = "read") -> xr.Dataset:
    """Compare what each client received over its link with what it read.

    Unlike what a host sends, what it receives while all clients read is nearly all its own client's: a server that
    only reads receives requests. So this holds for on-board clients too. A client that received far less than it read
    had the data on its own host, in the page cache or on the disk.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``: rows of the operation and of the counter (operation receive), under one run_id and client.
    by : sequence of str
        Keys of a client's row to keep.
    operation : str
        What was read; later operations of the same run are taken to come from the client's page cache.

    Returns
    -------
    Dataset, dimension obs
        One row a client and run: keys `by`, client, run_id, repeat; ``throughput`` [B/s], ``network_received`` and
        ``data_size`` [B], ``link_share`` [1] (received over read), ``network_throughput`` [B/s] (rate times that).

    Raises
    ------
    AnalysisError
        If no client has both.
    """
    keys = list(dict.fromkeys([*by, "client", "run_id", "repeat"]))
    table.require(ds, *keys, "operation", "network_received", "data_size", "throughput")
    rows = table.rows(ds)
    of_reading = (rows["operation"] == operation) & ~np.isnan(rows["throughput"])
    counted = ~np.isnan(rows["network_received"])
    read, received = rows.take(of_reading), rows.take(counted)
    if (received.cells(MEMBER).size > 1).any():
        raise AnalysisError("a client has received twice in one run: name clients and runs, or select one counter")
    both = read.only([*keys, "throughput", "data_size"]).assign(
        **read.looked_up(received, MEMBER, ["network_received"])
    )
    both = both.take(~np.isnan(both["network_received"]))
    if not len(both):
        raise AnalysisError(f"no client has both a rate of {operation} and the bytes it received in that run")
    both = both.assign(link_share=divided(both["network_received"], both["data_size"]))
    both = both.assign(network_throughput=both["throughput"] * both["link_share"])
    made = table.dataset(both, ds, keys, statistic="single", method="bytes received by the host over bytes read")
    return remember(made, take(ds, np.flatnonzero(of_reading | counted)))
