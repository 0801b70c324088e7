"""Rates that a tool prints with whole seconds, against the bytes over the real time."""

from __future__ import annotations

import numpy as np
import xarray as xr

from storagelab import schema
from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import divided
from storagelab.errors import AnalysisError

LINE = schema.LINE_OF["throughput"]


def over_real_time(ds: xr.Dataset) -> xr.Dataset:
    """Take the rate of a transfer from its bytes and its real time, and keep the rate that was printed beside it.

    xrdcp divides by whole seconds since its start, and by one second where it took less: its rate of a small file is
    its size, and says nothing of the time.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with throughput [B/s] as printed, data_size [B] and elapsed [s]; rows that lack one of them are kept as
        they are.

    Returns
    -------
    Dataset, dimension obs
        The same rows; where all three are known, ``throughput`` is data_size over elapsed, ``throughput_rounded`` what
        was printed, ``printed_share`` [1] the second over the first, ``printed_time`` [s] data_size over what was
        printed (infinite where that is 0).

    Raises
    ------
    AnalysisError
        If a column is missing, or no row has all three.
    """
    for name in ("throughput", "data_size", "elapsed"):
        table.unit(ds, name)
    printed, size, elapsed = (ds[name].to_numpy() for name in ("throughput", "data_size", "elapsed"))
    known = np.isfinite(printed) & np.isfinite(size) & (elapsed > 0)
    if not known.any():
        raise AnalysisError("no row has a printed rate, its bytes and its real time")
    rate = np.divide(size, elapsed, out=printed.copy(), where=known)
    beside = np.where(known, printed, np.nan)
    added = {
        "throughput": rate,
        "throughput_rounded": beside,
        "printed_share": divided(beside, rate),
        "printed_time": np.where(known, divided(size, beside), np.nan),
    }
    lines = ds[LINE].to_numpy() if LINE in ds.variables else np.full(rate.size, np.nan)
    added[LINE] = np.where(known, schema.COMPUTED, lines)
    return table.with_variables(ds, Rows(added, rate.size))
