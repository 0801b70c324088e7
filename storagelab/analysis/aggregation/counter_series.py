"""Rates from a series of counter readings: the pairs of `storagelab.counter_differences`, one after the other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import xarray as xr

from storagelab import counter_differences
from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.errors import AnalysisError, ContractError

RAN_OVER = "a 32-bit counter ran over: right if less than 4 GiB moved"
DIRECTIONS = ("receive", "transmit")
WHERE = ("run_id", "client", "host")


def counter_rates(series: xr.Dataset, interface: str = "", by: Sequence[str] = ()) -> xr.Dataset:
    """Turn readings of interface counters into rates: bytes and packets between two readings over the time between.

    ``(bytes_end - bytes_start) / (t_end - t_start)``. A counter that ran over at 2^32 or 2^64 is mended. Between two
    readings of which the second is after a reset nothing is known: there is no row, and `attrs` count them.

    Parameters
    ----------
    series : Dataset, dimension obs
        Node ``series``: operation (receive, transmit), interface, time, counter_bytes, counter_packets.
    interface : str, optional
        The interface; else the only one besides loopback.
    by : sequence of str
        Keys of which each level has its own readings; run_id, client and host as far as there are any, otherwise.

    Returns
    -------
    Dataset, dimension obs
        One row an interval and direction: keys `by`, interface, operation, and time [s] of the second reading;
        ``throughput`` [B/s], ``packet_rate`` [1/s], ``data_size`` [B], ``elapsed`` [s]; ``caveat`` where the
        counter ran over at 2^32, as it may have done so more than once. Attribute `resets` counts intervals left out.

    Raises
    ------
    AnalysisError
        If there are no two readings with a time, one lacks a direction, or several interfaces could be meant.
    """
    table.require(series, "time", "interface", "operation", "counter_bytes", "counter_packets", *by)
    keys = list(by or (name for name in WHERE if name in series.variables))
    every = table.rows(series)
    known = [~np.isnan(every[name]) for name in ("time", "counter_bytes", "counter_packets")]
    rows = every.take(np.logical_and.reduce(known))
    rows = rows.assign(line=rows.get("line", np.nan))
    found: list[table.Cell] = []
    resets = 0
    for cell, part in rows.cells(keys):
        for row in _rates(part, interface):
            resets += row is None
            found += [{**cell, **row}] if row else []
    if not found:
        raise AnalysisError("no two readings of counters with a time between them")
    keys += ["interface", "operation", "time"]
    method = "difference of counters over the time between two readings"
    return table.dataset(found, series, keys, statistic="single", method=method, resets=str(resets))


def _rates(part: Rows, named: str) -> Iterator[table.Cell | None]:
    """A row an interval and direction; None for an interval in which the counters were reset."""
    readings = [
        (float(cell["time"]), counter_differences.reading(rows.records())) for cell, rows in part.cells(["time"])
    ]
    for (before, first), (after, second) in itertools.pairwise(readings):
        try:
            interface = counter_differences.the_interface(first, second, named)
        except ContractError as error:
            raise AnalysisError(str(error)) from None
        if not all((interface, operation) in one for one in (first, second) for operation in DIRECTIONS):
            raise AnalysisError(f"a reading of {interface} at {before:g} or {after:g} s has not both directions")
        for operation in DIRECTIONS:
            try:
                moved = counter_differences.difference(first, second, interface, operation)
            except ContractError:
                yield None
                break
            length = after - before
            yield {
                "interface": interface,
                "operation": operation,
                "time": after,
                "throughput": moved.bytes / length,
                "packet_rate": moved.packets / length,
                "data_size": moved.bytes,
                "elapsed": length,
                "caveat": RAN_OVER if moved.wrapped == counter_differences.WORD else "",
            }
