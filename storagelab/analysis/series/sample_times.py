"""Times of samples that a monitor cut to whole seconds, put where they most likely were."""

from __future__ import annotations

import xarray as xr

from storagelab.analysis import table
from storagelab.errors import AnalysisError


def centred(series: xr.Dataset, resolution: float = 1.0) -> xr.Dataset:
    """Add half of the resolution to times that were cut, not rounded, to it.

    ``sar`` prints the second in which an interval ended, without its fraction: what it prints is early by anything
    from nothing to a second. In the middle of that, a sample is early or late by half a second at most.

    Parameters
    ----------
    series : Dataset, dimension obs
        Node ``series``, with the time [s] of each sample.
    resolution : float
        Seconds to which the times were cut.

    Returns
    -------
    Dataset, dimension obs
        The same, with later times.

    Raises
    ------
    AnalysisError
        If the resolution is not positive, or there are no times.
    """
    table.unit(table.validate(series), "time")
    if resolution <= 0:
        raise AnalysisError(f"times are cut to {resolution:g} s, expected more than 0 s")
    later = series["time"] + resolution / 2
    return series.assign({"time": later.assign_attrs(series["time"].attrs)})
