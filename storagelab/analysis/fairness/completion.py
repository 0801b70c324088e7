"""How long clients with the same work took: against the fastest of them, and against their rates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import dataset
from storagelab.analysis import basis, table
from storagelab.analysis.fairness.fairness import client_values, member
from storagelab.analysis.runs import UNIT
from storagelab.errors import AnalysisError

RUN = ("layout", "operation", "clients")


def completion_factors(
    ds: xr.Dataset, by: Sequence[str] = RUN, *, groups: Sequence[str] = (), variable: str = "elapsed"
) -> xr.Dataset:
    """Divide the time of each client by that of the fastest client of its run.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``: one row a client of a run.
    by : sequence of str
        Keys of a run to keep.
    groups : sequence of str
        Keys of a client to keep, such as client_location; the fastest is that of all groups.
    variable : str
        A time.

    Returns
    -------
    Dataset, dimension obs
        One row a client and run: keys `by`, `groups`, client (or process), run_id, repeat, block;
        ``completion_factor`` [1], 1 for the fastest of the run. `repetition_units` takes it.

    Raises
    ------
    AnalysisError
        As `completion_spread`.
    """
    if table.unit(ds, variable) != "s":
        raise AnalysisError(f"a completion spread is of times, {variable} is in {ds[variable].attrs['units']}")
    rows = _shared_runs(ds, variable, by, groups)
    if not (rows[variable] > 0).all():
        raise AnalysisError(f"a client of {rows.loc[rows[variable] <= 0, 'run_id'].iloc[0]} took no time: {variable}")
    fastest = rows.groupby(_run(by), dropna=False)[variable].transform("min")
    keys = list(dict.fromkeys([*by, *groups, member(ds), *UNIT]))
    found = rows[keys].assign(completion_factor=rows[variable] / fastest)
    method = f"{variable} of each client over the least of its run"
    return table.dataset(found, ds, keys, statistic="single", method=method)


def completion_spread(
    ds: xr.Dataset, by: Sequence[str] = RUN, *, groups: Sequence[str] = (), variable: str = "elapsed"
) -> xr.Dataset:
    """Divide the time of each client by that of the fastest client of its run, and average over the clients.

    Clients that do the same work at the same speed all have 1. The factor of the slowest is the completion spread of
    the run (``max t / min t``).

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``: one row a client of a run.
    by : sequence of str
        Keys of a run to keep.
    groups : sequence of str
        Keys that make groups of clients inside a run, such as client_location; the fastest is that of all groups.
    variable : str
        A time.

    Returns
    -------
    Dataset, dimension obs
        One row a run (and group): keys `by`, `groups`, run_id, repeat, block; ``completion_factor`` (mean over the
        clients), ``completion_slowest``, ``n_clients``. All pure numbers. `summarise` takes it: the run is the unit,
        so that one run has no interval, however many clients it has.

    Raises
    ------
    AnalysisError
        If the variable is no time, a client took no time, no run has two clients, or as `client_values`.
    """
    factors = table.frame(completion_factors(ds, by, groups=groups, variable=variable))
    keys = list(dict.fromkeys([*by, *groups, *UNIT]))
    found = factors.groupby(keys, dropna=False, sort=True)["completion_factor"].agg(
        completion_factor="mean", completion_slowest="max", n_clients="size"
    )
    method = f"{variable} of each client over the least of its run"
    return table.dataset(found.reset_index(), ds, keys, statistic="single", method=method)


def time_against_bandwidth(ds: xr.Dataset, by: Sequence[str] = RUN, *, times: str = "", rates: str = "") -> xr.Dataset:
    """Multiply the time of each client by its rate: with the same bytes and one window for both, it is constant.

    Where it is not, the two were taken over different windows (an interface's counters over a part of the run, say), or
    the clients did not move the same bytes; a spread of rates then says nothing about the spread of times.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``: rows with elapsed [s] and throughput [B/s], and data_size [B] where it is known.
    by : sequence of str
        Keys of a run to keep.
    times, rates : str, optional
        Operations of which a client's time and rate are taken, where one row has not both: the job that took the wall
        time, and the interface that counted the bytes.

    Returns
    -------
    Dataset, dimension obs
        One row a run: keys `by`, run_id, repeat, block; ``time_spread`` (max t / min t), ``rate_spread`` (max b /
        min b), ``window_spread`` (max t b / min t b, at least the larger of the two over the other) [1];
        ``window_bytes`` (mean t b) [B]; ``window_over_size`` (mean of t b over data_size, NaN where that is not known);
        ``n_clients``. `fairness_over_runs` takes it.

    Raises
    ------
    AnalysisError
        If a time or rate is not positive, no run has two clients, or as `client_values`.
    """
    keys = _run(by)
    rows = _shared_runs(_of(ds, times), "elapsed", by)
    moved = _of(ds, rates)
    sizes = ["data_size"] if "data_size" in moved.variables and bool(np.isfinite(moved["data_size"]).any()) else []
    for name in ("throughput", *sizes):
        own = table.frame(client_values(moved, name, by).drop_vars([basis.KEY, "place"], errors="ignore"))
        rows = rows.merge(own, how="left" if name in sizes else "inner", validate="one_to_one")
    if rows.empty or not (rows[["elapsed", "throughput"]] > 0).all(axis=None):
        raise AnalysisError("a client has no positive elapsed and throughput of the same run: nothing to hold together")
    found = [{**cell, **_windows(part)} for cell, part in table.cells(rows, keys) if len(part) > 1]
    if not found:
        raise AnalysisError("no run has elapsed and throughput of two or more clients")
    return table.dataset(pd.DataFrame(found), ds, keys, statistic="single", method="time times rate of each client")


def _of(ds: xr.Dataset, operation: str) -> xr.Dataset:
    return dataset.select(ds, operation=operation) if operation else ds


def _windows(part: pd.DataFrame) -> dict[str, float]:
    bytes_ = part["elapsed"] * part["throughput"]
    share = (bytes_ / part["data_size"]).mean(skipna=False) if "data_size" in part else np.nan
    return {
        "time_spread": _spread(part["elapsed"]),
        "rate_spread": _spread(part["throughput"]),
        "window_spread": _spread(bytes_),
        "window_bytes": float(bytes_.mean()),
        "window_over_size": float(share),
        "n_clients": float(len(part)),
    }


def _spread(values: pd.Series[float]) -> float:
    return float(values.max() / values.min())


def _run(by: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*by, *UNIT]))


def _shared_runs(ds: xr.Dataset, variable: str, by: Sequence[str], groups: Sequence[str] = ()) -> pd.DataFrame:
    """One value a client, of the runs with two clients or more."""
    rows = table.frame(client_values(ds, variable, [*by, *groups])).drop(columns="place")
    shared = rows[rows.groupby(_run(by), dropna=False)[member(ds)].transform("size") > 1]
    if shared.empty:
        raise AnalysisError(f"no run has {variable} of two or more clients: a spread needs them")
    return shared.reset_index(drop=True)
