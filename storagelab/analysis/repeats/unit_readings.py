"""A rate or size whose unit may mean a power of ten or of two, both ways, against a peak."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import xarray as xr

from storagelab import schema, units
from storagelab.analysis import columns, table
from storagelab.analysis.repeats.summary import summarise
from storagelab.errors import AnalysisError

BINARY = {"kB": "KiB", "MB": "MiB", "GB": "GiB", "TB": "TiB", "PB": "PiB"}
"""Units of bytes in powers of ten, and those in powers of two that many print by the same name."""


def unit_readings(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    printed: str,
    peak: float,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Read the number that was printed in powers of ten and in powers of two, and hold both against a peak.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `summarise`.
    printed : str
        The unit in which the number was read when the dataset was made: ``MB/s`` or ``MiB/s``.
    peak : float
        What it is held against, in the SI unit of the variable: its unit is not in doubt.

    Returns
    -------
    Dataset, dimension obs
        Two rows a cell: keys `by` and ``reading`` (``MB/s``, ``MiB/s``); the mean so read, with the interval and n of
        `summarise`; ``peak_share`` [1], value over peak, with ``_low`` and ``_high``; ``caveat``.

    Raises
    ------
    AnalysisError
        If `printed` is no unit in which bytes are printed, or the peak is not positive; or as `summarise`.
    UnknownNameError
        If `printed` does not convert to the unit of the variable.

    Examples
    --------
    >>> rates = unit_readings(runs, "throughput", ["clients"], printed="MB/s", peak=2.4e9)  # doctest: +SKIP
    """
    if not peak > 0:
        raise AnalysisError(f"a peak of {peak:g} is none: give it in {table.unit(ds, variable)}")
    decimal, binary = both_readings(printed)
    si = table.unit(ds, variable)
    means = summarise(ds, variable, by, over=over, statistic=statistic)
    rows = table.frame(means)
    parts = [
        _read(rows, variable, unit, units.factor(unit, si) / units.factor(printed, si), peak)
        for unit in (decimal, binary)
    ]
    attrs = {name: str(means.attrs[name]) for name in ("statistic", "unit")}
    method = f"{means.attrs['method']}; read as {decimal} and as {binary}, over a peak of {peak:g} {si}"
    return table.dataset(pd.concat(parts, ignore_index=True), ds, [*by, "reading"], method=method, **attrs)


def both_readings(printed: str) -> tuple[str, str]:
    """Return the two units that a printed unit of bytes may mean.

    Raises
    ------
    AnalysisError
        If it has no prefix that could mean both.

    Examples
    --------
    >>> both_readings("MiB/s")
    ('MB/s', 'MiB/s')
    """
    size, slash, time = printed.partition("/")
    for decimal, binary in BINARY.items():
        if size in (decimal, binary):
            return decimal + slash + time, binary + slash + time
    known = ", ".join([*BINARY, *BINARY.values()])
    raise AnalysisError(f"{printed!r} has one meaning, or none: expected bytes with a prefix ({known}), as in MB/s")


def _read(rows: pd.DataFrame, variable: str, unit: str, times: float, peak: float) -> pd.DataFrame:
    """Scale all statistics of the variable as if its number had been printed in a unit."""
    ends = (variable, columns.low(variable), columns.high(variable))
    statistics = [str(name) for name in rows if str(name).startswith(variable) and name not in schema.OF_VALUES]
    scaled = rows.assign(**{name: rows[name] * times for name in statistics})
    shares = {name.replace(variable, "peak_share"): scaled[name] / peak for name in ends}
    return scaled.assign(reading=unit, **shares)
