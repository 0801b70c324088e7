"""Bytes and time on a link: bytes under way at a rate, what a window allows, and how long a block takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import divided
from storagelab.errors import AnalysisError


def bandwidth_delay(
    ds: xr.Dataset, round_trip: float, variable: str = "throughput", *, window: float | None = None
) -> xr.Dataset:
    """Set rates against the round trip time: bytes under way at each rate, and the rate that a window allows.

    A sender may have a window of bytes under way that nobody has acknowledged. So a connection carries at most
    ``window / RTT``, and a rate needs a window of ``rate x RTT`` (V. Jacobson, R. Braden, RFC 1072, 1988).

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rates of one connection; with or without the ends of their intervals.
    round_trip : float
        Round trip time [s].
    variable : str
        The rate [B/s].
    window : float, optional
        Window or buffer [B]; by default the key socket_buffer, where the rows have it.

    Returns
    -------
    Dataset, dimension obs
        The same rows and columns, with ``round_trip`` [s]; ``bandwidth_delay`` [B]; ``window`` [B], ``window_bound``
        [B/s] and ``window_share`` [1] (rate over that bound), NaN without a window. ``bandwidth_delay`` and
        ``window_share`` have the interval of the rate.

    Raises
    ------
    AnalysisError
        If the variable is no rate in bytes, or round trip or window are not positive.
    """
    if (unit := table.unit(ds, variable)) != "B/s":
        raise AnalysisError(f"bytes under way need a rate in B/s, {variable} is in {unit}")
    if not round_trip > 0:
        raise AnalysisError(f"a round trip takes longer than nothing, got {round_trip:g} s")
    rows = table.rows(ds)
    sizes = rows.get("socket_buffer", np.nan) if window is None else np.full(len(rows), float(window))
    found = {"round_trip": np.full(len(rows), float(round_trip)), "window": sizes, "window_bound": sizes / round_trip}
    for end in ("", "_low", "_high"):
        if f"{variable}{end}" in rows:
            found[f"bandwidth_delay{end}"] = rows[f"{variable}{end}"] * round_trip
            found[f"window_share{end}"] = divided(rows[f"{variable}{end}"], found["window_bound"])
    added = Rows(found, len(rows))
    return table.with_variables(ds, added, made_of=variable)


def serialisation_delays(
    ds: xr.Dataset, size: float, variable: str = "throughput", *, multiples: Sequence[float] = (1.0,)
) -> xr.Dataset:
    """Say how long a link takes to carry a block, or several in a row, at the rates given: ``size / rate``.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with a rate, with or without the ends of its interval.
    size : float
        Bytes of one block.
    variable : str
        The rate [B/s].
    multiples : sequence of float
        How many blocks, or what part of one.

    Returns
    -------
    Dataset, dimension obs
        One row a row of `ds` and multiple, in their order: the keys of `ds`, ``data_size`` [B]; ``elapsed`` [s], with
        ``elapsed_low`` and ``elapsed_high`` where the rate has an interval.

    Raises
    ------
    AnalysisError
        If the variable is no rate in bytes, or size, a multiple or a rate is not positive.
    """
    if (unit := table.unit(ds, variable)) != "B/s":
        raise AnalysisError(f"the time that bytes take on a link needs a rate in B/s, {variable} is in {unit}")
    if not min(size, *multiples) > 0:
        raise AnalysisError(f"a block holds bytes, got {size:g} B times {', '.join(f'{m:g}' for m in multiples)}")
    rows = table.rows(ds)
    if not (rows[variable] > 0).all():
        raise AnalysisError(f"{variable} is not positive in every row: a block would never arrive")
    keys = [str(key) for key in ds.coords]
    sizes = np.tile([size * m for m in multiples], len(rows))
    rows = rows.take(np.repeat(np.arange(len(rows)), len(multiples)))
    found = rows.only(keys).assign(data_size=sizes, elapsed=sizes / rows[variable])
    if {f"{variable}_low", f"{variable}_high"} <= set(rows):
        ends = {
            "elapsed_low": divided(sizes, rows[f"{variable}_high"]),
            "elapsed_high": divided(sizes, rows[f"{variable}_low"]),
        }
        found = found.assign(**ends)
    return table.dataset(found, ds, [*keys, "data_size"], statistic="single", method=f"bytes over {variable}")
