"""What links carry, and how long they need for the bytes that were counted."""

from __future__ import annotations

import numpy as np
import xarray as xr

from storagelab import units
from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import divided
from storagelab.errors import AnalysisError


def link_rate(megabits: float) -> float:
    """Turn the rate of a link in Mbit/s, as test beds name it, into B/s.

    Parameters
    ----------
    megabits : float
        Mbit/s, of ten to the sixth bits.

    Returns
    -------
    float
        B/s.

    Raises
    ------
    AnalysisError
        If it is not above zero.
    """
    if not megabits > 0:
        raise AnalysisError(f"a link carries more than nothing, got {megabits:g} Mbit/s")
    return float(megabits) * units.factor("Mbit/s", "B/s")


def link_times(ds: xr.Dataset, servers: int, variable: str = "network_received") -> xr.Dataset:
    """Time that the links of the servers need for the bytes that were counted, if all are full all the time.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with server_link [B/s] and the variable.
    servers : int
        Number of servers, each on one such link.
    variable : str
        Bytes of all clients together [B].

    Returns
    -------
    Dataset, dimension obs
        The same rows, with ``link_time`` [s], ``variable / (servers * server_link)``; NaN where one is not known.

    Raises
    ------
    AnalysisError
        If the variable is not in bytes, there is no server, or no row has both.
    """
    table.require(ds, "server_link")
    if (unit := table.unit(ds, variable)) != "B":
        raise AnalysisError(f"links carry bytes, {variable} is in {unit}")
    if servers < 1:
        raise AnalysisError(f"bytes come from one server or more, got {servers}")
    needed = divided(ds[variable].to_numpy(), servers * ds["server_link"].to_numpy())
    if not np.isfinite(needed).any():
        raise AnalysisError(f"no row has {variable} and server_link")
    return table.with_variables(ds, Rows({"link_time": needed}, needed.size))
