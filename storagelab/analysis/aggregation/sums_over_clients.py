"""Three ways to add up the clients of a run, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.runs import UNIT, values_of_runs
from storagelab.errors import AnalysisError

AGGREGATES = {
    "throughput": "sum of the clients' rates",
    "throughput_common": "while all clients ran",
    "throughput_span": "first start to last end",
}


def aggregates(ds: xr.Dataset, by: Sequence[str]) -> xr.Dataset:
    """Lay the three aggregates of the same runs out as rows, for `summarise`, `compare` and figures.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``runs``. Only runs that have all three are used, so that the three speak of the same runs.
    by : sequence of str
        Keys of a run to keep.

    Returns
    -------
    Dataset, dimension obs
        Three rows a run: keys `by`, run_id, repeat, block and ``aggregate`` (text, see `AGGREGATES`);
        ``throughput`` [B/s]. ``attrs["left_out"]`` names the runs that lack one of the three, and why; it is empty
        where none does.

    Raises
    ------
    AnalysisError
        If no run has all three, or as `run_values`.
    """
    table.require(ds, "run_id")
    for name in AGGREGATES:
        table.unit(ds, name)
    whole = np.logical_and.reduce([np.isfinite(ds[name].to_numpy()) for name in AGGREGATES])
    left_out = _left_out(ds, whole)
    if not whole.any():
        why = f"; {left_out}" if left_out else ""
        raise AnalysisError(f"no run has all three aggregates: they need the start and end of each client{why}")
    runs = ds.isel(obs=np.flatnonzero(whole))
    keys = list(dict.fromkeys([*by, *UNIT]))
    parts = [
        values_of_runs(runs, name, by, blocks=False).rows.renamed(**{name: "throughput"}).assign(aggregate=words)
        for name, words in AGGREGATES.items()
    ]
    method = "the clients of a run added up in three ways"
    return table.dataset(
        Rows.stacked(parts), ds, [*keys, "aggregate"], statistic="single", method=method, left_out=left_out
    )


SHOWN = 5
"""Runs that are named in the text of what was left out."""


def _left_out(ds: xr.Dataset, whole: np.ndarray) -> str:
    """Say which runs with a rate have not all three aggregates, and why."""
    rated = np.isfinite(ds["throughput"].to_numpy()) & ~whole
    timed = np.isfinite(ds["throughput_span"].to_numpy())
    apart = _named(ds, rated & timed, "its clients never ran all at once", "their clients never ran all at once")
    unknown = _named(ds, rated & ~timed, "its clients' times are not known", "their clients' times are not known")
    return "; ".join(filter(None, (apart, unknown)))


def _named(ds: xr.Dataset, rows: np.ndarray, one: str, several: str) -> str:
    names = np.unique(ds["run_id"].to_numpy()[rows]).tolist()
    if not names:
        return ""
    more = ", ..." if len(names) > SHOWN else ""
    runs, why = ("run", one) if len(names) == 1 else ("runs", several)
    return f"{len(names)} {runs} left out, as {why}: {', '.join(names[:SHOWN])}{more}"
