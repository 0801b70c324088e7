"""Jobs that read files: their time and its phases, their CPU efficiency, and the bytes that they had use for."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.runs import UNIT
from storagelab.errors import AnalysisError

ADDED = ("elapsed", "cpu_time", "disk_time", "data_size")
PHASES = {
    "outside_time": "before and between files",
    "disk_time": "waiting for data",
    "processing_time": "processing",
}


def jobs(ds: xr.Dataset, logs: xr.Dataset, by: Sequence[str] = ("layout", "protocol", "clients")) -> xr.Dataset:
    """Add up the files that each job read, and set its reading beside its whole time.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``: a row a file that a client read, with elapsed, cpu_time, disk_time (waiting in reads) [s]
        and data_size [B]; and the row of its stopwatch around all files (operation job), where there is one.
    logs : Dataset, dimension obs
        Node ``logs`` of the same study: its elapsed [s] is the time of the whole process.
    by : sequence of str
        Keys of a job to keep.

    Returns
    -------
    Dataset, dimension obs
        One row a job: keys `by`, client, run_id, repeat, block; ``elapsed`` (real time of reading, all files),
        ``cpu_time``, ``disk_time``, ``processing_time`` (reading less waiting), ``job_time`` (the whole process),
        ``outside_time`` (job_time less elapsed), ``opening_time`` (stopwatch less elapsed; NaN without one) [s]; ``data_size`` [B]; ``throughput`` (data_size over elapsed) and
        ``wait_rate`` (data_size over disk_time) [B/s]; ``cpu_utilisation`` (cpu_time over elapsed) [1]; ``files`` [1]; the trace of its first row.

    Raises
    ------
    AnalysisError
        If a column is missing, or no row is a read of a client.
    """
    table.require(ds, *ADDED, "client", "run_id", "log_id", "operation", *by)
    table.require(logs, "elapsed")
    rows = table.frame(ds)
    rows = rows[(rows["operation"] == "read") & rows["elapsed"].notna()]
    if rows.empty:
        raise AnalysisError("no client read a file: a job is what a client read")
    unit = [key for key in UNIT if key in rows]
    keys = list(dict.fromkeys([*by, "client", *unit, "log_id"]))
    added = rows.groupby(keys, dropna=False, sort=True)
    found = added[list(ADDED)].sum(min_count=1).assign(files=added.size(), line=added["line"].min()).reset_index()
    whole = logs["elapsed"].to_numpy()[found["log_id"].astype(int)]
    found = found.assign(
        log_count=1.0,
        job_time=whole,
        opening_time=found["log_id"].map(_stopwatches(ds)) - found["elapsed"],
        outside_time=whole - found["elapsed"],
        processing_time=found["elapsed"] - found["disk_time"],
        throughput=found["data_size"] / found["elapsed"],
        wait_rate=found["data_size"] / found["disk_time"],
        cpu_utilisation=found["cpu_time"] / found["elapsed"],
    )
    return table.dataset(found, ds, [*keys, "line", "log_count"], statistic="single", method="files of a job added up")


def _stopwatches(ds: xr.Dataset) -> pd.Series[float]:
    """Time of the stopwatch around all files, for each log that has one."""
    rows = table.frame(ds)
    timed: pd.Series[float] = rows[rows["operation"] == "job"].groupby("log_id")["elapsed"].sum(min_count=1)
    return timed


def phases(jobs_: xr.Dataset, by: Sequence[str] = ("layout", "protocol", "clients")) -> xr.Dataset:
    """Split the time of each job: before and between files, waiting for data, processing.

    Parameters
    ----------
    jobs_ : Dataset, dimension obs
        From `jobs`.
    by : sequence of str
        Keys of a job to keep.

    Returns
    -------
    Dataset, dimension obs
        Three rows a job: keys `by`, client, run_id, repeat, block and ``phase`` (text); ``elapsed`` [s]. The three add
        up to the time of the whole job.

    Raises
    ------
    AnalysisError
        If a time is missing.
    """
    table.require(jobs_, *PHASES, *by)
    rows = table.frame(jobs_)
    keys = list(dict.fromkeys([*by, "client", *(key for key in UNIT if key in rows)]))
    parts = [rows[keys].assign(phase=word, elapsed=rows[name]) for name, word in PHASES.items()]
    found = pd.concat(parts, ignore_index=True)
    return table.dataset(found, jobs_, [*keys, "phase"], statistic="single", method="time of each job by phase")


def of_entries_read(ds: xr.Dataset) -> xr.Dataset:
    """Count only the bytes of the entries that were asked for, of all entries' bytes that came with them.

    A tree keeps the entries of a branch together in baskets, and a basket is read whole. Entries are taken to be alike,
    so that a fraction of them has that fraction of the bytes.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with data_size [B], entries, entries_total [1], and the key entries_fraction for rows that lack the counts.

    Returns
    -------
    Dataset, dimension obs
        The same rows, with data_size times entries over entries_total, else times entries_fraction; unchanged where
        no fraction is known.

    Raises
    ------
    AnalysisError
        If a column is missing.
    """
    table.require(ds, "data_size", "entries", "entries_total", "entries_fraction")
    rows = table.frame(ds)
    fraction = (rows["entries"] / rows["entries_total"]).fillna(rows["entries_fraction"]).fillna(1.0)
    used = (rows["data_size"] * fraction).to_numpy()
    return ds.assign(data_size=("obs", used, ds["data_size"].attrs))
