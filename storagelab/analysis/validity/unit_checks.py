"""Rates above what is nominally possible, and factors of units that would explain a value that is out of place.

A rate above its nominal rate comes from a cache, from a nominal rate that is wrong, or from a slip between units:
bits for bytes (8), 1000 for 1024 once (KB) or several times (MB, GB), a prefix too many or too few (1000 or 1024).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.arguments import check_tolerance
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.processor_independent import log, log1p
from storagelab.analysis.key_codes import Array, array
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import values_of_runs
from storagelab.analysis.validity.outliers import agree, judged, over_others
from storagelab.errors import AnalysisError

ROUNDING: Mapping[str, float] = {
    "1.024 (KiB for kB)": 1.024,
    "1.049 (MiB for MB)": 1.024**2,
    "1.074 (GiB for GB)": 1.024**3,
}
"""Factors between binary and decimal prefixes."""

SLIPS: Mapping[str, float] = {
    "8 (bits for bytes)": 8.0,
    "1000": 1e3,
    "1024": 2.0**10,
    "1000^2": 1e6,
    "1024^2": 2.0**20,
    "1000^3": 1e9,
    "1024^3": 2.0**30,
}
"""Factors by which a whole unit is mistaken."""

PLAUSIBLE = 0.5
"""Share of the nominal rate that a rate should have once its unit is mended, so that the factor explains it."""

NOISE = 0.2
"""How far, relative to it, a ratio may be from a factor of 8 that explains it."""

NOISE_OF_A_PREFIX = 1.0
"""The same for a factor of 1000 or more, which noise cannot be taken for."""


def above_nominal(
    ds: xr.Dataset, nominal: float | str, variable: str = "throughput", *, tolerance: float = 0.0
) -> xr.Dataset:
    """Mark the rows whose rate is above its nominal rate, and name the factors of units that would explain it.

    A factor explains a rate that it brings down to between half of the nominal rate and all of it. Where none does, a
    cache served the rate, or the nominal rate is not the limit.

    Parameters
    ----------
    ds : Dataset, dimension obs
    nominal : float or str
        Nominal rate [B/s] of all rows, or the key or variable that holds that of each (``link_speed``, ``bound``).
    variable : str
        A rate [B/s].
    tolerance : float
        Share above the nominal rate that is still taken as the nominal rate.

    Returns
    -------
    Dataset, dimension obs
        The same rows and columns, with ``nominal`` [B/s], ``nominal_share`` [1] (rate over nominal rate),
        ``above_nominal`` (1 or 0; NaN where either is not known) and ``suspect`` (text: the factors, or "").

    Raises
    ------
    AnalysisError
        If the rate or the nominal rate is not in B/s, the nominal rate is not positive, the tolerance is negative, or
        no row has both.
    """
    check_tolerance(tolerance)
    for name in (variable, nominal):
        if isinstance(name, str) and table.unit(ds, name) != "B/s":
            raise AnalysisError(f"{name} is in {columns.field(name).unit!r}, a nominal rate is in B/s")
    limit = ds[nominal].to_numpy() if isinstance(nominal, str) else np.full(ds.sizes["obs"], float(nominal))
    if (limit <= 0).any():
        raise AnalysisError(f"a nominal rate of {np.nanmin(limit):g} B/s is not above zero")
    share = ds[variable].to_numpy() / limit
    known = np.isfinite(share)
    if not known.any():
        raise AnalysisError(f"no row has {variable} and a nominal rate")
    above = share > 1 + tolerance
    suspects = [_explained(one) if is_above else "" for one, is_above in zip(share, above, strict=True)]
    added = {
        "nominal": limit,
        "nominal_share": share,
        "above_nominal": np.where(known, above.astype(float), np.nan),
        "suspect": array(suspects),
    }
    return table.with_variables(ds, Rows(added, len(suspects)))


def _explained(share: float) -> str:
    """Name the factors that bring a share above 1 down to what is plausible."""
    factors = {**ROUNDING, **SLIPS}
    return ", ".join(name for name, factor in factors.items() if PLAUSIBLE <= share / factor <= 1)


def factor_suspects(
    ds: xr.Dataset, variable: str, by: Sequence[str], *, over: Sequence[str] = (), statistic: str = "single"
) -> xr.Dataset:
    """Find the runs that differ from the others of their cell by a factor of units: 8, or powers of 1000 or 1024.

    A run is a suspect where its ratio to the median of the other runs is within 20 % of a factor of 8, or within a
    factor of 2 of a larger one, up or down, and the others are within a factor of 2 of each other, or within the square
    root of that ratio. 1000 and 1024 are then both named. Factors between binary and
    decimal prefixes (2 to 7 %) are within the noise of runs: `above_nominal` and the agreement of two tools find those.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `storagelab.analysis.run_values`; runs of one block stand apart. Values must be positive.

    Returns
    -------
    Dataset, dimension obs
        One row a run and cell: keys `by`, run_id, repeat, block; the variable; ``over_others`` [1]; ``suspect``
        (text: "too high by 1024", or ""); ``n``; ``caveat``. ``attrs["suspects"]`` counts them.

    Raises
    ------
    AnalysisError
        If no cell has two runs, values are not positive, or as `run_values`.
    """
    runs = values_of_runs(ds, variable, by, over=over, statistic=statistic, blocks=False)
    check_scale(runs.rows[variable], variable)
    found = judged(runs.rows, variable, by, _suspects)
    if not (found["n"] > 1).any():
        raise AnalysisError(f"no cell of {', '.join(by) or 'the selection'} has two runs of {variable}")
    method = "ratio to the median of the other runs of a cell, near a factor of units"
    attrs = {"suspects": f"{int((found['suspect'] != '').sum())}", "unit": "run"}
    return table.dataset(found, ds, runs.keys, statistic=statistic, method=method, **attrs)


def _suspects(values: Floats) -> dict[str, Any]:
    ratios, spreads = over_others(values)
    n = values.shape[-1]
    sure = agree(np.abs(log(ratios)), spreads)
    return {
        "over_others": ratios,
        "suspect": np.where(sure, _slips(ratios), ""),
        "n": float(n),
        "caveat": {1: "one run", 2: "2 runs: which of them is off is not known"}.get(n, ""),
    }


def _slips(ratios: Floats) -> Array:
    """Name the factors of units that each ratio is near: "too high by 1000 or 1024"."""
    size = np.where(ratios > 1, ratios, 1 / ratios)
    near = {name: np.abs(log(size / factor)) <= log1p(_noise(factor)) for name, factor in SLIPS.items()}
    said = np.full(ratios.shape, "", dtype=object)
    for place in zip(*np.nonzero(np.any(list(near.values()), axis=0)), strict=True):
        names = " or ".join(name for name, is_near in near.items() if is_near[place])
        said[place] = f"too {'high' if ratios[place] > 1 else 'low'} by {names}"
    return said


def _noise(factor: float) -> float:
    return NOISE if factor < 1000 else NOISE_OF_A_PREFIX
