"""A scaling curve over its own peak: curves of different systems on one scale, each from zero to one."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.repeats.summary import summarise


def over_peak(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    x: str = "clients",
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Divide the geometric mean at each level of a scale by the highest of its curve: ``A(n) / max A``.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `storagelab.analysis.run_values`.
    x : str
        Key along which it scales.

    Returns
    -------
    Dataset, dimension obs
        One row a cell and level: keys `by` and `x`; ``curve_share`` [1] with ``_low`` and ``_high``, the 95 % interval
        of the mean over a peak that is taken as given (that of the peak itself is the interval of its mean); ``n``,
        ``caveat``. The highest of several means is too high by chance, so that shares are rather too low.

    Raises
    ------
    AnalysisError
        As `storagelab.analysis.summarise`.
    """
    means = summarise(ds, variable, [*by, x], over=over, statistic=statistic, scale="log")
    rows = table.rows(means)
    curves = rows.cells(by)
    peaks = curves.broadcast(curves.max(variable))
    shares = {end("curve_share"): rows[end(variable)] / peaks for end in (str, columns.low, columns.high)}
    found = rows.assign(**shares).only([*by, x, *shares, "n", "caveat"])
    method = f"{means.attrs['method']}, over the highest mean of the curve"
    return table.dataset(
        found, means, [*by, x], statistic=statistic, unit=str(means.attrs["unit"]), method=method, made_of=variable
    )  # fmt: skip
