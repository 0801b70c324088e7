"""Whether two values agree within their standard errors: what a paper calls compatible."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import no_interval
from storagelab.analysis.comparison.means import errors_taken_as_exact, pairs_of_estimates
from storagelab.analysis.inference.correction import ALPHA, holm
from storagelab.analysis.inference.estimates import Estimate, gap

LIMIT = 2.0
"""Standard errors up to which two values are called compatible."""


def compatibility(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: str | float,
    other: str | float,
    by: Sequence[str] = (),
    *,
    error: str = "",
    limit: float = LIMIT,
) -> xr.Dataset:
    """Difference other - base of each cell in standard errors: ``z = (a - b) / sqrt(e_a^2 + e_b^2)``.

    Compatible says that the data do not tell two values apart, not that they are equal: `compare_given` with a margin
    asks the latter. Where n is known, the same quotient is Welch's t, and its p says more than z: at n = 3, two equal
    values differ by more than two standard errors in every eighth campaign.

    Parameters
    ----------
    ds : Dataset, dimension obs
        One row a side and cell: published values, or a result of `storagelab.analysis.summarise`.
    variable : str
        The value.
    factor : str
        Key in which the two sides differ.
    base, other : str or float
        Its two levels.
    by : sequence of str
        Keys that make the cells.
    error : str, optional
        Column of the standard error: by default ``<variable>_error``, else ``<variable>_std`` over the root of n. How
        many runs are behind a value is taken from ``n``, else ``samples``, where the dataset has them.
    limit : float
        Standard errors up to which two values are called compatible.

    Returns
    -------
    Dataset, dimension obs
        One row a cell with both sides: the keys `by`, ``compared`` (text, "other - base"); ``z``; ``compatible`` (1
        where abs(z) is at most the limit); ``n``, ``n_base``, ``freedom`` (of Welch's t; NaN where an n is not known);
        ``p`` (of Welch's t, else of z), ``p_holm``; ``verdict``: compatible, not compatible (p_holm at most 0.05), or
        undecided; ``caveat``. Pure numbers.

    Raises
    ------
    AnalysisError
        If the dataset has no errors, if a side is several rows, or if no cell has both sides.
    """
    pairs = pairs_of_estimates(ds, variable, factor, base, other, by, error)
    rows = Rows.of_cells([{**cell, **_compatibility(a, b, limit)} for cell, a, b in pairs])
    p_holm = holm(rows["p"])
    differs = np.where(p_holm <= ALPHA, "not compatible", "compatible")
    verdict = np.where(np.isnan(rows["p"]), "undecided", differs)
    rows = rows.assign(
        compared=f"{table.format_level(other)} - {table.format_level(base)}", p_holm=p_holm, verdict=verdict
    )
    sides = table.sides(ds, factor, base, other)
    return table.dataset(
        rows, sides, [*by, "compared"], statistic="given", method="difference over its standard error, Welch's t",
        unit="value", compared_variable=variable, limit=f"{limit:g}",
    )  # fmt: skip


def _compatibility(a: Estimate, b: Estimate, limit: float) -> table.Cell:
    found = gap(a, b)
    z = found.value / found.error if found.known else np.nan
    freedom = found.freedom if np.isfinite(found.freedom) else np.nan
    agrees = float(abs(z) <= limit) if np.isfinite(z) else np.nan
    row = {"z": z, "compatible": agrees, "n": a.n, "n_base": b.n, "freedom": freedom, "p": found.p()}
    return {**row, "caveat": no_interval(found, a.n, b.n) or errors_taken_as_exact(a, b) or _few(agrees, found.p())}


def _few(agrees: float, p: float) -> str:
    """Say where z and Welch's t do not agree."""
    return "few runs: z differs, p does not" if not agrees and p > ALPHA else ""
