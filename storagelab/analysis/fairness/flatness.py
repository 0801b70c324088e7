"""Whether the clients of a run lie evenly between two ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.fairness.fairness import runs_of_clients
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.spread import uniform_distance
from storagelab.analysis.runs import UNIT
from storagelab.errors import AnalysisError

FEWEST = 5
"""Values below which even two heaps pass for an even spread."""


def flatness(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = ("layout", "operation", "clients"),
    *,
    ends: tuple[float, float] | None = None,
) -> xr.Dataset:
    """Kolmogorov-Smirnov distance of the clients of each run to an even spread between two ends, with its p.

    Where the ends are given (a range that was printed, not one read off these clients), all clients are tested against
    it. Otherwise the ends are the lowest and the highest client, and those between them are tested: given its extremes,
    an even sample is even between them, so that the test keeps its level.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``.
    variable : str
        What the clients shared, or how long they took.
    by : sequence of str
        Keys of a run.
    ends : tuple of float, optional
        In the unit of the variable.

    Returns
    -------
    Dataset, dimension obs
        One row a run: keys `by`, run_id, repeat, block; ``uniform_distance``, ``p_uniform``, ``outside_range`` (clients
        outside the ends), ``n_clients``. Pure numbers. p is NaN, and ``caveat`` says why, where fewer than 5 clients
        are tested or where some are tied, as rounded numbers are. p takes the clients of a run for independent: where
        they are steered to the same rate, or in groups, it is too small.

    Raises
    ------
    AnalysisError
        If the ends are not in order, or as `client_values`.
    """
    if ends is not None and not ends[0] < ends[1]:
        raise AnalysisError(f"a range has its lower end first, got {ends[0]:g} to {ends[1]:g}")
    keys = list(dict.fromkeys([*by, *UNIT]))
    runs = runs_of_clients(ds, variable, by).rows.cells(keys)
    each = zip(runs.names(), runs.slices(variable), strict=True)
    found = [{**cell, **_flatness(values, ends)} for cell, values in each]
    between = f"{ends[0]:g} and {ends[1]:g} {table.unit(ds, variable)}" if ends else "the lowest and the highest client"
    method = f"Kolmogorov-Smirnov distance to the uniform distribution between {between}"
    return table.dataset(found, ds, keys, statistic="single", method=method, made_of=variable)


def _flatness(values: Floats, ends: tuple[float, float] | None) -> dict[str, float | str]:
    low, high = ends or (values.min(), values.max())
    tested = values if ends else np.sort(values)[1:-1]
    outside = float(((values < low) | (values > high)).sum())
    reason = _refusal(values, tested)
    known = tested.size > 0 and high > low
    distance, p = uniform_distance(tested, low, high) if known else (np.nan, np.nan)
    return {
        "uniform_distance": distance,
        "p_uniform": np.nan if reason else p,
        "outside_range": outside,
        "n_clients": float(values.size),
        "caveat": reason,
    }


def _refusal(values: Floats, tested: Floats) -> str:
    if tested.size < FEWEST:
        return f"{tested.size} clients to test: needs {FEWEST}"
    ties = values.size - np.unique(values).size
    return f"{ties} of {values.size} clients are tied with another: rounded?" if ties else ""
