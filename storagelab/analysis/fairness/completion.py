"""How long clients with the same work took: against the fastest of them, and against their rates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab import dataset
from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.fairness.fairness import member, runs_of_clients
from storagelab.analysis.inference.processor_independent import divided
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
        raise AnalysisError(f"a client of {rows['run_id'][rows[variable] <= 0][0]} took no time: {variable}")
    runs, keys = rows.cells(_run(by)), list(dict.fromkeys([*by, *groups, member(ds), *UNIT]))
    found = rows.only(keys).assign(completion_factor=rows[variable] / runs.broadcast(runs.min(variable)))
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
    keys = list(dict.fromkeys([*by, *groups, *UNIT]))
    cells = table.rows(completion_factors(ds, by, groups=groups, variable=variable)).cells(keys)
    found = cells.results(
        completion_factor=cells.mean("completion_factor"),
        completion_slowest=cells.max("completion_factor"),
        n_clients=cells.size,
    )
    method = f"{variable} of each client over the least of its run"
    return table.dataset(found, ds, keys, statistic="single", method=method)


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
        own = runs_of_clients(moved, name, by)
        rows = rows.assign(**rows.looked_up(own.rows, own.keys, [name]))
        rows = rows if name in sizes else rows.take(~np.isnan(rows[name]))
    if not len(rows) or not ((rows["elapsed"] > 0) & (rows["throughput"] > 0)).all():
        raise AnalysisError("a client has no positive elapsed and throughput of the same run: nothing to hold together")
    found = _windows(rows, keys)
    if not len(found):
        raise AnalysisError("no run has elapsed and throughput of two or more clients")
    return table.dataset(found, ds, keys, statistic="single", method="time times rate of each client")


def _of(ds: xr.Dataset, operation: str) -> xr.Dataset:
    return dataset.select(ds, operation=operation) if operation else ds


def _windows(rows: Rows, keys: Sequence[str]) -> Rows:
    moved = rows["elapsed"] * rows["throughput"]
    cells = rows.assign(moved=moved, share=divided(moved, rows.get("data_size", np.nan))).cells(keys)
    found = cells.results(
        time_spread=cells.max("elapsed") / cells.min("elapsed"),
        rate_spread=cells.max("throughput") / cells.min("throughput"),
        window_spread=cells.max("moved") / cells.min("moved"),
        window_bytes=cells.mean("moved"),
        window_over_size=cells.mean("share"),
        n_clients=cells.size,
    )
    return found.take(cells.size > 1)


def _run(by: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*by, *UNIT]))


def _shared_runs(ds: xr.Dataset, variable: str, by: Sequence[str], groups: Sequence[str] = ()) -> Rows:
    """One value a client, of the runs with two clients or more."""
    rows = runs_of_clients(ds, variable, [*by, *groups]).rows
    runs = rows.cells(_run(by))
    shared = rows.take(runs.broadcast(runs.size) > 1)
    if not len(shared):
        raise AnalysisError(f"no run has {variable} of two or more clients: a spread needs them")
    return shared
